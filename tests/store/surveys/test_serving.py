"""Places and given answers: each once, under a rush, on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from memeloc.locales import default
from memeloc.store import Store, WorkspaceError
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


def test_twenty_come_for_five_places(served: Store) -> None:
    barrier = threading.Barrier(20)
    got: list[Place | str] = []

    def come(number: int) -> None:
        barrier.wait()
        got.append(take(served, f"p{number // 2}"))  # each person in two browsers at once

    threads = [threading.Thread(target=come, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    people = Counter(place.participant for place in got if isinstance(place, Place))
    assert list(people.values()) == [2] * 5
    assert Counter(each for each in got if isinstance(each, str)) == {"serve.full": 10}
    assert len({place.id for place in got if isinstance(place, Place)}) == 5


def test_an_answer_is_stored_once_for_each_turn(served: Store) -> None:
    place = take(served, "ann")
    for turn in (1, 1, 2, 1):
        answer(served, place, "i1", turn)
    assert isinstance(place, Place)
    assert [given.turn for given in served.serving.answers(place.id)] == [1, 2]


def test_given_answers_are_never_changed(served: Store) -> None:
    answer(served, take(served, "ann"), "i1", 1)
    for statement in ("UPDATE given_answers SET turn = 9", "DELETE FROM given_answers"):
        with pytest.raises(WorkspaceError), served.database.write() as connection:
            connection.execute(text(statement))


def test_a_place_is_freed_when_its_time_is_over(served: Store) -> None:
    places = [take(served, f"p{number}") for number in range(5)]
    answer(served, places[0], "i1", 1)
    assert take(served, "late") == "serve.full"
    after = NOW + timedelta(hours=2)
    assert isinstance(take(served, "late", after), Place)
    assert served.serving.free("pilot", after) == 4
    assert served.serving.departed("pilot") == {("b1-US", "left"): 4}
    assert sorted(stop.answered for stop in served.serving.stops("pilot")) == [0, 1]


def test_an_answer_takes_a_place_up_again_while_there_is_room(served: Store) -> None:
    slow = take(served, "slow")
    after = NOW + timedelta(hours=2)
    assert answer(served, slow, "i1", 1, after).is_held(after)
    again = after + timedelta(hours=2)
    for number in range(5):
        take(served, f"p{number}", again)
    assert not answer(served, slow, "i2", 2, again).is_held(again)
    assert isinstance(slow, Place)
    assert len(served.serving.answers(slow.id)) == 1


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


def test_a_submission_that_cannot_be_made_leaves_the_place_open(served: Store) -> None:
    place = take(served, "ann")
    assert isinstance(place, Place)
    left = served.serving.finish(place.id, "complete", lambda _place, _answers: None)
    assert left is not None
    assert left.status == "open"


def test_a_complete_sheet_of_another_source_takes_a_place(served: Store) -> None:
    for number in range(5):
        place = take(served, f"p{number}")
        assert isinstance(place, Place)
        finish(served, place)
    assert take(served, "late", NOW + timedelta(days=1)) == "serve.full"


def test_declining_leaves_a_count(served: Store) -> None:
    place = take(served, "ann")
    assert isinstance(place, Place)
    assert served.serving.decline(place.id)
    assert not served.serving.decline(place.id)
    assert served.serving.place(place.id) is None
    assert served.serving.departed("pilot") == {("b1-US", "declined"): 1}


def test_who_takes_the_consent_away_leaves_no_answer(served: Store) -> None:
    place = take(served, "ann")
    assert isinstance(place, Place)
    answer(served, place, "i1", 1)
    assert served.serving.decline(place.id)
    assert served.serving.answers(place.id) == []
    assert served.serving.departed("pilot") == {("b1-US", "declined"): 1}
    assert served.erasures.receipts() == [{"given_answers": 1, "people": 1}]


def test_many_answer_at_once_and_the_same_twice(served: Store) -> None:
    places = [take(served, f"p{number}") for number in range(5)]
    failures: list[BaseException] = []

    def fill(place: Place | str) -> None:
        try:
            for turn in range(12):
                answer(served, place, f"i{turn}", turn)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=fill, args=(place,)) for place in places * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for place in places:
        assert isinstance(place, Place)
        assert [each.turn for each in served.serving.answers(place.id)] == list(range(12))
