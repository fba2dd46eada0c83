"""What repositories share. In: tables, columns and rows. Out: conditions, rows and records."""

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

_SLICE = 500

_INSERTED = 2000
"""Rows inserted at a time by `add_new`."""

_FETCHED = 1000
"""Rows fetched at a time by `stream`."""


class Repository:
    """What the store offers of one kind.

    `root` is the folder of pictures and templates, None where the database was opened by its URL.
    """

    def __init__(self, root: Path | None, database: Database) -> None:
        self.root = root
        self.database = database

    @property
    def folder(self) -> Path:
        """The store's folder.

        Raises:
            InputError: it has none.
        """
        if self.root is None:
            raise InputError(
                "A workspace that is opened by its database's URL has no folder for pictures; "
                "open it by its folder."
            )
        return self.root

    def fetch(self, query: Select[Any]) -> list[Any]:
        """All rows of a query, in a transaction of its own."""
        with self.database.read() as connection:
            return list(connection.execute(query))


def stream(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    """The rows of a query, some at a time, so that any number takes the same memory."""
    return iter(connection.execute(query.execution_options(yield_per=_FETCHED)))


def batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The rows in lists of some."""
    remaining = iter(rows)
    while batch := list(islice(remaining, size)):
        yield batch


def by_slices(
    connection: Connection, query: Select[Any], column: Any, values: Collection[Any] | None
) -> Iterator[Any]:
    """The rows of a query whose column is one of `values`, or (None) all.

    Some hundred values are asked for at once: databases bound the parameters of a statement.
    """
    if values is None:
        yield from connection.execute(query)
        return
    wanted = list(dict.fromkeys(values))
    for start in range(0, len(wanted), _SLICE):
        yield from connection.execute(query.where(column.in_(wanted[start : start + _SLICE])))


def two_columns(rows: Iterable[Any]) -> dict[Any, Any]:
    """The second of two columns by the first, the last of several."""
    return {row[0]: row[1] for row in rows}


def equal(query: Select[Any], wanted: Mapping[Any, Any]) -> Select[Any]:
    """The query, only of rows that have these values in these columns; None is any."""
    return query.where(*(each == value for each, value in wanted.items() if value is not None))


def columns_of(table: Table, record: type[Any], **names: str) -> tuple[Any, ...]:
    """The columns of a dataclass's fields, in order: `record(*row)` is a row of them.

    `names` has the columns of fields that have other names.
    """
    return tuple(table.c[names.get(field.name, field.name)] for field in fields(record))


def values_of(record: Any, **names: str) -> dict[str, Any]:
    """A dataclass's fields as values of columns, the inverse of `columns_of`."""
    return {names.get(each.name, each.name): getattr(record, each.name) for each in fields(record)}


def is_newest(table: Any, same: Sequence[str], order: str) -> ColumnElement[bool]:
    """A condition on a table or an alias: that no row has the same in the columns `same` and more
    in `order`."""
    later = table.alias()
    query = select(later.c[order]).where(later.c[order] > table.c[order])
    query = query.where(*(later.c[name] == table.c[name] for name in same))
    return ~query.exists()


def add_row(connection: Connection, table: Table, **values: Any) -> Any:
    """Insert a row; the first column of its primary key."""
    key: Any = connection.execute(insert(table).values(**values)).inserted_primary_key
    return key[0]


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> list[int]:
    """Insert rows of a table that numbers them; their ids, in order."""
    if not rows:
        return []
    if connection.dialect.name == "sqlite":
        # It would return them row by row, in five times the time; and only one program writes.
        last = connection.execute(select(func.max(table.c.id))).scalar() or 0
        connection.execute(insert(table), rows)
        added = select(table.c.id).where(table.c.id > last).order_by(table.c.id)
        return list(connection.execute(added).scalars())
    statement = insert(table).returning(table.c.id, sort_by_parameter_order=True)
    return list(connection.execute(statement, rows).scalars())


def add_rows(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    key: Sequence[str] = (),
    replace: str = "",
) -> int:
    """Insert rows; how many were inserted or replaced.

    A row that is there by the unique key `key` stays, or gets a new value in the column `replace`.
    """
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
    """Insert rows as `add_rows` does; the values of a column in those that were not there."""
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
