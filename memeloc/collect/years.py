"""When a meme appeared. In: structured data of its page. Out: a `Year`, and by what.

After charmemes, section 4.1, where a model reads the year from the description. Here structured
data come first (JSON-LD, microdata, meta elements, the table of facts), and a model where they are
silent. When an article was written is never the year of its meme.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from memeloc.collect.page_values import line_of
from memeloc.items import Year

EARLIEST = 1900  # the earliest year that structured data may state

_FILE = Path(__file__).with_name("data") / "years.toml"
_LABELS = tuple(tomllib.loads(_FILE.read_text("utf-8"))["labels"])
"""Of the year in the tables of facts that many sites have, in lower case."""

_MAX_VALUES = 20_000

_PROPERTIES = ("dateCreated", "temporalCoverage", "copyrightYear", "startDate", "releaseDate")
# What these say of themselves is when a page, a file or a person began.
_ABOUT_PAGES = re.compile(
    r"(?:Article|Posting|Page|Site|Person|Organization|ImageObject|VideoObject|MediaObject|Comment"
    r"|Event|List|Report)$"
)
_METAS = ("year", "meme:year", "temporal", "dc.coverage", "dcterms.temporal", "coverage")

_YEAR = re.compile(r"(?<![\d$€£₽#@])(?:1[89]\d\d|20\d\d)(?![\d%$€£₽]|[.,]\d{3}(?!\d))")


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
    for label in _LABELS:
        for name, value in facts.items():
            if name.casefold().strip(" :") == label:
                yield f"table {name}", line_of(value, 300)
