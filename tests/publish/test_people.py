"""Demographics: no combination that few people share goes out, nor what completes one."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from memeloc.publish.people import WITHHELD, protect, small_cells

PERSON = st.tuples(st.sampled_from(["DE", "US"]), st.sampled_from("fmx"), st.sampled_from("123"))


def frame(people: list[tuple[str, str, str]]) -> pd.DataFrame:
    return pd.DataFrame(people, columns=["culture", "gender", "age"], dtype=object)


@given(st.lists(PERSON, max_size=60), st.integers(1, 6))
def test_every_combination_is_shared_by_enough(
    people: list[tuple[str, str, str]], smallest: int
) -> None:
    table = protect(frame(people), ["gender", "age"], smallest)[0]
    assert small_cells(table, ["gender", "age"], smallest) == []


@given(st.lists(PERSON, max_size=60), st.integers(2, 6))
def test_people_without_answers_are_enough_or_none(
    people: list[tuple[str, str, str]], smallest: int
) -> None:
    table = protect(frame(people), ["gender", "age"], smallest)[0]
    for culture, group in table.groupby("culture"):
        nothing = int(((group["gender"] == WITHHELD) & (group["age"] == WITHHELD)).sum())
        of_culture = Counter(person[0] for person in people)[str(culture)]
        assert nothing == 0 or nothing >= min(smallest, of_culture)


def test_the_last_column_is_withheld_first() -> None:
    people = [("DE", "f", age) for age in "1111112345"]
    table, withheld = protect(frame(people), ["gender", "age"], 3)
    assert table["gender"].tolist() == ["f"] * 10
    assert table["age"].tolist() == ["1"] * 6 + [WITHHELD] * 4
    assert withheld == {"age": 4}


def test_others_keep_company_to_the_only_one() -> None:
    table, _ = protect(frame([("DE", "f", "1")] * 11 + [("DE", "x", "1")]), ["gender"], 3)
    assert Counter(table["gender"]) == {"f": 9, WITHHELD: 3}
