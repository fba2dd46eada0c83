"""What is kept without a place tells nobody who it is about."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memeloc.store.surveys.participant_ids import hidden, hidden_message
from tests.each import each

PROLIFIC = "65f0c0ffee0123456789abcd"


def star(name: str) -> str:
    return f"*{len(name)}*"


@each(
    ("value", "expected"),
    [
        ("ada", "*3*"),
        ("'ada' answered twice", "'*3*' answered twice"),
        ("adamant", "adamant"),
        (f"row of {PROLIFIC}, twice", "row of *24*, twice"),
        (f"x{PROLIFIC}", f"x{PROLIFIC}"),
        ("ada.l@mail.example wrote", "*18* wrote"),
        ({"Participant id": "ben", "Status": "ben"}, {"Participant id": "*3*", "Status": "ben"}),
        ({"completed_by": {"email": "z"}}, {"completed_by": {"email": "*1*"}}),
        ({"user_id": ""}, {"user_id": ""}),
        ({"completed_by": 12, "id": 12}, {"completed_by": "*2*", "id": 12}),
        ({"completed_by": {"id": 12.0, "n": 3}}, {"completed_by": {"id": "*2*", "n": 3}}),
        ({"annotators": ["eve", 7, None, True]}, {"annotators": ["*3*", "*1*", None, True]}),
        ({"cells": ["ada", "hate", 3, None]}, {"cells": ["*3*", "hate", 3, None]}),
    ],
)
def test_ids_are_hashed_wherever_they_stand(value: Any, expected: Any) -> None:
    assert hidden(value, {"ada"}, star) == expected


@each(
    ("value", "expected"),
    [
        ("hate", "hate"),
        ("anna k.", "*7*"),
        (["hate", "anna", 3, None, ""], ["hate", "*4*", 3, None, ""]),
        ({"Notes": "call anna", "ada": "hate"}, {"Notes": "*9*", "*3*": "hate"}),
    ],
)
def test_texts_that_are_not_the_surveys_own_are_hashed(value: Any, expected: Any) -> None:
    assert hidden(value, {"ada"}, star, {"hate"}.__contains__) == expected


@each(
    ("message", "expected"),
    [
        ("m1: 'anna k.' is not one of the labels.", "m1: “…” is not one of the labels."),
        ('m1: "anna\'s" is not one.', "m1: “…” is not one."),
        ("The participant's id '5.9E+23' is rounded.", "The participant's id “…” is rounded."),
        ("There is no sheet 'r1'.", "There is no sheet 'r1'."),
        ("ada wrote twice.", "*3* wrote twice."),
    ],
)
def test_a_message_quotes_only_the_surveys_own_texts(message: str, expected: str) -> None:
    assert hidden_message(message, {"ada"}, star, {"r1"}.__contains__) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.just(PROLIFIC),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


@given(JSON, st.sets(st.text(min_size=1, max_size=6), max_size=5))
def test_nothing_else_changes_and_no_known_id_stays(value: Any, ids: set[str]) -> None:
    changed = hidden(value, ids, lambda text: "")
    assert hidden(value, set(), lambda text: text) == value
    waiting = [changed]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, str):
            assert part.strip() not in ids
            assert PROLIFIC not in part
