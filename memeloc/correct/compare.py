"""What was changed, and how far. In: texts before and after. Out: the edits, HTER and chrF.

Texts are compared by words (UAX #29, with ICU's dictionaries for scripts without spaces), so that
an edit is what a reader would call one. Both distances are sacreBLEU's (Post 2018), so that figures
compare with other people's.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from icu4py.breakers import WordBreaker

from memeloc.model import Locale

_ASIAN = {"Hans", "Hant", "Jpan"}


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


def hter(machine: Sequence[str], corrected: Sequence[str], locale: Locale) -> float:
    """Human-targeted translation edit rate of machine texts against their corrections, in percent.

    The edits (insertions, deletions, substitutions and shifts of words) that turn the machine's
    text into the person's, over the words of the person's text, over all texts together (Snover et
    al. 2006, "A Study of Translation Edit Rate with Targeted Human Annotation"). For Chinese and
    Japanese every character counts as a word: sacreBLEU's TER with `normalized` and
    `asian_support`. It can pass 100 where the person's text is much shorter.
    """
    from sacrebleu.metrics.ter import TER

    if not corrected:
        return 0.0
    asian = locale.script in _ASIAN
    metric = TER(normalized=asian, asian_support=asian, no_punct=False, case_sensitive=True)
    return float(metric.corpus_score(list(machine), [list(corrected)]).score)


def chrf(machine: Sequence[str], corrected: Sequence[str]) -> float:
    """chrF of machine texts against their corrections, 0 to 100; 100 is equal.

    The F-score of character n-grams up to 6, recall weighing twice (Popović 2015, "chrF: character
    n-gram F-score for automatic MT evaluation"); it needs no words, so it compares across scripts.
    """
    from sacrebleu.metrics.chrf import CHRF

    if not corrected:
        return 100.0
    return float(CHRF().corpus_score(list(machine), [list(corrected)]).score)
