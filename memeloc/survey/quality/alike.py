"""How likely answers are. In: labels by meme. Out: the chance of so many alike, or all the same.

An annotator is compared with one who answers each meme as often in each way as the others do. A
meme's rates are those of the sheet's other annotators, drawn towards the rates of the culture: with
five annotators a sheet, four others alone would say "never" too often.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

WEIGHT = 2.0
"""How many answers the culture's rates count for beside those of the sheet's other annotators."""

Labels = Mapping[str, str]
"""By meme id the label that one annotator gave, in the order asked."""


@dataclass(frozen=True, slots=True)
class Line:
    """How uniform answers are.

    Attributes:
        label: the most common one; of several the first in the alphabet.
        count: how often it was given.
        longest: the longest run of one label.
        bits: the labels' entropy, in bits.
    """

    label: str
    count: int
    longest: int
    bits: float


def line(labels: Sequence[str]) -> Line:
    """How uniform a sequence of answers is; it has one at least.

    >>> line(["no", "no", "no", "yes"])
    Line(label='no', count=3, longest=3, bits=0.8112781244591328)
    """
    counts = Counter(labels)
    label, count = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    longest = run = 1
    for before, after in pairwise(labels):
        run = run + 1 if before == after else 1
        longest = max(longest, run)
    shares = [counts[one] / len(labels) for one in sorted(counts)]
    return Line(label, count, longest, -sum(share * math.log2(share) for share in shares) + 0.0)


class Rates:
    """How often labels are given, in the sheets of one culture.

    Args:
        sheets: by sheet id and submission id, what was answered.
    """

    def __init__(self, sheets: Mapping[str, Mapping[str, Labels]]) -> None:
        self._overall: Counter[str] = Counter()
        self._memes: dict[str, dict[str, dict[str, int]]] = {}
        for sheet, annotators in sheets.items():
            memes = self._memes.setdefault(sheet, {})
            for labels in annotators.values():
                self._overall.update(labels.values())
                for meme, label in labels.items():
                    counts = memes.get(meme)
                    if counts is None:
                        counts = memes[meme] = {}
                    counts[label] = counts.get(label, 0) + 1

    def chances(self, sheet: str, wanted: Labels, without: Sequence[Labels]) -> list[float] | None:
        """For each meme of `wanted`, the probability that somebody else gives it that label.

        Args:
            sheet: whose other annotators are looked at.
            wanted: meme to label.
            without: the answers of those who are left out, already counted in.

        Returns:
            None when nobody else of the culture answered anything.
        """
        overall = Counter(self._overall)
        for one in without:
            overall.subtract(Counter(one.values()))
        total = sum(overall.values())
        if total <= 0:
            return None
        memes = self._memes.get(sheet, {})
        chances = []
        for meme, label in wanted.items():
            counts = memes.get(meme, {})
            left_out = [one[meme] for one in without if meme in one]
            same = counts.get(label, 0) - left_out.count(label)
            others = sum(counts.values()) - len(left_out)
            prior = WEIGHT * overall[label] / total
            chances.append((same + prior) / (others + WEIGHT))
        return chances


def at_least(count: int, chances: Sequence[float]) -> float:
    """The probability that at least `count` of independent events happen (Poisson binomial).

    >>> round(at_least(2, [0.5, 0.5, 0.5]), 6)
    0.5
    """
    spread = np.zeros(len(chances) + 1)
    spread[0] = 1.0
    for number, chance in enumerate(chances, 1):
        spread[1 : number + 1] = spread[1 : number + 1] * (1 - chance) + spread[:number] * chance
        spread[0] *= 1 - chance
    return float(min(spread[count:].sum(), 1.0))
