"""Exact probabilities of random groups, beside enumeration and scipy's distribution."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import multivariate_hypergeom

from memeloc.analyze.cultures.random_groups import agreement_chances
from memeloc.errors import InputError
from tests.each import each


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
