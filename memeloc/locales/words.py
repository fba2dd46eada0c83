"""The words of a text. In: a text and its locale. Out: words, as the language's readers cut them.

`words` are without the marks beside them, `word_spans` with these, `plain_words` in small letters
without any marks, to count and compare.

Words are those of UAX #29 as ICU finds them, with its dictionaries for scripts that write no spaces
between words: Thai, Lao, Khmer, Burmese, Chinese and Japanese.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, normalize

from memeloc.errors import InputError
from memeloc.locales.breaking import UNSPACED
from memeloc.locales.registry import default
from memeloc.locales.segmentation import ends
from memeloc.model import SEPARATOR, Locale


def segments(text: str, locale: Locale) -> tuple[str, ...]:
    """Return the words, spaces and marks of a text, which together are the text."""
    return _segments(text, locale.tag)


@lru_cache(maxsize=1024)  # a text is compared for several ends, one right after the other
def _segments(text: str, tag: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in pairwise([0, *ends(text, "Word", tag)]))


def words(text: str, locale: Locale) -> list[str]:
    """Return the words and marks of a text, without white space and characters that nobody sees.

    >>> from memeloc.locales import default
    >>> words("ฉันตากผ้า!", default().get("th"))
    ['ฉัน', 'ตาก', 'ผ้า', '!']
    """
    return [
        segment
        for segment in segments(text, locale)
        if not segment.isspace() and (segment.isprintable() or any(map(_is_visible, segment)))
    ]


_TOKEN = re.compile(r"\S+")
_WITHOUT_SPACES = re.compile(f"[{UNSPACED}]")


def word_spans(text: str, locale: Locale) -> list[tuple[int, int]]:
    """Return where each word begins and ends in a text, with the marks that touch it.

    A word is what stands between spaces; within that, in scripts without spaces, a word of ICU's
    dictionaries. A mark belongs to the word before it, an opening one to the word after it.

    >>> from memeloc.locales import default
    >>> word_spans("tea, now!", default().get("en"))
    [(0, 4), (5, 9)]
    """
    spans = [match.span() for match in _TOKEN.finditer(text)]
    if not _WITHOUT_SPACES.search(text):
        return spans
    return [
        (start + first, start + last)
        for start, end in spans
        for first, last in _spans_within(text[start:end], locale)
    ]


def _spans_within(token: str, locale: Locale) -> list[tuple[int, int]]:
    if not _WITHOUT_SPACES.search(token):
        return [(0, len(token))]
    spans: list[tuple[int, int]] = []
    start = at = 0  # of the word that is to come, with opening marks before it
    for segment in segments(token, locale):
        end = at + len(segment)
        if segment.isalnum() or any(map(str.isalnum, segment)):
            spans.append((start, end))
            start = end
        elif start == at and spans and category(segment[0]) not in ("Ps", "Pi"):
            spans[-1] = (spans[-1][0], end)
            start = end
        at = end
    if start < at:  # marks alone, or opening ones at the end
        first = spans.pop()[0] if spans else 0
        spans.append((first, at))
    return spans


def _is_visible(char: str) -> bool:
    return not char.isspace() and category(char) not in ("Cf", "Cc")


def plain_words(text: str, tag: str) -> list[str]:
    """Return a caption's words as the language's readers cut them, without marks, in small letters.

    >>> plain_words("Tea, now! // GROẞE Tasse", "de")
    ['tea', 'now', 'grosse', 'tasse']
    >>> plain_words("ฉันตากผ้า", "th")
    ['ฉัน', 'ตาก', 'ผ้า']
    """
    found = words(plain_text(text, tag), _locale(tag))
    return [word.casefold() for word in found if any(map(str.isalnum, word))]


def plain_text(text: str, tag: str) -> str:
    """Return a caption in NFKC on one line; capitals that case folding gets wrong are small."""
    text = normalize("NFKC", text)
    if tag.partition("-")[0].lower() in ("tr", "az"):
        text = text.replace("İ", "i").replace("I", "ı")
    return text.replace(SEPARATOR.strip(), " ")


@lru_cache(maxsize=64)
def _locale(tag: str) -> Locale:
    try:
        return default().get(tag)
    except InputError:
        return default().get("en")  # UAX #29's own rules; dictionaries are by script
