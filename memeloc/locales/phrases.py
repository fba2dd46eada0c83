"""Where words and phrases stand in a text. In: a text, its locale, a phrase. Out: places.

Case makes no difference (Turkish and Azerbaijani i and ı stay apart), nor do the form of quotation
marks and how many spaces there are. A phrase begins and ends where a word does (UAX #29, as ICU
finds it); a letter of a script that writes no spaces between words may stand anywhere between two
grapheme clusters. A `*` at an end of a phrase stands for any further letters of its word: `cat*`
is in `cats` and in `category`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property, lru_cache

from memeloc.locales.breaking import UNSPACED
from memeloc.locales.segmentation import ends
from memeloc.model import Locale

_UNSPACED = re.compile(f"[{UNSPACED}]")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "İ": "i"})
_TURKIC = {"tr", "az"}


class SearchedText:
    """A text in which phrases are looked for.

    >>> from memeloc.locales import default
    >>> text = SearchedText("My cats and the CAT", default().get("en"))
    >>> list(text.places("cat")), text.has("dog"), text.has("cat*")
    ([(16, 19)], False, True)
    """

    def __init__(self, text: str, locale: Locale) -> None:
        self._tag = locale.tag
        self._is_turkic = locale.tag.split("-")[0] in _TURKIC
        self._text = _plain(text, self._is_turkic)

    def has(self, phrase: str) -> bool:
        """Whether the phrase stands in it."""
        is_there = _plain_phrase(phrase.strip("*"), self._is_turkic) in self._text
        return is_there and next(self.places(phrase), None) is not None

    def places(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Where the phrase begins and ends, in the text as it is compared."""
        wanted = _plain_phrase(phrase.strip("*"), self._is_turkic)
        if not wanted:
            return
        begins = None if phrase.startswith("*") else self._ends_at(wanted[0])
        stops = None if phrase.endswith("*") else self._ends_at(wanted[-1])
        start = self._text.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            if (begins is None or start in begins) and (stops is None or end in stops):
                yield start, end
            start = self._text.find(wanted, start + 1)

    def _ends_at(self, letter: str) -> set[int]:
        """Where a phrase with this letter at its end may begin or end."""
        return self._clusters if _UNSPACED.match(letter) else self._words

    @cached_property
    def _words(self) -> set[int]:
        # An apostrophe ends a word here: "cat's" and "l'eau" have a cat and water in them.
        apostrophes = {at for at, letter in enumerate(self._text) if letter == "'"}
        words = {0, *ends(self._text, "Word", self._tag)}
        return words | apostrophes | {at + 1 for at in apostrophes}

    @cached_property
    def _clusters(self) -> set[int]:
        return {0, *ends(self._text, "Character", self._tag)}


def _plain(text: str, is_turkic: bool) -> str:
    """The text as it is compared: phrases in the same letters, whatever their case."""
    if is_turkic:
        text = text.replace("I", "ı")
    text = unicodedata.normalize("NFC", text).translate(_PLAIN).casefold()
    return " ".join(text.split())


# The same phrases are looked for in every caption.
_plain_phrase = lru_cache(maxsize=1 << 14)(_plain)
