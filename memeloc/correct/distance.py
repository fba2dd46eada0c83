"""How far a text was edited. In: machine texts and what people made of them. Out: HTER and chrF.

Both are sacreBLEU's (Post 2018), so that figures compare with other people's.
"""

from __future__ import annotations

from collections.abc import Sequence

from memeloc.model import Locale

_ASIAN = {"Hans", "Hant", "Jpan"}


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
