"""Rows of tables that are not whole. In: cells, the end of a file. Out: whether a row is broken.

A quotation mark that is not closed makes one cell of the rows after it, and a download that stopped
cuts the last row. Neither is an error to a reader of CSV; both would lose answers silently.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

SWALLOWED = (
    "broken row",
    "A quotation mark is not closed, so a cell holds other rows; mend it and import again.",
)
CUT = (
    "cut off",
    "The file ends in the midst of this row; get it again, whole.",
)


def swallowed(cells: Sequence[str], width: int, sign: str = "") -> bool:
    """Whether a cell holds further rows.

    Args:
        cells: a row's.
        width: how many the headings are.
        sign: a regular expression that every row of such a table matches; texts of several lines
            have commas, too.

    >>> swallowed(["a", "first line\\nsecond line", "c"], 3)
    False
    >>> swallowed(["a", "b\\nd,e,f\\ng,h,i"], 3)
    True
    """
    for place, text in enumerate(cells):
        if "\n" not in text:
            continue
        if place == len(cells) - 1 and len(cells) < width:
            return True
        further = text.split("\n")[1:]
        if any(
            line.count(mark) >= max(width - 1, 2)
            for line in further
            for mark in ",;\t"
            if not sign or re.search(sign, line)
        ):
            return True
    return False


def ends_open(tail: bytes) -> bool:
    """Whether a CSV that ends so ends without a line's end, in whatever encoding."""
    return tail.replace(b"\x00", b"")[-1:] not in (b"\n", b"\r", b"")


def file_ends_open(path: Path) -> bool:
    """Whether a file is a CSV without a line's end at its end."""
    with path.open("rb") as file:
        if file.read(2) in (b"PK", b"\xd0\xcf"):
            return False
        size = file.seek(0, 2)
        file.seek(max(size - 8, 0))
        return ends_open(file.read())
