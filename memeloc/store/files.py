"""Imported files. In: a kind and a SHA-256. Out: whether the very same was imported before."""

from __future__ import annotations

from memeloc.store import storing_files
from memeloc.store.database import Database
from memeloc.store.records import FileRecord
from memeloc.store.storing_files import sha256_of

__all__ = ["Files", "sha256_of"]


class Files:
    """The files that were imported."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, kind: str, sha256: str) -> FileRecord | None:
        """The imported file with this content, if there is one."""
        with self.database.read() as connection:
            return storing_files.find_file(connection, kind, sha256)
