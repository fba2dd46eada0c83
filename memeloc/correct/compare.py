"""Who changed what. In: a text before and after. Out: the edits.

Texts are compared by words (UAX #29, with ICU's dictionaries for scripts without spaces), so that
an edit is what a reader would call one.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from itertools import accumulate

from icu4py.breakers import WordBreaker

from memeloc.model import Locale


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: what stood there and what stands there now; either may be empty."""

    before: str
    after: str


def words(text: str, locale: Locale) -> list[str]:
    """The words, spaces and marks of a text, which together are the text."""
    units = list(accumulate((2 if char > "\uffff" else 1) for char in text))
    points = {unit: index for index, unit in enumerate(units, 1)} | {0: 0}
    return [
        text[points[start] : points[end]]
        for start, end in WordBreaker(text, locale.tag).segments()
        if start in points and end in points
    ]


def edits(before: str, after: str, locale: Locale) -> list[Edit]:
    """What was replaced, left out or put in, in order; nothing for equal texts.

    >>> from memeloc.locales import default
    >>> edits("ich bin da", "ich war da", default().get("de"))
    [Edit(before='bin', after='war')]
    """
    old, new = words(before, locale), words(after, locale)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit("".join(old[a:b]), "".join(new[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
