"""Intervals of what is measured on items. In: a row an item, a statistic. Out: values, intervals.

Items are drawn anew, with replacement (Efron and Tibshirani 1993, "An Introduction to the
Bootstrap"). Items whose rows are the same are one pattern with a count, so a resample is one
multinomial draw of how often each comes; of five answers an item there are few patterns.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from memeloc.arrays import Floats, Ints

Statistic = Callable[[Ints, Floats], Floats]
"""Of rows (patterns) and weights (resamples, patterns): values (resamples, statistics)."""

_CELLS = 4_000_000
"""Weights that are held at a time: 32 MB."""
_DEFINED = 0.9
"""The share of resamples in which a statistic has to be defined to have an interval."""


class Seeded(Protocol):
    """Settings of an analysis or evaluation."""

    @property
    def seed(self) -> int:
        """Return the seed of the random numbers."""


class Resampling(Seeded, Protocol):
    """Settings of resamples."""

    @property
    def bootstraps(self) -> int:
        """Resamples of items behind an interval."""

    @property
    def confidence(self) -> float:
        """Return the confidence of the intervals, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Values of statistics with their intervals, NaN where one is not defined."""

    value: Floats
    low: Floats
    high: Floats


def generator(settings: Seeded, name: str) -> np.random.Generator:
    """Return random numbers of one use, named; they do not depend on what else is computed."""
    return np.random.default_rng([settings.seed, zlib.crc32(name.encode())])


def estimate(
    rows: Ints,
    statistic: Statistic,
    settings: Resampling,
    name: str,
    units: Ints | None = None,
) -> Estimates:
    """Return statistics of items, with percentile intervals of `settings.bootstraps` resamples.

    Args:
        rows: what is known of each item, as whole numbers: (items, columns).
        statistic: of distinct rows and what each weighs. It may give NaN.
        name: see `generator`.
        units: of each item the number of its group; groups are drawn, with all their items.
    """
    patterns, places, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    value = statistic(patterns, counts[None].astype(np.float64))[0]
    of_kinds, sizes, total = None, counts, len(rows)
    if units is not None and len(groups := np.unique(units)) < len(rows):
        of_groups = np.zeros((len(groups), len(patterns)))
        np.add.at(of_groups, (np.searchsorted(groups, units), places.reshape(-1)), 1)
        of_kinds, sizes = np.unique(of_groups, axis=0, return_counts=True)
        total = len(groups)
    resamples = settings.bootstraps if total > 1 else 0
    drawn = np.full((resamples, len(value)), np.nan)
    random = generator(settings, name)
    step = max(1, _CELLS // max(len(counts), len(sizes), 1))
    for start in range(0, resamples, step):
        kinds = random.multinomial(total, sizes / total, min(step, resamples - start))
        weights = kinds.astype(np.float64) if of_kinds is None else kinds @ of_kinds
        drawn[start : start + step] = statistic(patterns, weights)
    # A statistic that is undefined in more than a tenth of the resamples has no interval.
    bad = np.isnan(value) | (np.isfinite(drawn).sum(axis=0) < max(_DEFINED * resamples, 1))
    tail = (1 - settings.confidence) / 2
    low, high = np.full((2, len(value)), np.nan)
    for column in np.flatnonzero(~bad):
        defined = drawn[np.isfinite(drawn[:, column]), column]
        low[column], high[column] = np.quantile(defined, [tail, 1 - tail])
    return Estimates(value, low, high)
