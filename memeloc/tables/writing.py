"""Writing tables. In: columns and rows. Out: CSV, JSON Lines or Parquet, whole or not at all.

JSON Lines and Parquet hold each text as it is. In CSV, which people open in a spreadsheet, a cell
that a spreadsheet would take for a formula gets an apostrophe, which reading takes off.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.tables.cells import FIRST_RISKY, guarded

Kind = Literal["text", "integer", "number", "truth", "time"]

SUFFIXES = (".csv", ".jsonl", ".ndjson", ".parquet")

_SLICE = 2000
"""Rows of a Parquet row group."""


class Column(NamedTuple):
    """A column that is written; `kind` is its type in Parquet."""

    name: str
    kind: Kind = "text"


def write_table(
    path: Path, columns: Sequence[str | Column], rows: Iterable[Sequence[Any]], *, suffix: str = ""
) -> int:
    """Write a table in the format that the file's ending names; return how many rows it has. Raise
    InputError if it has another ending, or cannot be written.

    Args:
        path: .csv, .jsonl (or .ndjson) or .parquet; what stands there is replaced at the end.
        columns: a name alone is a column of text.
        rows: read once; a cell is text, a number, a truth value, a time or None.
        suffix: names the format where the file's ending does not.
    """
    suffix = suffix or path.suffix.lower()
    if suffix not in SUFFIXES:
        other = path.suffix or "without"
        message = f"A table is written as .csv, .jsonl or .parquet, not {other!r}."
        raise InputError(message, file=path)
    typed = [Column(column) if isinstance(column, str) else column for column in columns]
    writers = {".csv": _write_csv, ".parquet": _write_parquet}
    numbers = count()
    counted = (row for row, _ in zip(rows, numbers, strict=False))  # a number is drawn for each row
    with replacing(path) as temporary:
        writers.get(suffix, _write_json_lines)(typed, counted, temporary)
    return next(numbers)


def _write_csv(columns: Sequence[Column], rows: Iterable[Sequence[Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\ufeff")  # the codec utf-8-sig encodes each row in Python
        writer = csv.writer(file)
        writer.writerow([guarded(column.name) for column in columns])
        # Most cells are plain text: looked at here, a table takes two thirds of the time.
        writer.writerows(
            [
                cell
                if type(cell) is str
                and cell[:1] not in FIRST_RISKY
                and (cell.isascii() or cell.isprintable())
                else _csv_cell(cell)
                for cell in row
            ]
            for row in rows
        )


def _csv_cell(cell: Any) -> Any:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    plain = _plain(cell)
    return guarded(plain) if isinstance(plain, str) else plain


def _write_json_lines(columns: Sequence[Column], rows: Iterable[Sequence[Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            cells = zip(columns, row, strict=True)
            record = {column.name: _plain(cell) for column, cell in cells if cell is not None}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _write_parquet(columns: Sequence[Column], rows: Iterable[Sequence[Any]], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "truth": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    schema = pa.schema([(column.name, kinds[column.kind]) for column in columns])
    remaining = iter(rows)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := list(islice(remaining, _SLICE)):
            cells = [list(map(_storable, column)) for column in zip(*batch, strict=True)]
            writer.write_table(pa.table(cells, schema=schema))


def _plain(cell: Any) -> Any:
    if isinstance(cell, datetime):
        return cell.isoformat().replace("+00:00", "Z")
    return _storable(cell)


def _storable(cell: Any) -> Any:
    """Return the cell; a lone surrogate, which no file in UTF-8 can hold, as U+FFFD."""
    if isinstance(cell, str) and not cell.isascii():
        return cell.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return cell
