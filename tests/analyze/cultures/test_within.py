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
from tests.analyze.cultures.answers import simulated, written

FAST = Settings(bootstraps=200)
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
    figures = agreement_within(answers, FAST).figures
    name = "alpha" if metric == "nominal" else f"alpha_{metric}"
    for culture in answers.cultures:
        peer = krippendorff.alpha(
            reliability_data=matrix(answers, culture).to_numpy(), level_of_measurement=metric
        )
        value, low, high = figures[name][culture]
        assert value == pytest.approx(peer)
        assert low < value < high


def test_kappas_are_the_peers(answers: Answers) -> None:
    section = agreement_within(answers, FAST)
    pairs = section.tables[1].frame.set_index(["first", "second"])
    for place, culture in enumerate(answers.cultures):
        people = matrix(answers, culture)
        kappas = []
        for first, second in combinations(people.index, 2):
            both = people.loc[[first, second]].dropna(axis=1).astype(int).astype(str)
            peer = cohen_kappa_score(both.loc[first], both.loc[second])
            assert pairs.loc[(first, second), "kappa"] == pytest.approx(peer)
            kappas.append(peer)
        assert section.figures["cohen"][culture][0] == pytest.approx(np.mean(kappas))
        peer = fleiss_kappa(answers.votes[:, place])
        assert section.figures["fleiss"][culture][0] == pytest.approx(peer)


def test_intervals_hold_their_values(answers: Answers) -> None:
    for table in agreement_within(answers, FAST).tables:
        frame = table.frame.dropna()
        value = frame["kappa"] if "kappa" in frame else frame["value"]
        assert (frame["low"] <= value).all()
        assert (value <= frame["high"]).all()
        assert list(table.columns) == list(table.frame.columns)


def test_the_mean_kappa_in_blocks_is_the_same(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = agreement_within(answers, FAST).figures["cohen"]
    monkeypatch.setattr("memeloc.analyze.cultures.annotator_pairs._BLOCK", 5_000)
    assert agreement_within(answers, FAST).figures["cohen"] == {
        culture: pytest.approx(figures) for culture, figures in whole.items()
    }


def test_a_culture_with_one_annotator_is_a_gap() -> None:
    answers = written({"m1": {"US": "ab", "DE": "a"}, "m2": {"US": "aa", "DE": "b"}})
    section = agreement_within(answers, FAST)
    assert section.gaps == ("Agreement within DE needs two annotators; it has 1.",)
    assert set(section.tables[0].frame["culture"]) == {"US"}


def test_annotators_without_a_common_item_are_a_gap() -> None:
    answers = written({"m1": {"US": "a."}, "m2": {"US": ".b"}})
    section = agreement_within(answers, FAST)
    assert section.gaps == ("Agreement within US: no item has votes of two annotators.",)
    assert not section.tables


def test_votes_for_one_label_have_no_alpha_but_agree() -> None:
    section = agreement_within(written({"m1": {"US": "aa"}, "m2": {"US": "aa"}}), FAST)
    assert section.figures["alpha"]["US"] == [None, None, None]
    assert section.figures["agreement"]["US"] == [1, 1, 1]
    assert section.gaps == ("Alpha within US is not defined: all votes are for one label.",)


def test_few_annotators_are_a_matrix_and_many_a_histogram() -> None:
    def kinds(people: int) -> set[str]:
        answers = simulated(items=12, people=people, cultures=["US"])
        return {type(plot).__name__ for plot in agreement_within(answers, FAST).plots}

    assert kinds(5) == {"Intervals", "Heatmap"}
    assert kinds(14) == {"Intervals", "Histogram"}
