"""`memeloc keywords`. In: keywords. Out: variants, texts with them, templates without a topic."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import SHOWN, Table, show
from memeloc.counts import counted
from memeloc.errors import InputError

if TYPE_CHECKING:
    from memeloc.collect.keywords import KeywordRules

app = typer.Typer(
    no_args_is_help=True,
    help="Keyword lists in the forms that memes have, to search with or to look for.\n\n"
    "Example:\n  memeloc keywords expand قهوة --lang ar\n"
    "  memeloc keywords find captions.txt --keywords words.txt --lang ar\n"
    "  memeloc keywords topics",
)

Lang = Annotated[str, Option("--lang", metavar="TAG", help="The language, such as ar or en.")]
RulesFile = Annotated[
    Path | None,
    Option("--rules", metavar="FILE", help="Rules of your own, as TOML; --lang is not used."),
]
Limit = Annotated[int, Option(min=1, help="Variants of one keyword, itself among them.")]
_LIMIT = 300
_VARIANTS = Table("Variants", "variants", "keyword variant=text kind rule", empty=True)
_MATCHES = Table("Keywords found", "matches", "line found keyword kind rule", empty=True)


def _nearest(row: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{near.topic} {near.nearness:.2f} ({near.keyword}, {counted(near.captions, 'caption')})"
        for near in row["nearest"]
    )


_WITHOUT = Table(
    "{n} of {0[templates]:template} without a topic",
    "without",
    ("item name captions", ("nearest topics", _nearest)),
    most=SHOWN,
)


@app.command("expand")
def expand(
    words: list[str] = Argument(
        ...,
        metavar="FILE|WORD...",
        help="Keywords, or files of them: one a line, or a table with a column keyword.",
    ),
    lang: Lang = "",
    rules: RulesFile = None,
    kind: list[str] | None = Option(None, metavar="KIND", help="Only these kinds, as arabizi."),
    limit: Limit = _LIMIT,
    out: Path | None = Option(None, "--out", "-o", metavar="FILE", help="Write them as CSV."),
    as_json: AsJson = False,
) -> None:
    """Make the forms in which keywords are written, and say which rule made each.

    Affixes, dialects, loose spelling, letters that are held, Latin letters and digits, and phrases
    with other words; the keyword itself is always the first. The same keywords give the same list.

    Example:
      memeloc keywords expand قهوة شاي --lang ar --kind arabizi
      memeloc keywords expand words.txt --lang ar -o variants.csv
    """
    from memeloc.collect.keywords import expand as expand_keywords
    from memeloc.collect.keywords import write_variants

    loaded = _rules(lang, rules)
    kinds = dict.fromkeys(["word", *(rule.kind for rule in loaded.rule)])
    for name in kind or ():
        if name not in kinds:
            raise InputError(f"there is no kind {name[:40]!r}; there are {', '.join(kinds)}")
    variants = (
        variant
        for variant in expand_keywords(_keywords(words), loaded, limit=limit)
        if not kind or variant.kind in kind
    )
    if out is None:
        result = {"language": loaded.language, "variants": list(variants)}
        show(result, _VARIANTS, as_json=as_json)
        return
    file, count = write_variants(variants, out, loaded.language)
    written = {"language": loaded.language, "variants": count, "file": file}
    show(written, f"Wrote {count:,} variants to {file}", as_json=as_json)


@app.command("find")
def find(
    texts: Path = Argument(..., metavar="FILE", help="Texts, one a line."),
    keywords: list[str] = Option(
        ..., "--keywords", "-k", metavar="FILE|WORD", help="Keywords, or files of them."
    ),
    lang: Lang = "",
    rules: RulesFile = None,
    limit: Limit = _LIMIT,
    as_json: AsJson = False,
) -> None:
    """Find the lines of a file that hold a keyword in any of its forms, as whole words.

    Example:
      memeloc keywords find captions.txt --keywords words.txt --lang ar
    """
    from memeloc.collect.keywords import KeywordMatcher
    from memeloc.collect.keywords import expand as expand_keywords

    loaded = _rules(lang, rules)
    variants = expand_keywords(_keywords(keywords), loaded, limit=limit)
    matcher = KeywordMatcher(variants, loaded)
    matches = []
    number = 0
    try:
        with texts.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                for match in matcher.find(line):
                    fields = {"line": number, "found": match.found, "variant": match.variant.text}
                    names = ("keyword", "kind", "rule")
                    matches.append(fields | {name: getattr(match.variant, name) for name in names})
    except UnicodeDecodeError as error:
        raise InputError("is not in UTF-8: save it again as UTF-8", file=texts) from error
    show({"lines": number, "matches": matches}, _MATCHES, as_json=as_json)


@app.command("topics")
def topics(
    file: str | None = Option(
        None, "--file", metavar="FILE", help="The topics; multi3hate is the paper's list."
    ),
    keyword: Literal["word", "prefix", "inside"] | None = Option(
        None, help="How keywords without a mark match.", show_default="as the file says"
    ),
    nearest: int = Option(3, min=1, help="Topics that are shown of a template."),
    as_json: AsJson = False,
) -> None:
    """List the collected templates that have no topic, each with its nearest topics.

    How near a topic is, 0 to 1: how much of its keyword stands in the name, or the share of the
    template's captions that have a keyword, whichever is larger.

    Example:
      memeloc keywords topics
      memeloc keywords topics --file multi3hate --json
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.curating.without_topic(file=file, keyword=keyword, most=nearest)
    show(result, _WITHOUT, as_json=as_json)
    if not as_json and not result["without"]:
        say(f"All of the {result['templates']:,} templates have a topic.")


def _rules(lang: str, rules: Path | None) -> KeywordRules:
    from memeloc.collect.keywords import load_rules, rule_languages

    if rules is not None:
        return load_rules(rules)
    if not lang:
        raise InputError(
            f"name the language with --lang ({', '.join(rule_languages())}), or a file of rules "
            "with --rules"
        )
    return load_rules(lang)


def _keywords(words: list[str]) -> list[str]:
    from memeloc.collect.keywords import read_keywords

    keywords: list[str] = []
    for word in words:
        path = Path(word)
        try:
            is_file = path.is_file()
        except (OSError, ValueError):  # a text that cannot be a file's name
            is_file = False
        if not is_file and path.suffix.lower() in (".txt", ".csv", ".tsv", ".jsonl", ".parquet"):
            raise InputError("there is no such file of keywords", file=path)
        keywords += read_keywords(path) if is_file else [word]
    return keywords
