"""Two random groups of an item's answers. In: how many gave which label. Out: exact probabilities.

Two disjoint groups of as many answers are drawn without replacement, so the counts of labels in
them follow a multivariate hypergeometric distribution. A group's label is the one with most of its
answers; of a tie it has none.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from math import comb

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.errors import InputError

LARGEST_GROUP = 25
"""Answers a group: work grows with the sixth power of it."""
_BATCH = 256
"""Items at a time, so that what is added up stays in the processor's cache."""

_NONE, _FIRST, _SECOND, _SAME, _APART = range(5)
"""Whose label has come up among the labels looked at so far: of neither group, of one, of both."""


def agreement_chances(pools: Ints, size: int) -> Floats:
    """How probable it is that two random groups have the same label, or two different ones.

    All ways to choose the groups are counted: as (k, m) the answers that the winning labels have in
    the two groups, every other label has fewer than k and fewer than m; the numbers of ways to
    choose from each label are the coefficients of polynomials in two variables, whose product has
    at x^size y^size the number of ways to choose all. Exact but for rounding.

    Args:
        pools: (items, labels): how many answers gave each label; at least 2 * size an item.
        size: answers a group, 1 to `LARGEST_GROUP`.

    Returns:
        (items, 2): both groups have a label and it is the same; both have one and they differ.
        What is missing to 1 is that a group has none, for a tie.

    Raises:
        InputError: a pool is too small, or a group of that size is not possible.
    """
    if not 1 <= size <= LARGEST_GROUP:
        raise InputError(f"a random group has 1 to {LARGEST_GROUP} answers, not {size}")
    totals = pools.sum(axis=1)
    if (totals < 2 * size).any():
        raise InputError(f"two groups of {size} answers need {2 * size} answers an item")
    # Labels' order does not matter, nor do labels that nobody gave.
    sorted_pools = -np.sort(-pools, axis=1)
    given = (pools > 0).sum(axis=1)
    chances = np.zeros((len(pools), 2))
    for labels in np.unique(given):
        alike = np.flatnonzero(given == labels)
        for start in range(0, len(alike), _BATCH):
            batch = alike[start : start + _BATCH]
            chances[batch] = _counted(sorted_pools[batch, :labels], size)
    whole = [comb(int(total), size) * comb(int(total) - size, size) for total in totals]
    shares: Floats = np.minimum(chances / np.array(whole, dtype=float)[:, None], 1.0)
    return shares


def _counted(pools: Ints, size: int) -> Floats:
    """Ways to choose two groups with one label, and with two: (items, 2)."""
    ways = _ways(pools, size)
    chances = np.zeros((len(pools), 2))
    # A winner with fewer answers leaves more to the others than they may have.
    possible = [k for k in range(1, size + 1) if k + (k - 1) * (pools.shape[1] - 1) >= size]
    for first, second in combinations_with_replacement(possible, 2):
        # With the groups exchanged the ways are as many.
        chances += (1 if first == second else 2) * _with_winners(ways, first, second)
    return chances


def _ways(pools: Ints, size: int) -> Floats:
    """(items, labels, a, b): in how many ways a label gives a answers to one group, b to another.

    Choices from c answers: c! / (a! b! (c - a - b)!).
    """
    counts, places = np.unique(pools, return_inverse=True)
    table = [
        [[comb(int(c), a) * comb(int(c) - a, b) if a <= c else 0 for b in range(size + 1)]
         for a in range(size + 1)]
        for c in counts
    ]  # fmt: skip
    ways: Floats = np.array(table, dtype=float)[places.reshape(pools.shape)]
    return ways


def _with_winners(ways: Floats, first: int, second: int) -> Floats:
    """Ways in which the winners have so many answers: (items, 2), one label and two labels."""
    items, labels, edge, _ = ways.shape
    state = np.zeros((5, items, edge, edge))
    state[_NONE, :, 0, 0] = 1
    for label in range(labels):
        of_label = ways[:, label]
        fewer, few = range(first), range(second)
        following = _times(state, of_label, fewer, few)
        wins_first = _times(state[[_NONE, _SECOND]], of_label, [first], few)
        wins_second = _times(state[[_NONE, _FIRST]], of_label, fewer, [second])
        following[_FIRST] += wins_first[0]
        following[_SECOND] += wins_second[0]
        following[_SAME] += _times(state[[_NONE]], of_label, [first], [second])[0]
        following[_APART] += wins_first[1] + wins_second[1]
        state = following
    return state[[_SAME, _APART], :, -1, -1].T


def _times(
    state: Floats, ways: Floats, rows: range | list[int], columns: range | list[int]
) -> Floats:
    """Polynomials times those terms of others, without what is beyond the groups' size."""
    edge = state.shape[-1]
    result = np.zeros_like(state)
    for a, b in product(rows, columns):
        shifted = state[:, :, : edge - a, : edge - b]
        result[:, :, a:, b:] += ways[:, a, b, None, None] * shifted
    return result
