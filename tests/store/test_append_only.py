"""What people typed stays: the database itself refuses to change or delete it."""

from __future__ import annotations

import pytest

from memeloc.curate.judgement import Judgement
from memeloc.curate.pairs import Pair
from memeloc.curate.verdict import Verdict
from memeloc.items import Refusal
from memeloc.store import FileRecord, Store, WorkspaceError
from memeloc.store.tables import APPEND_ONLY
from memeloc.survey.model import Answer, Batch, Participant, RejectedRow, Slot, Submission
from memeloc.survey.targets.protocol import Imported
from tests.store.conftest import answer, send
from tests.store.test_collected import caption, cat


@pytest.fixture
def lived_in(filled: Store) -> Store:
    """A store with rows in every table that people write."""
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    (case_id,) = answer(filled, "s1", {"two": ""}, outcome="case", status="culture")
    filled.cases.decide(case_id, person="eve")
    return filled


@pytest.mark.parametrize("table", APPEND_ONLY[:6])
@pytest.mark.parametrize("action", ["UPDATE {} SET meme_id = meme_id", "DELETE FROM {}"])
def test_no_row_is_changed_or_deleted(lived_in: Store, table: str, action: str) -> None:
    column = {"sheets": "person", "decisions": "person"}.get(table, "meme_id")
    statement = action.format(table).replace("meme_id", column)
    with lived_in.database.read() as connection:
        before = connection.exec_driver_sql(f"SELECT * FROM {table}").fetchall()
    assert before
    with (
        pytest.raises(WorkspaceError, match=f"{table} is append-only"),
        lived_in.database.write() as connection,
    ):
        connection.exec_driver_sql(statement)
    with lived_in.database.read() as connection:
        assert connection.exec_driver_sql(f"SELECT * FROM {table}").fetchall() == before


def test_a_version_cannot_be_there_twice(lived_in: Store) -> None:
    columns = (
        "meme_id, language, version, parts, stage, round, person, origin, translator, source_id, "
        "marks, characters, cost, currency, created_at"
    )
    with (
        pytest.raises(WorkspaceError, match=r"(?i)unique|captions_version_once"),
        lived_in.database.write() as connection,
    ):
        connection.exec_driver_sql(
            f"INSERT INTO captions ({columns}) SELECT {columns} FROM captions WHERE id = 1"
        )


def test_a_row_refers_to_what_is_there(lived_in: Store) -> None:
    with (
        pytest.raises(WorkspaceError, match=r"(?i)foreign key"),
        lived_in.database.write() as connection,
    ):
        connection.exec_driver_sql(
            "INSERT INTO sheet_items (sheet_id, meme_id, position, source_id, base_id) "
            "VALUES ('nowhere', 'one', 0, 1, 1)"
        )


@pytest.fixture
def collected(store: Store) -> Store:
    """A store with rows in every table of what was collected and surveyed."""
    store.items.add([cat(), caption(1, "a", "b"), caption(2, "A", "B")])
    one, two = (item.id for item in store.items.find("caption"))
    store.items.add_refusals([Refusal("site", "http://10.0.0.1/", "inside the network", "No.")])
    store.curation.add_verdicts([Verdict(one, "language", "keep", 0.9)])
    store.curation.add_pairs([Pair(*sorted((one, two)), "caption", "ask", {"text": 1.0})])
    told = Judgement(f"{one}|{two}", "duplicates", "ada", "same")
    store.curation.add_judgements(FileRecord("judgements", "j.csv", "j" * 64, 1), [told])
    store.curation.add_selection({}, [], [one])
    batch = Batch("r1-b01", 1, (Slot(one),), ("DE",), 5)
    store.surveys.add("pilot", {"seed": 1}, [batch])
    sent = Submission("s", "r1-b01-DE", "p", (Answer(one, "hate"),), "csv")
    left = RejectedRow("f.csv", 3, "unknown sheet", "There is none.")
    back = Imported((sent,), (Participant("p"),), (left,))
    store.surveys.add_submissions("pilot", FileRecord("submissions", "f", "f" * 64, 1), back)
    store.surveys.add_check("pilot", {}, {})
    store.surveys.add_labels("pilot", {}, [])
    return store


@pytest.mark.parametrize("table", APPEND_ONLY[6:])
def test_what_was_collected_and_answered_stays(collected: Store, table: str) -> None:
    column = {"pairs": "reason", "selection_items": "item_id", "survey_batches": "answers"}
    name = column.get(table, "created_at")
    for statement in (f"UPDATE {table} SET {name} = {name}", f"DELETE FROM {table}"):
        with (
            pytest.raises(WorkspaceError, match=f"{table} is append-only"),
            collected.database.write() as connection,
        ):
            connection.exec_driver_sql(statement)
    with collected.database.read() as connection:
        assert connection.exec_driver_sql(f"SELECT * FROM {table}").fetchall()


def test_what_is_said_again_is_stored_once(collected: Store) -> None:
    one, two = (item.id for item in collected.items.find("caption"))
    assert collected.curation.add_verdicts([Verdict(one, "language", "keep", 0.9)]) == 0
    assert collected.curation.add_verdicts([Verdict(one, "language", "drop", 0.1, "other")]) == 1
    assert collected.curation.verdicts("language")[one]["language"].verdict == "drop"
    pair = Pair(*sorted((one, two)), "caption", "ask", {"text": 1.0})
    first = collected.curation.add_pairs([pair])
    assert collected.curation.add_pairs([pair]) == first
    assert collected.curation.pairs() == [pair]
    assert collected.curation.add_pairs([]) > first
    assert collected.curation.pairs() == []
    again = Judgement(f"{one}|{two}", "duplicates", "ada", "different")
    file = FileRecord("judgements", "k.csv", "k" * 64, 1)
    assert collected.curation.add_judgements(file, [again]) == 1
    assert collected.curation.add_judgements(file, [again]) == 0
    assert [told.answer for told in collected.curation.judgements("duplicates")] == ["different"]
