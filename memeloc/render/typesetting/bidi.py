"""The Unicode Bidirectional Algorithm, UAX #9, by ICU.

In: a paragraph of text in logical order, and its base direction. Out: an embedding level for each
code point (even runs left to right, odd right to left), and the order in which a line's items are
displayed. Shaping and mirroring (L3, L4) are left to HarfBuzz, white space at a line's end (L1) is
not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import Literal, NamedTuple

import icu

Base = Literal["ltr", "rtl"] | None
"""The base direction of a paragraph; None finds it from the first strong character (P2, P3)."""

is_directed = re.compile(
    "[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
).search
"""Finds a right-to-left letter or a control of direction: the blocks of UAX #9, table 4."""

_STRONG = {0: "ltr", 1: "rtl", 13: "rtl"}  # UCharDirection: L, R, AL


class Resolved(NamedTuple):
    """A paragraph's embedding levels.

    Attributes:
        level: the paragraph's own, 0 or 1.
        levels: one byte a code point, 0 to 126, as it is after L1 for a paragraph on one line.
            Characters that X9 removes have the level of the character before them, or the
            paragraph's.
    """

    level: int
    levels: bytes


def resolve(text: str, base: Base = None) -> Resolved:
    r"""Return the embedding levels of one paragraph.

    Any string will do, also one with lone surrogates.

    >>> list(resolve("a \u05d0 2").levels)
    [0, 0, 1, 1, 2]
    """
    if not text or (base != "rtl" and is_directed(text) is None):
        return Resolved(int(base == "rtl"), bytes(len(text)))
    paragraph = icu.Bidi()
    default = icu.Bidi.DEFAULT_LTR
    paragraph.setPara(icu.UnicodeString(text), {"ltr": 0, "rtl": 1, None: default}[base])
    levels = bytes(paragraph.getLevels())
    if len(levels) > len(text):  # ICU counts UTF-16 units, two for a character beyond U+FFFF
        widths = [2 if char > "\uffff" else 1 for char in text]
        levels = bytes(levels[end - 1] for end in accumulate(widths))
    return Resolved(paragraph.getParaLevel(), levels)


def strong_direction(char: str) -> str | None:
    """Return the direction of a strong character, "ltr" or "rtl"; None for any other."""
    return _STRONG.get(icu.Char.charDirection(ord(char)))


def visual_order(levels: Sequence[int]) -> list[int]:
    """Return the logical indices of a line's items in display order, left to right: rule L2.

    An item is a character or a whole run; each level is 0 to 126. Items of a run of an odd level
    come out reversed, so a caller that orders runs leaves their insides to the shaper.

    >>> visual_order([0, 1, 2, 1, 0])
    [0, 3, 2, 1, 4]
    """
    order = list(range(len(levels)))
    for level in range(max(levels, default=0), min(levels, default=0) // 2 * 2, -1):
        reordered: list[int] = []
        inside = {item for item in order if levels[item] >= level}
        for is_inside, items in groupby(order, inside.__contains__):
            stretch = list(items)
            reordered += reversed(stretch) if is_inside else stretch
        order = reordered
    return order
