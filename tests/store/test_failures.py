"""What cannot work is a sentence, and nothing of it is stored."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memeloc.errors import InputError, MemelocError
from memeloc.store import Store, WorkspaceError, database
from memeloc.store.database import MissingDatabaseError
from tests.store.conftest import import_table, reopen

Write = Callable[..., Path]
SQLITE_ONLY = pytest.mark.parametrize("place", ["sqlite"], indirect=True)


def _check(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 600 kB of its own."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("may not mount a file system here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_stores_nothing_until_there_is_room(
    small_disk: Path, write_table: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    table = write_table(*((f"m{n}", "cloud-monday", "word " * 120) for n in range(1500)))
    with Store.create(small_disk) as store:
        with pytest.raises(WorkspaceError, match=r"memeloc\.db: The disk is full\. Nothing is"):
            import_table(store, table)
        stored = store.captions.count()
        assert stored % 500 == 0  # whole transactions, or none
        assert len(store.exports.frame("captions")) == stored
    _check(small_disk / "memeloc.db")
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    with Store.open(small_disk) as store:
        assert import_table(store, table).memes == 1500 - stored
        assert len(store.exports.frame("history")) == 1500


def test_a_full_disk_keeps_an_export_that_was_there(
    small_disk: Path, store: Store, write_table: Write
) -> None:
    out = small_disk / "out.csv"
    out.write_text("before")
    import_table(
        store, write_table(*((f"m{n}", "cloud-monday", "word " * 120) for n in range(1500)))
    )
    with pytest.raises(InputError, match="No space left on device"):
        store.exports.write("captions", out)
    assert [(row.name, row.read_text()) for row in small_disk.iterdir()] == [("out.csv", "before")]


@SQLITE_ONLY
def test_a_database_that_is_written_to_for_too_long(
    filled: Store, place: Path, monkeypatch: pytest.MonkeyPatch, write_table: Write
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.2)
    with (
        closing(sqlite3.connect(place / "memeloc.db", isolation_level=None)) as other,
        reopen(place) as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(WorkspaceError, match="Another program has been writing"):
            import_table(store, write_table(("b", "cloud-monday", "y")))
        assert store.captions.count() == 3  # reading goes on
        other.execute("ROLLBACK")
        import_table(store, write_table(("b", "cloud-monday", "y")))
        assert store.captions.count() == 4


@SQLITE_ONLY
@pytest.mark.parametrize("damage", ["text", "middle", "cut"])
def test_a_damaged_database(filled: Store, place: Path, damage: str) -> None:
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
        reopen(place) as store,
    ):
        store.exports.frame("history")
    assert file.exists()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgresql://ann:se%40cret@127.0.0.1:1/db", "cannot be reached"),
        ("postgres://ann:se%40cret@no.such.host.invalid/db?connect_timeout=2", "cannot be reached"),
        ("postgresql://ann@127.0.0.1:1/db?password=se%40cret", "cannot be reached"),
        ("postgresql://ann:se@cret@127.0.0.1:1/db", "write @ as %40"),
        ("postgresql://ann:se:@cret:x@127.0.0.1/db", "write @ as %40"),
        ("postgresql://ann:x@se/@cret@127.0.0.1/db", "write @ as %40"),
        ("postgresql://ann:se@cret:se%zz@host:5432/db", "write @ as %40"),
        ("postgresql://ann:se:cret:@127.0.0.1:1/db", "cannot be reached"),
        ("postgresql://ann:x@host:secret/db", "cannot be read; it looks like"),
        ("mysql://ann:se%40cret@host/db", "is SQLite or PostgreSQL, not 'mysql'"),
        ("nonsense se%40cret", "cannot be read; it looks like"),
    ],
)
def test_a_password_is_never_shown(tmp_path: Path, url: str, sentence: str) -> None:
    with pytest.raises(MemelocError, match=sentence) as caught:
        Store.open(tmp_path, url)
    for part in ("secret", "se@cret", "se%40cret", "se:cret", "cret@", "@cret", "se%zz"):
        assert part not in str(caught.value)
    if isinstance(caught.value, InputError):
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.slow
@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_server_that_is_read_only(
    filled: Store, place: Path, write_table: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = os.environ["MEMELOC_DATABASE_URL"]
    joined = "&" if "?" in url else "?"
    option = f"{joined}options=-cdefault_transaction_read_only%3Don"
    monkeypatch.setenv("MEMELOC_DATABASE_URL", url + option)
    with reopen(place) as store:
        assert store.captions.count() == 3
        with pytest.raises(WorkspaceError, match="The database is read-only"):
            import_table(store, write_table(("b", "cloud-monday", "y")))
    assert filled.captions.count() == 3


def test_a_missing_driver_names_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(MemelocError, match=r"pip install 'memeloc\[postgresql\]'"):
        Store.open("postgresql://host/db")


@SQLITE_ONLY
def test_a_folder_that_moves_takes_its_data_along(filled: Store, place: Path) -> None:
    filled.close()
    shutil.move(place, place.with_name("moved"))
    with Store.open(place.with_name("moved")) as store:
        assert store.captions.count() == 3


@SQLITE_ONLY
@pytest.mark.parametrize("state", ["missing", "empty", "no tables"])
def test_a_database_that_is_gone_is_not_made_anew(filled: Store, place: Path, state: str) -> None:
    filled.close()
    file = place / "memeloc.db"
    file.unlink()
    if state != "missing":
        file.touch()
    if state == "no tables":
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("VACUUM")
    with pytest.raises(MissingDatabaseError, match=r"is missing or empty.*Put back a copy"):
        Store.open(place)
    assert file.exists() == (state != "missing")
    with Store.create(place) as anew:
        assert anew.captions.count() == 0


@SQLITE_ONLY
@pytest.mark.parametrize("in_use", [True, False])
def test_a_folder_of_somebody_else_can_be_read(filled: Store, place: Path, in_use: bool) -> None:
    if not in_use:
        filled.close()
    with tempfile.TemporaryDirectory() as shared:  # pytest's folders are their owner's only
        folder = Path(shared) / "theirs"
        shutil.copytree(place, folder)
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        Path(shared).chmod(0o755)
        child = os.fork()
        if not child:
            if os.geteuid() == 0:
                os.setuid(65534)
            with contextlib.suppress(BaseException), Store.open(folder) as store:
                os._exit(store.captions.count())
            os._exit(99)
        _, status = os.waitpid(child, 0)
        folder.chmod(0o755)
    assert os.waitstatus_to_exitcode(status) == 3
