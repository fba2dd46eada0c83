"""Labels: the majority as defined, what is short or tied, and that order does not matter."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.labels.settling import answers_table, settle
from memeloc.survey.model import Answer, Check, Culture, MemeEntry, Sheet, Submission
from memeloc.survey.quality.rules import Settling, read_rules, read_settling
from memeloc.taxonomy import Label, Taxonomy, load_taxonomy

HATE = load_taxonomy("multi3hate")
ORDERED = Taxonomy(
    "degrees",
    "",
    (Label("none"), Label("some", 1), Label("much", 2), Label("also-much", 2), Label("x", 0, True)),
    None,
    (),
)
COLUMNS = ["item", "culture", "participant", "label"]


def table(*rows: tuple[str, str, str]) -> pd.DataFrame:
    """Rows of item, culture and the labels' first letters, one a person."""
    letters = {"h": "hate", "n": "no-hate", "u": "unknown"}
    return pd.DataFrame(
        [
            (item, culture, f"p{number}", letters[letter])
            for item, culture, labels in rows
            for number, letter in enumerate(labels)
        ],
        columns=COLUMNS,
    )


def ordered(*labels: str) -> pd.DataFrame:
    return pd.DataFrame(
        [("m1", "US", f"p{number}", label) for number, label in enumerate(labels)], columns=COLUMNS
    )


def states(answers: pd.DataFrame, settings: Settling | None = None) -> dict[str, tuple[str, str]]:
    result = settle(answers, HATE, settings).table
    return {
        item: (label, state)
        for item, label, state in zip(result["item"], result["label"], result["state"], strict=True)
    }


def test_the_majority_counts_and_ties_and_shortages_are_listed() -> None:
    result = states(
        table(
            ("clear", "US", "hhhnn"),
            ("unsure", "US", "huuuu"),
            ("tied", "US", "hhnnu"),
            ("short", "US", "hh"),
            ("silent", "US", "uuuuu"),
            ("hopeless", "US", "hhhhhnnnnnu"),
        ),
        Settling(most=11),
    )
    assert result == {
        "clear": ("hate", "settled"),
        "unsure": ("hate", "settled"),
        "tied": ("", "tied"),
        "short": ("hate", "short"),
        "silent": ("", "tied"),
        "hopeless": ("", "given up"),
    }


def test_votes_and_abstentions_are_kept() -> None:
    result = settle(table(("m1", "DE", "hhnuu")), HATE)
    assert result.as_json() == [
        {
            "item": "m1",
            "culture": "DE",
            "label": "hate",
            "state": "settled",
            "answers": 5,
            "abstained": 2,
            "rejected": 0,
            "reasons": "",
            "votes": {"hate": 2, "no-hate": 1},
        }
    ]


def test_cultures_are_settled_apart() -> None:
    result = settle(table(("m1", "DE", "hhhhh"), ("m1", "IN", "nnnnn")), HATE).table
    assert list(result["label"]) == ["hate", "no-hate"]


def test_needs_are_less_by_what_is_still_to_come() -> None:
    answers = table(("a", "US", "hh"), ("b", "US", "hhnnu"), ("c", "US", "hhhhh"))
    wanted = [("a", "US"), ("d", "US")]
    result = settle(answers, HATE, wanted=wanted)
    assert result.needs == {("a", "US"): 3, ("b", "US"): 1, ("d", "US"): 5}
    assert settle(
        answers, HATE, wanted=wanted, pending={("a", "US"): 1, ("b", "US"): 2, ("d", "US"): 5}
    ).needs == {("a", "US"): 2}


def test_a_tie_never_asks_for_more_than_the_limit() -> None:
    settings = Settling(extra=4, most=7)
    assert settle(table(("a", "US", "hhhnnn")), HATE, settings).needs == {("a", "US"): 1}
    assert settle(table(("a", "US", "hhhnnnu")), HATE, settings).needs == {}


@pytest.mark.parametrize(
    ("labels", "settings", "label"),
    [
        (("none", "some", "some", "much"), {}, "some"),
        (("none", "none", "some", "much"), {"rule": "absolute majority"}, ""),
        (("none", "none", "none", "much"), {"rule": "absolute majority"}, "none"),
        (("none", "none", "none", "much"), {"rule": "most severe"}, "much"),
        (("none", "none", "none", "much"), {"rule": "most severe", "severe_votes": 2}, "none"),
        (("none", "much", "also-much"), {"rule": "most severe"}, ""),
        (("none", "none", "some", "some"), {"ties": "most severe"}, "some"),
        (("none", "none", "some", "some"), {}, ""),
        (("much", "also-much"), {"ties": "most severe"}, ""),
        (("x", "x"), {"rule": "most severe"}, ""),
    ],
)
def test_ordered_taxonomies(
    labels: tuple[str, ...], settings: dict[str, object], label: str
) -> None:
    result = settle(ordered(*labels), ORDERED, read_settling(settings)).table
    assert list(result["label"]) == [label]


def test_a_label_that_is_not_the_taxonomys_is_refused() -> None:
    with pytest.raises(InputError, match=r"no label 'spam' in multi3hate; there are hate, no-hate"):
        settle(ordered("spam"), HATE)


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(InputError, match="column participant"):
        settle(ordered("hate").drop(columns="participant"), HATE)


def test_two_answers_are_refused_and_a_repeat_counts_once() -> None:
    row = ("m1", "US", "asha")
    twice = pd.DataFrame([(*row, "hate"), (*row, "no-hate")], columns=COLUMNS)
    with pytest.raises(InputError, match="'asha' gave two different answers to 'm1' in 'US'"):
        settle(twice, HATE)
    again = pd.DataFrame([(*row, "hate"), (*row, "hate")], columns=COLUMNS)
    assert list(settle(again, HATE).table["answers"]) == [1]


