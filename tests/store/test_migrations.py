"""Schemas: made from empty, as the tables say, brought up to date once, refused when newer."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from memeloc.store import Store, WorkspaceError
from memeloc.store import migrating as store_migrating
from memeloc.store.database import Database
from memeloc.store.migrating import FOLDER, HEAD, migrate
from memeloc.store.tables import metadata
from tests.store.conftest import reopen

NEXT = "schema_next"

FUTURE = '''
"""The schema after the newest, for tests."""
import sqlalchemy as sa
from alembic import op
revision, down_revision, branch_labels, depends_on = "{next}", "{head}", None, None
def upgrade():
    op.add_column("memes", sa.Column("colour", sa.Text))
    {more}
'''


def _next(folder: Path, more: str = "") -> Path:
    shutil.copytree(FOLDER / "versions", folder / "versions")
    words = FUTURE.format(next=NEXT, head=HEAD, more=more)
    (folder / "versions" / f"{NEXT}.py").write_text(words)
    return folder


def test_a_new_database_has_what_the_tables_say(store: Store) -> None:
    with store.database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_the_newest_migration_is_the_one_the_program_wants() -> None:
    assert ScriptDirectory(str(FOLDER)).get_current_head() == HEAD


def test_an_older_database_is_copied_and_brought_up_to_date(filled: Store, tmp_path: Path) -> None:
    folder = _next(tmp_path / "newer")
    history = filled.exports.frame("history")
    migrate(filled.database, folder=folder, head=NEXT)
    migrate(filled.database, folder=folder, head=NEXT)
    with filled.database.read() as connection:
        assert connection.exec_driver_sql("SELECT colour FROM memes").fetchall() == [(None,)] * 3
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").fetchall()
    assert [tuple(row) for row in version] == [(NEXT,)]
    assert filled.exports.frame("history").equals(history)
    if filled.database.file:
        copy = filled.database.file.with_name(f"memeloc.db.before-{NEXT}")
        with closing(sqlite3.connect(copy)) as connection:
            assert connection.execute("SELECT count(*) FROM captions").fetchone() == (6,)
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_database_of_schema_1_becomes_as_a_new_one(tmp_path: Path) -> None:
    file, new = tmp_path / "memeloc.db", tmp_path / "new.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((Path(__file__).parent / "schema_1.sql").read_text("utf-8"))
    migrate(Database(file))
    new.touch()
    migrate(Database(new), create=True)
    triggers = []
    for each in (file, new):
        with Database(each).read() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, metadata) == []
            sql = "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
            triggers.append(connection.exec_driver_sql(sql).fetchall())
    assert triggers[0] == triggers[1]
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM files").fetchall() == [("",)]
        assert connection.execute("SELECT count(*) FROM submissions").fetchone() == (1,)


def test_a_migration_that_fails_leaves_everything_as_it_was(filled: Store, tmp_path: Path) -> None:
    folder = _next(tmp_path / "broken", more='op.execute("SELECT nothing FROM nowhere")')
    with pytest.raises(WorkspaceError):
        migrate(filled.database, folder=folder, head=NEXT)
    migrate(filled.database)
    with filled.database.read() as connection:
        names = connection.exec_driver_sql("SELECT * FROM memes").keys()
    assert "colour" not in names
    assert len(filled.exports.frame("history")) == 6


def test_a_newer_schema_is_a_sentence(store: Store, place: Path) -> None:
    with store.database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0099'")
    with pytest.raises(WorkspaceError, match="schema 0099, which a newer memeloc made"):
        reopen(place)


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    with pytest.raises(WorkspaceError, match=r"not those of a workspace \(recipes\)"):
        migrate(Database(file))
    with closing(sqlite3.connect(file)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("recipes",)]


def test_several_make_a_store_at_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = os.environ.get("MEMELOC_DATABASE_URL", "")
    if url:
        with psycopg.connect(url) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public;")
    upgrade: Callable[..., None] = store_migrating._upgrade
    done: list[int] = []
    monkeypatch.setattr("memeloc.store.store.migrate", migrate)  # no copy of one made before
    monkeypatch.setattr(store_migrating, "_upgrade", lambda *all_: (done.append(1), upgrade(*all_)))
    start = threading.Barrier(4)
    failures: list[BaseException] = []

    def enter() -> None:
        start.wait()
        try:
            with Store.create(place, url) as store:
                assert store.captions.count() == 0
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert done == [1]


def test_schema_8_binds_what_was_judged_to_what_it_was(tmp_path: Path) -> None:
    file, before = tmp_path / "memeloc.db", tmp_path / "before"
    shutil.copytree(FOLDER / "versions", before / "versions")
    for later in range(8, int(HEAD.removeprefix("schema_")) + 1):
        (before / "versions" / f"schema_{later}.py").unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((Path(__file__).parent / "schema_1.sql").read_text("utf-8"))
    migrate(Database(file), folder=before, head="schema_7")
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(_COLLECTED)
    with Store.open(tmp_path) as store:
        # The picture was replaced at two o'clock, and judged before and after.
        assert [row.answer for row in store.curation.judgements()] == ["no"]
        assert [row.answer for row in store.curation.judgements(earlier=True)] == ["yes", "no"]
        assert store.curation.verdicts()["cat-1"]["quality"].reason == "new"
        (earlier,) = store.curation.earlier_verdicts("cat-1")
        assert earlier.reason == "old"
        assert [pair.subject for pair in store.curation.pairs()] == ["cat-1|cat-2"]
        assert store.transcripts.all()["cat-2"].parts == ("tea",)
        (_, second) = store.items.find()
        assert (second.parts, second.origin.dataset) == (("tea",), "")
        with pytest.raises(WorkspaceError), store.database.write() as connection:
            connection.exec_driver_sql("UPDATE judgements SET answer = 'other'")


_COLLECTED = f"""
INSERT INTO pictures VALUES ('{"a" * 64}', 'PNG', 8, 8, 90, '2026-01-01T00:00:00Z'),
    ('{"b" * 64}', 'PNG', 8, 8, 90, '2026-01-01T00:00:00Z');
