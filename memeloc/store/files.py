"""Imported files. In: a kind and a SHA-256. Out: whether the very same was imported before."""

from __future__ import annotations

from sqlalchemy import Connection, select

from memeloc.store.queries import Repository, add_row, columns_of
from memeloc.store.records import FileRecord
from memeloc.store.tables.captions import files


class Files(Repository):
    """The files that were imported."""

    def find(self, kind: str, sha256: str) -> FileRecord | None:
        """The imported file with this content, if there is one."""
        with self.database.read() as connection:
            return find_file(connection, kind, sha256)


def find_file(connection: Connection, kind: str, sha256: str) -> FileRecord | None:
    """The file with this content, if it was imported as `kind`."""
    query = select(*columns_of(files, FileRecord))
    row = connection.execute(query.where(files.c.kind == kind, files.c.sha256 == sha256)).first()
    return FileRecord(*row) if row else None


def store_file(connection: Connection, file: FileRecord) -> tuple[int, bool]:
    """The id of the file in the database, and whether it was there already."""
    stored = find_file(connection, file.kind, file.sha256)
    if stored is not None:
        return stored.id, True
    values = {"kind": file.kind, "name": file.name, "sha256": file.sha256, "rows": file.rows}
    return add_row(connection, files, **values), False
