"""People permuted between cultures. In: votes. Out: the votes of cultures that do not matter.

One person's answers go together, so whole people change places, and each culture has as many as
before. If labels do not depend on the culture, the study is as likely as any of these (Fisher 1935;
Good 2005, "Permutation, Parametric and Bootstrap Tests"). People who answered the same items, as in
fixed batches, change places with each other only, so that items keep their answers of each culture.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from math import exp, factorial, lgamma
from typing import Any

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.statistics.two_way import Votes

_CELLS = 8_000_000
"""Counts that are held at a time: 64 MB."""
_MOST_CELLS = 100_000_000
"""Counts of all permutations: ten seconds; 2,000 items, five cultures and labels have them all."""
_FEWEST = 199
_FEWEST_WAYS = 1_000
"""Permutations that people of the same items need to stay among themselves; else all change."""
_TINY = 1e-9
"""Rounding must not part statistics that are equal."""


class PeopleOfCultures:
    """People who change places between cultures, within their groups.

    `culture` and `group` are of each person; `keep_sizes` says whether every item keeps its number
    of answers of each culture; `smallest_p` is the smallest p-value that there can be.
    """

    def __init__(self, votes: Votes) -> None:
        self.votes = votes
        self.culture = np.zeros(int(votes.person.max(initial=-1)) + 1, np.int64)
        self.culture[votes.person] = votes.culture
        order = np.lexsort([votes.item, votes.person])
        ends = np.cumsum(np.bincount(votes.person))[:-1]
        items = [own.tobytes() for own in np.split(votes.item[order], ends)]
        of_items: Ints = np.unique(np.array(items, dtype=object), return_inverse=True)[1]
        enough = _ways(_sizes(self.culture, of_items)) >= _FEWEST_WAYS
        self.group = of_items if enough else np.zeros_like(of_items)
        sets = np.unique(np.stack([self.group, of_items]), axis=1)
        self.keep_sizes = bool(sets.shape[1] == len(np.unique(self.group)))
        # Cultures of as many people can exchange all theirs, and nothing is another.
        sizes = _sizes(self.culture, self.group)
        alike = np.unique(sizes, axis=1, return_counts=True)[1]
        same = float(np.prod([factorial(int(each)) for each in alike]))
        self.smallest_p = min(1.0, same / _ways(sizes))

    def permuted(self, repetitions: int, random: np.random.Generator) -> Iterator[Ints]:
        """Yield (permutations, items, cultures, labels) of counts, some permutations at a time.

        Of a large study there are fewer, 199 at least: its statistics vary less.
        """
        sparse: Any = import_module("scipy.sparse")
        items, cultures, labels = self.votes.counts.shape
        people = len(self.culture)
        cells = self.votes.item * labels + self.votes.label
        entries = np.ones(len(cells)), (cells, self.votes.person)
        answers = sparse.csr_array(entries, shape=(items * labels, people))
        cells_each = max(items * cultures * labels, people * cultures)
        step = max(1, _CELLS // cells_each)
        repetitions = min(repetitions, max(_FEWEST, _MOST_CELLS // cells_each))
        # Within their groups people stand in their order, then in a random one.
        slots = np.argsort(self.group, kind="stable")
        for start in range(0, repetitions, step):
            number = min(step, repetitions - start)
            places = np.argsort(self.group + random.random((number, people)), axis=1)
            culture = np.empty((number, people), np.int64)
            np.put_along_axis(culture, places, self.culture[slots][None], axis=1)
            chosen = culture[..., None] == np.arange(cultures)
            columns = chosen.transpose(1, 0, 2).reshape(people, -1).astype(float)
            counts = np.rint(answers @ columns).astype(np.int64)
            yield counts.reshape(items, labels, number, cultures).transpose(2, 0, 3, 1)


def p_above(observed: float, drawn: Floats) -> float:
    """Return how probable it is to lie as high, what was observed among what could have been.

    >>> p_above(3.0, np.array([1.0, 2.0, 3.0]))
    0.5
    """
    return float((1 + (drawn >= observed - _TINY).sum()) / (1 + len(drawn)))


def p_beyond(observed: float, drawn: Floats) -> float:
    """Return how probable it is to lie as far out on either side: twice the smaller one."""
    return min(1.0, 2 * min(p_above(observed, drawn), p_above(-observed, -drawn)))


def _sizes(culture: Ints, group: Ints) -> Ints:
    """Return how many people of each group are of each culture."""
    sizes = np.zeros((group.max(initial=0) + 1, culture.max(initial=0) + 1), np.int64)
    np.add.at(sizes, (group, culture), 1)
    return sizes


def _ways(sizes: Ints) -> float:
    """Return how many permutations give people of a group different cultures; at most 1e300."""
    parts = [sum(lgamma(n + 1) for n in numbers) for numbers in (sizes.sum(axis=1), sizes.ravel())]
    logarithm = parts[0] - parts[1]
    return round(exp(logarithm)) if logarithm < 30 else exp(min(logarithm, 690))
