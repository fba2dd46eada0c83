"""Numbers as a spreadsheet shows them. In: a number, its format, a language. Out: its text.

A format is a section for positive numbers, negative ones and zero (ECMA-376 part 1, 18.8.31). What
a person typed, as 50 % or 007, is kept by a spreadsheet as a number with the format in which it is
shown. Formats that depend on more than the number (fractions, conditions, dates) are not shown.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from locale import windows_locale

_PIECE = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|'
    r"\[\$(?P<currency>[^\]-]*)(?:-(?P<language>[0-9A-Fa-f]+))?\]|"
    r"\[(?P<colour>[A-Za-z]+\d*)\]|(?P<number>[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+)|"
    r"(?P<plain>[-+$€£¥₹₩₽()%: '!^&~{}<>=\u00a0\u202f°]|General)"
)


def shown_number(value: float, form: str, language: str = "") -> str | None:
    """Return a number as its cell shows it; None where that cannot be told.

    >>> shown_number(0.5, "0%"), shown_number(7, "000"), shown_number(2e6, "#,##0", "de")
    ('50%', '007', '2.000.000')
    """
    number = Decimal(f"{value:.15g}")  # the digits that a spreadsheet keeps
    if form in ("General", "@"):
        return _general(number, language)
    sections = re.findall(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+', form)[:3]
    section = sections[0]
    if number < 0 and len(sections) > 1:
        number, section = -number, sections[1]
    elif not number and len(sections) > 2:
        section = sections[2]
    pieces = list(_PIECE.finditer(section))
    if "".join(piece[0] for piece in pieces) != section:
        return None
    for piece in pieces:
        if piece["language"]:
            identifier = int(piece["language"], 16) & 0xFFFF  # of Windows: MS-LCID 2.2
            language = windows_locale.get(identifier, language)
    digits = [piece["number"] for piece in pieces if piece["number"]]
    if len(digits) + sum(piece["plain"] == "General" for piece in pieces) != 1:
        return None
    number *= 100 ** sum(piece["plain"] == "%" for piece in pieces)
    texts = ["-"] if number < 0 else []
    for piece in pieces:
        if piece["number"]:
            texts.append(_digits(abs(number), piece["number"], language))
        elif piece["plain"] == "General":
            texts.append(_general(abs(number), language))
        else:
            texts.append(_literal(piece))
    return "".join(texts).strip()


def _literal(piece: re.Match[str]) -> str:
    names = ("quoted", "escaped", "currency", "plain")
    return next((piece[name] for name in names if piece[name]), " " if piece["space"] else "")


def _digits(number: Decimal, form: str, language: str) -> str:
    whole, _, fraction = form.partition(".")
    scaled = len(whole) - len(whole.rstrip(","))
    number = (number / 1000**scaled).quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)
    left, _, right = f"{number:f}".partition(".")
    left = left.lstrip("0").rjust(whole.count("0"), "0")
    while right and right[-1] == "0" and fraction[len(right) - 1] == "#":
        right = right[:-1]
    decimal, group = symbols(language)
    if "," in whole.rstrip(","):
        left = re.sub(r"(?<=\d)(?=(\d{3})+$)", group, left)
    return left + (decimal + right if right else "")


def _general(number: Decimal, language: str) -> str:
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace(".", symbols(language)[0])


@cache
def symbols(language: str) -> tuple[str, str]:
    """Return what a language writes before decimals and between thousands, with Latin digits."""
    import icu

    if not language:
        return ".", ","
    kinds = icu.DecimalFormatSymbols
    own = kinds(icu.Locale.createFromName(f"{language}@numbers=latn"))
    decimal, group = kinds.kDecimalSeparatorSymbol, kinds.kGroupingSeparatorSymbol
    return own.getSymbol(decimal), own.getSymbol(group)
