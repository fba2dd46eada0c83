"""What a cell holds. In: a value as a spreadsheet has it, or a text. Out: the text that was typed.

Spreadsheets have ideas of their own of what is a number, and take a text that begins with a sign
for a formula; both are taken back here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time, timedelta

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_RISKY = re.compile("'*[=+\\-@\t\r]")
_GUARDED = re.compile("'+[=+\\-@\t\r]")


@dataclass(frozen=True, slots=True)
class Formula:
    """A cell that computes its value; where a person's text should be, that is a mistake."""

    text: str


Cell = str | int | float | bool | date | time | timedelta | Formula | None
"""What a cell holds; None is an empty one."""

Line = tuple[int, list[Cell]]
"""A row's number, as the file's program counts, and its cells."""


def text_of(cell: Cell) -> str:
    """A cell as the text that was typed: 2.0 was 2, TRUE was TRUE; a formula is nothing.

    >>> text_of(2.0), text_of(True), text_of(Formula("=A1"))
    ('2', 'TRUE', '')
    """
    if cell is None or isinstance(cell, Formula):
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return clean_text(str(cell))


def drawable(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return _ILLEGAL.sub("", text)


def clean_text(text: str) -> str:
    """A cell's text as it is meant: line breaks as LF, no white space at the ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip(" \t\n\u00a0\ufeff")


def guarded(text: str) -> str:
    """A cell's text for CSV, an apostrophe before what a spreadsheet would take for a formula.

    >>> guarded("=1+1")
    "'=1+1"
    """
    return f"'{text}" if _RISKY.match(text) else text


def unguarded(text: str) -> str:
    """The text that `guarded` was given.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    if not text.startswith("'"):  # called for every cell of a table
        return text
    return text[1:] if _GUARDED.match(text) else text
