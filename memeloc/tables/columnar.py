"""JSON Lines and Parquet. In: a file whose columns have names. Out: those names, and its lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.tables.rows import Line

_SLICE = 1024
"""Rows of a Parquet file that are held at a time."""


class JsonLines:
    """A file with one JSON object a line.

    Attributes:
        columns: every name that any of its objects has, as it is written there.
    """

    def __init__(self, path: Path, encoding: str, errors: str) -> None:
        self.path = path
        self._encoding, self._errors = encoding, errors
        names: dict[str, None] = {}  # any line may bring a new one
        for _, value, error in self._values():
            if not error:
                names.update(dict.fromkeys(value))
        self.columns = tuple(names)

    def lines(self) -> Iterator[Line]:
        """A line an object; what is missing is None."""
        for number, value, error in self._values():
            if error:
                yield Line(number, [], ("broken row", error))
            else:
                yield Line(number, [value.get(name) for name in self.columns])

    def _values(self) -> Iterator[tuple[int, dict[str, Any], str]]:
        with self.path.open(encoding=self._encoding, errors=self._errors, newline="\n") as file:
            for number, line in enumerate(file, 1):
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


class Parquet:
    """A Parquet file.

    Attributes:
        columns: the names of its columns.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path = path
        try:
            with pq.ParquetFile(path) as file:
                self.columns: tuple[str, ...] = tuple(file.schema_arrow.names)
        except pa.ArrowException as error:
            raise InputError(f"The file is not Parquet, or broken ({error}).", file=path) from error

    def lines(self) -> Iterator[Line]:
        """A line a row; the header counts as row 1."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        number = 1
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(batch_size=_SLICE):
                    for cells in zip(*map(_column_values, batch.columns), strict=True):
                        number += 1
                        yield Line(number, list(cells))
        except pa.ArrowException as error:
            raise InputError(
                f"The file breaks off after row {number} ({error}).", file=self.path
            ) from error


def _column_values(column: Any) -> list[Any]:
    """A column's values; text that is not UTF-8 stays bytes, for its row alone to be refused."""
    import pyarrow as pa

    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        values = [_decoded(value) for value in column.cast(pa.large_binary()).to_pylist()]
    return values


def _decoded(value: bytes | None) -> str | bytes | None:
    if value is None:
        return None
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return value
