"""Labels: the majority as defined, what is short or tied, and that order does not matter."""

from __future__ import annotations

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from memeloc.survey.labels.settling import settle
from memeloc.taxonomy import load_taxonomy

HATE = load_taxonomy("multi3hate")
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
