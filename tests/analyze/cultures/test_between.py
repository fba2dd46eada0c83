"""Agreement of cultures: worked by hand, against the peers, and cultures without overlap."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

from memeloc.analyze import Settings
from memeloc.analyze.cultures.between import agreeing, agreement_between, mean_of_pairs
from memeloc.errors import InputError
from tests.analyze.cultures.answers import simulated, written

HAND = written(
    {
        "m1": {"US": "aaa", "DE": "aab", "IN": "abb"},
        "m2": {"US": "bbb", "DE": "bba", "IN": "bbb"},
        "m3": {"US": "aab", "DE": "ab", "IN": "aaa"},  # DE is tied
        "m4": {"US": "bba", "DE": "aaa", "IN": "bb"},
    }
)


def test_pairs_and_their_mean_worked_by_hand() -> None:
    section = agreement_between(HAND, Settings())
    pairs, mean, agree = (table.frame for table in section.tables)
    assert pairs[["first", "second", "items"]].to_numpy().tolist() == [
        ["DE", "IN", 3], ["DE", "US", 3], ["IN", "US", 4],
    ]  # fmt: skip
    assert pairs["agreement"].tolist() == pytest.approx([1 / 3, 2 / 3, 3 / 4])
    assert mean["agreement"].item() == pytest.approx((1 / 3 + 2 / 3 + 3 / 4) / 3)
    assert agree[["cultures", "items"]].to_numpy().tolist() == [[2, 2], [3, 1]]
    assert section.figures["items_left_out"] == 1
    assert section.sentences[-1] == (
        "3 cultures agree on 33.3 % of the 3 items labelled in every culture, 2 on 66.7 %."
    )


def test_a_pair_is_what_the_peers_make_of_it() -> None:
    answers = simulated(5, items=80)
    frame = agreement_between(answers, Settings()).tables[0].frame
    for (one, other), row in zip(
        combinations(range(3), 2), frame.itertuples(index=False), strict=True
    ):
        labels = answers.majority[:, one], answers.majority[:, other]
        same = int((labels[0] == labels[1]).sum())
        assert (row.low, row.high) == pytest.approx(proportion_confint(same, 80, method="wilson"))
        assert row.kappa == pytest.approx(cohen_kappa_score(*labels))
        assert row.kappa_low < row.kappa < row.kappa_high


def test_the_mean_of_resamples_is_of_whole_items() -> None:
    answers = simulated(5, items=40)
    ours = mean_of_pairs(answers.majority, Settings(bootstraps=1_500), "mean")
    random = np.random.default_rng(9)
    pairs = list(combinations(range(3), 2))
    drawn = [
        np.mean([(part[:, one] == part[:, other]).mean() for one, other in pairs])
        for part in (answers.majority[random.integers(0, 40, 40)] for _ in range(1_500))
    ]
    expected = np.quantile(drawn, [0.025, 0.975])
    # Ends of 1,500 draws vary by about 0.005.
    assert (ours.low[0], ours.high[0]) == pytest.approx(tuple(expected), abs=0.02)


def test_three_labels_of_three_cultures_may_agree_nowhere() -> None:
    majority = np.array([[0, 1, 2], [0, 0, 1], [2, 2, 2], [0, -1, 0]])
    assert agreeing(majority, 0.95)["items"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("votes", "sentence"),
    [
        ({"m1": {"US": "ab"}}, "all answers are of one culture, US"),
        ({"m1": {"US": "aa"}, "m2": {"DE": "bb"}}, "no two cultures have labelled a common item"),
    ],
)
def test_nothing_to_compare_is_one_sentence(
    votes: dict[str, dict[str, str]], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        agreement_between(written(votes), Settings())
