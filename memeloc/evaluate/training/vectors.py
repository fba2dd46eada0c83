"""Vectors, computed once. In: an embedder, texts or pictures. Out: a vector each, kept in a file.

A vector is kept under the embedder's name and the SHA-256 of what it is of: a run that was stopped
goes on where it was, and the same picture under another name is not computed again.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memeloc.embedding.models import Embedder
from memeloc.errors import InputError
from memeloc.files import file_sha256

Floats32 = NDArray[np.float32]
OnProgress = Callable[[str, int, int], None]
"""Is given what is counted, how many more are done, and how many there are."""

_BATCH = 32
"""Texts or pictures that are embedded at a time, and lost at most when a run is killed."""
_KEYS = 500
"""Keys of a query; SQLite takes no more than 999 parameters everywhere."""


class VectorStore:
    """Vectors in an SQLite file; written batch by batch, so that killing a run loses a batch."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(self._open()) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS vectors "
                    "(embedder TEXT, sha256 TEXT, vector BLOB, PRIMARY KEY (embedder, sha256)) "
                    "WITHOUT ROWID"
                )
        except sqlite3.Error as error:
            raise InputError(
                f"holds no vectors of memeloc ({error}); move it away", file=path
            ) from error

    def embed(
        self,
        embedder: Embedder,
        things: Sequence[str] | Sequence[Path],
        on_progress: OnProgress = lambda what, more, total: None,
    ) -> Floats32:
        """A vector a text or picture file, as rows in their order.

        Raises:
            InputError: a picture cannot be read, or the model cannot be used on it.
        """
        keys = [_key(thing) for thing in things]
        first = dict(zip(reversed(keys), reversed(things), strict=True))
        with closing(self._open()) as database:
            vectors = dict(self._kept(database, embedder.name, list(first)))
            missing = [key for key in dict.fromkeys(keys) if key not in vectors]
            on_progress("vectors", len(first) - len(missing), len(first))
            for start in range(0, len(missing), _BATCH):
                batch = missing[start : start + _BATCH]
                given: Any = [first[key] for key in batch]
                new = np.asarray(embedder.embed(given), dtype="<f4")
                with database:
                    database.executemany(
                        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                        [
                            (embedder.name, key, vector.tobytes())
                            for key, vector in zip(batch, new, strict=True)
                        ],
                    )
                vectors.update(zip(batch, new, strict=True))
                on_progress("vectors", len(batch), len(first))
        return np.stack([vectors[key] for key in keys]) if keys else np.zeros((0, 0), np.float32)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60)

    @staticmethod
    def _kept(
        database: sqlite3.Connection, embedder: str, keys: Sequence[str]
    ) -> Iterator[tuple[str, Floats32]]:
        for start in range(0, len(keys), _KEYS):
            some = keys[start : start + _KEYS]
            marks = ", ".join("?" * len(some))
            rows = database.execute(
                f"SELECT sha256, vector FROM vectors WHERE embedder = ? AND sha256 IN ({marks})",  # noqa: S608 - only question marks
                (embedder, *some),
            )
            for key, content in rows:
                yield key, np.frombuffer(content, dtype="<f4")


def _key(thing: str | Path) -> str:
    if isinstance(thing, str):
        return hashlib.sha256(thing.encode("utf-8", "surrogatepass")).hexdigest()
    try:
        return file_sha256(thing)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=thing) from error
