"""What becomes of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memeloc.correct.model import Answer, Sheet, SheetItem, text_key
from memeloc.correct.placing import place
from memeloc.locales import default
from tests.each import each

SENT = datetime(2026, 11, 1, tzinfo=UTC)
SOURCE, BASE, NEW = ("a joke", "its point"), ("ein Witz", "sein Punkt"), ("ein Witz", "die Pointe")
DE, EN = map(default().get, ("de", "en"))


def answer(status: str = "corrected", parts: tuple[str, ...] = NEW, meme: str = "m1") -> Answer:
    key = text_key(SOURCE)
    return Answer(meme_id=meme, status=status, parts=parts, typed=parts, row=2, source_key=key)


def earlier(
    parts: tuple[str, ...], person: str = "anna", *, later: bool = False, round_: int = 1
) -> Answer:
    made = SENT + timedelta(days=1 if later else 0)
    return Answer(
        meme_id="m1",
        status="corrected",
        round=round_,
        person=person,
        parts=parts,
        sheet_created=made,
    )


def placed(
    returned: Answer, before: Sequence[Answer] = (), source: tuple[str, ...] = SOURCE
) -> Answer:
    items = (SheetItem("m1", SOURCE, BASE),)
    sheet = Sheet("s1", DE, EN, 1, "anna", SENT, items=items)
    sources = {"m1": source, "m2": SOURCE}
    earlier = {"m1": before}
    (result,) = place([returned], sheet, sources, earlier, file=Path("x.csv"), person="anna")
    return result


def test_correct_stands_for_what_the_sheet_showed() -> None:
    assert placed(answer("correct", ("x", "y"))).parts == BASE


def test_people_who_differ_make_a_case() -> None:
    assert placed(answer(), [earlier(NEW, "ben")]).outcome == "placed"
    result = placed(answer(), [earlier(BASE, "ben")])
    assert (result.outcome, result.reason) == ("case", "disagreement")
    assert "ben" in result.message


def test_another_round_does_not_disagree() -> None:
    assert placed(answer(), [earlier(BASE, "ben", round_=2)]).outcome == "placed"


def test_an_older_sheet_does_not_undo_a_later_one() -> None:
    result = placed(answer(), [earlier(BASE, later=True)])
    assert (result.outcome, result.reason) == ("older", "older sheet")


def test_a_source_that_changed_since_is_a_case_that_shows_both() -> None:
    result = placed(answer(), source=("another joke", "its point"))
    assert (result.outcome, result.reason) == ("case", "source changed")
    assert "a joke" in result.message
    assert "another joke" in result.message


@pytest.mark.parametrize("parts", [("ein Witz",), ("ein Witz", ""), ("a", "b", "c")])
def test_a_lost_part_is_a_case(parts: tuple[str, ...]) -> None:
    result = placed(answer(parts=parts))
    assert (result.outcome, result.reason) == ("case", "part lost")


@each("status", ["wordplay", "culture", "other", "harmful"])
def test_what_was_given_up_waits_to_be_settled(status: str) -> None:
    result = placed(answer(status, ()))
    assert (result.outcome, result.reason, result.parts) == ("case", "given up", ())


def test_a_meme_that_is_not_there_or_not_on_the_sheet_is_a_stray() -> None:
    unknown, elsewhere = placed(answer(meme="m9")), placed(answer(meme="m2"))
    assert (unknown.outcome, unknown.reason) == ("stray", "unknown id")
    assert (elsewhere.outcome, elsewhere.reason) == ("stray", "not on the sheet")
    assert unknown.meme_id == elsewhere.meme_id == "m1"
