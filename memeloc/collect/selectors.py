"""Where a site keeps what is read. In: data/sites.toml and a user's file. Out: selectors by key.

Parsers name no class of any site: what a site calls its elements stands in one table, so that a
site that changes its layout needs a setting and no new release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from memeloc.errors import InputError
from memeloc.settings import read_toml

BUILT_IN = Path(__file__).with_name("data") / "sites.toml"
"""The selectors of the sites that memeloc knows."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A CSS selector, and which attribute of the element is meant; empty is its text."""

    css: str
    attribute: str = ""

    @classmethod
    def parse(cls, text: str) -> Selector:
        """Read `a[href] @href`.

        >>> Selector.parse("a.photo @href")
        Selector(css='a.photo', attribute='href')
        """
        css, mark, attribute = text.rpartition(" @")
        return cls(css.strip(), attribute.strip().lower()) if mark else cls(text.strip())


Selectors = Mapping[str, tuple[Selector, ...]]
"""What a site is read by: for each key selectors in the order in which they are tried."""


def selectors_of(site: str, path: Path | None = None) -> Selectors:
    """The selectors of a site.

    Args:
        site: a table of data/sites.toml, such as `memegenerator`.
        path: a TOML file with the same tables; what it has replaces the built-in selectors, key by
            key.

    Raises:
        InputError: the file is not there or no TOML, has a table or key that there is not, or a
            selector that is no CSS.
    """
    built_in = _read(BUILT_IN)
    own = _read(path) if path is not None else {}
    for table, keys in own.items():
        if table not in built_in:
            raise InputError(f"has no site [{table}]: there are {', '.join(built_in)}", file=path)
        for key in keys:
            if key not in built_in[table]:
                sentence = f"[{table}] has no {key!r}; its keys are {', '.join(built_in[table])}"
                raise InputError(sentence, file=path)
    return built_in[site] | own.get(site, {})


@cache
def _read(path: Path) -> dict[str, dict[str, tuple[Selector, ...]]]:
    sites: dict[str, dict[str, tuple[Selector, ...]]] = {}
    for site, table in read_toml(path).items():
        if not isinstance(table, dict):
            raise InputError(f"{site!r} is no table: write [{site}] above its keys", file=path)
        sites[site] = {
            key: _selectors(value, f"{site}.{key}", path) for key, value in table.items()
        }
    return sites


def _selectors(value: Any, name: str, path: Path) -> tuple[Selector, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{name} is no list of selectors", file=path)
    selectors = tuple(Selector.parse(text) for text in texts)
    nothing = LexborHTMLParser("<p></p>")
    for selector in selectors:
        try:
            nothing.css(selector.css)
        except (SelectolaxError, UnicodeError):
            raise InputError(f"{name}: {selector.css!r} is no CSS selector", file=path) from None
    return selectors
