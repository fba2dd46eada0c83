"""JSON Lines and Parquet. In: a file whose columns have names. Out: those names, and its lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.tables.csv_files import CsvFile
from memeloc.tables.rows import Line, Table

_SLICE = 1024
"""Rows of a Parquet file that are held at a time."""


def json_lines(file: CsvFile) -> Table:
    """A file with one JSON object a line; its columns are all names that any object has."""
    names: dict[str, None] = {}
    for _, value, error in _values(file):
        if not error:
            names.update(dict.fromkeys(value))

    def read() -> Iterator[Line]:
        for number, value, error in _values(file):
            if error:
                yield Line(number, [], ("broken row", error))
            else:
                yield Line(number, [value.get(name) for name in names])

    return Table(file.path, tuple(name.strip() for name in names), _read=read)


def _values(file: CsvFile) -> Iterator[tuple[int, dict[str, Any], str]]:
    with file.text("\n") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                reason = getattr(error, "msg", type(error).__name__)
                yield number, {}, f"The line is not JSON ({reason}); one object a line is read."
                continue
            if isinstance(value, dict):
                yield number, value, ""
            else:
                yield number, {}, "The line is no JSON object; one object a line is read."


def parquet(path: Path) -> Table:
    """A Parquet file; its header counts as row 1.

    Raises:
        InputError: it is not Parquet, or broken; in its middle as its rows are read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            columns = tuple(name.strip() for name in file.schema_arrow.names)
    except pa.ArrowException as error:
        raise InputError(f"The file is not Parquet, or broken ({error}).", file=path) from error
    return Table(path, columns, _read=partial(_rows, path))


def _rows(path: Path) -> Iterator[Line]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 1
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_SLICE):
                for cells in zip(*map(_column_values, batch.columns), strict=True):
                    number += 1
                    yield Line(number, list(cells))
    except pa.ArrowException as error:
        raise InputError(f"The file breaks off after row {number} ({error}).", file=path) from error


def _column_values(column: Any) -> list[Any]:
    """A column's values; text that is not UTF-8 stays bytes, for its row alone to be refused."""
    import pyarrow as pa

    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        values = column.cast(pa.large_binary()).to_pylist()
        for index, value in enumerate(values):
            if value is not None:
                with suppress(UnicodeDecodeError):
                    values[index] = value.decode("utf-8", "surrogatepass")
    return values
