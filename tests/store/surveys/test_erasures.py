"""Erasing people: all that is theirs goes, nothing else does, and no file brings them back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.store import FileRecord, Store, WorkspaceError
from memeloc.store.surveys.erasures import NOTHING_COMPUTED, tables_of_people
from memeloc.store.surveys.participant_ids import ERASURE_KEY
from memeloc.store.tables import metadata
from memeloc.survey.model import (
    Answer,
    Batch,
    Culture,
    LabelDecision,
    Participant,
    RejectedRow,
    Sheet,
    Slot,
    Submission,
)
from memeloc.survey.serving import Place
from memeloc.survey.targets.protocol import Imported
from tests.store.conftest import reopen

ADA, BEN = "5e848123456789012345670a", "5e848123456789012345670b"
HOUR = datetime(2026, 6, 1, 12, tzinfo=UTC)
WITHOUT_PEOPLE = {"surveys", "survey_batches", "survey_states", "departures", "label_decisions"}
"""Tables of surveys whose rows are of no person; states are searched for mentions, and who took
part in a decision stands in a table of its own."""


def sent(who: str) -> Submission:
    return Submission(f"sent-{who}", "r1-b01-DE", who, (Answer("m1", {"label": ("hate",)}),), "csv")


def back(*people: str) -> Imported:
    """What a file holds of people: answers, facts, and a row that could not be resolved."""
    return Imported(
        tuple(map(sent, people)),
        tuple(Participant(who, {"age": "41"}, f"sub-{who}") for who in people),
        tuple(
            RejectedRow("f", 9, "unknown column", f"It says {who!r}.", {"Notes": f"{who}"}, "")
            for who in people
        ),
    )


def file(name: str) -> FileRecord:
    return FileRecord("submissions", "csv", name.ljust(64, "0"), 1)


@pytest.fixture
def surveyed(store: Store) -> Store:
    """Answers of two people in two surveys, by file and at the server, and what was made of it."""
    for name in ("pilot", "main"):
        store.surveys.add(name, {"seed": 1}, [Batch("r1-b01", 1, (Slot("m1"),), ("DE",), 5)])
        store.surveys.add_submissions(name, file(f"{name}-both"), back(ADA, BEN))
        store.surveys.add_result(name, "check", {}, {"aside": [name]})
    store.surveys.add_submissions("pilot", file("ada-alone"), back(ADA))
    store.surveys.add("other", {"seed": 2}, [])
    store.surveys.add_result("other", "check", {}, {"aside": []})
    hashed = store.surveys.hash_participant
    both = tuple(map(hashed, (ADA, BEN)))
    decision = LabelDecision("m1", "DE", {"label": ("hate",)}, both, "irony")
    store.surveys.add_decisions("pilot", [decision])
    for who in (ADA, BEN):
        sheet = Sheet(
            *("r1-b01-DE", "pilot", "r1-b01", 1, Culture("DE", default().get("de"))),
            *("multi3hate", (), 5),
        )
        until = HOUR + timedelta(hours=1)
        wanted = Place("", "pilot", "", hashed(who), "", "open", until, HOUR)
        taken = store.serving.take(wanted, lambda _, s=sheet: s, lambda _: True)
        assert isinstance(taken, Place)
        store.serving.agree(taken.id, {"consent": {}})
        store.serving.add_answer(taken.id, "m1", 1, {"label": "hate"}, until, HOUR, lambda *_: True)
        key = f"decided/{hashed(f'sub-{who}')}"
        store.surveys.put_state("pilot", "prolific", key, "approve")
        notes = {"paid": [hashed(who)], hashed(who): 1, "texts": "hate"}
        store.surveys.put_state("pilot", "prolific", f"notes/{who[-1]}", notes)
    return store


def rows(store: Store) -> dict[str, list[str]]:
    with store.database.read() as connection:
        return {
            table.name: [str(tuple(row)) for row in connection.execute(select(table))]
            for table in metadata.sorted_tables
        }


def test_every_table_of_surveys_is_covered() -> None:
    reached = {table.name for table in metadata.sorted_tables if "participant" in table.c}
    for table in metadata.sorted_tables:  # those that are referred to come first
        refers = {key.column.table.name for column in table.c for key in column.foreign_keys}
        if refers & reached:
            reached.add(table.name)
        if "surveys" in refers | {table.name} or table.name in reached:
            of_people = table.name in reached | {"survey_results"}
            assert table.info["people"] == of_people, table.name
            assert of_people != (table.name in WITHOUT_PEOPLE), table.name


def test_a_person_is_erased_from_every_table(surveyed: Store) -> None:
    before = rows(surveyed)
    erasure = surveyed.erasures.erase([ADA])
    after = rows(surveyed)
    ada, ben = map(surveyed.surveys.hash_participant, (ADA, BEN))
    for name, texts in after.items():
        assert not any(ADA in text or ada in text for text in texts), name
    for name in ("submissions", "survey_participants", "survey_places"):
        kept = [text for text in before[name] if ben in text]
        assert kept
        assert after[name] == kept, name
    assert len(after["given_answers"]) == len(after["label_deciders"]) == 1
    assert after["label_decisions"] == before["label_decisions"]
    assert len(after["rejected_rows"]) == 2
    assert len(after["files"]) == len(before["files"]) - 1
    assert [text for text in after["survey_results"] if "other" in text]
    for name in erasure["surveys"]:  # what was computed goes, by what settings stays
        for kind in ("check", "labels"):
            computed = surveyed.surveys.result(name, kind)
            assert computed is None or computed[1] == NOTHING_COMPUTED[kind]
    assert erasure["surveys"] == ("main", "pilot")
    assert surveyed.surveys.state("pilot", "prolific") == {
        f"decided/{surveyed.surveys.hash_participant(f'sub-{BEN}')}": "approve",
        "notes/a": {"paid": [], "texts": "hate"},
        "notes/b": {"paid": [ben], ben: 1, "texts": "hate"},
    }


def test_the_receipt_counts_and_names_nobody(surveyed: Store) -> None:
    surveyed.erasures.erase([ADA])
    (receipt,) = surveyed.erasures.receipts()
    assert receipt == {
        **{"people": 1, "answers": 2, "submissions": 2, "survey_participants": 2},
        **{"rejected_rows": 3, "survey_results": 2, "survey_places": 1, "given_answers": 1},
        "label_deciders": 1,
        **{"survey_states": 2, "files": 1},
    }


def test_no_file_brings_an_erased_person_back(surveyed: Store) -> None:
    surveyed.erasures.erase([ADA])
    before = rows(surveyed)
    hashed = surveyed.surveys.hash_participant(ADA)
    for number, who in enumerate((ADA, hashed)):  # a service's file, and a table written here
        again = surveyed.surveys.add_submissions("main", file(f"again-{number}"), back(who))
        assert (again["new"], again["new_participants"], again["erased"]) == (0, 0, 3)
    assert rows(surveyed) == before
    both = surveyed.surveys.add_submissions("main", file("both"), back(ADA, "c" * 24))
    assert (both["new"], both["erased"]) == (1, 3)


def test_outside_an_erasure_nothing_is_deleted(surveyed: Store) -> None:
    surveyed.erasures.erase([ADA])
    for table in tables_of_people():
        if table.info["append_only"]:
            with (
                pytest.raises(WorkspaceError, match=f"{table.name} is append-only"),
                surveyed.database.write() as connection,
            ):
                connection.exec_driver_sql(f"DELETE FROM {table.name}")


def test_another_key_of_erased_people_is_refused(surveyed: Store, place: Path) -> None:
    surveyed.erasures.erase([ADA])
    (place / ERASURE_KEY.file).write_text("another")
    with (
        reopen(place) as store,
        pytest.raises(InputError, match=r"Put erasure\.key back"),
    ):
        store.surveys.add_submissions("main", file("again"), back(ADA))
