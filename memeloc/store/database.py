"""One database, two kinds. In: a path or URL. Out: transactions, and sentences when it fails.

Writers take turns on both kinds, so that what a transaction has looked at holds until it ends:
SQLite by BEGIN IMMEDIATE, PostgreSQL by an advisory lock. Readers never wait.

SQLite runs in WAL mode with synchronous=FULL: a commit is on the disk when it returns, for nobody
types the same correction twice. Machine translations alone are written with NORMAL, which survives
a killed process but may lose the last moments to a power cut: they can be had again, and one wait
for the disk a caption would be most of their time.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from memeloc.errors import InputError, MemelocError, MissingError

BUSY_SECONDS = 60.0
"""How long a writer waits for another."""

_LOCK = 0x6D656D65  # "meme": the key of the advisory lock on PostgreSQL
_CREDENTIALS = re.compile(r"(//[^/@\s:]*):[^@\s]*@|(password=)\S+")


class WorkspaceError(MemelocError):
    """The workspace cannot be used or written to: where, why, and what to do."""


class Database:
    """A workspace's database.

    Attributes:
        name: what people know it by: the file's path, or the URL without its password.
        file: the SQLite file, or None.
    """

    def __init__(self, where: Path | str) -> None:
        """Prepare a database; nothing is opened yet.

        Args:
            where: a SQLite file, or a URL (postgresql:// or sqlite:///).

        Raises:
            InputError: it is no such URL.
            MissingError: the driver is not installed.
        """
        url = URL.create("sqlite", database=str(where)) if isinstance(where, Path) else _url(where)
        self.file = Path(url.database) if url.drivername == "sqlite" and url.database else None
        self.name = str(self.file) if self.file else _shown(url)
        if self.file:
            self._engine = create_engine(
                url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}
            )
            event.listen(self._engine, "connect", _prepare_sqlite)
            event.listen(self._engine, "begin", _begin_sqlite)
        else:
            try:
                self._engine = create_engine(url, pool_pre_ping=True)
            except ModuleNotFoundError as error:
                raise MissingError(
                    "PostgreSQL needs psycopg: pip install 'memeloc[postgresql]'"
                ) from error

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database and changes nothing."""
        with self._explained(), self._engine.connect() as connection, connection.begin():
            if not self.file:
                connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            yield connection

    @contextmanager
    def write(self, *, relaxed: bool = False) -> Iterator[Connection]:
        """A transaction that alone may write: all of it is stored, or nothing.

        Args:
            relaxed: do not wait until it is on the disk, see the module's text.
        """
        options = {"memeloc_write": True, "memeloc_relaxed": relaxed}
        with (
            self._explained(),
            self._engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            if not self.file:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
                if relaxed:
                    connection.execute(text("SET LOCAL synchronous_commit TO off"))
            yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the database says into a sentence that names it."""
        try:
            yield
        except DBAPIError as error:
            raise WorkspaceError(f"{self.name}: {_sentence(error, self.file)}") from error
        except sqlite3.Error as error:
            raise WorkspaceError(f"{self.name}: {_sqlite_sentence(error, self.file)}") from error


def without_password(words: str) -> str:
    """The words, with the password of any URL or connection string in them taken out."""
    return _CREDENTIALS.sub(
        lambda found: f"{found[1]}:***@" if found[1] else f"{found[2]}***", words
    )


def _url(words: str) -> URL:
    try:
        url = make_url(words)
    except ArgumentError as error:
        raise InputError(
            "The database's URL cannot be read; it looks like "
            "postgresql://name:password@host:5432/database."
        ) from error
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind == "sqlite" and url.database:
        return url.set(drivername="sqlite")
    raise InputError(
        f"A workspace's database is SQLite or PostgreSQL, not {url.drivername!r}; its URL begins "
        "with postgresql:// or sqlite:///."
    )


def _shown(url: URL) -> str:
    """The URL without any password."""
    plain = url.difference_update_query(("password", "sslpassword"))
    return plain.set(drivername="postgresql").render_as_string(hide_password=True)


def _prepare_sqlite(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves: the driver begins too late
    cursor = connection.cursor()
    try:
        _use_wal(cursor)
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA cache_size=-16000")
    finally:
        cursor.close()


def _use_wal(cursor: sqlite3.Cursor) -> None:
    """Turn WAL mode on, and wait for others who do so at the same time.

    SQLite refuses one of them at once: it does not wait where one that reads wants to write.
    """
    latest = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > latest:
                raise
            time.sleep(0.005)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    driver = connection.connection.dbapi_connection
    assert driver is not None
    cursor = driver.cursor()
    level = "NORMAL" if options.get("memeloc_relaxed") else "FULL"
    cursor.execute(f"PRAGMA synchronous={level}")
    cursor.execute("BEGIN IMMEDIATE" if options.get("memeloc_write") else "BEGIN")
    cursor.close()


def _sentence(error: DBAPIError, file: Path | None) -> str:
    original = error.orig
    if isinstance(original, sqlite3.Error):
        return _sqlite_sentence(original, file)
    state = getattr(original, "sqlstate", None) or ""
    said = without_password(" ".join(str(original).split()))
    if state == "53100":
        return (
            "The database server's disk is full. Nothing is lost: run the same command again when "
            "there is room."
        )
    if state in ("28P01", "28000"):
        return f"The database refuses the name or password ({said})."
    if state == "25006":
        return "The database is read-only; use an account or a server that may write."
    if not state:
        return f"The database server cannot be reached ({said}). Check the URL and the server."
    return f"The database refuses ({said})."


def _sqlite_sentence(error: sqlite3.Error, file: Path | None) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    again = "Nothing is lost: run the same command again"
    if code == sqlite3.SQLITE_FULL:
        return f"The disk is full. {again} when there is room."
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return (
            f"Another program has been writing to the database for over {BUSY_SECONDS:.0f} "
            f"seconds. {again} when it is done."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return (
            "The database or its folder cannot be written to. Copy the whole folder to where you "
            "may write, or have its permissions changed."
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return (
            "The file is damaged or no database. Put back a copy of it; where there is none, "
            "`sqlite3 memeloc.db .recover` saves what can be read."
        )
    if code == sqlite3.SQLITE_IOERR:
        return f"The disk cannot be read or written ({error}). {again} when that is mended."
    return f"The database refuses ({error})."
