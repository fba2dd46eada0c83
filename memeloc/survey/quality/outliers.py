"""Likelihood of answers beside those of others. In: labels of people. Out: chances, deviations."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from statistics import NormalDist
from typing import Any

import numpy as np

from memeloc.arrays import Floats
from memeloc.survey.quality.rules import Outlier

Labels = Mapping[str, str]
"""By meme id the label that an annotator gave, in the order asked."""
Person = tuple[str, str]
"""Culture and participant."""

WEIGHT = 2.0
"""How many answers the culture's rates count for beside those of a sheet's other annotators: with
five a sheet, four others alone would say "never" too often."""


class Rates:
    """Frequencies of labels; `answered` has culture, sheet and labels of each annotator. An
    annotator is compared with one who answers each meme as often in each way as the others do."""

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
        """Return for each meme of `labels` the probability that somebody else gives it that label.
        Those whose answers are `without`, which were counted in, are left out. None when nobody
        else of the culture answered anything."""
        overall = Counter(self._cultures[culture])
        for excluded in without:
            overall.subtract(excluded.values())
        total = overall.total()
        if not total:
            return None
        chances = []
        for meme, label in labels.items():
            others = Counter(self._memes[sheet, meme])
            others.subtract(excluded[meme] for excluded in without if meme in excluded)
            prior = WEIGHT * overall[label] / total
            chances.append((others[label] + prior) / (others.total() + WEIGHT))
        return chances


def at_least(count: int, chances: Sequence[float]) -> float:
    """Return the probability that `count` of independent events or more happen.

    >>> round(at_least(2, [0.5, 0.5, 0.5]), 6)
    0.5
    """
    spread = reduce(np.convolve, ([1 - chance, chance] for chance in chances), np.ones(1))
    return float(min(spread[count:].sum(), 1.0))


def deviations(
    answered: Iterable[tuple[str, str, Labels]], rule: Outlier, abstain: Collection[str]
) -> dict[Person, dict[str, Any]]:
    """Return each person beside the others of the culture, and beside chance.

    CHARMemes (4.2, E): one annotator's labels deviated substantially from the rest, and after a
    review that person was excluded. Whether labels follow the memes is tested by a permutation: the
    person's own labels, laid on the same memes at random, agree with the others' answers with a
    mean and a variance that are known exactly (Hoeffding 1951), so a habit of one label, or a rare
    label, is neither blamed nor rewarded. Contrarians agree less than chance.

    Args:
        answered: culture, participant and labels by meme id; of a person once for each sheet.
        abstain: labels that are no votes.

    Returns:
        Of each person who had items with others: `items`; `agreement`, the share of the others'
        answers that are the same, a mean over items; `expected` by chance; `kappa`, their
        difference corrected for chance; of `others` the mean agreement and the median kappa;
        `chance`, the probability of so much agreement by chance; `below`, by how many standard
        errors the correlation with the others is under their median; and whether that makes an
        `outlier` by the rule.
    """
    votes: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for culture, who, labels in answered:
        for meme, label in labels.items():
            if who and label not in abstain:
                # Of a person who answered a meme twice the first answer counts, as for the labels.
                votes[culture][who].setdefault(meme, label)
    judged: dict[Person, dict[str, Any]] = {}
    for culture, people in votes.items():
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for labels in people.values():
            for meme, label in labels.items():
                counts[meme][label] += 1
        beside = {who: _beside_chance(labels, counts) for who, labels in people.items()}
        measured = {who: row for who, row in beside.items() if row}
        if len(measured) < 2:
            continue
        items, agreement, expected, z = np.array(list(measured.values())).T
        kappa = (agreement - expected) / (1 - expected)
        # z grows with the root of the items; divided by it, it is a correlation.
        roots = np.sqrt(items - 1)
        below = _median_of_others(z / roots) * roots - z
        others = {
            "agreement": ((items @ agreement) - items * agreement) / (items.sum() - items),
            "kappa": _median_of_others(kappa),
        }
        for at, who in enumerate(measured):
            chance = 1 - NormalDist().cdf(float(z[at]))
            judged[culture, who] = {
                "items": int(items[at]),
                "agreement": round(float(agreement[at]), 4),
                "expected": round(float(expected[at]), 4),
                "kappa": round(float(kappa[at]), 4),
                "others": {name: round(float(each[at]), 4) for name, each in others.items()},
                "chance": float(f"{chance:.3g}"),
                "below": round(float(below[at]), 2),
                "outlier": bool(
                    items[at] >= rule.fewest and chance > rule.chance and below[at] > rule.gap
                ),
            }
    return judged


def _median_of_others(values: Floats) -> Floats:
    order = values.argsort(kind="stable")
    ranked, ranks = values[order], order.argsort()
    low, high = (len(values) - 2) // 2, (len(values) - 1) // 2
    medians: Floats = (ranked[low + (low >= ranks)] + ranked[high + (high >= ranks)]) / 2
    return medians


def _beside_chance(
    labels: Labels, counts: Mapping[str, Counter[str]]
) -> tuple[int, float, float, float] | None:
    """Return items, agreement, the agreement expected by chance, and its standardised distance.

    None where no label can be laid elsewhere: all are the same, or no two items are others', too.
    """
    shared = {meme: label for meme, label in labels.items() if counts[meme].total() > 1}
    if len(shared) < 2:
        return None
    frequency = Counter(shared.values())
    names = list(frequency)
    weights = np.array([frequency[name] for name in names], dtype=float)
    shares = np.array(
        [
            [(counts[meme][name] - (name == label)) / (counts[meme].total() - 1) for name in names]
            for meme, label in shared.items()
        ]
    )
    items = len(shared)
    hits = shares[np.arange(items), [names.index(label) for label in shared.values()]]
    by_item = shares @ weights / items
    by_label = shares.mean(axis=0)
    expected = float(by_item.mean())
    apart = shares - by_item[:, None] - by_label + expected
    spread = math.sqrt((apart**2 @ weights).sum() / (items - 1))
    agreement = float(hits.mean())
    if spread < 1e-9:
        return None
    return items, agreement, expected, (agreement - expected) * items / spread
