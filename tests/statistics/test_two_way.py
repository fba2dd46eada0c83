"""Intervals over items and people: against jackknifes written out, and what they promise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memeloc.analyze.cultures.between import of_agreeing, of_kappa, of_pairs
from memeloc.analyze.cultures.shares import of_items, of_votes
from memeloc.statistics.two_way import METHOD, Votes, estimate

ROWS = st.dictionaries(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("12345678")),
    st.sampled_from(["no", "some", "yes"]),
    min_size=1,
    max_size=40,
)
LABELS = ("no", "some", "yes")


def votes_of(rows: dict[tuple[str, str], str], cultures: int = 2) -> Votes:
    table = [(item, f"c{int(who) % cultures}", who, label) for (item, who), label in rows.items()]
    names = ["item", "culture", "participant", "label"]
    return Votes.of(pd.DataFrame(table, columns=names, dtype=object), LABELS)


def complete(people: int = 6, items: int = 30, seed: int = 1) -> Votes:
    random = np.random.default_rng(seed)
    seen = random.normal(0, 1, items)[:, None] + random.normal(0, 1, people)
    answers = seen + random.normal(0, 1, seen.shape) > 0
    rows = {
        (f"m{i:02}", str(p)): "yes" if answers[i, p] else "no" for i, p in np.ndindex(seen.shape)
    }
    return votes_of(rows, cultures=1)


def test_the_error_of_a_share_is_that_of_items_and_of_people() -> None:
    """Where everybody answers everything: the means of items, of people, less what is left over."""
    votes = complete()
    answers = np.zeros((30, 6))
    answers[votes.item, votes.person] = votes.label == 2
    share = answers.mean()
    of_items_ = answers.mean(axis=1) - share
    of_people = answers.mean(axis=0) - share
    variance = (of_items_**2).sum() / (30 * 29)
    variance += (of_people**2).sum() / (6 * 5) - ((answers - share) ** 2).sum() / 180**2
    found = estimate(votes, of_votes(), 0.95)
    middle, reach = np.log(share / (1 - share)), 2.570582 * np.sqrt(variance)  # t of 5
    ends = 1 / (1 + np.exp(-(middle + np.array([-1, 1]) * reach / (share * (1 - share)))))
    # A vote that is deleted leaves others that count a little more.
    assert (found.low[2], found.high[2]) == pytest.approx(tuple(ends), abs=2e-3)


@settings(max_examples=50, deadline=None)
@given(ROWS, st.integers(1, 3))
def test_an_interval_holds_its_estimate_or_says_why_there_is_none(
    rows: dict[tuple[str, str], str], cultures: int
) -> None:
    votes = votes_of(rows, cultures)
    number = votes.counts.shape[1]
    of_one = votes.of_cultures(0)
    found = [estimate(of_one, each, 0.95) for each in (of_votes(), of_items(3))]
    found += [estimate(votes, of_agreeing(number, 3), 0.95)]
    if number > 1:
        found += [estimate(votes, of_pairs(), 0.95)]
        found += [estimate(votes.of_cultures(0, 1), of_kappa(3), 0.95)]
    for each in found:
        for value, low, high, method in zip(
            each.value, each.low, each.high, each.methods, strict=True
        ):
            assert (method == METHOD) == (low <= value <= high)
            assert method == METHOD or (np.isnan(low) and np.isnan(high))


def test_people_who_differ_widen_the_interval() -> None:
    """Whole people repeated are as sure of items as before, and surer of people."""
    few = estimate(complete(4, 60), of_votes(), 0.95)
    many = estimate(complete(40, 60), of_votes(), 0.95)
    assert few.high[2] - few.low[2] > 1.5 * (many.high[2] - many.low[2])


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ({("a", "1"): "no", ("b", "1"): "yes"}, "one person says nothing of others"),
        ({("a", "1"): "no", ("a", "3"): "yes"}, "one item says nothing of others"),
        ({("a", "1"): "yes", ("b", "3"): "yes"}, "without any item or person it is the same"),
    ],
)
def test_no_interval_has_its_reason(rows: dict[tuple[str, str], str], reason: str) -> None:
    found = estimate(votes_of(rows, 1), of_votes(), 0.95)
    assert reason in found.methods[2]
