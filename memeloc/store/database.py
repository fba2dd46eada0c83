"""One database, two kinds. In: a path or URL. Out: its tables, transactions, sentences on failure.

A SQLite file is never made by opening it, see `Store.create`; one that may not be written to, on a
read-only file system or in another's folder, is opened for reading. There is one schema, without
migrations: a database of another one is refused, for a dump leads from one to another.

Writers take turns on both kinds, so that what a transaction has looked at holds until it ends:
SQLite by BEGIN IMMEDIATE, PostgreSQL by an advisory lock. Readers never wait.

SQLite runs in WAL mode with synchronous=FULL: a commit is on the disk when it returns, for nobody
types the same correction twice. Machine translations alone are written with NORMAL, which survives
a killed process but may lose the last seconds to a power cut: they can be had again, and one wait
for the disk a caption would be most of their time.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.exc import ArgumentError, DBAPIError

from memeloc.errors import InputError, MemelocError, MissingError
from memeloc.files import locked

SCHEMA = "schema_11"
"""What a database and a dump say that they are."""

DUMPED = (SCHEMA, "schema_10")
"""The schemas whose dumps can be loaded: what they lack is empty."""

BUSY_SECONDS = 60.0
"""How long a writer waits for another."""

SYNCHRONOUS = "FULL"
"""SQLite's level of waiting for the disk at a commit."""

_MARK = sa.Table(
    "schema_version", sa.MetaData(), sa.Column("version", sa.String(40), primary_key=True)
)
_UNREADABLE = (
    "The database's URL cannot be read; it looks like "
    "postgresql://name:password@host:5432/database. In a name or password write @ as %40, : as "
    "%3A, / as %2F and % as %25."
)
_LOCK = 0x6D656D65  # "meme": the key of the advisory lock on PostgreSQL
_CREDENTIALS = re.compile(r"(//[^/@\s:]*):[^@\s]*@|(password=)\S+")


class WorkspaceError(MemelocError):
    """The workspace cannot be used or written to: where, why, and what to do."""


class MissingDatabaseError(WorkspaceError):
    def __init__(self, file: Path) -> None:
        super().__init__(
            f"{file}: The database is missing or empty, so what the workspace held is not here. "
            "Put back a copy of it; to begin anew without one, run `memeloc init` in the folder."
        )


