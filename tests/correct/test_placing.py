"""What becomes of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memeloc.correct.model import Answer, SheetAnswers, Status, text_key
from memeloc.correct.placing import (
    EarlierAnswer,
    KnownMeme,
    PlacedAnswer,
    SentItem,
    SentSheet,
    identify,
    place,
)
from memeloc.errors import InputError

SENT = datetime(2026, 11, 1, tzinfo=UTC)
SOURCE, BASE, NEW = ("a joke", "its point"), ("ein Witz", "sein Punkt"), ("ein Witz", "die Pointe")


def sheet(id_: str = "s1", *, person: str = "anna", language: str = "de") -> SentSheet:
    return SentSheet(id_, language, 1, person, SENT, {"m1": SentItem(SOURCE, BASE)})


def answer(status: Status = "corrected", parts: tuple[str, ...] = NEW, meme: str = "m1") -> Answer:
    return Answer(meme, parts, parts, status, "", 2, text_key(SOURCE))


def came_back(*answers: Answer, sheet_id: str = "s1", language: str = "") -> SheetAnswers:
    return SheetAnswers(sheet_id, language, 0, "", Path("sheet.csv"), "0" * 64, tuple(answers), ())


def earlier(
    parts: tuple[str, ...], person: str = "anna", *, later: bool = False, round_: int = 1
) -> EarlierAnswer:
    created = SENT + timedelta(days=1 if later else 0)
    return EarlierAnswer(round_, person, parts, "corrected", created)


def placed(
    returned: Answer, before: Sequence[EarlierAnswer] = (), source: tuple[str, ...] = SOURCE
) -> PlacedAnswer:
    stored = {"m1": KnownMeme(source, before)}
    (result,) = place(came_back(returned), sheet(), stored)
    return result


def test_a_new_text_is_placed() -> None:
    result = placed(answer())
    assert (result.outcome, result.parts, result.person, result.round) == ("placed", NEW, "anna", 1)


def test_correct_stands_for_what_the_sheet_showed() -> None:
    assert placed(answer("correct", ("x", "y"))).parts == BASE


def test_the_same_again_is_unchanged_and_another_replaces() -> None:
    assert placed(answer(), [earlier(NEW)]).outcome == "unchanged"
    assert placed(answer(), [earlier(BASE)]).outcome == "replaced"


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


@pytest.mark.parametrize("status", ["wordplay", "culture", "other", "harmful", "skip"])
def test_what_was_given_up_waits_to_be_settled(status: Status) -> None:
    result = placed(answer(status, ()))
    assert (result.outcome, result.reason, result.parts) == ("case", "given up", ())


def test_a_meme_that_is_not_there_or_not_on_the_sheet_is_a_stray() -> None:
    stored = {"m1": KnownMeme(SOURCE), "m2": KnownMeme(SOURCE)}
    unknown, elsewhere = place(came_back(answer(meme="m9"), answer(meme="m2")), sheet(), stored)
    assert (unknown.outcome, unknown.reason) == ("stray", "unknown id")
    assert (elsewhere.outcome, elsewhere.reason) == ("stray", "not on the sheet")
    assert unknown.meme_id == elsewhere.meme_id == "m1"


def test_a_sheet_is_known_by_id_or_by_whose_it_is() -> None:
    sheets = {"s1": sheet(), "s2": sheet("s2", person="ben")}
    assert identify(came_back(answer()), sheets).id == "s1"
    assert identify(came_back(answer(), sheet_id=""), sheets, person="ben").id == "s2"
    with pytest.raises(InputError, match="2 sheets fit"):
        identify(came_back(answer(), sheet_id=""), sheets)
    with pytest.raises(InputError, match="no sheets fit"):
        identify(came_back(answer(meme="m7"), sheet_id="other"), sheets)


def test_a_file_for_another_language_is_refused() -> None:
    with pytest.raises(InputError, match="for de, not for hi"):
        identify(came_back(answer()), {"s1": sheet()}, language="hi")
