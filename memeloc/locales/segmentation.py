"""ICU's boundaries of clusters, words and lines. In: a text, a locale's identifier. Out: offsets.

Grapheme clusters and words are those of UAX #29, ends of lines those of UAX #14, as ICU tailors
them for the locale, with its dictionaries for Thai, Lao, Khmer, Burmese, Chinese and Japanese.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import icu

Unit = Literal["Character", "Word", "Line"]


def ends(text: str, unit: Unit, locale: str) -> list[int]:
    """Return where each unit of a text ends, in code points, ascending.

    Args:
        locale: ICU's identifier, such as `de` or `ja@lb=strict`.

    >>> ends("tea 🍵 now", "Word", "en")
    [3, 4, 5, 6, 9]
    """
    import icu

    iterator = _iterator(unit, locale)
    iterator.setText(icu.UnicodeString(text))
    found = list(iterator)
    if not found or found[-1] == len(text):
        return found
    # ICU counts UTF-16 units, two for a character beyond U+FFFF.
    units = accumulate((2 if char > "\uffff" else 1) for char in text)
    points = {unit: point for point, unit in enumerate(units, 1)}
    return [points[end] for end in found if end in points]


@cache
def _iterator(unit: Unit, locale: str) -> icu.BreakIterator:
    import icu

    make = getattr(icu.BreakIterator, f"create{unit}Instance")
    return make(icu.Locale(locale))