class Database:
    """A workspace's database, opened when it is used: a SQLite file, or a URL (postgresql:// or
    sqlite:///). Its `name` is the file's path, or the URL without its password."""

    def __init__(self, where: Path | str) -> None:
        """Raise InputError if it is no such URL, MissingError if the driver is not installed."""
        url = URL.create("sqlite", database=str(where)) if isinstance(where, Path) else _url(where)
        if url.drivername == "sqlite" and url.database:
            self.file: Path | None = Path(url.database)
            self.name = str(self.file)
            self._engine = create_engine(url, creator=self._connect_sqlite)
            sa.event.listen(self._engine, "begin", _begin_sqlite)
            return
        self.file = None
        plain = url.difference_update_query(("password", "sslpassword"))
        self.name = plain.set(drivername="postgresql").render_as_string(hide_password=True)
        try:
            self._engine = create_engine(url, pool_pre_ping=True)
        except ModuleNotFoundError as error:
            raise MissingError(
                "PostgreSQL needs psycopg: pip install 'memeloc[postgresql]'"
            ) from error

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the database and changes nothing."""
        with self._explained(), self._engine.connect() as connection, connection.begin():
            if not self.file:
                connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            yield connection

    @contextmanager
    def write(
        self, *, relaxed: bool = False, shared: bool = False, dry_run: bool = False
    ) -> Iterator[Connection]:
        """Open a transaction that alone may write: all is stored, or (of a `dry_run`) nothing.

        A `relaxed` one does not wait until it is on the disk, see the module's text. `shared` ones
        run beside each other on PostgreSQL, which then waits for the disk once for several: what
        they look at holds only where they lock its rows.
        """
        options = {"memeloc_write": True, "memeloc_relaxed": relaxed}
        with (
            self._explained(),
            self._engine.connect().execution_options(**options) as connection,
            connection.begin() as transaction,
        ):
            if not self.file:
                lock = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
                connection.execute(sa.text(f"SELECT {lock}({_LOCK})"))
                if relaxed:
                    connection.execute(sa.text("SET LOCAL synchronous_commit TO off"))
            yield connection
            if dry_run:
                transaction.rollback()

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the workspace for one run of a kind, as `translate`, until the process ends: others
        write meanwhile, but a second run does not do, and pay for, the same. SQLite: a locked file
        beside the database; PostgreSQL: a session's advisory lock.

        Raise InputError if another run of the kind is at work, WorkspaceError if the folder cannot
        be written to.
        """
        busy = (
            f"Another `memeloc {name}` is at work in this workspace; run the same again when it "
            "is done."
        )
        with ExitStack() as stack:
            if self.file:
                lock = self.file.with_name(f"{self.file.name}.{name}.lock")
                try:
                    lock.touch()
                except OSError as error:
                    sentence = f"{lock}: cannot be written ({error.strerror})."
                    raise WorkspaceError(sentence) from error
                stack.enter_context(locked(lock, self.file.parent, busy))
            else:
                with self._explained():
                    connection = stack.enter_context(self._by_statement().connect())
                    connection.detach()  # so that its end is the session's, and with it the lock's
                    query = sa.text("SELECT pg_try_advisory_lock(:key, hashtext(:name))")
                    if not connection.execute(query, {"key": _LOCK, "name": name}).scalar():
                        raise InputError(busy, file=self.name)
            yield

    def scrub(self, tables: Sequence[str]) -> None:
        """Write the database anew, on PostgreSQL these tables (its logs are its administrator's),
        so that no page or log of it holds what was deleted. Raise WorkspaceError if another program
        has it open."""
        with self._explained():
            if not self.file:
                with self._by_statement().connect() as connection:
                    for name in tables:
                        connection.execute(sa.text(f"VACUUM (FULL) {name}"))
                return
            with closing(self._connect_sqlite()) as driver:
                driver.execute("VACUUM")
                is_busy, *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            raise WorkspaceError(
                f"{self.name}: It is deleted, but another program has the database open, so its "
                "files may still hold it. Run the same again when nothing else uses the workspace."
            )

    def close(self) -> None:
        self._engine.dispose()

    def _by_statement(self) -> sa.Engine:
        return self._engine.execution_options(isolation_level="AUTOCOMMIT")

    def _connect_sqlite(self) -> sqlite3.Connection:
        assert self.file is not None
        mode = "mode=rw"
        if not (os.access(self.file, os.W_OK) and os.access(self.file.parent, os.W_OK)):
            # Without a place for the WAL and its index, only a file that nobody changes is read.
            log = self.file.with_name(f"{self.file.name}-wal")
            in_use = log.exists() and log.stat().st_size
            mode = "mode=ro" if in_use else "mode=ro&immutable=1"
        connection = sqlite3.connect(
            f"file:{quote(str(self.file.absolute()))}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            isolation_level=None,  # we say BEGIN ourselves: the driver begins too late
        )
        try:
            if mode == "mode=rw":
                # The file keeps the mode. SQLite refuses all but one who set it at once, and those
                # who set it while somebody reads: then it is set by the next who opens the file.
                with suppress(sqlite3.OperationalError):
                    connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA secure_delete=ON")  # people can be erased
            connection.execute("PRAGMA cache_size=-16000")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            raise WorkspaceError(f"{self.name}: {_sentence(error)}") from error


def make_tables(database: Database, *, create: bool = False) -> None:
    """Make the tables of an empty database; leave one that has them. Of two programs that open an
    empty one at once, one makes them, under the writers' lock. Raise MissingDatabaseError if it is
    a SQLite file that is missing or, but to `create` it, empty; WorkspaceError if it is of another
    schema, or not of memeloc."""
    is_there = database.file is None or create or database.file.exists()
    if is_there:
        with database.read() as connection:
            if _has_tables(connection, database.name):
                return
    if database.file and not create:
        raise MissingDatabaseError(database.file)
    from memeloc.store.tables import metadata

    with database.write() as connection:
        if not _has_tables(connection, database.name):
            metadata.create_all(connection)
            _MARK.create(connection)
            connection.execute(sa.insert(_MARK).values(version=SCHEMA))


