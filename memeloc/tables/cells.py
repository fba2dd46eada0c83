"""What a cell holds. In: a value as a file has it, or a text. Out: the text that was typed.

Spreadsheets have ideas of their own of what is a number, and take a text that begins with a sign
for a formula; both are taken back here.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import lru_cache
from typing import Any

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_RISKY = re.compile("'*[=+\\-@\t\r＝＋－＠]")
FIRST_RISKY = frozenset("'=+-@\t\r＝＋－＠")
"""What the texts begin with that have to be looked at; the others are most."""
_WHITE = " \t\n\u00a0\ufeff"


@dataclass(frozen=True, slots=True)
class Formula:
    """A cell that computes its value; where a person's text should be, that is a mistake."""

    text: str


Cell = str | int | float | bool | date | time | timedelta | Formula | None
"""What a spreadsheet's cell holds; None is an empty one."""


def text_of(cell: Any) -> str:
    """A cell as the text that was typed: 2.0 was 2, TRUE was TRUE; a formula is nothing.

    Values that only JSON and Parquet have are written as people would: lists with commas, objects
    as JSON, bytes as UTF-8.

    >>> text_of(2.0), text_of(True), text_of(Formula("=A1")), text_of(["a", 1])
    ('2', 'TRUE', '', 'a, 1')
    """
    if isinstance(cell, str):
        return clean_text(cell)
    if cell is None or isinstance(cell, Formula):
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        if cell != cell:
            return ""
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else str(cell)
    if isinstance(cell, list | tuple):
        return ", ".join(text_of(value) for value in cell)
    if isinstance(cell, dict):
        return json.dumps(cell, ensure_ascii=False, default=str)
    if isinstance(cell, bytes):
        return clean_text(cell.decode("utf-8", "replace"))
    return str(cell)


def drawable(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return _ILLEGAL.sub("", text)


def clean_text(text: str) -> str:
    """A cell's text as it is meant: line breaks as LF, no white space at the ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.strip(_WHITE)


@lru_cache(maxsize=1 << 14)
def folded(text: str) -> str:
    """A text as it is compared: whatever case, white space, marks of direction and width."""
    plain = text.casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
        plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Cf")
    return " ".join(plain.split()).rstrip(".")


def guarded(text: str) -> str:
    """A cell's text for CSV, an apostrophe before what a spreadsheet would take for a formula.

    The wide signs are those that East Asian Excel takes for the beginning of one.

    >>> guarded("=1+1")
    "'=1+1"
    """
    return f"'{text}" if _RISKY.match(text) else text


def unguarded(text: str) -> str:
    """The text that `guarded` was given.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text[:1] == "'" and _RISKY.match(text, 1) else text


def wrong_in(cell: Any, is_text: bool) -> str:
    """Return what is wrong with a cell that a person typed; empty when nothing is.

    Where it `is_text`, a date or a time cannot have been meant.
    """
    if isinstance(cell, Formula):
        return f"the cell holds a formula ({cell.text[:40]}): put the text itself"
    if is_text and isinstance(cell, date | time | timedelta):
        return turned_into("a date or time", cell)
    return ""


def turned_into(kind: str, shown: object) -> str:
    """Return the sentence for a text of which a spreadsheet has made something else."""
    return f"the cell was turned into {kind} ({shown}): put an apostrophe before the text"
