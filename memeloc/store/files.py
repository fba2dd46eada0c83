"""Imported files. In: a kind and a SHA-256. Out: whether the very same was imported before."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from memeloc.store.database import Database, now
from memeloc.store.records import FileRecord
from memeloc.store.tables.captions import files


class Files:
    """The files that were imported."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, kind: str, sha256: str) -> FileRecord | None:
        """The imported file with this content, if there is one."""
        with self.database.read() as connection:
            return find_file(connection, kind, sha256)


def find_file(connection: Connection, kind: str, sha256: str) -> FileRecord | None:
    """The file with this content, if it was imported as `kind`."""
    query = select(files).where(files.c.kind == kind, files.c.sha256 == sha256)
    row = connection.execute(query).first()
    if row is None:
        return None
    return FileRecord(row.kind, row.name, row.sha256, row.rows, row.created_at, row.id)


def store_file(connection: Connection, file: FileRecord) -> tuple[int, bool]:
    """The id of the file in the database, and whether it was there already."""
    stored = find_file(connection, file.kind, file.sha256)
    if stored is not None:
        return stored.id, True
    statement = insert(files).values(
        kind=file.kind, name=file.name, sha256=file.sha256, rows=file.rows, created_at=now()
    )
    return connection.execute(statement.returning(files.c.id)).scalar_one(), False
