"""Measures of counts and weights: against the peers, and against items that are there twice."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from memeloc.agreement import krippendorff_alpha, weighted
from tests.agreement.answers import table

TABLES = st.lists(
    st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=12
).filter(lambda rows: any(sum(row) > 1 for row in rows))
LEVELS = np.array([-1.0, 0.5, 4.0])


def measures(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.stack(
        [
            weighted.alpha(counts, weights),
            weighted.alpha(counts, weights, "ordinal"),
            weighted.alpha(counts, weights, "interval", LEVELS),
            weighted.fleiss(counts, weights),
            weighted.observed(counts, weights),
        ]
    )


@given(TABLES, st.integers(0, 2**32 - 1))
def test_a_weight_is_an_item_that_often(rows: list[list[int]], seed: int) -> None:
    counts = np.array(rows)
    weights = np.random.default_rng(seed).integers(0, 3, len(counts))
    repeated = np.repeat(counts, weights, axis=0)
    expected = measures(repeated, np.ones((1, len(repeated))))[:, 0]
    assert measures(counts, weights[None].astype(float))[:, 0] == pytest.approx(
        expected, nan_ok=True
    )


@given(TABLES)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_alphas_are_krippendorffs(rows: list[list[int]]) -> None:
    counts = np.array(rows)
    kept = counts[counts.sum(axis=1) > 1]
    ours = measures(counts, np.ones((1, len(counts))))[:3, 0]
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
    ones = np.ones((1, 12))
    assert weighted.alpha(counts, ones)[0] == pytest.approx(0.743, abs=5e-4)
    assert weighted.alpha(counts, ones, "ordinal")[0] == pytest.approx(0.815, abs=5e-4)
    interval = weighted.alpha(counts, ones, "interval", np.arange(1.0, 6))[0]
    assert interval == pytest.approx(0.849, abs=5e-4)


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
    assert weighted.fleiss(counts, np.ones((1, len(counts))))[0] == pytest.approx(
        statsmodels_fleiss(counts), abs=1e-9
    )
    first, second = random.integers(0, 3, (2, 50))
    tables = np.zeros((3, 3, 1))
    np.add.at(tables[..., 0], (first, second), 1)
    assert weighted.cohen(tables)[0] == pytest.approx(cohen_kappa_score(first, second))