INSERT INTO items VALUES (1, 'cat-1', 'folder', 'picture', '1.png', 'k1', '2026-01-01T01:00:00Z'),
    (2, 'cat-2', 'folder', 'picture', '2.png', 'k2', '2026-01-01T01:00:00Z');
INSERT INTO item_versions (item_id, version, name, parent_hash, parts, language, content, picture,
        url, terms, created_at) VALUES
    ('cat-1', 1, '1', '', '["hi"]', 'en', '{{}}', '{"a" * 64}', '', '', '2026-01-01T01:00:00Z'),
    ('cat-1', 2, '1', '', '["hi"]', 'en', '{{}}', '{"b" * 64}', '', '', '2026-01-01T02:00:00Z'),
    ('cat-2', 1, '2', '', '[]', 'en', '{{}}', '{"b" * 64}', '', '', '2026-01-01T01:00:00Z');
INSERT INTO memes (id, kind, template, source_language, item_id, created_at) VALUES
    ('text:cat-2', 'transcript', '', 'en', 'cat-2', '2026-01-01T01:10:00Z');
INSERT INTO captions (meme_id, language, version, parts, stage, round, person, origin, translator,
        marks, characters, cost, currency, created_at) VALUES
    ('text:cat-2', 'en', 1, '["tea"]', 'read', 0, '', '', '', '[]', 0, 0, '',
        '2026-01-01T01:10:00Z');
INSERT INTO files (id, kind, name, sha256, rows, created_at) VALUES
    (900, 'judgements', 'a.csv', 'f', 2, '2026-01-01T01:30:00Z');
INSERT INTO judgements (file_id, row, subject, question, person, answer, comment, created_at) VALUES
    (900, 1, 'cat-1', 'cartoon', 'Ana', 'yes', '', '2026-01-01T01:30:00Z'),
    (900, 2, 'cat-1', 'cartoon', 'Bo', 'no', '', '2026-01-01T03:00:00Z');
INSERT INTO verdicts (item_id, filter, verdict, reason, evidence, settings, created_at) VALUES
    ('cat-1', 'quality', 'drop', 'old', '{{}}', '"s"', '2026-01-01T01:30:00Z'),
    ('cat-1', 'quality', 'drop', 'new', '{{}}', '"s"', '2026-01-01T03:00:00Z');
INSERT INTO pair_sets VALUES (1, '{{}}', '2026-01-01T03:00:00Z');
INSERT INTO pairs VALUES (1, 'cat-1', 'cat-2', 'hash', 'ask', '{{}}', 'near');
"""
