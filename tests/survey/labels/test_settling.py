"""Labels: the majority as defined, what is short or tied, and that order does not matter."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.survey.labels.settling import settle
from memeloc.survey.quality.rules import Settling, read_settling
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
