"""Upper case as a language writes it. In: text and its locale. Out: the text of a poster.

Python's `str.upper` is Unicode's full mapping (ligatures open, `ŉ` becomes `ʼN`); here stand the
languages that differ from it, as in ICU and Unicode's SpecialCasing.txt, and one custom: German
posters set `ß` as `ẞ`, official since 2017.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from memeloc.model import Locale

_TONOS, _DIALYTIKA, _YPOGEGRAMMENI = "\u0301", "\u0308", "\u0345"
_GREEK_ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0311\u0342")
_GREEK_MARKS = frozenset(
    "\u0300\u0301\u0302\u0303\u0304\u0306\u0308\u0311\u0313\u0314\u0342\u0343\u0344\u0345"
)
_GREEK_VOWELS = frozenset("ΑΕΗΙΟΥΩ")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
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


def _german(text: str) -> str:
    return text.replace("ß", "ẞ").upper()


def _armenian(text: str) -> str:
    return text.replace("և", "ԵՎ").upper()


def _greek(text: str) -> str:
    """Greek without accents (ICU's GreekUpper in ustrcase.cpp describes the rules)."""
    if not _GREEK.search(text):
        return text.upper()
    out: list[str] = []
    at = 0
    hiatus = False  # the letter before was a vowel that lost its accent and has no dialytika
    after_cased = False
    while at < len(text):
        base, marks, end = _greek_letter(text, at)
        if not base:
            out.append(text[at].upper())
            if not _is_case_ignorable(text[at]):  # marks neither begin nor end a word
                after_cased = _is_cased(text[at])
            hiatus = False
            at += 1
            continue
        accented = any(mark in _GREEK_ACCENTS for mark in marks)
        dialytika = _DIALYTIKA in marks or (hiatus and base in "ΙΥ")
        iotas = marks.count(_YPOGEGRAMMENI)
        alone = base == "Η" and accented and not iotas and not after_cased
        if alone and not _cased_follows(text, end):
            out.append("Ή")
        elif dialytika:
            out.append(unicodedata.normalize("NFC", base + _DIALYTIKA))
        else:
            out.append(base)
        out.append("Ι" * iotas)
        hiatus = accented and not dialytika and base in _GREEK_VOWELS
        after_cased = True
        at = end
    return "".join(out)


def _greek_letter(text: str, at: int) -> tuple[str, str, int]:
    """The capital, the decomposed marks and the end of the Greek letter at `at`.

    The capital is empty when no Greek letter stands there.
    """
    if not _GREEK.match(text, at):
        return "", "", at
    letter = unicodedata.normalize("NFD", text[at])
    base, marks = letter[0].upper(), letter[1:]
    if not base.isalpha() or len(base) != 1:
        return "", "", at
    end = at + 1
    while end < len(text) and text[end] in _GREEK_MARKS:
        marks += unicodedata.normalize("NFD", text[end])
        end += 1
    return base, marks, end


def _is_cased(char: str) -> bool:
    return char.lower() != char or char.upper() != char


def _is_case_ignorable(char: str) -> bool:
    """Unicode's Case_Ignorable, by the categories and word-break classes that make it up."""
    return char in "'.:·’‘․‧" or unicodedata.category(char) in ("Mn", "Me", "Cf", "Lm", "Sk")


def _cased_follows(text: str, at: int) -> bool:
    while at < len(text) and _is_case_ignorable(text[at]):
        at += 1
    return at < len(text) and _is_cased(text[at])


_SPECIAL: dict[str, Callable[[str], str]] = {
    "tr": _turkic,
    "az": _turkic,
    "de": _german,
    "el": _greek,
    "hy": _armenian,
}
