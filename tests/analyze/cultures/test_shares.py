"""Labels by culture: shares of answers and of items, ties, short items."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from memeloc.analyze import Settings
from memeloc.analyze.cultures.shares import label_shares
from memeloc.reports.figures import value_of, wide
from memeloc.statistics.significance import wilson
from tests.analyze.cultures.answers import simulated, written

HAND = written(
    {
        "m1": {"US": "aaaaa", "DE": "aab"},
        "m2": {"US": "aabbb", "DE": "ab"},
        "m3": {"US": "bbbb?", "DE": "??"},
    },
    abstentions=["?"],
)


def test_wilson_is_statsmodels() -> None:
    counts, totals = np.array([0, 3, 17, 40]), np.array([4, 9, 40, 40])
    for confidence in (0.9, 0.95):
        peer = proportion_confint(counts, totals, 1 - confidence, "wilson")
        assert np.allclose(wilson(counts, totals, confidence), peer)


def test_an_item_without_votes_has_no_share() -> None:
    assert np.isnan(wilson([0], [0], 0.95)).all()


def test_shares_and_counts_worked_by_hand() -> None:
    rows = label_shares(HAND, Settings())
    shares, counts = (
        wide(rows, name).set_index("group") for name in ("label-shares", "label-counts")
    )
    german, american = shares.loc["DE"], shares.loc["US"]
    assert american["share"].tolist() == pytest.approx([7 / 14, 7 / 14])
    assert american["share_of_items"].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert german["share"].tolist() == pytest.approx([3 / 5, 2 / 5])
    assert german["share_of_items"].tolist() == [1, 0]
    columns = ["items", "answers", "votes", "abstentions", "labelled", "tied", "without_votes"]
    assert counts.loc["US", columns].tolist() == [3, 15, 14, 1, 3, 0, 0]
    assert counts.loc["DE", columns].tolist() == [3, 7, 5, 2, 1, 1, 1]
    assert counts["short"].tolist() == [2, 1]


def test_a_share_of_all_has_no_interval_and_says_why() -> None:
    rows = label_shares(HAND, Settings())
    share = rows[(rows["group"] == "DE") & (rows["figure"] == "share_of_items")]
    assert share["low"].isna().all()
    assert share["method"].str.startswith("no interval: ").all()


def test_intervals_are_wider_than_of_independent_answers() -> None:
    frame = wide(label_shares(simulated(items=100), Settings()), "label-shares")
    low, high = wilson(frame["votes"], frame["n"], 0.95)
    assert ((frame["share_high"] - frame["share_low"]) > 1.2 * (high - low)).all()
    assert value_of(label_shares(HAND, Settings()), "label-counts", "annotators", "US") == 5
