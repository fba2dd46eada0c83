"""`memeloc glossary`. In: the glossary that the settings name. Out: its terms, by language."""

from __future__ import annotations

import memeloc
from memeloc.cli.options import AsJson, Langs, languages
from memeloc.cli.show import SHOWN, Table, show
from memeloc.counts import counted

_TABLE = Table("Glossary", "terms", "language term wanted forbidden note", most=SHOWN)


def glossary(langs: Langs = "all", as_json: AsJson = False) -> None:
    """Read the team's glossary and list its terms, by language.

    The setting `glossary` of memeloc.toml names the file; guides/machine-translation.md says what
    stands in it. What is wrong in it is named with its row and column.

    Example:
      memeloc glossary
      memeloc glossary --langs hi --json
    """
    from memeloc.glossary import shown

    fields = {"term": "names", "wanted": "wanted", "forbidden": "forbidden"}
    with memeloc.Workspace.find() as workspace:
        file = workspace.settings.glossary
        terms = [
            {"language": locale.tag}
            | {name: shown(getattr(term, field)) for name, field in fields.items()}
            | {"note": term.note}
            for locale in workspace.locales_of(languages(langs))
            for term in workspace.glossary.terms(locale)
        ]
    count = counted(len(terms), "term")
    then = f"{file}: {count}" if file else "Name one: `glossary` in memeloc.toml"
    show({"glossary": file, "terms": terms}, _TABLE, then, as_json=as_json)
