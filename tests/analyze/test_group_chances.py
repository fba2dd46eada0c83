"""Exact probabilities of random groups, beside enumeration and scipy's distribution."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import multivariate_hypergeom

from memeloc.analyze.group_chances import agreement_chances
from memeloc.errors import InputError


def _winner(labels: list[int]) -> int | None:
    """The label of a group, None of a tie."""
    counts = sorted(((labels.count(label), label) for label in set(labels)), reverse=True)
    return None if len(counts) > 1 and counts[0][0] == counts[1][0] else counts[0][1]


def _enumerated(pool: tuple[int, ...], size: int) -> tuple[float, float]:
    """All groups of single people, one by one."""
    people = [label for label, count in enumerate(pool) for _ in range(count)]
    same = apart = total = 0
    for first in combinations(range(len(people)), size):
        rest = [place for place in range(len(people)) if place not in first]
        label = _winner([people[place] for place in first])
        for second in combinations(rest, size):
            other = _winner([people[place] for place in second])
            total += 1
            if label is not None and other is not None:
                same += label == other
                apart += label != other
    return same / total, apart / total


@pytest.mark.parametrize(
    ("pool", "size"),
    [
        ((5, 2), 3),
        ((4, 4), 3),
        ((3, 3, 2), 3),
        ((2, 2, 2, 2), 3),
        ((4, 3, 1), 4),
        ((6, 0, 1), 2),
        ((3, 1), 1),
        ((1, 1, 1, 1, 1, 1), 2),
        ((5, 3, 2), 5),
    ],
)
def test_chances_are_those_of_all_groups(pool: tuple[int, ...], size: int) -> None:
    (chances,) = agreement_chances(np.array([pool]), size)
    assert chances == pytest.approx(_enumerated(pool, size), abs=1e-12)


@pytest.mark.parametrize("pool", [(14, 11), (12, 9, 4), (25, 0), (8, 7, 6, 4)])
def test_chances_agree_with_scipys_distribution(pool: tuple[int, ...]) -> None:
    """Both groups' counts are multivariate hypergeometric, the second's given the first's."""
    counts = [count for count in product(range(6), repeat=len(pool)) if sum(count) == 5]
    same = apart = 0.0
    for first in counts:
        chance = multivariate_hypergeom.pmf(first, pool, 5)
        if not chance > 0:
            continue
        rest = np.subtract(pool, first)
        chances = multivariate_hypergeom.pmf(np.array(counts), rest, 5)
        for second, given in zip(counts, chances, strict=True):
            tops = [[label for label, n in enumerate(c) if n == max(c)] for c in (first, second)]
            if len(tops[0]) == len(tops[1]) == 1 and given > 0:
                same += chance * given * (tops[0] == tops[1])
                apart += chance * given * (tops[0] != tops[1])
    (found,) = agreement_chances(np.array([pool]), 5)
    assert found == pytest.approx((same, apart), abs=1e-10)


def test_two_labels_in_odd_groups_never_tie() -> None:
    pools = np.array([(number, 25 - number) for number in range(26)])
    assert agreement_chances(pools, 5).sum(axis=1) == pytest.approx(np.ones(26), abs=1e-12)


def test_large_pools_are_drawn_as_if_with_replacement() -> None:
    (chances,) = agreement_chances(np.array([(6_000_000, 4_000_000)]), 3)
    majority = 0.6**3 + 3 * 0.6**2 * 0.4
    assert chances[0] == pytest.approx(majority**2 + (1 - majority) ** 2, abs=1e-5)


def test_pool_smaller_than_two_groups_is_refused() -> None:
    with pytest.raises(InputError, match="two groups of 5 answers need 10"):
        agreement_chances(np.array([(5, 4)]), 5)


@pytest.mark.parametrize("size", [0, 26])
def test_group_sizes_out_of_range_are_refused(size: int) -> None:
    with pytest.raises(InputError, match="1 to 25"):
        agreement_chances(np.array([(50, 50)]), size)
