"""All tables of a database. In: a dump's folder. Out: a file a table, and an empty database filled.

Both see one state: what others write meanwhile is not in a dump, and a load is stored whole or not
at all. Neither holds more than some rows at a time.

Tokens of erased people that the database has keep them out: what a dump from before brings of them
is erased again in the transaction that loads it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, select, text

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.store.dumps.manifest import TABLES, DumpFile, Manifest, check_hash
from memeloc.store.dumps.rows import read_rows, write_lines
from memeloc.store.queries import Repository, add_rows, batches
from memeloc.store.surveys.erasures import erase_again
from memeloc.store.tables import metadata
from memeloc.store.tables.items import pictures
from memeloc.store.tables.surveys import erased_people, erasures

_BATCH = 500
"""Rows that are inserted at once."""

OnRows = Callable[[str, int, int], None]
"""Gets a table's name, how many more of its rows are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was loaded.

    Attributes:
        rows: by table.
        seen: whether all of it was here already, and nothing was stored.
        erased: rows of people who had been erased here and were left out, by table.
    """

    rows: Mapping[str, int]
    seen: bool = False
    erased: Mapping[str, int] = field(default_factory=dict)


def dumped_tables() -> list[Table]:
    """The tables of a dump; those that others refer to come first."""
    return [table for table in metadata.sorted_tables if not table.info["cached"]]


class Dumps(Repository):
    """The database as plain files."""

    def write(self, folder: Path, on_rows: OnRows) -> tuple[list[DumpFile], list[tuple[str, str]]]:
        """Write all tables into a dump's folder: its files, and the SHA-256 and format of each
        picture that they name.

        Raises:
            InputError: it cannot be written.
        """
        with self.database.read() as connection:
            files = [_write(connection, table, folder, on_rows) for table in dumped_tables()]
            query = select(pictures.c.sha256, pictures.c.format).order_by(pictures.c.sha256)
            return files, [(sha256, format_) for sha256, format_ in connection.execute(query)]

    def check(self, folder: Path, manifest: Manifest) -> None:
        """Look whether a dump can be loaded.

        Raises:
            InputError: there is something else in the database, or the dump lacks a table.
        """
        with self.database.read() as connection:
            self._has_all(connection, _files_of(folder, manifest))

    def load(self, folder: Path, manifest: Manifest, on_rows: OnRows) -> Loaded:
        """Load all tables of a dump into this database, in which there is nothing yet; what a
        second run finds is that all is here.

        Tokens of erased people may be here: those people are left out.

        Raises:
            InputError: there is something else in the database, or a file is not as it was dumped.
        """
        files = _files_of(folder, manifest)
        rows = {table.name: file.rows or 0 for table, file in files.items()}
        with self.database.write() as connection:
            if self._has_all(connection, files):
                return Loaded(rows, seen=True)
            is_new = connection.execute(select(erasures.c.number)).first() is None
            for table, file in files.items():
                _load(connection, table, folder / file.path, file, on_rows)
            erased = {} if is_new else erase_again(connection, self.root)
        if erased:
            self.database.scrub([*rows])
        return Loaded(rows, erased=erased)

    def _has_all(self, connection: Connection, files: Mapping[Table, DumpFile]) -> bool:
        """Whether everything is here, False for an empty database."""
        full = _table_with_rows(connection)
        if full is None:
            return False
        if all(_is_same(connection, table, file) for table, file in files.items()):
            return True
        raise InputError(
            f"A dump is loaded into an empty workspace; this one has rows in {full.name}. Name "
            "another folder, or an empty database.",
            file=self.database.name,
        )


def _files_of(folder: Path, manifest: Manifest) -> dict[Table, DumpFile]:
    """The file of each table, in the order in which they refer to each other."""
    files = {file.path: file for file in manifest.files if file.path.startswith(f"{TABLES}/")}
    tables = {_path(table): table for table in dumped_tables()}
    for path in files.keys() - tables.keys():
        raise InputError("There is no such table in a workspace.", file=folder / path)
    for path in tables.keys() - files.keys():
        raise InputError(f"The manifest lacks {path}.", file=folder)
    return {table: files[path] for path, table in tables.items()}


def _path(table: Table) -> str:
    return f"{TABLES}/{table.name}.jsonl"


def _write(connection: Connection, table: Table, folder: Path, on_rows: OnRows) -> DumpFile:
    path = _path(table)
    total = _count(connection, table)
    digest, size, rows = hashlib.sha256(), 0, 0
    with replacing(folder / path) as partial, partial.open("wb") as file:
        for lines in batches(write_lines(connection, table), _BATCH):
            content = b"".join(lines)
            digest.update(content)
            size += len(content)
            rows += len(lines)
            file.write(content)
            on_rows(table.name, len(lines), total)
    return DumpFile(path=path, sha256=digest.hexdigest(), size=size, rows=rows)


def _load(
    connection: Connection, table: Table, path: Path, file: DumpFile, on_rows: OnRows
) -> None:
    """Insert the rows of a table's file; of erased people and receipts some may be here."""
    digest = hashlib.sha256()
    shift = 0
    if table is erasures:
        shift = connection.execute(select(func.coalesce(func.max(table.c.number), 0))).scalar_one()
    with path.open("rb") as stream:
        for rows in batches(read_rows(_hashed(stream, digest), table, path), _BATCH):
            if shift:
                rows = [{**row, "number": row["number"] + shift} for row in rows]
            add_rows(connection, table, rows, ["token"] if table is erased_people else ())
            on_rows(table.name, len(rows), file.rows or 0)
    check_hash(digest.hexdigest(), file.sha256, path)
    column = table.autoincrement_column
    if column is not None and connection.dialect.name == "postgresql":
        # What is inserted with its number does not count in the sequence that gives the next.
        sequence, last = func.pg_get_serial_sequence(table.name, column.name), func.max(column)
        connection.execute(select(func.setval(sequence, last)).having(last.is_not(None)))


def _hashed(lines: Iterable[bytes], digest: Any) -> Iterator[bytes]:
    for line in lines:
        digest.update(line)
        yield line


def _is_same(connection: Connection, table: Table, file: DumpFile) -> bool:
    """Whether a table holds just what a file of a dump does."""
    if _count(connection, table) != file.rows:
        return False
    digest = hashlib.sha256()
    for line in write_lines(connection, table):
        digest.update(line)
    return digest.hexdigest() == file.sha256


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def _table_with_rows(connection: Connection) -> Table | None:
    """A table of the database that has rows, those of erasures aside."""
    return next(
        (
            table
            for table in dumped_tables()
            if table not in (erasures, erased_people)
            and connection.execute(select(text("1")).select_from(table).limit(1)).first()
        ),
        None,
    )
