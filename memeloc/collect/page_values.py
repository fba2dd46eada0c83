"""Values of untrusted pages and JSON. In: what was sent. Out: texts and numbers, or nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urljoin, urlsplit

from memeloc.errors import MemelocError
from memeloc.items import CONTROLS, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

EARLIEST = 1900  # the earliest year in which a meme is taken to have appeared


def plain_digits(text: str) -> str:
    """Return digits of any script as 0 to 9; every other character stays.

    >>> plain_digits("٢٠١٥")
    '2015'
    """
    return "".join(str(unicodedata.decimal(each)) if each.isdecimal() else each for each in text)


def line_of(value: Any, limit: int = 1000) -> str:
    """Return one line of text; empty for what is no text. A number becomes the text of it.

    >>> line_of("  two   words ")
    'two words'
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    return " ".join(CONTROLS.sub("\ufffd", value).split())[:limit]


def lines_of(value: Any) -> tuple[str, ...]:
    """Return the texts of a list, an empty one for what is no text; line breaks are kept."""
    lines = value[:100] if isinstance(value, list) else []
    return tuple(
        CONTROLS.sub("\ufffd", line).strip()[:5000] if isinstance(line, str) else line_of(line)
        for line in lines
    )


def count_of(value: Any) -> int | None:
    """Return a whole number from 0, or a text of its digits; None for anything else.

    >>> count_of("12"), count_of(-1), count_of(True)
    (12, None, None)
    """
    digits = line_of(value)
    return int(digits) if re.fullmatch(r"\d{1,15}", digits, re.ASCII) else None


def web_address(value: Any) -> str:
    """Return an address that begins with http:// or https://; empty for anything else."""
    address = line_of(value, 4000)
    return address if address.lower().startswith(("http://", "https://")) else ""


def joined_address(page: str, value: Any) -> str:
    """Return an address as it stands on the page at `page`, made absolute; empty for anything else.

    >>> joined_address("https://example.org/list", "/a.jpg")
    'https://example.org/a.jpg'
    """
    address = line_of(value, 4000)
    try:
        joined = urljoin(page, address) if address else ""
        urlsplit(joined)
        return web_address(joined)
    except ValueError:
        return ""


def split_address(address: str) -> SplitResult:
    """Return the parts of an address; empty ones of what is no address."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def picture_candidates(attributes: Mapping[str, str | None]) -> Iterator[str]:
    """Yield what an `img` shows, or will when it is scrolled to: the likeliest address first."""
    for name in ("data-src", "data-original", "data-lazy-src", "data-full", "data-image"):
        yield attributes.get(name) or ""
    yield largest_of(attributes.get("data-srcset") or attributes.get("srcset") or "")
    yield attributes.get("src") or ""


def largest_of(srcset: str) -> str:
    """Return the address with the largest width or density of a `srcset`.

    >>> largest_of("a.jpg 1x, b.jpg 2x")
    'b.jpg'
    """
    best, size = "", -1.0
    for candidate in re.split(r",\s+", srcset.strip())[:50]:
        address, _, descriptor = candidate.strip(" ,").partition(" ")
        match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)[wx]", descriptor.strip())
        value = float(match[1]) if match else 1.0
        if address and value > size:
            best, size = address, value
    return best


def without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return details without empty texts, lists, mappings and None."""
    return {name: value for name, value in values.items() if value not in (None, "", [], (), {})}


def refused(source: str, url: str, error: MemelocError) -> Refusal:
    """Return what is stored of something that could not be read."""
    reason = getattr(error, "reason", "") or "not readable"
    return Refusal(source, url[:4000], str(reason), getattr(error, "message", "") or str(error))


def fetch_picture(
    fetcher: Fetcher, source: str, address: str, page: str
) -> Generator[Refusal, None, bytes | None]:
    """Return the picture of a template, or yield why there is none: the page shows no address."""
    if not address:
        yield Refusal(source, page, "no picture", "no picture is named; it comes in without one")
        return None
    try:
        return fetcher.get(address, accept="picture").body
    except MemelocError as error:
        yield refused(source, address, error)
        return None
