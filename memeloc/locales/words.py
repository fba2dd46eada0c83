"""The words of a text. In: a text and its locale. Out: words, as the language's readers cut them.

Words are those of UAX #29 as ICU finds them, with its dictionaries for scripts that write no spaces
between words: Thai, Lao, Khmer, Burmese, Chinese and Japanese.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from unicodedata import category

from icu4py.breakers import WordBreaker

from memeloc.model import Locale


def segments(text: str, locale: Locale) -> tuple[str, ...]:
    """The words, spaces and marks of a text, which together are the text."""
    return _segments(text, locale.tag)


@lru_cache(maxsize=1024)  # a text is compared for several ends, one right after the other
def _segments(text: str, tag: str) -> tuple[str, ...]:
    spans = WordBreaker(text, tag).segments()
    if not text or max(text) <= "\uffff":
        return tuple(text[start:end] for start, end in spans)
    # ICU counts UTF-16 units.
    units = accumulate((2 if char > "\uffff" else 1) for char in text)
    points = {unit: index for index, unit in enumerate(units, 1)} | {0: 0}
    return tuple(
        text[points[start] : points[end]]
        for start, end in spans
        if start in points and end in points
    )


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


def _is_visible(char: str) -> bool:
    return not char.isspace() and category(char) not in ("Cf", "Cc")
