"""Random groups, and tests, beside packages and examples. In: answers. Out: comparisons."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction
from itertools import combinations

import numpy as np

from memeloc.analyze import Settings
from memeloc.analyze.cultures.random_groups import agreement_chances, repeated_groups
from memeloc.analyze.cultures.random_groups import compared as beside_groups
from memeloc.analyze.cultures.random_groups import normality as k_squared_of
from memeloc.statistics.significance import holm, two_sided
from tests.analyze.comparisons.comparison import Values, compared

POOLS: tuple[tuple[tuple[int, ...], tuple[int, int]], ...] = (
    *(((6, 4), (5, 5)), ((5, 3, 2), (3, 3)), ((4, 4, 1), (4, 4)), ((4, 5), (2, 5))),
    *(((5, 2), (3, 3)), ((4, 4), (3, 3)), ((3, 3, 2), (3, 3)), ((2, 2, 2, 2), (3, 3))),
    *(((4, 3, 1), (4, 4)), ((6, 0, 1), (2, 2)), ((3, 1), (1, 1)), ((1, 1, 1, 1, 1, 1), (2, 2))),
    *(((5, 3, 2), (5, 5)), ((5, 3, 2), (3, 6)), ((4, 4), (5, 2)), ((3, 2, 2), (1, 4))),
)
"""Answers by label, and how many of them each of two groups takes."""


@compared(
    "Random groups: probability that two agree",
    "defined below; multi3hate 4.2",
    "all ways to draw two groups, counted one by one in fractions",
)
def group_chances() -> Values:
    for pool, sizes in POOLS:
        answers = [label for label, count in enumerate(pool) for _ in range(count)]
        same = apart = ways = 0
        for first in combinations(range(len(answers)), sizes[0]):
            left = [place for place in range(len(answers)) if place not in first]
            for second in combinations(left, sizes[1]):
                groups = (first, second)
                modes = [statistics.multimode(answers[at] for at in group) for group in groups]
                if len(modes[0]) == len(modes[1]) == 1:
                    same += modes[0] == modes[1]
                    apart += modes[0] != modes[1]
                ways += 1
        ((ours_same, ours_apart),) = agreement_chances(np.array([pool]), *sizes)
        yield float(ours_same), float(Fraction(same, ways))
        yield float(ours_apart), float(Fraction(apart, ways))


@compared(
    "Random groups: mean and deviation of the repetitions",
    "multi3hate 4.2",
    "groups drawn answer by answer (numpy `multivariate_hypergeometric`)",
    0.01,
)
def group_draws() -> Values:
    random = np.random.default_rng(11)
    pools = np.array([(13, 12), (20, 5), (9, 8), (24, 1)] * 15)
    shares = []
    firsts = [random.multivariate_hypergeometric(pool, 5, size=1_500) for pool in pools]
    for pool, first in zip(pools, firsts, strict=True):
        second = np.stack([random.hypergeometric(*(pool - own), 5) for own in first])
        shares.append(first.argmax(axis=1) == (second <= 2))
    literal = np.mean(shares, axis=0)
    ours, _ = repeated_groups(pools, 5, Settings(repetitions=20_000, seed=2))
    yield ours["mean"], float(literal.mean())
    yield ours["deviation_used"], float(literal.std())


@compared(
    "D'Agostino and Pearson's K squared",
    "D'Agostino, Belanger and D'Agostino 1990; multi3hate 4.2",
    "the formulas of that paper, written out",
    1e-8,
)
def normality() -> Values:
    settings = Settings(repetitions=500, seed=3)
    _, shares = repeated_groups(np.array([(13, 12)] * 80), 5, settings)
    yield k_squared_of(shares)[0], _k_squared(shares)


@compared(
    "Random groups: p of a pair",
    "defined below",
    "scipy `binomtest` where all items have the same chance",
)
def p_of_pair() -> Values:
    from scipy.stats import binomtest

    counts = np.array([[[4, 1], [2, 3], [3, 2]]] * 12 + [[[4, 1], [3, 2], [2, 3]]] * 28)
    frame = beside_groups(counts, 0.95)
    for agree, row in zip((28, 12, 0), frame.itertuples(), strict=True):
        tails = [
            float(binomtest(agree, 40, row.expected, alternative=side).pvalue)
            for side in ("less", "greater")
        ]
        yield row.agreement, agree / 40
        yield row.p, min(1.0, 2 * min(tails))


def _k_squared(values: np.ndarray) -> float:
    n = len(values)
    m2, m3, m4 = (float(((values - values.mean()) ** power).mean()) for power in (2, 3, 4))
    y = m3 / m2**1.5 * math.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3)
    beta /= (n - 2) * (n + 5) * (n + 7) * (n + 9)
    w2 = math.sqrt(2 * (beta - 1)) - 1
    delta, scale = 1 / math.sqrt(0.5 * math.log(w2)), math.sqrt(2 / (w2 - 1))
    skewness = delta * math.asinh(y / scale)
    expected = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (m4 / m2**2 - expected) / math.sqrt(variance)
    third = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    third *= math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / third * (2 / third + math.sqrt(1 + 4 / third**2))
    cube = (1 - 2 / a) / (1 + x * math.sqrt(2 / (a - 4)))
    kurtosis = (1 - 2 / (9 * a) - math.copysign(abs(cube) ** (1 / 3), cube)) / math.sqrt(
        2 / (9 * a)
    )
    return skewness**2 + kurtosis**2


@compared("Two-sided p of a z", "multi3hate 4.2", "scipy `norm.sf`")
def p_of_z() -> Values:
    from scipy.stats import norm

    yield from ((two_sided(z), float(2 * norm.sf(abs(z)))) for z in (-3.2, -0.4, 0.0, 1.96, 6.0))


@compared("Holm's correction", "Holm 1979", "statsmodels `multipletests`")
def holm_correction() -> Values:
    from statsmodels.stats.multitest import multipletests

    values = np.random.default_rng(1).random(40) ** 3
    yield from zip(holm(values), multipletests(values, method="holm")[1], strict=True)
