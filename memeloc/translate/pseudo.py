"""Pseudolocalisation. In: items. Out: placeholder text, to try layouts before paying anybody.

As Android, Windows and Chromium do it. `en-XA`: every letter accented, a third longer, in brackets;
it stays readable, and what is cut off misses a bracket. `ar-XB`: every word between a right-to-left
override and its end, so that left-to-right letters run from right to left.

Which of them a caption gets follows from the target: languages in Latin script are written as
en-XA, right-to-left languages as ar-XB. For any other script the letters are exchanged for the
language's own, as what layouts need is that script's font, heights and line breaks; en-XA's
brackets and growth stay. Placeholders, addresses, names with @ and #, numbers, emoji and line
feeds are kept.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Any

from memeloc.locales import default
from memeloc.model import Locale
from memeloc.settings import validate
from memeloc.translate.answers import PSEUDO
from memeloc.translate.protocol import (
    Answer,
    FreeTranslator,
    TranslationItem,
    filled_texts,
    translation,
)

_ACCENTED = str.maketrans(
    "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ",
    "åÅƀƁçÇðÐéÉƒƑĝĜĥĤîÎĵĴķĶļĻɱṀñÑöÖþÞǫǪŕŔšŠţŢûÛṽṼŵŴẋẊýÝžŽ",
)
_PADDING = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
)
_KEPT = re.compile(
    r"(\{[^{}]*\}|%(?:\(\w+\))?[-+ 0#]*\d*(?:\.\d+)?[sdifgxr%]|https?://\S+|[@#]\w+|<[^<>]+>)"
)
_RLM, _RLO, _PDF = "\u200f", "\u202e", "\u202c"
_NO_SPACES = frozenset(("Hans", "Hant", "Jpan", "Hira", "Kana"))
_FEW_LETTERS = 5
"""Languages whose list of letters is shorter are written as en-XA."""


@dataclass(frozen=True, slots=True)
class PseudoSettings:
    """The table `[translate.pseudo]` of memeloc.toml.

    Attributes:
        growth: how much longer a text gets, as a share of its letters; the field's third.
    """

    growth: float = 1 / 3


def from_settings(settings: Mapping[str, Any]) -> PseudoTranslator:
    """Return the translator, from a table of settings."""
    return PseudoTranslator(validate(PseudoSettings, settings, "the translator pseudo"))


class PseudoTranslator(FreeTranslator):
    """Translator that writes pseudolocalised text, marked `pseudo`; free, offline, and the same
    each time."""

    name = "pseudo"

    def __init__(self, settings: PseudoSettings | None = None) -> None:
        self.settings = settings or PseudoSettings()

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`."""
        growth = self.settings.growth
        for item in items:
            texts = [pseudolocalise(text, item.target, growth) for text in filled_texts(item)]
            yield translation(item, texts, self.name, PSEUDO)


def pseudolocalise(text: str, target: Locale, growth: float = 1 / 3) -> str:
    """Return one text, pseudolocalised for a locale; see the module.

    >>> from memeloc.locales import default
    >>> pseudolocalise("Send {n} cats", default().get("de"))
    '[Šéñð {n} çåţš öñé]'
    """
    if target.direction == "rtl":
        return re.sub(r"[^ \n]+", lambda word: _but_kept(word[0], _mirrored), text)
    # Words make it longer by its share, at least, of letters and digits.
    wanted = math.ceil(growth * sum(letter.isalnum() for letter in _KEPT.sub("", text)))
    padding = cycle(_PADDING)
    words = [text]
    while wanted > 0:
        words.append(next(padding))
        wanted -= len(words[-1]) + 1
    write = _writer(target)
    return f"[{' '.join(_but_kept(word, write) for word in words)}]"


def _but_kept(text: str, write: Callable[[str], str]) -> str:
    """Return `text` written anew, but for what must stay as it is."""
    pieces = enumerate(_KEPT.split(text))
    return "".join(piece if index % 2 else write(piece) for index, piece in pieces if piece)


def _mirrored(word: str) -> str:
    return f"{_RLM}{_RLO}{word}{_PDF}{_RLM}" if word.strip() else word


def _writer(target: Locale) -> Callable[[str], str]:
    """Return what writes the letters of a text that runs from left to right for a locale."""
    letters = () if target.script == "Latn" else _letters(target.tag, target.exemplars)
    if not letters:
        return lambda text: text.translate(_ACCENTED)
    table: dict[int, str] = {}
    for letter in string.ascii_lowercase:
        other = letters[(ord(letter) * 7) % len(letters)]
        table |= {ord(letter): other, ord(letter.upper()): other.upper()}
    if target.script not in _NO_SPACES:
        return lambda text: text.translate(table)

    def condensed(text: str) -> str:
        """Make two letters one; and spaces go, as in scripts of a sign a syllable or
        word."""
        joined = re.sub(r"(?<=\w) (?=\w)", "", text)
        return re.sub(r"([A-Za-z])[A-Za-z]?", r"\1", joined).translate(table)

    return condensed


@cache
def _letters(tag: str, listed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the language's letters that stand alone: no marks, one code point, its own script."""
    letters = listed or (default().exemplars(tag) if tag in default() else ())
    letters = tuple(
        letter
        for letter in letters
        if len(letter) == 1 and letter.isalpha() and not letter.isascii()
    )
    return letters if len(letters) >= _FEW_LETTERS else ()
