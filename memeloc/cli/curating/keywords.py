"""`memeloc keywords`. In: keywords. Out: their variants, texts with them, templates without any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typer import Argument, Option

import memeloc
from memeloc.cli.show import SHOWN, Table, show
from memeloc.counts import counted
from memeloc.errors import InputError

_LIMIT = 300
"""Variants of a keyword, itself among them: affixes, dialects and spellings multiply."""
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


def keywords(
    words: list[str] | None = Argument(
        None,
        metavar="FILE|WORD",
        help="Keywords, or files of them: one a line, or a table with a column keyword.",
    ),
    lang: str = Option("", metavar="TAG", help="The language, such as ar or en."),
    rules: Path | None = Option(
        None, metavar="FILE", help="Rules of your own, as TOML; --lang is not used."
    ),
    kind: list[str] | None = Option(None, metavar="KIND", help="Only these kinds, as arabizi."),
    texts: Path | None = Option(
        None, "--in", metavar="FILE", help="Find the lines of this file that hold one of them."
    ),
    topics: bool = Option(
        False, "--topics", help="List instead the collected templates that have no topic."
    ),
    out: Path | None = Option(None, "--out", "-o", metavar="FILE", help="Write them as CSV."),
) -> None:
    """Make the forms in which memes write keywords, and say which rule made each.

    Affixes, dialects, loose spelling, letters that are held, Latin letters and digits, and phrases
    with other words; the keyword itself is always the first. The same keywords give the same list.
    With --in, lines are found that hold a keyword in any of its forms, as whole words.

    With --topics each template stands beside its nearest topics of the filter topics. How near one
    is, 0 to 1: how much of its keyword stands in the name, or the share of the template's captions
    that have a keyword, whichever is larger.

    Example:
      memeloc keywords قهوة شاي --lang ar --kind arabizi
      memeloc keywords words.txt --lang ar -o variants.csv
      memeloc keywords words.txt --lang ar --in captions.txt
      memeloc keywords --topics
    """
    from memeloc.collect.keywords import (
        KeywordMatcher,
        expand,
        load_rules,
        rule_languages,
        write_variants,
    )

    if topics:
        with memeloc.Workspace.find() as workspace:
            result = workspace.curating.without_topic()
        all_have = f"All of the {result['templates']:,} templates have a topic."
        show(result, _WITHOUT, *([] if result["without"] else [all_have]))
        return
    if not words:
        raise InputError("name keywords, or a file of them; --topics needs none")
    if not (lang or rules):
        raise InputError(
            f"name the language with --lang ({', '.join(rule_languages())}), or a file of rules "
            "with --rules"
        )
    loaded = load_rules(rules or lang)
    kinds = dict.fromkeys(["word", *(rule.kind for rule in loaded.rule)])
    for name in kind or ():
        if name not in kinds:
            raise InputError(f"there is no kind {name[:40]!r}; there are {', '.join(kinds)}")
    variants = (
        variant
        for variant in expand([*_keywords(words)], loaded, limit=_LIMIT)
        if not kind or variant.kind in kind
    )
    if texts is not None:
        matcher = KeywordMatcher(variants, loaded)
        matches = []
        number = 0
        try:
            with texts.open(encoding="utf-8-sig") as file:
                for number, line in enumerate(file, 1):
                    for match in matcher.find(line):
                        fields = {"line": number, "found": match.found}
                        fields["variant"] = match.variant.text
                        for name in ("keyword", "kind", "rule"):
                            fields[name] = getattr(match.variant, name)
                        matches.append(fields)
        except UnicodeDecodeError as error:
            raise InputError("is not in UTF-8: save it again as UTF-8", file=texts) from error
        show({"lines": number, "matches": matches}, _MATCHES)
    elif out is not None:
        path, count = write_variants(variants, out, loaded.language)
        written = {"language": loaded.language, "variants": count, "file": path}
        show(written, f"Wrote {count:,} variants to {path}")
    else:
        show({"language": loaded.language, "variants": list(variants)}, _VARIANTS)


def _keywords(words: list[str]) -> Iterator[str]:
    from memeloc.collect.keywords import read_keywords

    for word in words:
        path = Path(word)
        try:
            is_file = path.is_file()
        except (OSError, ValueError):  # a text that cannot be a file's name
            is_file = False
        if not is_file and path.suffix.lower() in (".txt", ".csv", ".tsv", ".jsonl", ".parquet"):
            raise InputError("there is no such file of keywords", file=path)
        yield from read_keywords(path) if is_file else [word]
