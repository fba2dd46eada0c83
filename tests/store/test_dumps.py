"""A database as plain files: the same bytes after any way there and back, and nobody comes back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store import Store
from memeloc.store.database import WorkspaceError
from memeloc.store.dumps import (
    Manifest,
    begin,
    complete,
    dumped_tables,
    read_manifest,
    read_rows,
)
from memeloc.store.tables.captions import files
from tests.each import each
from tests.store.conftest import import_table
from tests.store.surveys.test_erasures import ADA, BEN, back, file, rows, surveyed
from tests.store.test_databases import lived_in

__all__ = ["lived_in", "surveyed"]  # fixtures, used by name


def dump(store: Store, folder: Path) -> Path:
    begin(folder)
    files, _ = store.dumps.write(folder, lambda *_: None)
    complete(folder, Manifest(files=sorted(files, key=lambda each: each.path)))
    return folder


def load(store: Store, folder: Path) -> Store:
    store.dumps.load(folder, read_manifest(folder), lambda *_: None)
    return store


def content(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a store, on SQLite: where PostgreSQL matters it is started by the test."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    return tmp_path / "work"


def test_dump_load_and_dump_are_byte_identical(
    lived_in: Store, tmp_path: Path, postgresql: Callable[[], str], write_table: Callable[..., Path]
) -> None:
    first = dump(lived_in, tmp_path / "first")
    with load(Store.create(postgresql()), first) as server:
        second = dump(server, tmp_path / "second")
        assert content(second) == content(first)
        # Work goes on there: what is new gets ids that no loaded row has.
        table = write_table(("four", "robot-chef", "fourth"), name="more.csv")
        assert import_table(server, table).memes == 1
        (item,) = server.captions.to_translate("de", meme_ids=["four"])
        german = Caption(("vier",))
        source = item.source.id
        server.captions.add_translation("four", "de", german, source_id=source, translator="x")
    with load(Store.create(tmp_path / "back"), second) as store:
        assert content(dump(store, tmp_path / "third")) == content(first)
        again = store.dumps.load(second, read_manifest(second), lambda *_: None)
        assert again is None


EARLIER = Path(__file__).with_name("dump_schema_10")
"""A dump that memeloc 0.1.0 wrote, of three memes that two people corrected."""


def test_a_dump_of_the_schema_before_is_loaded(place: Path, tmp_path: Path) -> None:
    with load(Store.create(place), EARLIER) as store:
        found = rows(store)
        assert [row[-1] for row in found["drops"]]
        (case, _) = store.cases.find(decided=None)
        assert {answer.person for answer in case.answers} == {"anna", "ben"}
        assert store.captions.current("de")["m2"].parts == ("Endlich", "Freitag")
        again = dump(store, tmp_path / "again")
    tables = {name: text for name, text in content(EARLIER).items() if name.startswith("tables/")}
    assert {name: content(again)[name] for name in tables} == tables


def test_a_database_of_another_schema_is_refused(place: Path) -> None:
    place.mkdir()
    for statement, sentence in (
        (
            "CREATE TABLE alembic_version (version_num TEXT)",
            "memeloc dump DIR.*memeloc init FOLDER --from DIR",
        ),
        (
            "CREATE TABLE schema_version (version TEXT)",
            "memeloc dump DIR.*memeloc init FOLDER --from DIR",
        ),
        ("CREATE TABLE thesis (text TEXT)", "not those of a workspace .thesis."),
    ):
        file = place / "memeloc.db"
        file.unlink(missing_ok=True)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(statement)
            if "schema_version" in statement:
                connection.execute("INSERT INTO schema_version VALUES ('schema_99')")
            connection.commit()
        with pytest.raises(WorkspaceError, match=sentence):
            Store.open(place)


def test_the_guide_lists_every_table() -> None:
    guide = (Path(__file__).parents[2] / "guides" / "workspace.md").read_text(encoding="utf-8")
    section = guide.partition("**Reading it.**")[2]
    assert [table.name for table in dumped_tables() if f"`{table.name}`" not in section] == []


LINE = (
    '{"created_at":"2026-11-22T09:00:00.000000Z","id":1,"kind":"captions","name":"a.csv",'
    '"rows":3,"sha256":"00"}'
)


@each(
    ("old", "new", "sentence"),
    [
        ('"captions"', "7", "column kind: .* 7 cannot stand here"),
        ('"captions"', "null", "column kind: .* null cannot stand here"),
        (":3,", ':"3",', "column rows: "),
        (":3,", ":true,", "column rows: "),
        ('"rows"', '"rosw"', "its fields are not those of files"),
        ("{", "", "f.jsonl, row 2: The line is not a row of the table files"),
        ('Z"', '"', "column created_at: .* has no time zone"),
        ("2026-11", "2026-13", "column created_at: "),
    ],
)
def test_a_line_that_is_no_row_is_named(old: str, new: str, sentence: str) -> None:
    lines = [LINE.encode(), LINE.replace(old, new).encode()]
    read = read_rows(lines, files, Path("f.jsonl"))
    assert next(read)["rows"] == 3
    with pytest.raises(InputError, match=sentence):
        next(read)


def test_who_was_erased_here_stays_out(surveyed: Store, tmp_path: Path) -> None:
    before = dump(surveyed, tmp_path / "before")
    (tmp_path / "new").mkdir()
    for name in ("survey.key",):
        (tmp_path / "new" / name).write_bytes((tmp_path / "work" / name).read_bytes())
    with Store.create(tmp_path / "new") as store:
        store.erasures.erase([ADA])
        done = store.dumps.load(before, read_manifest(before), lambda *_: None)
        ada, ben = map(store.surveys.hash_participant, (ADA, BEN))
        assert (ada in str(rows(store)), ben in str(rows(store))) == (False, True)
        assert done is not None
        assert done["submissions"] == 2
        again = store.surveys.add_submissions("main", file("again"), back(ADA))
        assert (again["new"], again["erased"]) == (0, 3)
        assert len(store.erasures.receipts()) == 2


def test_who_was_erased_before_the_dump_stays_out(surveyed: Store, tmp_path: Path) -> None:
    surveyed.erasures.erase([ADA])
    folder = dump(surveyed, tmp_path / "dump")
    (tmp_path / "new").mkdir()
    for name in ("survey.key", "erasure.key"):
        (tmp_path / "new" / name).write_bytes((tmp_path / "work" / name).read_bytes())
    with load(Store.create(tmp_path / "new"), folder) as store:
        again = store.surveys.add_submissions("main", file("again"), back(ADA))
        assert (again["new"], again["erased"]) == (0, 3)
