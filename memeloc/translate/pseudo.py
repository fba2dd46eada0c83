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
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memeloc.locales import default
from memeloc.model import Locale
from memeloc.settings import validate
from memeloc.translate.protocol import (
    Answer,
    Estimate,
    Translation,
    TranslationItem,
    filled,
    merged,
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
    """The translator, from a table of settings."""
    return PseudoTranslator(validate(PseudoSettings, settings, "the translator pseudo"))


class PseudoTranslator:
    """Writes pseudolocalised text; free, offline, and the same each time."""

    name = "pseudo"
    currency = "USD"

    def __init__(self, settings: PseudoSettings | None = None) -> None:
        self.settings = settings or PseudoSettings()

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """Strings and code points; costs nothing."""
        parts = [item.source.parts[index] for item in items for index in filled(item)]
        return Estimate(len(parts), sum(map(len, parts)))

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`. Every translation is marked `pseudo`."""
        for item in items:
            parts = [
                pseudolocalise(item.source.parts[index], item.target, self.settings.growth)
                for index in filled(item)
            ]
            yield Translation(
                item.meme_id, item.target.tag, merged(item, parts), self.name, ("pseudo",)
            )


def pseudolocalise(text: str, target: Locale, growth: float = 1 / 3) -> str:
    """One text, pseudolocalised for a locale; see the module.

    >>> from memeloc.locales import default
    >>> pseudolocalise("Send {n} cats", default().get("de"))
    '[Šéñð {n} çåţš öñé]'
    """
    if target.direction == "rtl":
        return "\n".join(
            " ".join(_kept_or(word, _mirrored) for word in line.split(" "))
            for line in text.split("\n")
        )
    letters = () if target.script == "Latn" else _letters(target.tag, target.exemplars)
    write = _own_letters(letters) if letters else _accented
    if target.script in _NO_SPACES and letters:
        write = _condensed(write)
    words = [text, *_padding(text, growth)]
    return f"[{' '.join(_kept_or(word, write) for word in words)}]"


def _kept_or(text: str, write: Callable[[str], str]) -> str:
    """`text` written anew, but for what must stay as it is."""
    pieces = _KEPT.split(text)
    return "".join(
        piece if index % 2 else write(piece) for index, piece in enumerate(pieces) if piece
    )


def _accented(text: str) -> str:
    return text.translate(_ACCENTED)


def _mirrored(word: str) -> str:
    return f"{_RLM}{_RLO}{word}{_PDF}{_RLM}" if word.strip() else word


def _padding(text: str, growth: float) -> list[str]:
    """Words that make `text` longer by its share, at least, of letters and digits."""
    wanted = math.ceil(growth * sum(letter.isalnum() for letter in _KEPT.sub("", text)))
    words: list[str] = []
    while wanted > 0:
        word = _PADDING[len(words) % len(_PADDING)]
        words.append(word)
        wanted -= len(word) + 1
    return words


@cache
def _letters(tag: str, own: tuple[str, ...]) -> tuple[str, ...]:
    """The language's letters that stand alone: no marks, one code point, its own script."""
    letters = own
    if not letters and tag in default():
        letters = default().exemplars(tag)
    letters = tuple(
        letter
        for letter in letters
        if len(letter) == 1
        and unicodedata.category(letter).startswith("L")
        and not letter.isascii()
    )
    return letters if len(letters) >= _FEW_LETTERS else ()


def _own_letters(letters: tuple[str, ...]) -> Callable[[str], str]:
    def write(text: str) -> str:
        written = []
        for letter in text:
            if letter.isalpha() and letter.isascii():
                other = letters[(ord(letter.lower()) * 7) % len(letters)]
                written.append(other.upper() if letter.isupper() else other)
            else:
                written.append(letter)
        return "".join(written)

    return write


def _condensed(write: Callable[[str], str]) -> Callable[[str], str]:
    """Two letters become one and spaces go, as in scripts of a sign a syllable or word."""

    def condense(text: str) -> str:
        return write(re.sub(r"([A-Za-z])[A-Za-z]?", r"\1", re.sub(r"(?<=\w) (?=\w)", "", text)))

    return condense
