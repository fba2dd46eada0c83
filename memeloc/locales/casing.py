"""Upper case as a language writes it. In: text and its locale. Out: the text of a poster.

Python's `str.upper` is Unicode's full mapping (ligatures open, `ŉ` becomes `ʼN`); here stand the
languages that differ from it, as in ICU and Unicode's SpecialCasing.txt, and one custom: German
posters set `ß` as `ẞ`, official since 2017.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from memeloc.model import Locale

_DIALYTIKA, _YPOGEGRAMMENI = "\u0308", "\u0345"
_GREEK_ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0311\u0342")
_GREEK_MARKS = "\u0300-\u0304\u0306\u0308\u0311\u0313\u0314\u0342-\u0345"
_GREEK_LETTERS = "\u0370-\u03ff\u1f00-\u1fff"
_GREEK = re.compile(f"([{_GREEK_LETTERS}])[{_GREEK_MARKS}]*|[^{_GREEK_LETTERS}]+")
_IGNORABLE = ("Mn", "Me", "Cf", "Lm", "Sk")
_MTAVRULI = re.compile("[\u1c90-\u1cbf]")
_MKHEDRULI = {capital: capital - 0x1C90 + 0x10D0 for capital in range(0x1C90, 0x1CC0)}


def uppercase(text: str, locale: Locale) -> str:
    """Upper-case `text` by the rules of the locale's language.

    A locale whose poster style is not upper case gets the text back as it is. Georgian letters stay
    as they are in every locale: Mtavruli is not used as capitals are elsewhere.

    Turkish and Azerbaijani keep dotted and dotless i apart; German ß becomes ẞ; Greek loses its
    accents but keeps or gains the dialytika and keeps the accent of a lone ή ("or"), as ICU's
    Greek casing does; Armenian և becomes ԵՎ.

    >>> from memeloc.locales import default
    >>> uppercase("ışık istiyor", default().get("tr"))
    'IŞIK İSTİYOR'
    """
    if not locale.uppercase:
        return text
    special = _SPECIAL.get(locale.tag.partition("-")[0].lower())
    if text.isascii() and special is not _turkic:
        return text.upper()
    upper = special(text) if special else text.upper()
    return upper.translate(_MKHEDRULI) if _MTAVRULI.search(upper) else upper


def _turkic(text: str) -> str:
    return text.replace("i", "İ").upper()


def _greek(text: str) -> str:
    """Greek without accents (ICU's GreekUpper in ustrcase.cpp describes the rules)."""
    capitals: list[str] = []
    hiatus = False  # the letter before was a vowel that lost its accent and has no dialytika
    for match in _GREEK.finditer(text):
        decomposed = unicodedata.normalize("NFD", match[0])
        base, marks = decomposed[0].upper(), decomposed[1:]
        if not match[1] or len(base) != 1 or not base.isalpha():
            capitals.append(match[0].upper())
            hiatus = False
            continue
        accented = not _GREEK_ACCENTS.isdisjoint(marks)
        dialytika = _DIALYTIKA in marks or (hiatus and base in "ΙΥ")
        iotas = marks.count(_YPOGEGRAMMENI)
        if (
            base == "Η"
            and accented
            and not iotas
            and not _begins_cased(reversed(text[: match.start()]))
            and not _begins_cased(text[match.end() :])
        ):
            base = "Ή"
        elif dialytika:
            base = unicodedata.normalize("NFC", base + _DIALYTIKA)
        capitals.append(base + "Ι" * iotas)
        hiatus = accented and not dialytika and base in "ΑΕΗΙΟΥΩ"
    return "".join(capitals)


def _begins_cased(chars: Iterable[str]) -> bool:
    """Whether the first that is not Case_Ignorable (by category or word-break class) has a case."""
    for char in chars:
        if char not in "'.:·’‘․‧" and unicodedata.category(char) not in _IGNORABLE:
            return char.lower() != char or char.upper() != char
    return False


_SPECIAL: dict[str, Callable[[str], str]] = {
    "tr": _turkic,
    "az": _turkic,
    "de": lambda text: text.replace("ß", "ẞ").upper(),
    "el": _greek,
    "hy": lambda text: text.replace("և", "ԵՎ").upper(),
}
