"""Tables that may outgrow memory. In: nothing. Out: an SQLite database for this process alone.

It has no name. SQLite holds a small one in memory, writes what does not fit there to a file in the
folder of temporary files (`SQLITE_TMPDIR`, `TMPDIR`), and the file goes when the process ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.errors import InputError

if TYPE_CHECKING:
    import sqlite3

_CACHE = 16
"""MiB of a database that stay in memory."""


def temporary_database(schema: str) -> sqlite3.Connection:
    """A new, empty database.

    Args:
        schema: the statements that make its tables.
    """
    import sqlite3

    database = sqlite3.connect("", isolation_level=None)
    database.executescript(
        f"PRAGMA cache_size=-{_CACHE << 10};PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;{schema}"
    )
    database.execute("BEGIN")  # one transaction, never ended: nothing is flushed before it must be
    return database


@contextmanager
def naming_full_folder() -> Iterator[None]:
    """Name the folder of temporary files when it has no space for a database.

    Raises:
        InputError: a database could not be written.
    """
    import sqlite3

    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(
            f"has no space for a temporary database ({error}). Free some, or name another folder "
            "in the variable TMPDIR, and run the same command again; what was finished is kept.",
            file=Path(tempfile.gettempdir()),
        ) from error
