"""Words to count and compare. In: a text and its language's tag. Out: words in small letters."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from memeloc.errors import InputError
from memeloc.locales.registry import default
from memeloc.locales.words import words
from memeloc.model import SEPARATOR, Locale


def plain_words(text: str, tag: str) -> list[str]:
    """The words of a caption as the language's readers cut them, without marks, in small letters.

    >>> plain_words("Tea, now! // GROẞE Tasse", "de")
    ['tea', 'now', 'grosse', 'tasse']
    >>> plain_words("ฉันตากผ้า", "th")
    ['ฉัน', 'ตาก', 'ผ้า']
    """
    segments = words(plain_text(text, tag), _locale(tag))
    return [word.casefold() for word in segments if any(map(str.isalnum, word))]


def plain_text(text: str, tag: str) -> str:
    """A caption in NFKC on one line, with the capitals that case folding would get wrong small."""
    text = unicodedata.normalize("NFKC", text)
    if tag.partition("-")[0].lower() in ("tr", "az"):
        text = text.replace("İ", "i").replace("I", "ı")
    return text.replace(SEPARATOR.strip(), " ")


@lru_cache(maxsize=64)
def _locale(tag: str) -> Locale:
    try:
        return default().get(tag)
    except InputError:
        return default().get("en")  # UAX #29's own rules; dictionaries are by script
