"""What cannot work is a sentence, and nothing of it is stored."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memeloc.errors import InputError, MemelocError
from memeloc.store import Workspace, WorkspaceError, database

Write = Callable[..., Path]
SQLITE_ONLY = pytest.mark.parametrize("place", ["sqlite"], indirect=True)


def _check(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 400 kB of its own."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("may not mount a file system here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_stores_nothing_and_goes_on_when_there_is_room(
    small_disk: Path, write_table: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    table = write_table(*((f"m{n}", "cloud-monday", "word " * 60) for n in range(1500)))
    with Workspace.create(small_disk / "w") as workspace:
        with pytest.raises(WorkspaceError, match=r"memeloc\.db: The disk is full\. Nothing is"):
            workspace.import_captions(table)
        stored = workspace.count_memes()
        assert stored % 500 == 0  # whole transactions, or none
        assert len(workspace.table("captions")) == stored
    _check(small_disk / "w" / "memeloc.db")
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    with Workspace.open(small_disk / "w") as workspace:
        assert workspace.import_captions(table).memes == 1500 - stored
        assert len(workspace.table("history")) == 1500


def test_a_full_disk_keeps_an_export_that_was_there(
    small_disk: Path, workspace: Workspace, write_table: Write
) -> None:
    out = small_disk / "out.csv"
    out.write_text("before")
    workspace.import_captions(
        write_table(*((f"m{n}", "cloud-monday", "word " * 60) for n in range(1500)))
    )
    with pytest.raises(InputError, match="No space left on device"):
        workspace.export("captions", out)
    assert [(one.name, one.read_text()) for one in small_disk.iterdir()] == [("out.csv", "before")]


def test_a_read_only_file_system(
    small_disk: Path, write_table: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    with Workspace.create(small_disk / "w") as workspace:
        workspace.import_captions(write_table(("a", "cloud-monday", "x")))
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with (
        pytest.raises(WorkspaceError, match=r"cannot be written to\. Copy the whole folder"),
        Workspace.open(small_disk / "w") as workspace,
    ):
        workspace.import_captions(write_table(("b", "cloud-monday", "y")))
    with pytest.raises(OSError, match="Read-only file system"):
        Workspace.create(small_disk / "new")


@SQLITE_ONLY
def test_a_database_that_is_written_to_for_too_long(
    filled: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch, write_table: Write
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.2)
    with (
        closing(sqlite3.connect(place / "memeloc.db", isolation_level=None)) as other,
        Workspace.open(place) as workspace,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(WorkspaceError, match="Another program has been writing"):
            workspace.import_captions(write_table(("b", "cloud-monday", "y")))
        assert workspace.count_memes() == 3  # reading goes on
        other.execute("ROLLBACK")
        workspace.import_captions(write_table(("b", "cloud-monday", "y")))
        assert workspace.count_memes() == 4


@SQLITE_ONLY
@pytest.mark.parametrize("damage", ["text", "middle", "cut"])
def test_a_damaged_database(filled: Workspace, place: Path, damage: str) -> None:
    filled.close()
    file = place / "memeloc.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = file.read_bytes()
    file.write_bytes(
        {
            "text": b"this is no database at all, but it is long enough to look like a file " * 20,
            "middle": whole[:4096] + b"\xff" * (len(whole) - 4096),
            "cut": whole[: len(whole) // 2],
        }[damage]
    )
    with (
        pytest.raises(WorkspaceError, match="The file is damaged or not a database"),
        Workspace.open(place) as workspace,
    ):
        workspace.table("history")
    assert file.exists()


def test_a_password_is_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    Workspace.create(tmp_path / "w").close()
    for url in (
        "postgresql://ann:se%40cret@127.0.0.1:1/db",
        "postgres://ann:se%40cret@no.such.host.invalid/db?connect_timeout=2",
        "postgresql://ann@127.0.0.1:1/db?password=se%40cret",
    ):
        monkeypatch.setenv("MEMELOC_DATABASE_URL", url)
        with pytest.raises(WorkspaceError, match="cannot be reached") as caught:
            Workspace.open(tmp_path / "w")
        assert "postgresql" in str(caught.value)
        assert "se@cret" not in str(caught.value)
        assert "se%40cret" not in str(caught.value)
    monkeypatch.setenv("MEMELOC_DATABASE_URL", "mysql://ann:se%40cret@host/db")
    with pytest.raises(InputError, match="is SQLite or PostgreSQL, not 'mysql'") as wrong:
        Workspace.open(tmp_path / "w")
    assert "se%40cret" not in str(wrong.value)
    monkeypatch.setenv("MEMELOC_DATABASE_URL", "nonsense se%40cret")
    with pytest.raises(InputError, match="cannot be read; it looks like") as wrong:
        Workspace.open(tmp_path / "w")
    assert "se%40cret" not in str(wrong.value)


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_server_that_is_read_only(
    filled: Workspace, place: Path, write_table: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = os.environ["MEMELOC_DATABASE_URL"]
    joined = "&" if "?" in url else "?"
    option = f"{joined}options=-cdefault_transaction_read_only%3Don"
    monkeypatch.setenv("MEMELOC_DATABASE_URL", url + option)
    with Workspace.open(place) as workspace:
        assert workspace.count_memes() == 3
        with pytest.raises(WorkspaceError, match="The database is read-only"):
            workspace.import_captions(write_table(("b", "cloud-monday", "y")))
    assert filled.count_memes() == 3


def test_a_workspace_by_its_url(place: Path, filled: Workspace) -> None:
    url = os.environ.get("MEMELOC_DATABASE_URL") or f"sqlite:///{place / 'memeloc.db'}"
    with Workspace.open(url) as other:
        assert other.root is None
        assert other.count_memes() == 3
        assert other.folders("templates") == ()


def test_a_missing_driver_names_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(MemelocError, match=r"pip install 'memeloc\[postgresql\]'"):
        Workspace.open("postgresql://host/db")


@SQLITE_ONLY
def test_a_folder_that_moves_takes_its_data_along(filled: Workspace, place: Path) -> None:
    filled.close()
    shutil.move(place, place.with_name("moved"))
    with Workspace.open(place.with_name("moved")) as workspace:
        assert workspace.count_memes() == 3
