"""Answers: what the tables have to be, and what is noted of them."""

from __future__ import annotations

import pandas as pd

from memeloc.analyze import Answers
from memeloc.analyze.answers import COLUMNS
from memeloc.arrays import NO_LABEL

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
