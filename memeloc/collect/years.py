"""When a meme appeared. In: structured data and texts of its page. Out: a `Year`, and by what.

After charmemes, section 4.1, where a model reads the year from the description. Here structured
data come first (JSON-LD, microdata, meta elements, the table of facts), then rules on the text, and
a model only where both are silent. When an article was written is never the year of its meme.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from memeloc.collect.page_values import line_of
from memeloc.items import Year

EARLIEST = 1900  # the earliest year that structured data may state

EARLIEST_IN_TEXT = 1980
"""The earliest year that a rule takes from a text: before it, years are those of what is shown."""

ENOUGH = 3  # points that a year needs to be taken from a text

_RULES = Path(__file__).with_name("data") / "years.toml"
_MAX_TEXT = 50_000
_MAX_VALUES = 20_000

_PROPERTIES = ("dateCreated", "temporalCoverage", "copyrightYear", "startDate", "releaseDate")
# What these say of themselves is when a page, a file or a person began.
_ABOUT_PAGES = re.compile(
    r"(?:Article|Posting|Page|Site|Person|Organization|ImageObject|VideoObject|MediaObject|Comment"
    r"|Event|List|Report)$"
)
_METAS = ("year", "meme:year", "temporal", "dc.coverage", "dcterms.temporal", "coverage")

_YEAR = re.compile(r"(?<![\d$€£₽#@])(?:1[89]\d\d|20\d\d)(?![\d%$€£₽]|[.,]\d{3}(?!\d))")
# Decades, sizes and counts of seconds are no years.
_NO_YEAR = re.compile(
    r"^\s?(?:['’]?s\b|[-–]?[хx]\b|er\b|年代|년대|px\b|[x×]\s?\d|[:]\d\d|-?е\b|['’]?ler\b|['’]?lar\b)",
    re.I,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？।؟…])(?<!\b\w\.)\s+|(?<=[。！？।])|\n+")
_DATE = re.compile(r"\d[./-]$|^[./-]\d")

_WORTH = {"appeared": 4, "posted": 3, "first": 2}  # points of a word for the year
_DATED = 1
_ANOTHER_NEAR, _ANOTHER_FAR = -6, -2
_REACH = 110  # characters
_NEAR = 14


class _Rules(NamedTuple):
    """How one language says when something appeared."""

    gives: list[tuple[int, re.Pattern[str]]]
    another: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]


def year_of_data(
    values: Iterable[Any],
    tree: LexborHTMLParser,
    facts: Mapping[str, str],
    *,
    latest: int | None = None,
) -> Year | None:
    """Return the year that a page states as JSON-LD, in its elements, or in its table of facts.

    No year is taken after the `latest`, by default the present one.
    """
    latest = latest or datetime.now(UTC).year
    for evidence, text in (*_of_json(values), *_of_elements(tree), *_of_facts(facts)):
        for match in _YEAR.finditer(plain_digits(text)):
            if EARLIEST <= int(match[0]) <= latest:
                return Year(int(match[0]), "data", f"{evidence}: {text[:200]}")
    return None


def year_of_text(
    texts: Sequence[str], language: str = "", *, latest: int | None = None
) -> Year | None:
    """The year that a text tells, by rules.

    Args:
        texts: in the order in which they are asked: the origin first, then the rest. A year alone,
            without a word for appearing, is only taken from the first one.
        language: the texts' tag; empty when it is not known.
        latest: no year after this one; by default the present one.

    >>> year_of_text(["The picture first appeared on a forum in May 2011."], "en").year
    2011
    """
    latest = latest or datetime.now(UTC).year
    rules = _rules_for(language)
    for text in texts:
        years = [pair for pair in _years_in(text[:_MAX_TEXT], rules, latest) if pair[0] >= ENOUGH]
        if years:
            return max(years, key=lambda pair: pair[0])[1]
    first = texts[0] if texts else ""
    alone = [year for points, year in _years_in(first, rules, latest) if points == _DATED]
    return alone[0] if len({year.year for year in alone}) == 1 else None


def _years_in(text: str, rules: Sequence[_Rules], latest: int) -> Iterator[tuple[int, Year]]:
    """Every year of a text with its points."""
    for sentence in _SENTENCE_END.split(text):
        plain = plain_digits(sentence).casefold()
        if len(plain) != len(sentence):  # folding may lengthen; then indices would not agree
            sentence = plain
        matches = [
            match
            for match in _YEAR.finditer(plain)
            if EARLIEST_IN_TEXT <= int(match[0]) <= latest
            and not _NO_YEAR.match(plain[match.end() :])
        ][:50]
        for match in matches:
            points = max(_points(plain, match, matches, each) for each in rules)
            yield points, Year(int(match[0]), "rule", " ".join(sentence.split())[:300])


def _points(
    text: str, match: re.Match[str], all_years: Sequence[re.Match[str]], rules: _Rules
) -> int:
    """How much speaks for a year of a sentence, in one language."""
    before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() :][:20]
    dated = rules.before.search(before) or rules.after.search(after)
    if not dated and not _DATE.search(before[-2:]) and not _DATE.search(after[:2]):
        return 0
    points = _DATED
    for worth, words in rules.gives:
        for word in words.finditer(text):
            # A word speaks for the nearest year of its sentence, if that is near enough.
            distance = _distance(match, word)
            if distance <= min([_REACH, *(_distance(other, word) for other in all_years)]):
                points += worth
                break
    distances = [_distance(match, word) for word in rules.another.finditer(text)]
    if distances:
        points += _ANOTHER_NEAR if min(distances) <= _NEAR else _ANOTHER_FAR
    return points


def _distance(first: re.Match[str], second: re.Match[str]) -> int:
    return max(first.start() - second.end(), second.start() - first.end(), 0)


@cache
def _rules() -> tuple[tuple[str, ...], dict[str, _Rules]]:
    """The labels of tables of facts, and the rules by language."""
    table = tomllib.loads(_RULES.read_text(encoding="utf-8"))
    labels = tuple(table.pop("labels"))
    return labels, {
        language: _Rules(
            [(worth, _words(rules[name])) for name, worth in _WORTH.items()],
            _words(rules["another"]),
            re.compile(rules["before"]),
            re.compile(rules["after"]),
        )
        for language, rules in table.items()
    }


def _words(beginnings: Sequence[str]) -> re.Pattern[str]:
    """Words that begin so; where words are not spaced or take particles, anywhere."""
    parts = [
        (r"(?<!\w)" if word[0] < "\u0590" else "") + re.escape(word.casefold())
        for word in sorted(beginnings, key=len, reverse=True)
    ]
    return re.compile("|".join(parts))


def _rules_for(language: str) -> tuple[_Rules, ...]:
    rules = _rules()[1]
    base = re.split(r"[-_]", language.lower())[0]
    return (rules[base],) if base in rules else tuple(rules.values())


def plain_digits(text: str) -> str:
    """Digits of any script as 0 to 9; every other character stays.

    >>> plain_digits("٢٠١٥")
    '2015'
    """
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(each)) if each.isdecimal() else each for each in text)


def _of_json(values: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Dates of works in JSON-LD, also of those that an article is about."""
    left = list(values)
    for _ in range(_MAX_VALUES):
        if not left:
            return
        value = left.pop(0)
        if isinstance(value, list):
            left[:0] = value[:1000]
        elif isinstance(value, dict):
            kinds = value.get("@type")
            kinds = kinds if isinstance(kinds, list) else [kinds]
            of_page = any(isinstance(kind, str) and _ABOUT_PAGES.search(kind) for kind in kinds)
            for name in _PROPERTIES:
                if name in value and (name == "temporalCoverage" or not of_page):
                    yield f"JSON-LD {name}", line_of(value[name], 300)
            left += value.values()


def _of_elements(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Dates in microdata and meta elements."""
    for node in tree.css("[itemprop]")[:2000]:
        names = (node.attributes.get("itemprop") or "").split()
        for name in _PROPERTIES:
            if name in names and (name == "temporalCoverage" or not _is_of_page(node)):
                stated = node.attributes.get("content") or node.attributes.get("datetime")
                yield f"microdata {name}", line_of(stated or node.text()[:300], 300)
    for node in tree.css("meta[content]")[:2000]:
        name = (node.attributes.get("name") or node.attributes.get("property") or "").lower()
        if name in _METAS:
            yield f"meta {name}", line_of(node.attributes.get("content"), 300)


def _is_of_page(node: LexborNode) -> bool:
    """Whether an element's property is one of a page, or of nothing stated."""
    for _ in range(60):
        if node.parent is None:
            return True
        node = node.parent
        if "itemscope" in node.attributes:
            return _ABOUT_PAGES.search(node.attributes.get("itemtype") or "Page") is not None
    return True


def _of_facts(facts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for label in _rules()[0]:
        for name, value in facts.items():
            if name.casefold().strip(" :") == label:
                yield f"table {name}", line_of(value, 300)
