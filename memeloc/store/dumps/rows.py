"""Rows as lines of JSON, and back. In: any table. Out: its lines in the order of its key, its rows.

A line holds a row's columns by name, sorted, without white space: the same row is the same line on
SQLite and on PostgreSQL. Texts, numbers and JSON stand as they are, times as ISO 8601 in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Float, Integer, String, Table, collate, select

from memeloc.errors import InputError
from memeloc.store.queries import stream
from memeloc.store.tables.types import Json, Parts, UtcTime, encode_json

_BYTES = {"sqlite": "BINARY", "postgresql": "C"}
"""The collation that sorts texts by their code points, whatever the database's own does."""

Check = Callable[[Any], Any]
"""Takes a value of JSON and gives a column's; ValueError or TypeError where it cannot be."""


def write_lines(connection: Connection, table: Table) -> Iterator[bytes]:
    """All rows of a table as lines, in the order of its key."""
    collation = _BYTES[connection.dialect.name]
    order = [
        collate(column, collation) if isinstance(column.type, String) else column
        for column in table.primary_key
    ]
    times = [isinstance(column.type, UtcTime) for column in table.c]
    names = [column.name for column in table.c]
    for row in stream(connection, select(table).order_by(*order)):
        cells = (
            _time(value) if is_time and value is not None else value
            for is_time, value in zip(times, row, strict=True)
        )
        yield f"{encode_json(dict(zip(names, cells, strict=True)))}\n".encode()


def read_rows(lines: Iterable[bytes], table: Table, file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a table's lines; each has the table's columns, and what these can hold.

    Raises:
        InputError: a line is something else; with its number.
    """
    checks: Mapping[str, Check] = {column.name: _check_of(column) for column in table.c}
    for number, line in enumerate(lines, start=1):
        name = ""
        try:
            values = json.loads(line)
            if not isinstance(values, dict) or values.keys() != checks.keys():
                raise ValueError(f"its fields are not those of {table.name}")
            row = {}
            for name, check in checks.items():
                row[name] = check(values[name])
        except (ValueError, TypeError, RecursionError) as error:
            message = f"The line is not a row of the table {table.name}: {error}"
            raise InputError(message, file=file, row=number, column=name or None) from error
        yield row


def _time(value: datetime) -> str:
    return str(UtcTime().process_bind_param(value, None))


def _check_of(column: Column[Any]) -> Check:
    check = next((check for kind, check in _CHECKS if isinstance(column.type, kind)), _text)
    if column.nullable:
        return lambda value: None if value is None else check(value)
    return check


def _of(*kinds: type) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise TypeError(f"{encode_json(value)[:40]} cannot stand here")
        return value

    return check


def _text(value: Any) -> str:
    text = _of(str)(value)
    return str(text)


def _parts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _of(list)(value)))


def _aware(value: Any) -> datetime:
    time = datetime.fromisoformat(_text(value))
    if time.tzinfo is None:
        raise ValueError(f"{value} has no time zone")
    return time


def _any(value: Any) -> Any:
    if value is None:
        raise TypeError("null cannot stand here")
    return value


_CHECKS: tuple[tuple[type, Check], ...] = (
    (Integer, _of(int)),
    (Float, _of(int, float)),
    (UtcTime, _aware),
    (Parts, _parts),
    (Json, _any),
)
"""By the type of a column; all others are texts."""
