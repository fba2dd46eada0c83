"""Expected effect of further answers. In: a long table of answers. Out: expected changes.

An item's label is the one with most answers; a tie is none. Two figures check each other:
`last_answer` assumes nothing; of `further_answers` the next answer to an item with n_j answers of
label j, n in all, is j with the probability

    (k * n_j + (1 - k) * p_j) / (k * n + 1 - k)

where p_j is the label's share over all items, and k Fleiss' kappa, from 0 to 1. That is the
Dirichlet-multinomial model: two answers to an item are correlated by 1 / (s + 1), s being the sum
of the distribution's parameters, and Fleiss' kappa estimates that correlation: s = (1 - k) / k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memeloc.agreement.coefficients import fleiss_kappa
from memeloc.agreement.ratings import Ratings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Further:
    """Changes expected of so many `more` answers an item, as shares of all items.

    Items are `open` without a label now, `decided` with one then; `undone` have a label now and
    none then, `overturned` ones another.
    """

    more: int
    open: float
    decided: float
    undone: float
    overturned: float

    @property
    def changed(self) -> float:
        """Return the share of items whose label would be another, or come, or go."""
        return self.decided + self.undone + self.overturned


def further_answers(answers: pd.DataFrame | Ratings, more: int = 1) -> Further | None:
    """Return what so many (1 to 3) further answers to every item are expected to bring.

    None where kappa is not defined: no item has two answers, or all answers are the same.

    Raises:
        InputError: of `Ratings.of`, or for another number.
    """
    if not 1 <= more <= 3:  # each multiplies the cases by the number of labels
        raise InputError(f"further answers are 1 to 3, not {more}")
    ratings = Ratings.of(answers)
    kappa = fleiss_kappa(ratings)
    if kappa is None:
        return None
    counts = ratings.counts
    now, none = majority(counts), NO_LABEL
    shares = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    decided, undone, overturned = np.zeros((3, len(counts)))
    for after, chance in _after(counts, shares, max(kappa, 0.0), more):
        then = majority(after)
        decided += chance * ((now == none) & (then != none))
        undone += chance * ((now != none) & (then == none))
        overturned += chance * ((now != none) & (then != none) & (now != then))
    means = (float(row.mean()) for row in (now == none, decided, undone, overturned))
    return Further(more, *means)


def last_answer(answers: pd.DataFrame | Ratings) -> float | None:
    """Return the share of items whose label would be another without one of their answers.

    Mean over the items with two answers or more, and over which answer is left out; None where
    there is no such item. Raises as `Ratings.of`.
    """
    counts = Ratings.of(answers).counts
    counts = counts[counts.sum(axis=1) > 1]
    if not len(counts):
        return None
    label = majority(counts)
    changed = np.zeros(len(counts))
    for column in range(counts.shape[1]):
        fewer = counts.copy()
        fewer[:, column] -= 1
        # An item without an answer of that label has none of it to leave out: its share is 0.
        changed += counts[:, column] * (majority(fewer) != label)
    return float((changed / counts.sum(axis=1)).mean())


def _after(counts: Ints, shares: Floats, kappa: float, more: int) -> Iterator[tuple[Ints, Floats]]:
    """Yield all counts that so many further answers can make, by item with their probability."""
    if not more:
        yield counts, np.ones(len(counts))
        return
    total = kappa * counts.sum(axis=1) + 1 - kappa
    for column, share in enumerate(shares):
        chance = (kappa * counts[:, column] + (1 - kappa) * share) / total
        following = counts.copy()
        following[:, column] += 1
        for after, rest in _after(following, shares, kappa, more - 1):
            yield after, chance * rest
