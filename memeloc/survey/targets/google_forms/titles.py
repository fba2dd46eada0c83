"""Texts as Google Forms takes them. In: a text. Out: one line, pieces, isolates, a file's name."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path

from memeloc.errors import InputError
from memeloc.model import Direction
from memeloc.survey.model import Sheet
from memeloc.tables import drawable

LONGEST_TITLE = 500
"""Characters of a title or an option. Google names no limit; its editor copes with this many."""
LONGEST_DESCRIPTION = 4000
"""Characters of one description; what is longer continues in the next item."""
FSI, PDI = "\u2068", "\u2069"
"""First strong isolate and pop directional isolate (UAX #9): they keep a text of another direction
from reordering the sentence that it stands in."""


def isolated(value: object, direction: Direction) -> str:
    """A text in isolates if it is of another direction than the sentence it goes into.

    >>> isolated("abc", "ltr"), isolated("abc", "rtl") == FSI + "abc" + PDI
    ('abc', True)
    """
    text = str(value)
    strong = {unicodedata.bidirectional(character) for character in text}
    other = {"L"} if direction == "rtl" else {"R", "AL"}
    return f"{FSI}{text}{PDI}" if strong & other else text


def one_line(text: str) -> str:
    """A text without line breaks, which the API refuses in titles and options."""
    return " ".join(drawable(text).split())


def picture_name(sheet: Sheet, name: str, picture: Path) -> str:
    """The file name of an entry's picture: sheet, two hyphens, entry.

    Characters that do not go into every file system or address become `_`, with a hash behind.

    Raises:
        InputError: Forms does not show such pictures.
    """
    suffix = picture.suffix.lower().replace(".jpeg", ".jpg")
    if suffix not in (".jpg", ".png", ".gif"):
        raise InputError("Google Forms shows JPEG, PNG and GIF only.", file=picture)
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:80]
    if safe != name or safe.lower() != safe:
        safe += "-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{sheet.id}--{safe}{suffix}"


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning up to a space, with an ellipsis."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    return (cut.rsplit(" ", 1)[0] or cut) + "…"


def pieces_of(text: str) -> list[str]:
    """A text in pieces that fit a description, broken at line ends, else at spaces."""
    pieces: list[str] = []
    rest = drawable(text).strip()
    while len(rest) > LONGEST_DESCRIPTION:
        window = rest[:LONGEST_DESCRIPTION]
        cut = max(window.rfind("\n"), 0) or max(window.rfind(" "), 0) or LONGEST_DESCRIPTION
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*pieces, rest] if rest else pieces
