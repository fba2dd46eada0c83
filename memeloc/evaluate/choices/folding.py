"""Text as it is compared. In: what a model wrote. Out: the same without case, accents and forms.

Models write one letter in many ways: `Ａ`, `𝐚`, `ⓐ`, `à`; `१` and `١` are both a one. Folded texts
are compared, and every folded letter knows the letter that it comes from.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache

_SAME = {
    "ı": "i",
    "ى": "ي",
    "ی": "ي",
    "ک": "ك",
    "ة": "ه",
    "ۀ": "ه",
    "ه\u0654": "ه",
    "’": "'",
    "‘": "'",
    "ʼ": "'",
    "`": "'",
    "‐": "-",
    "‑": "-",
    "–": "-",
    "—": "-",
    "−": "-",
    "🅰": "a",
    "🅱": "b",
    "\u20e3": "",
}
"""What NFKC and casefolding leave different: forms of Arabic letters, apostrophes, dashes."""

_ACCENTS = (range(0x300, 0x370), range(0x591, 0x5C8), range(0x610, 0x61B), range(0x64B, 0x660))
"""Combining marks that are left out: accents, and points of Hebrew and Arabic that few people
write. Marks of Indic and Thai letters are vowels, and stay."""


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A folded text; `origins` has for each of its letters the place of its original."""

    text: str
    original: str
    origins: tuple[int, ...]

    def rest(self, start: int, end: int | None = None) -> str:
        """The original of the folded letters from `start` to `end`."""
        if start >= len(self.origins):
            return ""
        last = len(self.original) if end is None or end >= len(self.origins) else self.origins[end]
        return self.original[self.origins[start] : last]


def fold(text: str) -> Folded:
    """A text as it is compared."""
    whole = unicodedata.normalize("NFC", text)
    letters: list[str] = []
    origins: list[int] = []
    for place, letter in enumerate(whole):
        for folded in letter if "a" <= letter <= "z" else _fold_letter(letter):
            letters.append(folded)
            origins.append(place)
    return Folded("".join(letters), whole, tuple(origins))


def folded(text: str) -> str:
    """The same without the originals.

    >>> folded("Ｎão-Ódio ①"), folded("घृणा १"), folded("أ")
    ('nao-odio 1', 'घृणा 1', 'ا')
    """
    return fold(text).text


@cache
def _fold_letter(letter: str) -> str:
    if letter in _SAME:
        return _SAME[letter]
    if unicodedata.category(letter) == "Cf" or "\ufe00" <= letter <= "\ufe0f" or letter == "ـ":
        return ""
    forms = unicodedata.normalize("NFKC", letter).casefold()
    if not "\uac00" <= letter <= "\ud7a3":
        forms = unicodedata.normalize("NFD", forms)
    return "".join(
        _SAME.get(form, _digit(form))
        for form in forms
        if not any(ord(form) in accents for accents in _ACCENTS)
    )


def _digit(letter: str) -> str:
    value = unicodedata.decimal(letter, None)
    return letter if value is None else str(value)


def is_word(letter: str) -> bool:
    """Whether a letter is part of a word or number: letters, digits and marks of vowels."""
    return letter.isalnum() or unicodedata.category(letter)[0] == "M"


def squeezed(text: Folded) -> tuple[str, list[int]]:
    """Its letters and digits alone, and the place of each: texts that differ in spaces are equal"""
    places = [place for place, letter in enumerate(text.text) if is_word(letter)]
    return "".join(text.text[place] for place in places), places


def _marks() -> str:
    marks = [place for place in range(0x370, 0x1100) if unicodedata.category(chr(place))[0] == "M"]
    runs: list[list[int]] = []
    for place in marks:
        if runs and runs[-1][1] == place - 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


WORD = rf"\w{_marks()}"
"""Of a regular expression's class: letters, digits and marks (which Python's `\\w` leaves out)."""

UNSPACED = r"\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Letters of scripts that put no spaces between words, and Hangul, whose particles are attached."""

END_OF_WORD = rf"(?![^\W{UNSPACED}]|[{_marks()}])"
"""The end of a word in a script with spaces: no letter, digit or mark of such a script follows."""
