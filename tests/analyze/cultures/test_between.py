"""Agreement of cultures: worked by hand, against the peers, and cultures without overlap."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from memeloc.analyze import Settings
from memeloc.analyze.cultures.between import agreement_between, of_agreeing
from memeloc.errors import InputError
from memeloc.reports.figures import value_of, wide
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
    rows = agreement_between(HAND, Settings())
    frame = wide(rows, "agreement-between").set_index("group")
    assert frame["n"].tolist() == [3, 3, 4, 3]
    agreements = [1 / 3, 2 / 3, 3 / 4]
    assert frame["agreement"].tolist() == pytest.approx([*agreements, sum(agreements) / 3])
    assert frame.loc["all pairs", "items_left_out"] == 1
    agree = wide(rows, "cultures-agree")
    assert agree[["item", "items", "n"]].to_numpy().tolist() == [
        ["2 of 3 cultures", 2, 3], ["3 of 3 cultures", 1, 3],
    ]  # fmt: skip


def test_a_pair_is_what_the_peer_makes_of_it() -> None:
    answers = simulated(5, items=80)
    rows = agreement_between(answers, Settings())
    for one, other in combinations(range(3), 2):
        labels = answers.majority[:, one], answers.majority[:, other]
        pair = f"{answers.cultures[one]}–{answers.cultures[other]}"
        kappa = value_of(rows, "agreement-between", "kappa", pair)
        assert kappa == pytest.approx(cohen_kappa_score(*labels))


def test_three_labels_of_three_cultures_may_agree_nowhere() -> None:
    labels = np.array([[0, 1, 2], [0, 0, 1], [2, 2, 2], [0, -1, 0]])
    counts = (labels[..., None] == np.arange(3)).astype(np.int64)
    assert of_agreeing(3, 3).sums(counts).sum(axis=0).tolist() == [1, 1, 1]


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
