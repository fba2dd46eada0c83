"""Statistics of a dataset, of its demographics, and annotators that stand out."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from memeloc.agreement import krippendorff_alpha
from memeloc.analyze import Answers, Settings
from memeloc.analyze.answers import OTHER, demographics, large_groups
from memeloc.analyze.dataset import describe
from memeloc.analyze.standing_out import standing_out
from memeloc.errors import InputError
from memeloc.locales.words import plain_words
from memeloc.reports.figures import gaps, of_analysis, value_of, wide
from tests.analyze.simulated import simulated
from tests.each import each


@each(
    ("text", "tag", "words"),
    [
        ("Don't panic!", "en", ["don't", "panic"]),
        ("IŞIK", "tr", ["ışık"]),
        ("我爱喝茶", "zh-Hans", ["我", "爱", "喝茶"]),
        ("ฉันตากผ้า", "xx-unknown", ["ฉัน", "ตาก", "ผ้า"]),
        ("दुनिया में", "hi", ["दुनिया", "में"]),
    ],
)
def test_words_are_cut_as_the_language_is(text: str, tag: str, words: list[str]) -> None:
    assert plain_words(text, tag) == words


def test_tf_idf_is_its_formula_written_out() -> None:
    memes = pd.DataFrame(
        {
            "meme": list("abcd"),
            "text": ["the cat naps", "the cat", "the tea", "the hot tea tea"],
            "label": ["cats", "cats", "tea", "tea"],
            "language": "en",
        }
    )
    # Words of at least two texts: the (df 4), cat (df 2), tea (df 2).
    rare = math.log(5 / 3) + 1
    once = rare / math.hypot(rare, 1)
    twice = 2 * rare / math.hypot(2 * rare, 1)
    frame = wide(describe(memes), "class-words").set_index(["group", "item"])
    assert frame.loc[("en · cats", "cat"), ["tf_idf", "rest"]].tolist() == pytest.approx([once, 0])
    assert frame.loc[("en · tea", "tea"), "tf_idf"] == pytest.approx((once + twice) / 2)
    assert ("en · tea", "the") not in frame.index


@pytest.mark.parametrize(
    ("memes", "message"),
    [
        ({"id": ["a"]}, "has the columns meme"),
        ({"meme": []}, "no rows"),
    ],
)
def test_bad_tables_are_a_sentence(memes: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        describe(pd.DataFrame(memes))


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


def test_careless_annotator_stands_out_alone() -> None:
    """charmemes: seven people, one of whom answers at random."""
    for seed in range(5):
        rows = standing_out(Answers.of(simulated(seed, careless="A3")), Settings())
        out = of_analysis(rows, "standing-out", "stands_out")
        assert out.loc[out["value"] == 1, "item"].tolist() == ["A3"], seed


def test_p_values_of_people_without_difference_are_uniform() -> None:
    tables = [simulated(seed, people=5, items=40, cultures="A") for seed in range(18)]
    all_rows = [standing_out(Answers.of(table), Settings()) for table in tables]
    p = np.concatenate([of_analysis(rows, "standing-out", "p")["value"] for rows in all_rows])
    for limit in (0.1, 0.5, 0.9):
        assert (p < limit).mean() == pytest.approx(limit, abs=0.1)
    assert sum(value_of(rows, "standing-out", "standing_out") > 0 for rows in all_rows) <= 2


def test_agreement_without_them_is_that_of_the_others() -> None:
    table = simulated(1, careless="A3")
    frame = wide(standing_out(Answers.of(table), Settings()), "standing-out")
    frame = frame[frame["item"] == ""].set_index("group")
    others = table[(table["culture"] == "A") & (table["participant"] != "A3")]
    assert frame.loc["A", "alpha_without"] == pytest.approx(krippendorff_alpha(others))
    assert frame.loc["A", "alpha_without"] > frame.loc["A", "alpha"] + 0.05
    assert frame.loc["B", "alpha_without"] == frame.loc["B", "alpha"]
