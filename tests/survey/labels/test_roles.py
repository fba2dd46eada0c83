"""Labels that are no votes, and answers to further questions of every kind, settled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import median

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.survey.labels.further import beside_labels, settle_further
from memeloc.survey.labels.settling import STATES, settle
from memeloc.survey.quality.rules import Settling
from memeloc.taxonomy import Question, load_taxonomy

CHARMEMES, HARMEME = load_taxonomy("charmemes"), load_taxonomy("harmeme")
TWO = Settling(answers=2, most=4)


def answers(labels: str, item: str = "m1") -> pd.DataFrame:
    """A person a label, with spaces between."""
    rows = [(item, "US", f"p{number}", label) for number, label in enumerate(labels.split())]
    return pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])


@pytest.mark.parametrize(
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
    (row,) = result.as_json()
    assert (row["state"], row["label"]) == (state, label)
    assert row["reasons"] == ("trash" if state == "rejected" else "")
    assert result.needs == ({("m1", "US"): needs} if needs else {})


def test_the_most_frequent_reason_of_a_rejection_comes_first() -> None:
    (row,) = settle(answers("cartoon unimodal unimodal harmless"), HARMEME, TWO).as_json()
    assert (row["reasons"], row["rejected"], row["answers"]) == ("unimodal|cartoon", 3, 4)


@given(st.lists(st.sampled_from([label.id for label in HARMEME.labels]), max_size=7))
def test_an_item_has_one_state_that_its_votes_explain(labels: list[str]) -> None:
    wanted = [("m1", "US")]
    (row,) = settle(answers(" ".join(labels)), HARMEME, TWO, wanted=wanted).as_json()
    roles = Counter(next(each.role for each in HARMEME.labels if each.id == x) for x in labels)
    total = roles["vote"] + roles["abstain"] + roles["reject"]
    assert row["state"] in STATES
    assert (row["answers"], row["rejected"]) == (total, roles["reject"])
    assert (row["state"] == "short") == (total < 2)
    if total >= 2:
        assert (row["state"] == "rejected") == (roles["reject"] > roles["vote"])
        assert (row["state"] == "settled") == bool(row["label"])


def asking(*questions: Question) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The settled answers of three people to two memes of a template; and beside the labels."""
    taxonomy = replace(load_taxonomy("multi3hate"), questions=questions)
    table = pd.concat([answers("hate hate no-hate"), answers("hate hate hate", "m2")])
    given = {
        "strength": ["1", "4", "2", "5", "", ""],
        "whom": ["a|b", "b", "b", "a", "b", "c"],
        "said": ["one", "two", "one", "", "", ""],
    }
    for name, cells in given.items():
        table[name] = cells
    settled = settle(table, taxonomy, TWO)
    further = settle_further(table, settled, taxonomy, {"m1": "t", "m2": "t"})
    return further, beside_labels(settled.table, further, taxonomy)


def test_a_scale_is_settled_by_its_median() -> None:
    further, labels = asking(Question("strength", "scale", scale=(1, 5)))
    assert list(further["answer"]) == ["2", "5"]
    assert list(further["people"]) == [3, 1]
    assert list(labels["strength"]) == ["2", "5"]


def test_choices_are_settled_by_more_than_half() -> None:
    further, _ = asking(Question("whom", "choices", ("a", "b", "c")))
    assert list(further["answer"]) == ["b", ""]
    assert further["votes"][0] == {"a": 1, "b": 3}


def test_texts_are_listed_and_none_of_them_wins() -> None:
    further, labels = asking(Question("said", "text"))
    assert list(labels["said"]) == ["", ""]
    assert further["votes"][0] == {"one": 2, "two": 1}


def test_what_is_asked_about_a_picture_is_settled_over_its_items() -> None:
    further, labels = asking(Question("strength", "scale", scale=(1, 5), about="picture"))
    assert list(labels["strength"]) == [f"{median([1, 4, 2, 5]):g}"] * 2
    assert list(further["people"]) == [4, 4]


def test_a_question_after_another_goes_by_its_settled_answer() -> None:
    whom = Question("whom", "choices", ("a", "b", "c"))
    further, _ = asking(whom, Question("said", "text", when={"whom": ("b",)}))
    assert further[["item", "question"]].to_numpy().tolist() == [
        ["m1", "whom"],
        ["m1", "said"],
        ["m2", "whom"],
    ]
