"""The words of a text. In: a text and its locale. Out: words, as the language's readers cut them.

`words` are without the marks beside them, `word_spans` with these.

Words are those of UAX #29 as ICU finds them, with its dictionaries for scripts that write no spaces
between words: Thai, Lao, Khmer, Burmese, Chinese and Japanese.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from unicodedata import category

from memeloc.locales.segmentation import ends
from memeloc.model import Locale


def segments(text: str, locale: Locale) -> tuple[str, ...]:
    """The words, spaces and marks of a text, which together are the text."""
    return _segments(text, locale.tag)


@lru_cache(maxsize=1024)  # a text is compared for several ends, one right after the other
def _segments(text: str, tag: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in pairwise([0, *ends(text, "Word", tag)]))


def words(text: str, locale: Locale) -> list[str]:
    """The words and marks of a text, without white space and characters that nobody sees.

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
_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of scripts that write no spaces between words: Thai, Lao, Burmese, Khmer, Han, kana."""


def word_spans(text: str, locale: Locale) -> list[tuple[int, int]]:
    """Where each word begins and ends in a text, with the marks that touch it.

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
