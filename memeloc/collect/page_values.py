"""Values of untrusted pages and JSON. In: what was sent. Out: texts and numbers, or nothing."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

from memeloc.errors import MemelocError
from memeloc.items import Refusal

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def line_of(value: Any, limit: int = 1000) -> str:
    """One line of text; empty for what is no text. A number becomes the text of it.

    >>> line_of("  two   words ")
    'two words'
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    return " ".join(_CONTROLS.sub("\ufffd", value).split())[:limit]


def lines_of(value: Any) -> tuple[str, ...]:
    """The texts of a list, an empty one for what is no text; line breaks are kept."""
    if not isinstance(value, list):
        return ()
    return tuple(
        _CONTROLS.sub("\ufffd", one).strip()[:5000] if isinstance(one, str) else line_of(one)
        for one in value[:100]
    )


def count_of(value: Any) -> int | None:
    """A whole number from 0; None for what is no such number; a text of digits is one.

    >>> count_of("12"), count_of(-1), count_of(True)
    (12, None, None)
    """
    if isinstance(value, str) and re.fullmatch(r"\d{1,15}", value.strip(), re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 10**15 else None


def web_address(value: Any) -> str:
    """An address that begins with http:// or https://; empty for anything else."""
    address = line_of(value, 4000)
    return address if address.lower().startswith(("http://", "https://")) else ""


def joined_address(page: str, value: Any) -> str:
    """An address as it stands on the page at `page`, made absolute; empty for anything else.

    >>> joined_address("https://example.org/list", "/a.jpg")
    'https://example.org/a.jpg'
    """
    address = line_of(value, 4000)
    try:
        return web_address(urljoin(page, address)) if address else ""
    except ValueError:
        return ""


def refused(source: str, url: str, error: MemelocError) -> Refusal:
    """What is stored of something that could not be read."""
    reason = getattr(error, "reason", "") or "not readable"
    return Refusal(source, url[:4000], str(reason), getattr(error, "message", "") or str(error))
