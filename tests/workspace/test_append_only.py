"""What people typed stays: the database itself refuses to change or delete it."""

from __future__ import annotations

import pytest

from memeloc.workspace import Workspace, WorkspaceError
from memeloc.workspace.schema import APPEND_ONLY
from tests.workspace.conftest import answer, send


@pytest.fixture
def lived_in(filled: Workspace) -> Workspace:
    """A workspace with rows in every table that people write."""
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    (case_id,) = answer(filled, "s1", {"two": ""}, outcome="case", status="culture")
    filled.decide(case_id, person="eve")
    return filled


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("action", ["UPDATE {} SET meme_id = meme_id", "DELETE FROM {}"])
def test_no_row_is_changed_or_deleted(lived_in: Workspace, table: str, action: str) -> None:
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


def test_a_version_cannot_be_there_twice(lived_in: Workspace) -> None:
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


def test_a_row_refers_to_what_is_there(lived_in: Workspace) -> None:
    with (
        pytest.raises(WorkspaceError, match=r"(?i)foreign key"),
        lived_in.database.write() as connection,
    ):
        connection.exec_driver_sql(
            "INSERT INTO sheet_items (sheet_id, meme_id, position, source_id, base_id) "
            "VALUES ('nowhere', 'one', 0, 1, 1)"
        )
