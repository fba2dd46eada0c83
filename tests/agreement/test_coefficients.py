"""Coefficients of counts: against the peers, and against items that are there twice."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from memeloc.agreement import krippendorff_alpha
from memeloc.agreement.coefficients import (
    Coefficient,
    alpha,
    cohen,
    fleiss,
    gwet,
    observed,
    randolph,
)
from tests.agreement.answers import table

TABLES = st.lists(
    st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=12
).filter(lambda rows: any(sum(row) > 1 for row in rows))
LEVELS = np.array([-1.0, 0.5, 4.0])


def value_of(coefficient: Coefficient, counts: np.ndarray) -> float:
    return float(coefficient.value(coefficient.sums(counts).sum(axis=0)))


COEFFICIENTS = (
    alpha(),
    alpha("ordinal"),
    alpha("interval", LEVELS),
    fleiss(),
    observed(),
    gwet(),
    randolph(),
)


@given(TABLES, st.integers(0, 2**32 - 1))
def test_sums_count_an_item_as_often_as_it_is_there(rows: list[list[int]], seed: int) -> None:
    counts = np.array(rows)
    times = np.random.default_rng(seed).integers(0, 3, len(counts))
    for coefficient in COEFFICIENTS:
        value = float(coefficient.value(times @ coefficient.sums(counts)))
        expected = value_of(coefficient, np.repeat(counts, times, axis=0))
        assert value == pytest.approx(expected, nan_ok=True, abs=1e-9)


@given(TABLES)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_alphas_are_krippendorffs(rows: list[list[int]]) -> None:
    counts = np.array(rows)
    kept = counts[counts.sum(axis=1) > 1]
    ours = np.array([value_of(coefficient, counts) for coefficient in COEFFICIENTS[:3]])
    if np.count_nonzero(kept.sum(axis=0)) < 2:
        assert np.isnan(ours).all()
        return
    metrics = ["nominal", "ordinal", "interval"]
    peers = [krippendorff.alpha(value_counts=kept, value_domain=list(LEVELS),
                                level_of_measurement=metric) for metric in metrics]  # fmt: skip
    assert ours == pytest.approx(peers, abs=1e-9)


def test_alphas_of_krippendorffs_own_example() -> None:
    # Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", C and D: four observers,
    # twelve units; nominal .743, ordinal .815, interval .849.
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    counts = np.zeros((12, 5), dtype=int)
    for row in observers:
        for unit, value in enumerate(row):
            if value != ".":
                counts[unit, int(value) - 1] += 1
    values = np.arange(1.0, 6)
    assert value_of(alpha(), counts) == pytest.approx(0.743, abs=5e-4)
    assert value_of(alpha("ordinal"), counts) == pytest.approx(0.815, abs=5e-4)
    assert value_of(alpha("interval", values), counts) == pytest.approx(0.849, abs=5e-4)
    # The same table is Gwet's (2014) and irrCAC's example, raw_4raters.
    assert value_of(gwet(), counts) == pytest.approx(0.77544, abs=5e-6)
    for metric, printed in (("ordinal", 0.89894), ("interval", 0.91400)):
        assert value_of(gwet(metric, values), counts) == pytest.approx(printed, abs=5e-6)
    assert value_of(randolph(), counts) == pytest.approx(
        0.77273, abs=5e-6
    )  # Brennan and Prediger's


def test_interval_alpha_of_a_table_goes_by_levels() -> None:
    answers = table({"m1": "aab", "m2": "bbc", "m3": "cca", "m4": "aaa", "m5": "bb."})
    levels = {"a": 0.0, "b": 1.0, "c": 5.0}
    codes = answers.assign(label=answers["label"].map(levels))
    matrix = codes.pivot(index="participant", columns="item", values="label").to_numpy(float)
    peer = krippendorff.alpha(reliability_data=matrix, level_of_measurement="interval")
    assert krippendorff_alpha(answers, levels, "interval") == pytest.approx(peer)
    assert krippendorff_alpha(answers, levels) != pytest.approx(peer)


@pytest.mark.parametrize("seed", range(3))
def test_fleiss_and_cohen_are_the_peers(seed: int) -> None:
    random = np.random.default_rng(seed)
    counts = random.multinomial(5, [0.5, 0.3, 0.2], 40_000)  # many items are no rounding error
    assert value_of(fleiss(), counts) == pytest.approx(statsmodels_fleiss(counts), abs=1e-9)
    assert value_of(randolph(), counts) == pytest.approx(
        statsmodels_fleiss(counts, "randolph"), abs=1e-9
    )
    first, second = random.integers(0, 3, (2, 50))
    tables = np.zeros((3, 3))
    np.add.at(tables, (first, second), 1)
    assert cohen(tables) == pytest.approx(cohen_kappa_score(first, second))
