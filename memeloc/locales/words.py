"""The words of a text. In: a text and its locale. Out: words, as the language's readers cut them.

Words are those of UAX #29 as ICU finds them, with its dictionaries for scripts that write no spaces
between words: Thai, Lao, Khmer, Burmese, Chinese and Japanese.
"""

from __future__ import annotations

from itertools import accumulate
from unicodedata import category

from icu4py.breakers import WordBreaker

from memeloc.model import Locale


def segments(text: str, locale: Locale) -> list[str]:
    """The words, spaces and marks of a text, which together are the text."""
    units = list(accumulate((2 if char > "\uffff" else 1) for char in text))
    points = {unit: index for index, unit in enumerate(units, 1)} | {0: 0}
    return [
        text[points[start] : points[end]]
        for start, end in WordBreaker(text, locale.tag).segments()
        if start in points and end in points
    ]


def words(text: str, locale: Locale) -> list[str]:
    """The words and marks of a text, without white space and characters that nobody sees.

    >>> from memeloc.locales import default
    >>> words("ฉันตากผ้า!", default().get("th"))
    ['ฉัน', 'ตาก', 'ผ้า', '!']
    """
    return [segment for segment in segments(text, locale) if any(map(_is_visible, segment))]


def _is_visible(char: str) -> bool:
    return not char.isspace() and category(char) not in ("Cf", "Cc")
