"""Surveys stored: designs hold, files count once, the latest submission of a person holds."""

from __future__ import annotations

import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memeloc.store import FileRecord, Store
from memeloc.store.surveys.participant_ids import SURVEY_KEY
from memeloc.survey.model import Answer, Batch, Participant, RejectedRow, Slot, Submission
from memeloc.survey.targets.protocol import Imported
from tests.store.conftest import reopen

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SLOTS = (Slot("m1"), Slot(check="explicit", expected="hate"), Slot("m2"))
BATCH = Batch("r1-b01", 1, SLOTS, ("DE", "IN"), 5)


@pytest.fixture
def surveyed(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store with a survey of one batch."""
    monkeypatch.delenv(SURVEY_KEY.variable, raising=False)
    store.surveys.add("pilot", {"seed": 7, "cultures": ["DE", "IN"]}, [BATCH])
    return store


def sent(person: str, label: str, *, hours: float = 0, number: str = "") -> Submission:
    moment = NOON + timedelta(hours=hours)
    answers = (Answer("m1", {"label": (label,)}), Answer("m2", {"label": ("unknown",)}))
    return Submission(
        number or f"{person}-{hours}", "r1-b01-DE", person, answers, "csv", moment, NOON, row=3
    )


def file(name: str) -> FileRecord:
    return FileRecord("submissions", name, name.ljust(64, "0"), 1)


def test_what_can_be_placed_at_the_second_reading_is_stored_then(surveyed: Store) -> None:
    left = RejectedRow("b.csv", 3, "unknown label", "Row 3 says nothing known.", {"label": "?"})
    first = surveyed.surveys.add_submissions("pilot", file("b"), Imported((), (), (left,)))
    assert (first["new"], first["seen"]) == (0, False)
    again = surveyed.surveys.add_submissions("pilot", file("b"), Imported((), (), (left,)))
    assert again["seen"]
    assert len(surveyed.surveys.rejected("pilot")) == 1
    placed = surveyed.surveys.add_submissions("pilot", file("b"), Imported((sent("ada", "hate"),)))
    assert (placed["new"], placed["seen"]) == (1, True)


def test_people_are_known_by_a_keyed_hash(surveyed: Store, place: Path) -> None:
    person = Participant("5f0c", {"nationality": "Germany"}, "sub1", "study", "APPROVED", 300.0)
    rejected = RejectedRow("f.csv", 9, "unknown sheet", "There is no sheet.", {"a": "=1+1"})
    added = surveyed.surveys.add_submissions(
        "pilot", file("p"), Imported((), (person,), (rejected,))
    )
    assert added["new_participants"] == len(surveyed.surveys.rejected("pilot")) == 1
    (stored,) = surveyed.surveys.participants("pilot")
    assert stored.participant == surveyed.surveys.hash_participant("5f0c") != "5f0c"
    assert len(stored.participant) == 32
    assert stored.facts == {"nationality": "Germany"}
    mode = (place / SURVEY_KEY.file).stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    with reopen(place) as again:
        assert again.surveys.hash_participant("5f0c") == stored.participant


@pytest.mark.parametrize("facts_first", [True, False])
def test_of_who_declined_no_facts_stay(surveyed: Store, facts_first: bool) -> None:
    facts = Participant(
        *("ada", {"age": "41"}, "sub1", "r1-b01-DE", "RETURNED", 60.0),
        {"total_approvals": "7", "ended": "no consent"},
    )
    elsewhere = replace(facts, study="r1-b02-DE")
    people = Imported((), (facts, elsewhere))
    declined = Imported((replace(sent("ada", ""), answers=(), status="no consent"),))
    order = [people, declined] if facts_first else [declined, people]
    for name, imported in zip("ab", order, strict=True):
        surveyed.surveys.add_submissions("pilot", file(name), imported)
    bare, other = sorted(surveyed.surveys.participants("pilot"), key=lambda row: row.study)
    assert (bare.facts, bare.details, bare.seconds) == ({}, {"ended": "no consent"}, None)
    assert (bare.status, other.facts) == ("RETURNED", {"age": "41"})


def test_ids_in_typed_answers_are_hashed(surveyed: Store) -> None:
    texts = {"label": ("hate",), "why": ("ada-lovelace says so", "hate"), "how": ("7",)}
    short = {"label": ("hate",), "how": ("7",)}
    one = replace(sent("ada-lovelace", "hate"), answers=(Answer("m1", texts),))
    other = replace(sent("7", "hate"), answers=(Answer("m1", short),))
    surveyed.surveys.add_submissions("pilot", file("a"), Imported((one, other)), words={"hate"})
    first, second = surveyed.surveys.submissions("pilot")
    hashed = surveyed.surveys.hash_participant("ada-lovelace")
    assert first.answers[0].get("why") == (f"{hashed} says so", "hate")
    assert second.answers[0].get("how") == ("7",)
