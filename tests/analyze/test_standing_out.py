"""Annotators that stand out: a careless one is found, and nobody else."""

from __future__ import annotations

import numpy as np
import pytest

from memeloc.agreement import krippendorff_alpha
from memeloc.analyze import Answers, Settings
from memeloc.analyze.standing_out import standing_out
from tests.analyze.simulated import simulated


def test_careless_annotator_stands_out_alone() -> None:
    """charmemes: seven people, one of whom answers at random."""
    for seed in range(5):
        section = standing_out(Answers.of(simulated(seed, careless="A3")), Settings())
        assert section.figures["participants"] == ["A3"], seed


def test_p_values_of_people_without_difference_are_uniform() -> None:
    tables = [simulated(seed, people=5, items=40, cultures="A") for seed in range(18)]
    frames = [standing_out(Answers.of(table), Settings()).tables[0].frame for table in tables]
    p = np.concatenate([frame["p"] for frame in frames])
    for limit in (0.1, 0.5, 0.9):
        assert (p < limit).mean() == pytest.approx(limit, abs=0.1)
    assert sum(frame["stands_out"].any() for frame in frames) <= 2


def test_agreement_without_them_is_that_of_the_others() -> None:
    table = simulated(1, careless="A3")
    frame = standing_out(Answers.of(table), Settings()).tables[1].frame.set_index("culture")
    others = table[(table["culture"] == "A") & (table["participant"] != "A3")]
    assert frame.loc["A", "alpha_without"] == pytest.approx(krippendorff_alpha(others))
    assert frame.loc["A", "alpha_without"] > frame.loc["A", "alpha"] + 0.05
    assert frame.loc["B", "alpha_without"] == frame.loc["B", "alpha"]


def test_abstentions_do_not_count_against_anybody() -> None:
    table = simulated(1)
    table.loc[(table["participant"] == "A3") & (table["item"] > "m019"), "label"] = "don't know"
    answers = Answers.of(table, abstentions=["don't know"])
    frame = standing_out(answers, Settings()).tables[0].frame.set_index("participant")
    assert frame.loc["A3", "items"] == 20
    assert not frame["stands_out"].any()