def _has_tables(connection: Connection, name: str) -> bool:
    """Return whether a database has the tables of this schema, False where it is empty."""
    tables = sa.inspect(connection).get_table_names()
    version = ""
    if _MARK.name in tables:
        version = str(connection.execute(sa.select(_MARK.c.version)).scalar() or "")
    if version == SCHEMA or not tables:
        return bool(tables)
    if not version and "alembic_version" not in tables:
        raise WorkspaceError(
            f"{name}: The database has tables, but not those of a workspace "
            f"({', '.join(sorted(tables)[:5])}). Name an empty one."
        )
    raise WorkspaceError(
        f"{name}: The database has the schema {version or 'of an earlier memeloc'}, and this "
        f"memeloc has {SCHEMA}. Run `memeloc dump DIR` with the memeloc that made it, then "
        "`memeloc init FOLDER --from DIR` with this one."
    )


def without_password(sentence: str) -> str:
    """Return a text without the password of any URL or connection string in it."""
    return _CREDENTIALS.sub(
        lambda match: f"{match[1]}:***@" if match[1] else f"{match[2]}***", sentence
    )


def _url(text: str) -> URL:
    # Nothing of what cannot be read is shown: it may be part of a password.
    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError):
        raise InputError(_UNREADABLE) from None
    kind = url.drivername.partition("+")[0]
    if kind == "sqlite" and url.database:
        return url.set(drivername="sqlite")
    if kind not in ("postgresql", "postgres"):
        raise InputError(
            f"A workspace's database is SQLite or PostgreSQL, not {url.drivername!r}; its URL "
            "begins with postgresql:// or sqlite:///."
        )
    if any("@" in (part or "") for part in (url.username, url.host, url.database)):
        raise InputError(_UNREADABLE)
    return url.set(drivername="postgresql+psycopg")


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    driver: Any = connection.connection.dbapi_connection
    level = "NORMAL" if options.get("memeloc_relaxed") else SYNCHRONOUS
    driver.execute(f"PRAGMA synchronous={level}")
    driver.execute("BEGIN IMMEDIATE" if options.get("memeloc_write") else "BEGIN")


_AGAIN = "Nothing is lost: run the same command again when"
_SENTENCES: dict[tuple[int | str, ...], str] = {
    (sqlite3.SQLITE_FULL,): f"The disk is full. {_AGAIN} there is room.",
    (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED): "Another program has been writing to the "
    f"database for over {BUSY_SECONDS:.0f} seconds. {_AGAIN} it is done.",
    (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN): "The database or its "
    "folder cannot be written to. Copy the whole folder to where you may write, or have its "
    "permissions changed.",
    (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB): "The file is damaged or not a database. Put "
    "back a copy of it; where there is none, `sqlite3 memeloc.db .recover` saves what can be read.",
    (sqlite3.SQLITE_IOERR,): f"The disk cannot be read or written ({{report}}). {_AGAIN} that is "
    "repaired.",
    ("53100",): f"The database server's disk is full. {_AGAIN} there is room.",
    ("28P01", "28000"): "The database refuses the name or password ({report}).",
    ("25006",): "The database is read-only; use an account or a server that may write.",
    ("",): "The database server cannot be reached ({report}). Check the URL and the server.",
}
"""By SQLite's result codes, or PostgreSQL's SQLSTATE; it has none when there is no connection."""


def _sentence(error: DBAPIError | sqlite3.Error) -> str:
    original = error.orig if isinstance(error, DBAPIError) else error
    code: int | str = getattr(original, "sqlstate", None) or ""
    if isinstance(original, sqlite3.Error):
        code = getattr(original, "sqlite_errorcode", 0) & 0xFF
    report = without_password(" ".join(str(original).split()))
    matching = (sentence for codes, sentence in _SENTENCES.items() if code in codes)
    return next(matching, "The database refuses ({report}).").replace("{report}", report)
