"""Which files were imported. In: a name and a SHA-256. Out: whether the very same came before."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from memeloc.store.caption_versions import now
from memeloc.store.records import FileRecord
from memeloc.store.tables import files


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_file(connection: Connection, kind: str, sha256: str) -> FileRecord | None:
    """The file with this content, if it was imported as `kind`."""
    row = connection.execute(
        select(files).where(files.c.kind == kind, files.c.sha256 == sha256)
    ).first()
    return None if row is None else _record(row)


def store_file(connection: Connection, file: FileRecord) -> tuple[int, bool]:
    """The id of the file in the database, and whether it was there already."""
    known = find_file(connection, file.kind, file.sha256)
    if known is not None:
        return known.id, True
    made = insert(files).values(
        kind=file.kind,
        name=file.name,
        sha256=file.sha256,
        rows=file.rows,
        created_at=now(),
    )
    return connection.execute(made.returning(files.c.id)).scalar_one(), False


def _record(row: Row[Any]) -> FileRecord:
    return FileRecord(
        kind=row.kind,
        name=row.name,
        sha256=row.sha256,
        rows=row.rows,
        created_at=row.created_at,
        id=row.id,
    )
