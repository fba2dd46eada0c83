"""Drift: the test within items beside statsmodels and all permutations, and known trends."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import StratifiedTable

from memeloc.analyze import Answers, Settings
from memeloc.analyze.drift import drift, within_trend
from memeloc.errors import InputError
from tests.analyze.simulated import simulated


def test_two_times_and_two_values_are_mantel_haenszels_test() -> None:
    random = np.random.default_rng(3)
    strata = random.integers(12, size=200)
    time, value = random.integers(2, size=(2, 200))
    trend = within_trend(strata, time.astype(float), value.astype(float))
    tables = np.zeros((2, 2, 12))
    np.add.at(tables, (time, value, strata), 1)
    expected = StratifiedTable(tables).test_null_odds(correction=False)
    assert trend.z**2 == pytest.approx(expected.statistic)


def test_statistic_is_that_of_all_permutations() -> None:
    times = [[0.0, 0.2, 0.9], [0.1, 0.5, 0.7, 1.0], [0.3]]
    values = [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.5], [1.0]]

    def together(orders: tuple[tuple[float, ...], ...]) -> float:
        return sum(
            float(np.dot(np.array(time) - np.mean(time), order))
            for time, order in zip(times, orders, strict=True)
        )

    every = [together(orders) for orders in product(*map(permutations, values))]
    strata = np.repeat([0, 1, 2], [3, 4, 1])
    trend = within_trend(strata, np.concatenate(times), np.concatenate(values))
    seen = together(tuple(map(tuple, values)))
    assert trend.z == pytest.approx((seen - np.mean(every)) / np.std(every))


def test_slope_of_a_straight_line_is_its_slope() -> None:
    strata = np.repeat([0, 1], 5)
    time = np.tile(np.linspace(0, 1, 5), 2)
    trend = within_trend(strata, time, 0.3 * time + strata)
    assert trend.slope == pytest.approx(0.3)


def test_rising_label_is_found_in_its_culture_only() -> None:
    table = simulated(2, items=150, trend=0.3)
    frame = drift(Answers.of(table), Settings()).tables[0].frame.set_index(["culture", "what"])
    rising = frame.loc[("A", "share of funny")]
    assert rising["p_holm"] < 0.01
    assert rising["slope"] == pytest.approx(0.2, abs=0.1)  # 0.3, but never above 1
    assert frame.loc["B", "p_holm"].min() > 0.05


def test_people_who_tire_agree_less_as_they_go_on() -> None:
    table = simulated(2, items=200, tiring=0.9)
    section = drift(Answers.of(table), Settings())
    frame = section.tables[0].frame.set_index(["culture", "what"])
    tiring = frame.loc[("A", "agreement with the others")]
    assert tiring["p_holm"] < 0.01
    assert tiring["slope"] < -0.05
    assert frame.loc[("B", "agreement with the others"), "p_holm"] > 0.05
    assert "agreement with the others changes by -" in " ".join(section.sentences)


@pytest.mark.parametrize("times", ["none", "the same"])
def test_answers_without_times_have_no_drift(times: str) -> None:
    table = simulated(2, items=5)
    table = table.drop(columns="time") if times == "none" else table.assign(time="2026-03-01")
    with pytest.raises(InputError, match=r"no column of times|all the same"):
        drift(Answers.of(table), Settings())
