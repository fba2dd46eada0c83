"""Places and given answers: each once, under a rush, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memeloc.locales import default
from memeloc.store import Store
from memeloc.survey.model import Culture, MemeEntry, Sheet, Submission
from memeloc.survey.serving import OPEN, Assigner, Place, ServeSettings
from memeloc.survey.targets.protocol import Imported

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
AGREED = {"consent": {"at": "2026-01-01T12:00:00Z", "version": "0" * 16, "language": "en"}}
ENTRIES = (MemeEntry("m1", "t", Path("p.jpg")), MemeEntry("m2", "t", Path("p.jpg")))
SHEET = Sheet(
    *("b1-US", "pilot", "b1", 1, Culture("US", default().get("en")), "multi3hate", ENTRIES, 5)
)
ASSIGNER = Assigner([SHEET], ServeSettings())


@pytest.fixture
def served(store: Store) -> Store:
    store.surveys.add("pilot", {"memes": []}, [])
    return store


def take(store: Store, who: str, at: datetime = NOW) -> Place | str:
    place = store.serving.take(
        Place("", "pilot", "", who, "", OPEN, at + timedelta(hours=1), at),
        lambda taken: ASSIGNER.assign(["b1-US"], taken, at, is_study=True),
        lambda _: True,
    )
    return (store.serving.agree(place.id, AGREED) or place) if isinstance(place, Place) else place


def answer(store: Store, place: Place | str, item: str, turn: int, at: datetime = NOW) -> Place:
    assert isinstance(place, Place)
    stored = store.serving.add_answer(
        *(place.id, item, turn, {"label": "hate"}, at + timedelta(hours=1), at),
        ASSIGNER.has_room,
    )
    assert stored is not None
    return stored


def finish(store: Store, place: Place, status: str = "complete") -> Place | None:
    sent = Submission(place.id, place.sheet, place.participant, (), "serve", LATER, NOW, status)
    return store.serving.finish(place.id, status, lambda _place, _answers: Imported((sent,)))


def test_an_answer_is_stored_once_for_each_turn(served: Store) -> None:
    place = take(served, "ann")
    for turn in (1, 1, 2, 1):
        answer(served, place, "i1", turn)
    assert isinstance(place, Place)
    assert [given.turn for given in served.serving.answers(place.id)] == [1, 2]


def test_a_place_is_freed_when_its_time_is_over(served: Store) -> None:
    places = [take(served, f"p{number}") for number in range(5)]
    answer(served, places[0], "i1", 1)
    assert take(served, "late") == "serve.full"
    after = NOW + timedelta(hours=2)
    assert isinstance(take(served, "late", after), Place)
    assert served.serving.free("pilot", after) == 4
    assert served.serving.departed("pilot") == {("b1-US", "left"): 4}
    assert sorted(stop.answered for stop in served.serving.stops("pilot")) == [0, 1]


def test_a_finish_and_its_submission_are_one(served: Store) -> None:
    place = take(served, "ann")
    assert isinstance(place, Place)
    for _ in range(2):
        done = finish(served, place)
        assert done is not None
        assert done.status == "complete"
    assert [each.participant for each in served.surveys.submissions("pilot")] == ["ann"]
    assert answer(served, place, "i1", 1).status == "complete"
    assert served.serving.answers(place.id) == []


def test_who_takes_the_consent_away_leaves_no_answer(served: Store) -> None:
    place = take(served, "ann")
    assert isinstance(place, Place)
    answer(served, place, "i1", 1)
    assert served.serving.decline(place.id)
    assert served.serving.answers(place.id) == []
    assert served.serving.departed("pilot") == {("b1-US", "declined"): 1}
    assert served.erasures.receipts() == [{"given_answers": 1, "people": 1}]
