"""Labels that are no votes, and answers to further questions of every kind, settled."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.survey.labels.settling import STATES, settle
from memeloc.survey.quality.rules import Settling, read_settling
from memeloc.survey.recipes import load_recipe
from memeloc.taxonomy import load_taxonomy
from tests.each import each

CHARMEMES, HARMEME = load_taxonomy("charmemes"), load_taxonomy("harmeme")
TWO = Settling(answers=2, most=4)


def answers(labels: str, item: str = "m1") -> pd.DataFrame:
    """A person a label, with spaces between."""
    rows = [(item, "US", f"p{number}", label) for number, label in enumerate(labels.split())]
    return pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])


@each(
    ("labels", "state", "label", "needs"),
    [
        ("safe skip", "short", "safe", 1),
        ("skip skip", "short", "", 2),
        ("safe safe skip", "settled", "safe", 0),
        ("trash trash", "rejected", "", 0),
        ("trash trash safe", "rejected", "", 0),
        ("trash safe", "tied", "", 1),
        ("trash safe safe", "settled", "safe", 0),
        ("trash trash safe safe", "given up", "", 0),
        ("trash unknown", "rejected", "", 0),
    ],
)
def test_skips_leave_an_item_open_and_most_may_reject_it(
    labels: str, state: str, label: str, needs: int
) -> None:
    result = settle(answers(labels), CHARMEMES, TWO, wanted=[("m1", "US")])
    (row,) = result.rows
    assert (row["state"], row["label"]) == (state, label)
    assert row["reasons"] == ("trash" if state == "rejected" else "")
    assert result.needs == ({("m1", "US"): needs} if needs else {})


@given(st.lists(st.sampled_from([label.id for label in HARMEME.labels]), max_size=7))
def test_an_item_has_one_state_that_its_votes_explain(labels: list[str]) -> None:
    wanted = [("m1", "US")]
    (row,) = settle(answers(" ".join(labels)), HARMEME, TWO, wanted=wanted).rows
    roles = Counter(next(each.role for each in HARMEME.labels if each.id == x) for x in labels)
    total = roles["vote"] + roles["abstain"] + roles["reject"]
    assert row["state"] in STATES
    assert (row["answers"], row["rejected"]) == (total, roles["reject"])
    assert (row["state"] == "short") == (total < 2)
    if total >= 2:
        assert (row["state"] == "rejected") == (roles["reject"] > roles["vote"])
        assert (row["state"] == "settled") == bool(row["label"])


def test_kinds_that_two_people_see_differently_are_open() -> None:
    settings = read_settling({"answers": 2, **load_recipe("charmemes").settle})
    table = answers("violence violence").assign(**{"violence-kind": ["glorification", ""]})
    for second, is_open in (("terrorism-extremism", True), ("glorification", False)):
        table.loc[1, "violence-kind"] = second
        open_questions = [row.question for row in settle(table, CHARMEMES, settings).open]
        assert open_questions == (["violence-kind"] if is_open else [])


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (["a //  b", "a // b", "c"], "a // b"),
        (["a", "b", "c"], ""),
        (["e\u0301", "\u00e9", ""], "\u00e9"),
    ],
)
def test_corrected_texts_settle_by_two_of_three(texts: list[str], text: str) -> None:
    arabic = load_taxonomy("araharmeme")
    table = answers("genuine genuine genuine").assign(readable="text", **{"ocr-text": texts})
    (row,) = settle(table, arabic, Settling(answers=3)).rows
    assert row["further"]["ocr-text"]["answer"] == text
