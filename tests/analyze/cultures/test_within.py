"""Agreement within cultures: against the peers' packages, with gaps where it is not defined."""

from __future__ import annotations

from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from memeloc.analyze import Answers, Settings
from memeloc.analyze.cultures.within import agreement_within
from memeloc.reports.figures import gaps, value_of, wide
from tests.analyze.cultures.answers import simulated, written

LEVELS = {"none": 0.0, "some": 1.0, "much": 4.0}


@pytest.fixture(scope="module")
def answers() -> Answers:
    return simulated(3, items=40, people=6, labels=tuple(LEVELS), levels=LEVELS)


def matrix(answers: Answers, culture: str) -> pd.DataFrame:
    """People by items, levels as numbers."""
    table = answers.table[answers.table["culture"] == culture]
    codes = table.assign(label=table["label"].map(LEVELS).astype(float))
    return codes.pivot(index="participant", columns="item", values="label")


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_is_krippendorffs(answers: Answers, metric: str) -> None:
    frame = wide(agreement_within(answers, Settings()), "agreement-within").set_index("group")
    name = "alpha" if metric == "nominal" else f"alpha_{metric}"
    for culture in answers.cultures:
        peer = krippendorff.alpha(
            reliability_data=matrix(answers, culture).to_numpy(), level_of_measurement=metric
        )
        assert frame.loc[culture, name] == pytest.approx(peer)
        assert frame.loc[culture, f"{name}_low"] < peer < frame.loc[culture, f"{name}_high"]


def test_kappas_are_the_peers(answers: Answers) -> None:
    rows = agreement_within(answers, Settings())
    pairs = wide(rows, "annotator-pairs").set_index(["group", "item"])["kappa"]
    frame = wide(rows, "agreement-within").set_index("group")
    for place, culture in enumerate(answers.cultures):
        people = matrix(answers, culture)
        kappas = []
        for first, second in combinations(people.index, 2):
            both = people.loc[[first, second]].dropna(axis=1).astype(int).astype(str)
            peer = cohen_kappa_score(both.loc[first], both.loc[second])
            assert pairs[culture, f"{first}–{second}"] == pytest.approx(peer)
            kappas.append(peer)
        assert frame.loc[culture, "cohen"] == pytest.approx(np.mean(kappas))
        peer = fleiss_kappa(answers.votes[:, place])
        assert frame.loc[culture, "fleiss"] == pytest.approx(peer)


def test_mean_kappa_of_pairs_with_few_common_items_is_in_its_interval() -> None:
    """Resamples of items, each with fewer different ones, have smaller kappas than the items."""
    answers = simulated(7, items=30, people=12, answers=3)
    frame = wide(agreement_within(answers, Settings()), "agreement-within")
    assert (frame["cohen_low"] < frame["cohen"]).all()
    assert (frame["cohen"] < frame["cohen_high"]).all()


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        ({"m1": {"DE": "a"}, "m2": {"DE": "b"}}, "within DE needs two annotators; it has 1."),
        ({"m1": {"DE": "a."}, "m2": {"DE": ".b"}}, "DE: no item has votes of two annotators."),
        (
            {"m1": {"DE": "aa"}, "m2": {"DE": "aa"}},
            "DE is not defined: all votes are for one label.",
        ),
    ],
)
def test_what_cannot_be_measured_is_a_sentence(
    votes: dict[str, dict[str, str]], reason: str
) -> None:
    rows = agreement_within(written(votes), Settings())
    assert any(sentence.endswith(reason) for sentence in gaps(rows))


def test_votes_for_one_label_agree() -> None:
    rows = agreement_within(written({"m1": {"US": "aa"}, "m2": {"US": "aa"}}), Settings())
    assert value_of(rows, "agreement-within", "agreement", "US") == 1
    assert np.isnan(value_of(rows, "agreement-within", "alpha", "US"))