def test_nothing_answered_settles_nothing() -> None:
    assert settle(table(), HATE).table.empty
    assert settle(pd.DataFrame(columns=COLUMNS), HATE).as_json() == []


def test_skipped_entries_are_no_answers() -> None:
    answers = pd.DataFrame(
        [("m1", "US", "a", "hate"), ("m1", "US", "b", ""), ("m1", "US", "c", None)], columns=COLUMNS
    )
    assert list(settle(answers, HATE).table["answers"]) == [1]


def test_names_are_texts_with_their_zeros() -> None:
    result = settle(table(("007", "US", "hhh"), ("7", "US", "nnn")), HATE).table
    assert list(result["item"]) == ["007", "7"]
    assert list(result["label"]) == ["hate", "no-hate"]


def test_settings_are_refused_with_their_place() -> None:
    with pytest.raises(InputError, match=r"share_of_median of the rule speed: .*or equal to 1"):
        read_rules({"speed": {"share_of_median": 3}})
    with pytest.raises(InputError, match="the rule attention has no setting 'on_fire'"):
        read_rules({"attention": {"on_fire": True}})


answered = st.lists(
    st.tuples(
        st.sampled_from(["m1", "m2", "m3"]),
        st.sampled_from(["US", "DE"]),
        st.integers(0, 40).map(str),
        st.sampled_from(["hate", "no-hate", "unknown"]),
    ),
    max_size=60,
    unique_by=lambda row: row[:3],
)


@given(answered, st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_matter(rows: list[tuple[str, ...]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = settle(pd.DataFrame(rows, columns=COLUMNS), HATE)
    other = settle(pd.DataFrame(shuffled, columns=COLUMNS), HATE)
    assert one.as_json() == other.as_json()
    assert one.needs == other.needs


@given(answered, st.sampled_from(["m1", "m2", "m3"]), st.sampled_from(["US", "DE"]))
def test_another_abstention_changes_no_label(
    rows: list[tuple[str, ...]], item: str, culture: str
) -> None:
    before = settle(pd.DataFrame(rows, columns=COLUMNS), HATE).table
    more = [*rows, (item, culture, "newcomer", "unknown")]
    after = settle(pd.DataFrame(more, columns=COLUMNS), HATE).table
    keys = ["item", "culture"]
    labels = after.set_index(keys)["label"].to_dict()
    for key, label in before.set_index(keys)["label"].to_dict().items():
        assert labels[key] == label


@given(answered)
def test_labels_are_those_of_a_count_by_hand(rows: list[tuple[str, ...]]) -> None:
    votes: dict[tuple[str, str], Counter[str]] = {}
    for item, culture, _, label in rows:
        votes.setdefault((item, culture), Counter())[label] += 1
    result = settle(pd.DataFrame(rows, columns=COLUMNS), HATE).table
    assert len(result) == len(votes)
    for item, culture, label in zip(
        result["item"], result["culture"], result["label"], strict=True
    ):
        count = votes[item, culture]
        hate, no = count["hate"], count["no-hate"]
        assert label == ("hate" if hate > no else "no-hate" if no > hate else "")


@given(answered)
def test_answers_that_needs_ask_for_leave_nothing_short(rows: list[tuple[str, ...]]) -> None:
    result = settle(pd.DataFrame(rows, columns=COLUMNS), HATE)
    more = [
        (*cell, f"new-{number}", "hate")
        for cell, count in result.needs.items()
        for number in range(count)
    ]
    after = settle(pd.DataFrame([*rows, *more], columns=COLUMNS), HATE)
    assert set(after.table["state"]) <= {"settled", "given up", "tied"}


def test_the_table_has_memes_and_a_persons_first_answer() -> None:
    questions = [MemeEntry(one, "cloud-monday", Path("x.jpg")) for one in ("m1", "m2")]
    entries = (questions[0], Check("check-1", "explicit", "unknown"), questions[1])
    culture = Culture("US", default().get("en"))
    name = "r1-b01-US"
    sheet = Sheet(name, "pilot", "r1-b01", 1, culture, "multi3hate", entries, 5)
    answers = (Answer("m1", "hate"), Answer("check-1", "unknown"), Answer("m2", ""))
    first = Submission("s1", name, "asha", answers, "csv", row=1)
    second = Submission("s2", name, "asha", (Answer("m1", "no-hate"),), "csv", row=2)
    nobody = [Submission(i, name, "", (Answer("m1", "hate"),), "csv") for i in ("s3", "s4")]
    lost = Submission("s5", "elsewhere", "jo", (Answer("m1", "hate"),), "csv")
    result = answers_table([second, first, *nobody, lost], [sheet])
    assert sorted(result.itertuples(index=False, name=None)) == [
        ("m1", "US", "asha", "hate"),
        ("m1", "US", f"{name}/s3", "hate"),
        ("m1", "US", f"{name}/s4", "hate"),
    ]


@pytest.mark.slow
def test_a_million_answers_are_settled_within_a_gigabyte() -> None:
    rng = np.random.default_rng(5)
    n = 1_000_000
    number = np.arange(n)
    answers = pd.DataFrame(
        {
            "item": [f"m{one:06d}" for one in number // 25],
            "culture": np.array(["US", "DE", "MX", "IN", "CN"], dtype=object)[number % 5],
            "participant": [f"{one:032x}" for one in number // 20 * 25 + number % 25],
            "label": np.array(["hate", "no-hate", "unknown"], dtype=object)[
                rng.choice(3, n, p=[0.4, 0.5, 0.1])
            ],
        }
    )
    tracemalloc.start()
    result = settle(answers, HATE)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(result.table) == n // 5
    assert peak < 1e9
