"""Cells of tables. In: a value as a file has it, or a text. Out: what was typed.

Spreadsheets have ideas of their own of what is a number, and take a text that begins with a sign
for a formula; both are taken back here. What a person typed, as 50 % or 007, is kept by them as a
number with the format in which it is shown: a section for positive numbers, negative ones and zero
(ECMA-376 part 1, 18.8.31). Formats that depend on more than the number (fractions, conditions,
dates) are not shown.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from locale import windows_locale
from typing import Any

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_RISKY = re.compile("'*[=+\\-@\t\r＝＋－＠]")
FIRST_RISKY = frozenset("'=+-@\t\r＝＋－＠")
"""What the texts begin with that have to be looked at; the others are most."""
_WHITE = " \t\n\u00a0\ufeff"
_PIECE = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|'
    r"\[\$(?P<currency>[^\]-]*)(?:-(?P<language>[0-9A-Fa-f]+))?\]|"
    r"\[(?P<colour>[A-Za-z]+\d*)\]|(?P<number>[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+)|"
    r"(?P<plain>[-+$€£¥₹₩₽()%: '!^&~{}<>=\u00a0\u202f°]|General)"
)


@dataclass(frozen=True, slots=True)
class Formula:
    """A cell that computes its value; where a person's text should be, that is a mistake."""

    text: str


Cell = str | int | float | bool | date | time | timedelta | Formula | None
"""What a spreadsheet's cell holds; None is an empty one."""


def text_of(cell: Any) -> str:
    """Return a cell as the text that was typed: 2.0 was 2, TRUE was TRUE; a formula is nothing.

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
        whole = str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else str(cell)
        return whole if cell == cell else ""
    if isinstance(cell, list | tuple):
        return ", ".join(text_of(value) for value in cell)
    if isinstance(cell, dict):
        return json.dumps(cell, ensure_ascii=False, default=str)
    if isinstance(cell, bytes):
        return clean_text(cell.decode("utf-8", "replace"))
    return str(cell)


def drawable(text: str) -> str:
    """Return the text without the characters that XML cannot hold."""
    return _ILLEGAL.sub("", text)


def clean_text(text: str) -> str:
    """Return a cell's text as it is meant: line breaks as LF, no white space at the ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.strip(_WHITE)


@lru_cache(maxsize=1 << 14)
def folded(text: str) -> str:
    """Return a text as it is compared: whatever case, white space, marks of direction and width."""
    plain = text.casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
        plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Cf")
    return " ".join(plain.split()).rstrip(".")


def guarded(text: str) -> str:
    """Return a cell's text for CSV, an apostrophe before what a spreadsheet would take for a
    formula; the wide signs are those that East Asian Excel takes for the beginning of one.

    >>> guarded("=1+1")
    "'=1+1"
    """
    return f"'{text}" if _RISKY.match(text) else text


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text[:1] == "'" and _RISKY.match(text, 1) else text


def wrong_in(cell: Any, is_text: bool) -> str:
    """Return what is wrong with a cell that a person typed; empty when nothing is. Where it
    `is_text`, a date or a time cannot have been meant."""
    if isinstance(cell, Formula):
        return f"the cell holds a formula ({cell.text[:40]}): put the text itself"
    if is_text and isinstance(cell, date | time | timedelta):
        return turned_into("a date or time", cell)
    return ""


def turned_into(kind: str, shown: object) -> str:
    """Return the sentence for a text of which a spreadsheet has made something else."""
    return f"the cell was turned into {kind} ({shown}): put an apostrophe before the text"


def shown_number(value: float, form: str, language: str = "") -> str | None:
    """Return a number as its cell shows it; None where that cannot be told.

    >>> shown_number(0.5, "0%"), shown_number(7, "000"), shown_number(2e6, "#,##0", "de")
    ('50%', '007', '2.000.000')
    """
    number = Decimal(f"{value:.15g}")  # the digits that a spreadsheet keeps
    sections = re.findall(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+', form.replace("@", "General"))[:3]
    section = sections[0]
    if number < 0 and len(sections) > 1:
        number, section = -number, sections[1]
    elif not number and len(sections) > 2:
        section = sections[2]
    pieces = list(_PIECE.finditer(section))
    for piece in pieces:
        if piece["language"]:
            identifier = int(piece["language"], 16) & 0xFFFF  # of Windows: MS-LCID 2.2
            language = windows_locale.get(identifier, language)
    numbers = [piece for piece in pieces if piece["number"] or piece["plain"] == "General"]
    if "".join(piece[0] for piece in pieces) != section or len(numbers) != 1:
        return None
    number *= 100 ** sum(piece["plain"] == "%" for piece in pieces)
    shown = "-" if number < 0 else ""
    for piece in pieces:
        if piece in numbers:
            shown += _digits(abs(number), piece["number"] or "", language)
        else:
            names = ("quoted", "escaped", "currency", "plain")
            shown += next(
                (piece[name] for name in names if piece[name]), " " * bool(piece["space"])
            )
    return shown.strip()


def _digits(number: Decimal, form: str, language: str) -> str:
    decimal, group = symbols(language)
    if not form:
        text = f"{number:f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", decimal)
    whole, _, fraction = form.partition(".")
    scaled = len(whole) - len(whole.rstrip(","))
    number = (number / 1000**scaled).quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)
    left, _, right = f"{number:f}".partition(".")
    left = left.lstrip("0").rjust(whole.count("0"), "0")
    while right and right[-1] == "0" and fraction[len(right) - 1] == "#":
        right = right[:-1]
    if "," in whole.rstrip(","):
        left = re.sub(r"(?<=\d)(?=(\d{3})+$)", group, left)
    return left + (decimal + right if right else "")


@cache
def symbols(language: str) -> tuple[str, str]:
    """Return what a language writes before decimals and between thousands, with Latin digits."""
    import icu

    if not language:
        return ".", ","
    kinds = icu.DecimalFormatSymbols
    symbols = kinds(icu.Locale.createFromName(f"{language}@numbers=latn"))
    decimal, group = kinds.kDecimalSeparatorSymbol, kinds.kGroupingSeparatorSymbol
    return symbols.getSymbol(decimal), symbols.getSymbol(group)
