"""What another answer an item would bring. In: a long table of answers. Out: expected changes.

An item's label is the one with most answers; a tie is none. Two figures, which check each other:

- `last_answer`: what the last answer brought. The share of items whose label would be another
  without one of their answers, on average over which of them is left out. Nothing is assumed.
- `further_answers`: what the next ones are expected to bring. The next answer to an item with n_j
  answers of label j, n in all, is j with the probability

      (k * n_j + (1 - k) * p_j) / (k * n + 1 - k)

  where p_j is the label's share over all items, and k Fleiss' kappa, from 0 to 1. It is the
  predictive probability of the Dirichlet-multinomial model: items differ in how people see them,
  by a Dirichlet distribution with the mean p. In that model two answers to an item are correlated
  by 1 / (s + 1), s being the sum of the distribution's parameters, and that correlation is what
  Fleiss' kappa estimates; so s = (1 - k) / k. With k = 1 everybody answers as those before, with
  k = 0 an item's own answers say nothing of the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memeloc.agreement.measures import fleiss_kappa
from memeloc.agreement.ratings import Ratings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_MOST = 3
"""Each further answer multiplies the cases by the number of labels."""


@dataclass(frozen=True, slots=True)
class Further:
    """What so many `more` answers an item are expected to change, as shares of all items.

    Attributes:
        open: items without a label now: those that are tied.
        decided: without a label now, and with one then.
        undone: with a label now, and without one then.
        overturned: with another label then than now.
    """

    more: int
    open: float
    decided: float
    undone: float
    overturned: float

    @property
    def changed(self) -> float:
        """The share of items whose label would be another, or come, or go."""
        return self.decided + self.undone + self.overturned


def further_answers(answers: pd.DataFrame | Ratings, more: int = 1) -> Further | None:
    """What so many (1 to 3) further answers to every item are expected to bring; see the module.

    None where kappa is not defined: no item has two answers, or all answers are the same.

    Raises:
        InputError: of `Ratings.of`, or for another number.
    """
    if not 1 <= more <= _MOST:
        raise InputError(f"further answers are 1 to {_MOST}, not {more}")
    ratings = answers if isinstance(answers, Ratings) else Ratings.of(answers)
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
    """The share of items whose label would be another without one of their answers.

    Mean over the items with two answers or more, and over which answer is left out; None where
    there is no such item. Raises as `Ratings.of`.
    """
    ratings = answers if isinstance(answers, Ratings) else Ratings.of(answers)
    counts = ratings.counts[ratings.counts.sum(axis=1) > 1]
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
    """All counts that so many further answers can make, by item with their probability."""
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
