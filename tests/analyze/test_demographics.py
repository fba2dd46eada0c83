"""Demographics: small groups are not shown, and cannot be computed from what is."""

from __future__ import annotations

from itertools import product

import pandas as pd

from memeloc.analyze import Answers, Settings
from memeloc.analyze.answers import OTHER, demographics, large_groups
from memeloc.reports.figures import gaps, wide


def _answers(facts: dict[str, list[object]], cultures: list[str]) -> Answers:
    """Two answers of each person: `funny` of those with even numbers, then `not`."""
    names = [f"p{number:02d}" for number in range(len(cultures))]
    people = pd.DataFrame({"culture": cultures, **facts}, index=names)
    rows = [
        (item, culture, name, "funny" if number % 2 == 0 and item == "m1" else "not")
        for item in ("m1", "m2")
        for number, (name, culture) in enumerate(zip(names, cultures, strict=True))
    ]
    table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
    return Answers.of(table, people=people)


def _shown(people: dict[str, int], smallest: int) -> dict[str, int]:
    groups = large_groups(people, smallest)
    shown: dict[str, int] = {}
    for value, group in groups.items():
        shown[group] = shown.get(group, 0) + people[value]
    return shown


def test_no_shown_group_is_small_and_none_can_be_computed() -> None:
    """All small tables: who subtracts what is shown from the total gets two values or more."""
    for smallest in (2, 3, 5):
        for counts in product(range(8), repeat=3):
            people = {value: number for value, number in zip("abc", counts, strict=True) if number}
            shown = _shown(people, smallest)
            assert all(number >= smallest for number in shown.values())
            assert sum(shown.values()) == (sum(counts) if sum(counts) >= smallest else 0)
            if OTHER in shown:
                assert len(set(people) - set(shown)) > 1


def test_single_small_value_takes_the_next_smallest_with_it() -> None:
    assert _shown({"woman": 20, "man": 9, "another": 2}, 5) == {"woman": 20, OTHER: 11}
    assert _shown({"woman": 20, "man": 9, "a": 3, "b": 2}, 5) == {"woman": 20, "man": 9, OTHER: 5}
    assert _shown({"woman": 20, "man": 9}, 5) == {"woman": 20, "man": 9}


def test_label_shares_are_those_of_the_groups_answers() -> None:
    answers = _answers({"gender": ["w", "m"] * 6}, ["DE"] * 12)
    frame = wide(demographics(answers, Settings()), "demographics").set_index(["group", "item"])
    groups = frame.loc["gender · DE"]
    assert groups["answers"].to_dict() == {"m": 12, "w": 12}
    assert groups["share: funny"].to_dict() == {"m": 0, "w": 0.5}


def test_small_groups_stand_in_no_row() -> None:
    jobs = ["baker"] * 8 + ["plumber"] * 3 + ["diver"]
    rows = demographics(_answers({"job": jobs}, ["DE"] * 12), Settings())
    assert "plumber" not in rows.to_csv()
    assert "diver" not in rows.to_csv()
    assert rows.loc[rows["figure"] == "people", "value"].min() >= 5


def test_culture_with_few_people_is_left_out_and_named() -> None:
    answers = _answers({"gender": ["w"] * 10}, ["DE"] * 7 + ["US"] * 3)
    rows = demographics(answers, Settings())
    assert gaps(rows) == ["gender: US has fewer than 5 people, so none are shown."]
    assert set(rows.loc[rows["figure"] != "", "group"]) == {"", "DE", "gender · DE"}
