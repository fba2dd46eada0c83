"""What a number of answers can tell. In: assumptions and a seed. Out: tables by simulation.

Two questions before money is spent: how often the majority of n answers is what most people of the
culture would say, and how far apart two cultures' shares must be for m items to show it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

ANSWERS = (3, 5, 7, 9, 11)
AGREEMENTS = (0.6, 0.7, 0.8, 0.9)
ITEMS = (50, 100, 200, 300, 500, 1000)

_POWER = 0.8
_QUANTILE = NormalDist().inv_cdf(0.975)
"""Of two-sided tests at 5 %."""

_STEP = 0.005
"""Differences are given to half a percentage point."""


@dataclass(frozen=True, slots=True)
class Majority:
    """What becomes of an item with so many answers, "I don't know" among them.

    `agreement` is the probability that an annotator who has an opinion gives the true label,
    `unknown` that of "I don't know". The true label has the most votes in the share `right`, with
    a standard error `error` of the simulation; nothing has in `tied`, and another in `wrong`.
    """

    answers: int
    agreement: float
    unknown: float
    right: float
    tied: float
    wrong: float
    error: float


@dataclass(frozen=True, slots=True)
class Difference:
    """What two cultures' shares must differ by to be found, with a power of 80 % at 5 %.

    So many items are labelled in both; `share` of them are harmful in the one. `smallest` is the
    smallest difference that is found when the labels of the two are taken as unrelated, `paired`
    when items are compared with themselves (McNemar's test), which a parallel set allows; None when
    even the largest is not found. `paired` rests on `disagreement`: the share of items on which the
    two differ by chance in either direction, besides the difference itself.
    """

    items: int
    share: float
    smallest: float | None
    paired: float | None
    disagreement: float


@dataclass(frozen=True, slots=True)
class Power:
    majority: tuple[Majority, ...]
    difference: tuple[Difference, ...]
    share: float


def power_tables(
    *,
    seed: int = 0,
    unknown: float = 0.0,
    labels: int = 2,
    share: float = 0.4,
    disagreement: float = 0.2,
    draws: int = 20_000,
) -> Power:
    majorities = (
        majority(answers, agreement, seed=seed, unknown=unknown, labels=labels, draws=draws)
        for answers in ANSWERS
        for agreement in AGREEMENTS
    )
    differences = (
        difference(items, seed=seed, share=share, disagreement=disagreement, draws=draws)
        for items in ITEMS
    )
    return Power(tuple(majorities), tuple(differences), share)


def majority(
    answers: int,
    agreement: float,
    *,
    seed: int,
    unknown: float = 0.0,
    labels: int = 2,
    draws: int = 20_000,
) -> Majority:
    """How often a majority of so many answers is right, by so many draws.

    Whoever is wrong chooses each other label with equal probability.
    """
    random = np.random.default_rng([seed, 1, answers, round(agreement * 1e6)])
    others = [(1 - agreement) / (labels - 1) * (1 - unknown)] * (labels - 1)
    votes = random.multinomial(answers, [agreement * (1 - unknown), *others, unknown], size=draws)
    true, best = votes[:, 0], votes[:, 1:labels].max(axis=1)
    # Of two wrong labels with the same most votes neither wins.
    winners = (votes[:, 1:labels] == best[:, None]).sum(axis=1)
    is_right, is_wrong = true > best, (best > true) & (winners == 1)
    right, wrong = float(is_right.mean()), float(is_wrong.mean())
    tied = float((~is_right & ~is_wrong).mean())
    error = math.sqrt(right * (1 - right) / draws)
    return Majority(answers, agreement, unknown, right, tied, wrong, error)


def difference(
    items: int, *, seed: int, share: float = 0.4, disagreement: float = 0.2, draws: int = 20_000
) -> Difference:
    """The smallest difference between two cultures' shares that so many items show.

    See `Difference`; so many surveys are drawn for each difference that is tried. multi3hate's
    pairs of countries agree on 67 to 78 % of items (4.2), so differ on 22 to 33 %, part of which is
    the difference itself.
    """

    def unrelated(step: int) -> float:
        random = np.random.default_rng([seed, 2, items, round(step * _STEP * 1e6)])
        first = random.binomial(items, share, draws)
        second = random.binomial(items, min(1.0, share + step * _STEP), draws)
        return float(proportions_differ(first, second, items).mean())

    def related(step: int) -> float:
        random = np.random.default_rng([seed, 3, items, round(step * _STEP * 1e6)])
        apart = min(1.0, disagreement + step * _STEP)
        differing = random.binomial(items, apart, draws)
        more = random.binomial(differing, min(1.0, (apart + step * _STEP) / 2 / apart))
        return float(changes_differ(more, differing).mean())

    steps = range(1, int((1 - share) / _STEP + 1e-9) + 1)
    # Power grows with the difference.
    first, paired = (bisect_left(steps, _POWER, key=power) + 1 for power in (unrelated, related))
    return Difference(
        items,
        share,
        round(first * _STEP, 6) if first in steps else None,
        round(paired * _STEP, 6) if paired in steps else None,
        disagreement,
    )


def proportions_differ(first: Counts, second: Counts, items: int) -> Flags:
    """Whether two counts out of `items` each differ: two-sided z-test with pooled variance."""
    pooled = (first + second) / (2 * items)
    variance = 2 * pooled * (1 - pooled) / items
    return np.asarray(np.abs(second - first) / items > _QUANTILE * np.sqrt(variance))


def changes_differ(more: Counts, differing: Counts) -> Flags:
    """Whether of items that differ more go the one way than the other: McNemar's test.

    Without a continuity correction, with which the test finds less than it could.
    """
    return np.asarray(np.abs(2 * more - differing) > _QUANTILE * np.sqrt(differing))
