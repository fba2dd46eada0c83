"""Exact probabilities of random groups, beside enumeration and scipy's distribution."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import multivariate_hypergeom

from memeloc.analyze.cultures.random_groups import agreement_chances
from memeloc.errors import InputError
from tests.each import each


def _winner(labels: list[int]) -> int | None:
    """The label of a group, None of a tie."""
    counts = sorted(((labels.count(label), label) for label in set(labels)), reverse=True)
    return None if len(counts) > 1 and counts[0][0] == counts[1][0] else counts[0][1]


def _enumerated(pool: tuple[int, ...], size: int, other: int) -> tuple[float, float]:
    """All groups of single people, one by one."""
    people = [label for label, count in enumerate(pool) for _ in range(count)]
    same = apart = total = 0
    for first in combinations(range(len(people)), size):
        rest = [place for place in range(len(people)) if place not in first]
        label = _winner([people[place] for place in first])
        for second in combinations(rest, other):
            theirs = _winner([people[place] for place in second])
            total += 1
            if label is not None and theirs is not None:
                same += label == theirs
                apart += label != theirs
    return same / total, apart / total


@each(
    ("pool", "sizes"),
    [
        ((5, 2), (3, 3)),
        ((4, 4), (3, 3)),
        ((3, 3, 2), (3, 3)),
        ((2, 2, 2, 2), (3, 3)),
        ((4, 3, 1), (4, 4)),
        ((6, 0, 1), (2, 2)),
        ((3, 1), (1, 1)),
        ((1, 1, 1, 1, 1, 1), (2, 2)),
        ((5, 3, 2), (5, 5)),
        ((5, 3, 2), (3, 6)),
        ((4, 4), (5, 2)),
        ((3, 2, 2), (1, 4)),
    ],
)
def test_chances_are_those_of_all_groups(pool: tuple[int, ...], sizes: tuple[int, int]) -> None:
    (chances,) = agreement_chances(np.array([pool]), *sizes)
    assert chances == pytest.approx(_enumerated(pool, *sizes), abs=1e-12)


@each("pool", [(14, 11), (12, 9, 4), (25, 0), (8, 7, 6, 4)])
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
    (found,) = agreement_chances(np.array([pool]), 5, 5)
    assert found == pytest.approx((same, apart), abs=1e-10)


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [((5, 5), "groups of 5 and 5 answers need 10"), ((0, 3), "1 answer or more, not 0")],
)
def test_groups_that_cannot_be_are_refused(sizes: tuple[int, int], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        agreement_chances(np.array([(5, 4)]), *sizes)
