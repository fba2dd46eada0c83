"""Imported files. In: a kind and a SHA-256. Out: whether the very same was imported before."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from memeloc.store.queries import by_slices, columns_of
from memeloc.store.records import FileRecord
from memeloc.store.tables.captions import files


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
    key_and_id = (files.c.kind, files.c.sha256, files.c.id)
    hashes = [file.sha256 for file in records]
    known = by_slices(connection, select(*key_and_id), files.c.sha256, hashes)
    ids = {(kind, sha256): id_ for kind, sha256, id_ in known}
    new = {(file.kind, file.sha256): file for file in reversed(records)}
    for key in ids.keys() & new.keys():
        del new[key]
    if new:
        rows = [
            {"kind": file.kind, "name": file.name, "sha256": file.sha256, "rows": file.rows}
            for file in reversed(new.values())
        ]
        added = connection.execute(insert(files).returning(*key_and_id), rows)
        ids |= {(kind, sha256): id_ for kind, sha256, id_ in added}
    return [
        (ids[file.kind, file.sha256], new.pop((file.kind, file.sha256), None) is None)
        for file in records
    ]
