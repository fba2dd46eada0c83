"""Intervals over items: against scipy's bootstrap, and what they must not depend on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from memeloc.arrays import Floats, Ints
from memeloc.evaluate.scores import ScoreSettings
from memeloc.statistics.bootstrap import estimate, generator


def mean(patterns: Ints, weights: Floats) -> Floats:
    return weights @ patterns / weights.sum(axis=1, keepdims=True)


def test_intervals_are_those_of_scipy() -> None:
    rows = np.random.default_rng(1).integers(0, 6, (80, 1))
    peer = stats.bootstrap(
        (rows[:, 0],), np.mean, n_resamples=20_000, method="percentile", rng=2
    ).confidence_interval
    ours = estimate(rows, mean, ScoreSettings(bootstraps=20_000), "mean")
    assert ours.value[0] == rows.mean()
    # Two draws of 20,000 resamples differ by about 0.01 at the ends.
    assert (ours.low[0], ours.high[0]) == pytest.approx((peer.low, peer.high), abs=0.04)


def test_the_order_of_items_and_what_else_is_drawn_change_nothing() -> None:
    rows = np.random.default_rng(1).integers(0, 6, (80, 2))
    first = estimate(rows, mean, ScoreSettings(), "mean")
    generator(ScoreSettings(), "another").random(10)
    again = estimate(rows[::-1], mean, ScoreSettings(), "mean")
    assert np.array_equal(first.low, again.low)
    assert not np.array_equal(first.low, estimate(rows, mean, ScoreSettings(seed=1), "mean").low)
    assert not np.array_equal(first.low, estimate(rows, mean, ScoreSettings(), "other").low)


def test_what_is_often_not_defined_has_no_interval() -> None:
    def sometimes(patterns: Ints, weights: Floats) -> Floats:
        return np.where(weights[:, :1] > 1, np.nan, 1.0)

    estimates = estimate(np.arange(4)[:, None], sometimes, ScoreSettings(), "sometimes")
    assert estimates.value[0] == 1
    assert np.isnan(estimates.low[0])
