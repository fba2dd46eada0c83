"""The words of a text. In: a text, its locale. Out: words as its readers cut them, phrases' places.

`words` are without the marks beside them, `word_spans` with these, `plain_words` in small letters
without any marks, to count and compare; all as ICU finds them, see `memeloc.locales.breaking`.

For phrases case makes no difference (Turkish and Azerbaijani i and ı stay apart), nor do the form
of quotation marks and how many spaces there are. A phrase begins and ends where a word does; a
letter of a script that writes no spaces between words may stand anywhere between two grapheme
clusters. A `*` at an end of a phrase stands for any further letters of its word: `cat*` is in
`cats` and in `category`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from unicodedata import category, normalize

from memeloc.locales.breaking import UNSPACED, ends
from memeloc.locales.registry import default
from memeloc.model import SEPARATOR, Locale

_UNSPACED = f"[{UNSPACED}]"  # compiled at first use: that takes milliseconds
_UNSEEN = ("Cf", "Cc", "Zs", "Zl", "Zp")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "İ": "i"})


@lru_cache(maxsize=1024)  # a text is compared for several ends, one right after the other
def segments(text: str, locale: Locale) -> tuple[str, ...]:
    """Return the words, spaces and marks of a text, which together are the text."""
    places = pairwise([0, *ends(text, "Word", locale.tag)])
    return tuple(text[start:end] for start, end in places)


def words(text: str, locale: Locale) -> list[str]:
    """Return the words and marks of a text, without white space and characters that nobody sees.

    >>> from memeloc.locales import default
    >>> words("ฉันตากผ้า!", default().get("th"))
    ['ฉัน', 'ตาก', 'ผ้า', '!']
    """
    return [
        segment
        for segment in segments(text, locale)
        if any(category(char) not in _UNSEEN for char in segment)
    ]


def word_spans(text: str, locale: Locale) -> list[tuple[int, int]]:
    """Return where each word begins and ends in a text, with the marks that touch it.

    A word is what stands between spaces; within that, in scripts without spaces, a word of ICU's
    dictionaries. A mark belongs to the word before it, an opening one to the word after it.

    >>> from memeloc.locales import default
    >>> word_spans("tea, now!", default().get("en"))
    [(0, 4), (5, 9)]
    """
    spans: list[tuple[int, int]] = []
    for match in re.finditer(r"\S+", text):
        if not re.search(_UNSPACED, match[0]):
            spans.append(match.span())
            continue
        whole = len(spans)
        start = at = match.start()  # of the word that is to come, with opening marks before it
        for segment in segments(match[0], locale):
            end = at + len(segment)
            if segment.isalnum() or any(map(str.isalnum, segment)):
                spans.append((start, end))
                start = end
            elif start == at and spans[whole:] and category(segment[0]) not in ("Ps", "Pi"):
                spans[-1] = (spans[-1][0], end)
                start = end
            at = end
        if start < at:  # marks alone, or opening ones at the end
            first = spans.pop()[0] if spans[whole:] else match.start()
            spans.append((first, at))
    return spans


def plain_words(text: str, tag: str) -> list[str]:
    """Return a caption's words as the language's readers cut them, without marks, in small letters.

    >>> plain_words("Tea, now! // GROẞE Tasse", "de")
    ['tea', 'now', 'grosse', 'tasse']
    >>> plain_words("ฉันตากผ้า", "th")
    ['ฉัน', 'ตาก', 'ผ้า']
    """
    # Where there is no locale: UAX #29's own rules; dictionaries are by script.
    locale = default().get(tag if tag in default() else "en")
    found = words(plain_text(text, tag), locale)
    return [word.casefold() for word in found if any(map(str.isalnum, word))]


def plain_text(text: str, tag: str) -> str:
    """Return a caption in NFKC on one line; capitals that case folding gets wrong are small."""
    text = normalize("NFKC", text)
    if _is_turkic(tag):
        text = text.replace("İ", "i").replace("I", "ı")
    return text.replace(SEPARATOR.strip(), " ")


class SearchedText:
    """A text in which phrases are looked for.

    >>> from memeloc.locales import default
    >>> text = SearchedText("My cats and the CAT", default().get("en"))
    >>> list(text.places("cat")), text.has("dog"), text.has("cat*")
    ([(16, 19)], False, True)
    """

    def __init__(self, text: str, locale: Locale) -> None:
        self._tag = locale.tag
        self._is_turkic = _is_turkic(locale.tag)
        self._text = _plain(text, self._is_turkic)

    def has(self, phrase: str) -> bool:
        """Return whether the phrase stands in it."""
        return next(self.places(phrase), None) is not None

    def places(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Yield where the phrase begins and ends, in the text as it is compared."""
        wanted = _plain_phrase(phrase.strip("*"), self._is_turkic)
        start = self._text.find(wanted)
        if not wanted or start < 0:
            return
        # A phrase with a letter of a script without spaces at its end may begin or end anywhere.
        begins, stops = (
            self._clusters if re.match(_UNSPACED, letter) else self._words
            for letter in (wanted[0], wanted[-1])
        )
        while start >= 0:
            end = start + len(wanted)
            if (phrase[0] == "*" or start in begins) and (phrase[-1] == "*" or end in stops):
                yield start, end
            start = self._text.find(wanted, start + 1)

    @cached_property
    def _words(self) -> set[int]:
        # An apostrophe ends a word here: "cat's" and "l'eau" have a cat and water in them.
        apostrophes = {at for at, letter in enumerate(self._text) if letter == "'"}
        words = {0, *ends(self._text, "Word", self._tag)}
        return words | apostrophes | {at + 1 for at in apostrophes}

    @cached_property
    def _clusters(self) -> set[int]:
        return {0, *ends(self._text, "Character", self._tag)}


def _is_turkic(tag: str) -> bool:
    return tag.partition("-")[0].lower() in ("tr", "az")


def _plain(text: str, is_turkic: bool) -> str:
    """Return a text as it is compared: phrases in the same letters, whatever their case."""
    if is_turkic:
        text = text.replace("I", "ı")
    text = normalize("NFC", text).translate(_PLAIN).casefold()
    return " ".join(text.split())


# The same phrases are looked for in every caption.
_plain_phrase = lru_cache(maxsize=1 << 14)(_plain)
