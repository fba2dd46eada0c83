"""Power tables against exact probabilities."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, multinomial, norm

from memeloc.survey.design.power import (
    changes_differ,
    difference,
    majority,
    proportions_differ,
)


def test_majorities_of_two_labels_are_binomial() -> None:
    for n, p in product((1, 3, 4, 5, 9), (0.5, 0.7, 0.9, 1.0)):
        row = majority(n, p, seed=5)
        right = float(binom.sf(n // 2, n, p))
        tied = float(binom.pmf(n // 2, n, p)) if n % 2 == 0 else 0.0
        assert row.right == pytest.approx(right, abs=5 * 0.5 / 20_000**0.5)
        assert row.tied == pytest.approx(tied, abs=5 * 0.5 / 20_000**0.5)
        assert row.right + row.tied + row.wrong == pytest.approx(1)
        assert row.error == pytest.approx((row.right * (1 - row.right) / 20_000) ** 0.5)


def test_majorities_of_three_labels_are_multinomial() -> None:
    """Every way to split five answers, counted by its exact probability."""
    p = [0.6 * 0.8, 0.2 * 0.8, 0.2 * 0.8, 0.2]
    right = tied = 0.0
    for a in range(6):
        for b in range(6 - a):
            for c in range(6 - a - b):
                chance = float(multinomial.pmf([a, b, c, 5 - a - b - c], 5, p))
                most = max(a, b, c)
                if [a, b, c].count(most) > 1:
                    tied += chance
                elif a == most:
                    right += chance
    row = majority(5, 0.6, seed=5, unknown=0.2, labels=3, draws=200_000)
    assert row.right == pytest.approx(right, abs=0.005)
    assert row.tied == pytest.approx(tied, abs=0.005)


def exact_power(items: int, share: float, difference: float) -> float:
    """Power of the z-test, summed over all pairs of counts."""
    counts = np.arange(items + 1)
    first, second = np.meshgrid(counts, counts, indexing="ij")
    result = proportions_differ(first, second, items)
    chances = np.outer(
        binom.pmf(counts, items, share), binom.pmf(counts, items, share + difference)
    )
    return float((chances * result).sum())


def exact_paired(items: int, disagreement: float, difference: float) -> float:
    """Power of McNemar's test, summed over all counts of differing items and of their ways."""
    apart, total = disagreement + difference, 0.0
    for differing in range(items + 1):
        more = np.arange(differing + 1)
        result = changes_differ(more, np.full_like(more, differing))
        ways = binom.pmf(more, differing, (apart + difference) / 2 / apart)
        total += float(binom.pmf(differing, items, apart) * (ways * result).sum())
    return total


def test_differences_are_those_of_exact_power() -> None:
    for items in (50, 100, 300):
        row = difference(items, seed=9)
        assert row.smallest is not None
        assert row.paired is not None
        for result, power in (
            (row.smallest, lambda d, n=row.items: exact_power(n, 0.4, d)),
            (row.paired, lambda d, n=row.items: exact_paired(n, 0.2, d)),
        ):
            # A step of the grid, and what 20,000 draws leave open.
            assert power(result) >= 0.8 - 0.01
            assert power(result - 0.005) < 0.8 + 0.01


def test_a_textbook_difference() -> None:
    """Two groups of 300: 0.40 against 0.40 + d by the normal approximation is d = 0.114."""
    row = difference(300, seed=1)
    z = norm.ppf(0.975) + norm.ppf(0.8)
    d = 0.114
    need = z**2 * (0.4 * 0.6 + (0.4 + d) * (0.6 - d)) / d**2
    assert need == pytest.approx(300, abs=5)
    assert row.smallest == pytest.approx(d, abs=0.01)
