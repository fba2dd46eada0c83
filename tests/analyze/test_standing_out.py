"""Annotators that stand out: a careless one is found, and nobody else."""

from __future__ import annotations

import numpy as np
import pytest

from memeloc.agreement import krippendorff_alpha
from memeloc.analyze import Answers, Settings
from memeloc.analyze.standing_out import standing_out
from memeloc.reports.figures import of_analysis, value_of, wide
from tests.analyze.simulated import simulated


def test_careless_annotator_stands_out_alone() -> None:
    """charmemes: seven people, one of whom answers at random."""
    for seed in range(5):
        rows = standing_out(Answers.of(simulated(seed, careless="A3")), Settings())
        out = of_analysis(rows, "standing-out", "stands_out")
        assert out.loc[out["value"] == 1, "item"].tolist() == ["A3"], seed


def test_p_values_of_people_without_difference_are_uniform() -> None:
    tables = [simulated(seed, people=5, items=40, cultures="A") for seed in range(18)]
    all_rows = [standing_out(Answers.of(table), Settings()) for table in tables]
    p = np.concatenate([of_analysis(rows, "standing-out", "p")["value"] for rows in all_rows])
    for limit in (0.1, 0.5, 0.9):
        assert (p < limit).mean() == pytest.approx(limit, abs=0.1)
    assert sum(value_of(rows, "standing-out", "standing_out") > 0 for rows in all_rows) <= 2


def test_agreement_without_them_is_that_of_the_others() -> None:
    table = simulated(1, careless="A3")
    frame = wide(standing_out(Answers.of(table), Settings()), "standing-out")
    frame = frame[frame["item"] == ""].set_index("group")
    others = table[(table["culture"] == "A") & (table["participant"] != "A3")]
    assert frame.loc["A", "alpha_without"] == pytest.approx(krippendorff_alpha(others))
    assert frame.loc["A", "alpha_without"] > frame.loc["A", "alpha"] + 0.05
    assert frame.loc["B", "alpha_without"] == frame.loc["B", "alpha"]
