"""Answers that are kept. In: what a model answered. Out: the same again, without asking.

What a model refused, or answered wrongly, is kept like what is right: nobody pays for it twice.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, Self

from memeloc.errors import InputError

_APPLICATION = 0x6D656D61  # "mema": a file of answers, and no other SQLite database


class Cache(Protocol):
    """Keeps answers by the content of their questions. It is called from several threads."""

    def get(self, key: str) -> str | None:
        """Return what was kept under a key; None when nothing was."""
        ...

    def put(self, key: str, value: str) -> None:
        """Keep a value under a key, in place of what was there before."""
        ...


class MemoryCache(dict[str, str]):
    """A cache that lasts as long as the process."""

    put = dict.__setitem__


class FileCache:
    """A cache in a file of its own, a SQLite database, for runs outside a workspace.

    Threads and processes may share it. Each answer is in the file when `put` returns, so a process
    that is killed loses none.

    >>> import tempfile
    >>> with FileCache(Path(tempfile.mkdtemp()) / "answers.sqlite") as cache:
    ...     cache.put("key", "an answer")
    ...     cache.get("key"), len(cache)
    ('an answer', 1)

    Raises:
        InputError: the file cannot be written, or is something else.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self.path, timeout=60, isolation_level=None, check_same_thread=False
            )
            run = self._connection.execute
            (application,) = run("PRAGMA application_id").fetchone()
            (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
            if application != _APPLICATION and tables:
                raise InputError(
                    "is a database, but none with answers of models; name another file",
                    file=self.path,
                )
            run("PRAGMA journal_mode = WAL")
            # A killed process loses nothing, a power cut the last ones.
            run("PRAGMA synchronous = NORMAL")
            run(f"PRAGMA application_id = {_APPLICATION}")
            run("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"cannot keep answers of models ({error})", file=self.path) from error

    def get(self, key: str) -> str | None:
        """Return what was kept under a key; see `Cache`."""
        row = self._run("SELECT value FROM answers WHERE key = ?", key)
        return str(row[0]) if row else None

    def put(self, key: str, value: str) -> None:
        """Keep a value under a key; see `Cache`."""
        self._run("INSERT OR REPLACE INTO answers VALUES (?, ?)", key, value)

    def __len__(self) -> int:
        """Return how many answers there are."""
        return int(self._run("SELECT count(*) FROM answers")[0])

    def _run(self, statement: str, *values: str) -> Any:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise InputError(f"cannot keep answers of models ({error})", file=self.path) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._connection.close()
