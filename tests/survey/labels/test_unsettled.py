"""What is not settled: asked again while the limit allows it, for a discussion after that."""

from __future__ import annotations

import pandas as pd

from memeloc.survey.labels.further import settle_further
from memeloc.survey.labels.settling import Settled, settle
from memeloc.survey.labels.unsettled import Unsettled, needs_of, to_discuss, unsettled
from memeloc.survey.quality.rules import Settling
from memeloc.taxonomy import load_taxonomy

HARMEME = load_taxonomy("harmeme")
FOURTH = Settling(answers=3, extra=1, most=4, further=("target",))
VERY, PARTLY, NOT = "very-harmful", "partially-harmful", "harmless"


def settled(
    *votes: tuple[str, str], settings: Settling = FOURTH
) -> tuple[Settled, tuple[Unsettled, ...]]:
    """One item with these labels and targets, by a person each."""
    rows = [("m1", "US", f"p{n}", label, target) for n, (label, target) in enumerate(votes)]
    columns = ["item", "culture", "participant", "label", "target"]
    answers = pd.DataFrame(rows, columns=columns, dtype=object)
    labels = settle(answers, HARMEME, settings)
    further = settle_further(answers, labels, HARMEME, {})
    return labels, unsettled(labels, further, settings)


def questions(rows: tuple[Unsettled, ...]) -> list[str]:
    return [row.question for row in rows]


def test_target_that_is_open_asks_a_fourth_person() -> None:
    labels, rows = settled((VERY, "society"), (VERY, "individual"), (NOT, ""))
    assert questions(rows) == ["target"]
    assert labels.needs == {}
    assert needs_of(labels, rows, FOURTH, {}) == {("m1", "US"): 1}


def test_label_that_is_open_asks_once_for_both() -> None:
    labels, rows = settled((VERY, "society"), (PARTLY, "individual"), (NOT, ""))
    assert questions(rows) == ["label"]
    assert needs_of(labels, rows, FOURTH, {}) == {("m1", "US"): 1}


def test_nothing_is_asked_after_the_fourth_person() -> None:
    labels, rows = settled((VERY, "society"), (VERY, "individual"), (NOT, ""), (VERY, "community"))
    assert questions(rows) == ["target"]
    assert needs_of(labels, rows, FOURTH, {}) == {}
    assert to_discuss(rows, {}) == rows


def test_answer_that_is_to_come_is_not_asked_for_again() -> None:
    labels, rows = settled((VERY, "society"), (VERY, "individual"), (NOT, ""))
    assert needs_of(labels, rows, FOURTH, {("m1", "US"): 1}) == {}


def test_what_is_asked_again_is_not_discussed_yet() -> None:
    _, rows = settled((VERY, "society"), (VERY, "individual"), (NOT, ""))
    assert to_discuss(rows, {("m1", "US")}) == ()


def test_settled_item_is_not_there() -> None:
    labels, rows = settled((VERY, "society"), (VERY, "society"), (NOT, ""))
    assert rows == ()
    assert needs_of(labels, rows, FOURTH, {}) == {}


def test_further_questions_do_not_ask_unless_settings_say_so() -> None:
    settings = Settling(answers=3)
    _, rows = settled((VERY, "society"), (VERY, "individual"), (NOT, ""), settings=settings)
    assert rows == ()


def test_tie_asks_without_a_limit_by_default() -> None:
    settings = Settling(answers=2)
    labels, rows = settled(*[(VERY, "society"), (NOT, "")] * 20, settings=settings)
    assert labels.table["state"].tolist() == ["tied"]
    assert needs_of(labels, rows, settings, {}) == {("m1", "US"): 1}
