"""Tables that may outgrow memory. In: nothing. Out: an SQLite database for this process alone.

It has no name. SQLite holds a small one in memory, writes what does not fit there to a file in the
folder of temporary files (`SQLITE_TMPDIR`, `TMPDIR`), and the file goes when the process ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
