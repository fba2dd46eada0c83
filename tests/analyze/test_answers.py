"""Answers: what the tables have to be, and what is noted of them."""

from __future__ import annotations

import pandas as pd
import pytest

from memeloc.analyze import Answers
from memeloc.analyze.answers import COLUMNS, NO_LABEL
from memeloc.errors import InputError

TABLE = pd.DataFrame(
    [
        ("1", "US", "ann", "a"),
        ("1", "US", "ben", "b"),
        ("1", "DE", "cem", "a"),
        ("2", "US", "ann", "c"),
        ("2", "US", "ben", "?"),
    ],
    columns=list(COLUMNS),
)


def test_votes_are_counted_and_a_tie_has_no_label() -> None:
    answers = Answers.of(TABLE, labels=["a", "b", "c"], abstentions=["?"])
    assert answers.votes[0].tolist() == [[1, 0, 0], [1, 1, 0]]
    assert answers.majority.tolist() == [[0, NO_LABEL], [NO_LABEL, 2]]
    assert answers.notes == ()


def test_answers_with_other_labels_take_no_part_and_are_noted() -> None:
    answers = Answers.of(TABLE, labels=["a", "b"], abstentions=["?"])
    assert answers.votes.sum() == 3
    assert answers.notes == ("1 answer with other labels, such as 'c', took no part",)


def test_two_answers_to_one_item_are_one_sentence() -> None:
    doubled = pd.concat([TABLE, TABLE.iloc[:1].assign(label="b")])
    with pytest.raises(InputError, match="'ann' gave '1' two answers"):
        Answers.of(doubled)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InputError, match="column label"):
        Answers.of(TABLE.drop(columns="label"))


def test_items_are_known_once_and_by_text() -> None:
    about = pd.DataFrame({"category": ["tea", "cats"]}, index=[1, 2])
    assert Answers.of(TABLE, items=about).items.loc["1", "category"] == "tea"
    with pytest.raises(InputError, match="two rows for '1'"):
        Answers.of(TABLE, items=about.set_axis([1, 1]))
