"""Each person beside the others, against all permutations of a small table."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import skew

from memeloc.agreement import beside_others
from tests.agreement.answers import drawn, table

SMALL = {"m1": "aab", "m2": "abc", "m3": "bbb", "m4": "b.a", "m5": "a.."}


def _scores(rows: list[str], place: int) -> float:
    """What the person at `place` agrees with the others, added up over items."""
    return sum(
        sum(label == row[place] for at, label in enumerate(row) if at != place) / (len(row) - 1)
        for row in rows
    )


def test_moments_are_those_of_all_permutations() -> None:
    """Of ann, who answered m1 to m4 with others: her answers against all orders within items."""
    rows = ["aab", "abc", "bbb", "ba"]
    every = [_scores(list(orders), 0) for orders in product(*map(permutations, rows))]
    ann = beside_others(table(SMALL)).set_index("participant").loc["ann"]
    assert ann["items"] == 4
    assert ann["agreement"] == pytest.approx(_scores(rows, 0) / 4)
    assert ann["expected"] == pytest.approx(np.mean(every) / 4)
    assert ann["z"] == pytest.approx((_scores(rows, 0) - np.mean(every)) / np.std(every))
    assert ann["skewness"] == pytest.approx(skew(every))


def test_items_with_one_answer_do_not_count() -> None:
    people = beside_others(table({"m1": "aa", "m2": "b."})).set_index("participant")
    assert people["items"].tolist() == [1, 1]
    assert people["agreement"].tolist() == [1, 1]


def test_spread_is_undefined_where_all_agree_as_much() -> None:
    people = beside_others(table({"m1": "aa", "m2": "ab"}))
    assert people["z"].isna().all()
    assert people["agreement"].tolist() == people["expected"].tolist() == [0.5, 0.5]


def test_scores_of_equal_people_have_mean_0_and_spread_1() -> None:
    z = np.concatenate([beside_others(drawn(seed, items=60))["z"] for seed in range(30)])
    assert z.mean() == pytest.approx(0, abs=0.1)
    # The people of a table share what is there to agree on: a person's score is not free of theirs.
    assert z.std() == pytest.approx(1, abs=0.1)
