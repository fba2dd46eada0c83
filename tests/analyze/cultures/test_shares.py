"""Labels by culture: shares of answers and of items, ties, short items."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from memeloc.analyze import Settings
from memeloc.analyze.cultures.shares import label_shares
from memeloc.statistics.intervals import wilson
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
    section = label_shares(HAND, Settings())
    shares, counts = (table.frame.set_index("culture") for table in section.tables)
    german, american = shares.loc["DE"], shares.loc["US"]
    assert american["share"].tolist() == pytest.approx([7 / 14, 7 / 14])
    assert american["share_of_items"].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert german["share"].tolist() == pytest.approx([3 / 5, 2 / 5])
    assert german["share_of_items"].tolist() == [1, 0]
    columns = ["items", "answers", "votes", "abstentions", "labelled", "tied", "without_votes"]
    assert counts.loc["US", columns].tolist() == [3, 15, 14, 1, 3, 0, 0]
    assert counts.loc["DE", columns].tolist() == [3, 7, 5, 2, 1, 1, 1]
    assert counts["short"].tolist() == [2, 1]
    assert section.figures["tied"] == 1


def test_every_column_is_explained() -> None:
    for table in label_shares(HAND, Settings()).tables:
        assert list(table.columns) == list(table.frame.columns)


def test_intervals_of_answers_are_wider_than_of_independent_ones() -> None:
    # Answers to one item go together, so the items' resamples vary more than answers would.
    frame = label_shares(simulated(items=100), Settings()).tables[0].frame
    low, high = wilson(frame["votes"], [500] * len(frame), 0.95)
    assert ((frame["high"] - frame["low"]).to_numpy() > 1.2 * (high - low)).all()
