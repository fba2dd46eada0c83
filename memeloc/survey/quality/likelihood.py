"""How likely answers are. In: labels by meme. Out: the chance of so many that are the same.

An annotator is compared with one who answers each meme as often in each way as the others do. A
meme's rates are those of the sheet's other annotators, drawn towards the rates of the culture: with
five annotators a sheet, four others alone would say "never" too often.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

import numpy as np

WEIGHT = 2.0
"""How many answers the culture's rates count for beside those of the sheet's other annotators."""

Labels = Mapping[str, str]
"""By meme id the label that an annotator gave, in the order asked."""


class Rates:
    """How often labels are given; `answered` has culture, sheet and labels of each annotator."""

    def __init__(self, answered: Iterable[tuple[str, str, Labels]]) -> None:
        self._cultures: dict[str, Counter[str]] = defaultdict(Counter)
        self._memes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for culture, sheet, labels in answered:
            self._cultures[culture].update(labels.values())
            for meme, label in labels.items():
                self._memes[sheet, meme][label] += 1

    def chances(
        self, culture: str, sheet: str, labels: Labels, without: Sequence[Labels]
    ) -> list[float] | None:
        """For each meme of `labels`, the probability that somebody else gives it that label.

        Those whose answers are `without`, which were counted in, are left out. None when nobody
        else of the culture answered anything.
        """
        overall = Counter(self._cultures[culture])
        for own in without:
            overall.subtract(own.values())
        total = overall.total()
        if not total:
            return None
        chances = []
        for meme, label in labels.items():
            others = Counter(self._memes[sheet, meme])
            others.subtract(own[meme] for own in without if meme in own)
            prior = WEIGHT * overall[label] / total
            chances.append((others[label] + prior) / (others.total() + WEIGHT))
        return chances


def at_least(count: int, chances: Sequence[float]) -> float:
    """The probability that at least `count` of independent events happen (Poisson binomial).

    >>> round(at_least(2, [0.5, 0.5, 0.5]), 6)
    0.5
    """
    spread = reduce(np.convolve, ([1 - chance, chance] for chance in chances), np.ones(1))
    return float(min(spread[count:].sum(), 1.0))
