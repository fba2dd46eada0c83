"""Answers that are kept. In: what a model answered. Out: the same again, without asking.

What a model refused, or answered wrongly, is kept like what is right: nobody pays for it twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from memeloc.errors import InputError
from memeloc.language_models.questions import Token, whole

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

    def put(self, key: str, value: str) -> None:
        """See `Cache.put`."""
        self[key] = value


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
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"cannot keep answers of models ({error})", file=self.path) from error

    def _prepare(self) -> None:
        run = self._connection.execute
        (application,) = run("PRAGMA application_id").fetchone()
        (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
        if application != _APPLICATION and tables:
            raise InputError(
                "is a database, but none with answers of models; name another file", file=self.path
            )
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")  # a killed process loses nothing, a power cut the last
        run(f"PRAGMA application_id = {_APPLICATION}")
        run("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL)")

    def get(self, key: str) -> str | None:
        """See `Cache.get`."""
        row = self._run("SELECT value FROM answers WHERE key = ?", key)
        return str(row[0]) if row else None

    def put(self, key: str, value: str) -> None:
        """See `Cache.put`."""
        self._run("INSERT OR REPLACE INTO answers VALUES (?, ?)", key, value)

    def __len__(self) -> int:
        """Return how many answers there are."""
        return int(self._run("SELECT count(*) FROM answers")[0])

    def __enter__(self) -> FileCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; nothing more can be read or kept."""
        with self._lock:
            self._connection.close()

    def _run(self, statement: str, *values: str) -> Any:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise InputError(f"cannot keep answers of models ({error})", file=self.path) from error


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A stored answer, right or wrong; `wrong` is what is wrong with it.

    The other attributes are those of `Answer`.
    """

    text: str
    model: str
    attempts: int
    tokens_in: int
    tokens_out: int
    cost: float
    currency: str
    date: str
    refusal: str = ""
    wrong: str = ""
    cut: bool = False
    logprobs: tuple[Token, ...] = ()
    sent: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """As a cache keeps it; what is empty is left out."""
        values = {name: getattr(self, name) for name in self.__slots__}
        values["logprobs"] = [[each.text, each.logprob, each.top] for each in self.logprobs]
        for name in ("refusal", "wrong", "cut", "logprobs", "sent"):
            if not values[name]:
                del values[name]
        return whole(json.dumps(values, ensure_ascii=False))

    @classmethod
    def from_json(cls, value: str) -> KeptAnswer | None:
        """Return what a cache kept; None for what is broken."""
        try:
            values = json.loads(value)
            tokens = tuple(
                Token(text, logprob, tuple((name, share) for name, share in top))
                for text, logprob, top in values.pop("logprobs", ())
            )
            kept = cls(**values, logprobs=tokens)
        except (ValueError, TypeError, AttributeError):
            return None
        return kept if isinstance(kept.text, str) and isinstance(kept.attempts, int) else None
