"""Labels: the majority as defined, what is short or tied, and that order does not matter."""

from __future__ import annotations

from pathlib import Path

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


def test_two_answers_are_refused_and_a_repeat_counts_once() -> None:
    row = ("m1", "US", "asha")
    twice = pd.DataFrame([(*row, "hate"), (*row, "no-hate")], columns=COLUMNS)
    with pytest.raises(InputError, match="'asha' gave two different answers to 'm1' in 'US'"):
        settle(twice, HATE)
    again = pd.DataFrame([(*row, "hate"), (*row, "hate")], columns=COLUMNS)
    assert list(settle(again, HATE).table["answers"]) == [1]


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
        ("m1", "US", "asha", "hate", None),
        ("m1", "US", f"{name}/s3", "hate", None),
        ("m1", "US", f"{name}/s4", "hate", None),
    ]
