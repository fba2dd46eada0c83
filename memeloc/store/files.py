"""Imported files. In: a kind and a SHA-256. Out: whether the very same was imported before."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from memeloc.store.queries import add_new, by_slices, columns_of
from memeloc.store.records import FileRecord
from memeloc.store.tables.captions import files

_NAMES = ("kind", "name", "sha256", "rows")


def find_file(connection: Connection, kind: str, sha256: str) -> FileRecord | None:
    """The file with this content, if it was imported as `kind`."""
    query = select(*columns_of(files, FileRecord))
    row = connection.execute(query.where(files.c.kind == kind, files.c.sha256 == sha256)).first()
    return FileRecord(*row) if row else None


def store_file(connection: Connection, file: FileRecord) -> tuple[int, bool]:
    """The id of the file in the database, and whether it was there already."""
    return store_files(connection, [file])[0]


def store_files(connection: Connection, records: Sequence[FileRecord]) -> list[tuple[int, bool]]:
    """Of each file its id in the database, and whether it was there already, or came before."""
    rows = [{name: getattr(file, name) for name in _NAMES} for file in records]
    new = {*add_new(connection, files, rows, ("kind", "sha256"), files.c.id)}
    query = select(files.c.kind, files.c.sha256, files.c.id)
    hashes = [file.sha256 for file in records]
    known = by_slices(connection, query, files.c.sha256, hashes)
    ids = {(kind, sha256): id_ for kind, sha256, id_ in known}
    stored = []
    for file in records:
        id_ = ids[file.kind, file.sha256]
        stored.append((id_, id_ not in new))
        new.discard(id_)
    return stored
