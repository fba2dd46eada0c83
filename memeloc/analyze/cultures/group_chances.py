"""Two random groups of an item's answers. In: how many gave which label. Out: probabilities.

Two disjoint groups are drawn without replacement, so the counts of labels in them follow
multivariate hypergeometric distributions. A group's label is the one with most of its answers; of a
tie it has none.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.statistics.significance import scipy_module

_MOST_WAYS = 4_000_000
"""Pairs of groups that are counted one by one: two labels and groups of 2,000, five and eleven."""
_DRAWS = 20_000
"""Drawn where there are more: an item's chance is off by 0.0035 at most, and items even it out."""


def agreement_chances(pools: Ints, first: Ints | int, second: Ints | int) -> Floats:
    """Return how probably two random groups have the same label, or two different ones.

    What is missing to 1 is that a group has none, for a tie.

    Args:
        pools: (items, labels): how many answers gave each label; enough for both groups.
        first, second: answers of the groups, 1 or more; of all items, or of each.

    Returns:
        (items, 2).

    Raises:
        InputError: a pool is too small, or a group is empty.
    """
    sizes = np.sort(np.column_stack(np.broadcast_arrays(first, second, pools[:, 0])[:2]), axis=1)
    for (few, many), answers in zip(sizes.tolist(), pools.sum(axis=1), strict=True):
        if few < 1:
            raise InputError(f"a random group has 1 answer or more, not {few}")
        if answers < few + many:
            raise InputError(f"groups of {few} and {many} answers need {few + many} an item")
    # Labels' order does not matter, nor do labels that nobody gave.
    rows = (tuple(sorted((n for n in pool if n), reverse=True)) for pool in pools.tolist())
    chances = [chances_of(row, *own) for row, own in zip(rows, sizes.tolist(), strict=True)]
    return np.array(chances).reshape(-1, 2)


@lru_cache(maxsize=1 << 18)  # items and pairs of cultures with the same counts are many
def chances_of(pool: tuple[int, ...], first: int, second: int) -> tuple[float, float]:
    """Return the chances of one pool, see `agreement_chances`."""
    ways = [comb(size + len(pool) - 1, len(pool) - 1) for size in (first, second)]
    if ways[0] * ways[1] > _MOST_WAYS:
        return _drawn(pool, first, second)
    gammaln = scipy_module("special").gammaln
    groups = [_groups(pool, size) for size in (first, second)]
    winners = [majority(group) for group in groups]
    one, other = (group[won != NO_LABEL] for group, won in zip(groups, winners, strict=True))
    logarithms = np.zeros((len(one), len(other)))
    for label, count in enumerate(pool):
        # Ways to give so many of a label's answers to either group: c! / (a! b! (c - a - b)!).
        a, b = np.arange(first + 1)[:, None], np.arange(second + 1)
        rest = count - a - b
        table = gammaln(count + 1) - gammaln(a + 1) - gammaln(b + 1) - gammaln(rest + 1)
        table = np.where(rest >= 0, table, -np.inf)
        logarithms += table[one[:, label][:, None], other[:, label]]
    total = sum(pool)
    whole = gammaln(total + 1) - gammaln(first + 1) - gammaln(second + 1)
    whole -= gammaln(total - first - second + 1)
    chances = np.exp(logarithms - whole)
    labels = (won[won != NO_LABEL] for won in winners)
    same = np.equal.outer(*labels)
    return min(1.0, float(chances[same].sum())), min(1.0, float(chances[~same].sum()))


def _groups(pool: tuple[int, ...], size: int) -> Ints:
    """Return all counts of labels that a group can have: (groups, labels)."""
    groups = np.zeros((1, 0), np.int64)
    for count in pool:
        more = np.arange(min(count, size) + 1)
        groups = np.column_stack([np.repeat(groups, len(more), axis=0), np.tile(more, len(groups))])
        groups = groups[groups.sum(axis=1) <= size]
    whole: Ints = groups[groups.sum(axis=1) == size]
    return whole


def _drawn(pool: tuple[int, ...], first: int, second: int) -> tuple[float, float]:
    random = np.random.default_rng([first, second, *pool])
    left = np.tile(np.array(pool), (_DRAWS, 1))
    winners = []
    for size in (first, second):
        group, missing = np.zeros_like(left), np.full(_DRAWS, size)
        for label in range(len(pool)):
            others = left[:, label + 1 :].sum(axis=1)
            group[:, label] = random.hypergeometric(left[:, label], others, missing)
            missing = missing - group[:, label]
        left = left - group
        winners.append(majority(group))
    both = (winners[0] != NO_LABEL) & (winners[1] != NO_LABEL)
    same = both & (winners[0] == winners[1])
    return float(same.mean()), float((both & ~same).mean())
