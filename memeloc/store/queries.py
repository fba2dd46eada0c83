"""Queries that repositories share. In: tables, columns and rows. Out: conditions, rows and
records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, func, insert, literal, select

from memeloc.errors import InputError
from memeloc.store.database import Database
from memeloc.store.records import FileRecord
from memeloc.store.tables.captions import files
from memeloc.store.tables.types import Encoded

_SLICE = 500
"""Values asked for at once by `by_slices`: databases bound the parameters of a statement."""
_INSERTED = 2000
"""Rows inserted at a time by `add_new`."""
_FETCHED = 1000
"""Rows fetched at a time by `stream`."""


class Repository:
    """The rows of one kind in the store. `root` is the folder of pictures and templates, None where
    the database was opened by its URL."""

    def __init__(self, root: Path | None, database: Database) -> None:
        self.root = root
        self.database = database

    @property
    def folder(self) -> Path:
        """The store's folder; raise InputError if it has none."""
        if self.root is None:
            raise InputError(
                "A workspace that is opened by its database's URL has no folder for pictures; "
                "open it by its folder."
            )
        return self.root

    def fetch(self, query: Select[Any]) -> list[Any]:
        """Return all rows of a query, in a transaction of its own."""
        with self.database.read() as connection:
            return list(connection.execute(query))

    def value(self, query: Select[Any]) -> Any:
        """Return the first column of the first row of a query, None where there is no row."""
        with self.database.read() as connection:
            return connection.execute(query).scalar()


def stream(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    """Yield the rows of a query, fetched some at a time: any number takes the same memory."""
    return iter(connection.execute(query.execution_options(yield_per=_FETCHED)))


def batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yield the rows in lists of `size`."""
    remaining = iter(rows)
    while batch := list(islice(remaining, size)):
        yield batch


def by_slices(
    connection: Connection, query: Select[Any], column: Any, values: Collection[Any] | None
) -> Iterator[Any]:
    """Yield the rows of a query whose column is one of `values`, or (None) all."""
    if values is None:
        yield from connection.execute(query)
        return
    for some in batches(dict.fromkeys(values), _SLICE):
        yield from connection.execute(query.where(column.in_(some)))


def two_columns(rows: Iterable[Any]) -> dict[Any, Any]:
    """Return the second of two columns by the first, the last of several."""
    return {row[0]: row[1] for row in rows}


def equal(query: Select[Any], wanted: Mapping[Any, Any]) -> Select[Any]:
    """Return the query, only of rows that have these values in these columns; None is any."""
    return query.where(*(each == value for each, value in wanted.items() if value is not None))


def columns_of(table: Table, record: type[Any], **names: str) -> tuple[Any, ...]:
    """Return the columns of a dataclass's fields, in order, so that `record(*row)` is a row of
    them; `names` has the columns of fields that have other names."""
    return tuple(table.c[names.get(field.name, field.name)] for field in fields(record))


def values_of(record: Any, **names: str) -> dict[str, Any]:
    """Return a dataclass's fields as values of columns, the inverse of `columns_of`."""
    return {names.get(each.name, each.name): getattr(record, each.name) for each in fields(record)}


def is_newest(table: Any, same: Sequence[str], order: str = "id") -> ColumnElement[bool]:
    """Return a condition on a table or an alias: that no row has the same in the columns `same` and
    more in `order`."""
    later = table.alias()
    query = select(later.c[order]).where(later.c[order] > table.c[order])
    query = query.where(*(later.c[name] == table.c[name] for name in same))
    return ~query.exists()


def add_row(connection: Connection, table: Table, **values: Any) -> Any:
    """Insert a row; return the first column of its primary key."""
    key: Any = connection.execute(insert(table).values(**values)).inserted_primary_key
    return key[0]


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> list[int]:
    """Insert rows of a table, in a transaction that alone writes; return their ids, in order."""
    # Databases give ids back row by row, in five times the time of numbering here.
    last = connection.execute(select(func.max(table.c.id))).scalar() or 0
    ids = list(range(last + 1, last + 1 + len(rows)))
    add_rows(connection, table, [{"id": id, **row} for id, row in zip(ids, rows, strict=True)])
    return ids


def add_rows(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    key: Sequence[str] = (),
    replace: str = "",
) -> int:
    """Insert rows; return how many were inserted or replaced. A row that is there by the unique key
    `key` stays, or gets a new value in the column `replace`."""
    if key:
        return len(add_new(connection, table, rows, key, literal(1), replace))
    if rows:
        connection.execute(insert(table), rows)
    return len(rows)


def add_new(
    connection: Connection,
    table: Table,
    rows: Iterable[Mapping[str, Any]],
    key: Sequence[str],
    column: ColumnElement[Any],
    replace: str = "",
) -> list[Any]:
    """Insert rows as `add_rows` does; return a column's values in those that were not there."""
    # A dialect takes longer to import than most commands take.
    statement = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)
    if replace:
        new = {replace: statement.excluded[replace]}
        statement = statement.on_conflict_do_update(index_elements=key, set_=new)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=key)
    statement = statement.returning(column)
    values: list[Any] = []
    for batch in batches(rows, _INSERTED):
        values += connection.execute(statement, batch).scalars()
    return values


def as_stored(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of columns as they come back from the database: JSON has no tuples, say."""
    return {
        name: kind.stored(value) if isinstance(kind := table.c[name].type, Encoded) else value
        for name, value in row.items()
    }


def add_differing(
    connection: Connection,
    table: Table,
    rows: Iterable[Mapping[str, Any]],
    key: Sequence[str],
    compared: Sequence[str],
) -> int:
    """Insert the rows that differ from the newest of their key in the columns `compared`; return
    how many. What is there is looked up by the first column of the key."""
    rows = [as_stored(table, row) for row in rows]
    order = table.c.keys()[0]
    query = select(*(table.c[name] for name in (*key, *compared)))
    query = query.where(is_newest(table, key, order))
    found = by_slices(connection, query, table.c[key[0]], [row[key[0]] for row in rows])
    newest = {tuple(row[: len(key)]): tuple(row[len(key) :]) for row in found}
    differing = []
    for row in rows:
        keys, values = (tuple(row[name] for name in names) for names in (key, compared))
        if newest.get(keys) != values:
            newest[keys] = values
            differing.append(row)
    return add_rows(connection, table, differing)


def store_file(connection: Connection, file: FileRecord) -> tuple[int, bool]:
    """Return the id of an imported file in the database, and whether it was there already."""
    return store_files(connection, [file])[0]


def store_files(connection: Connection, records: Sequence[FileRecord]) -> list[tuple[int, bool]]:
    """Return of each file its id in the database, and whether it was there, or came before."""
    names = ("kind", "name", "sha256", "rows")
    rows = [{name: getattr(file, name) for name in names} for file in records]
    new = {*add_new(connection, files, rows, ("kind", "sha256"), files.c.id)}
    query = select(files.c.kind, files.c.sha256, files.c.id)
    hashes = [file.sha256 for file in records]
    ids = {tuple(key): id_ for *key, id_ in by_slices(connection, query, files.c.sha256, hashes)}
    stored = []
    for file in records:
        id_ = ids[file.kind, file.sha256]
        stored.append((id_, id_ not in new))
        new.discard(id_)
    return stored
