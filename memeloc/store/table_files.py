"""Tables as files. In: columns and rows. Out: CSV, JSON Lines or Parquet, whole or not at all.

JSON Lines and Parquet hold each text as it is. CSV is what people open in a spreadsheet, which
takes a cell that begins with =, +, - or @ for a formula; such a cell is written with a no-break
space before it, which no spreadsheet takes for the beginning of one and which memeloc, like any
white space around a caption, leaves out when it reads the table back.
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.store.exporting import ExportTable

FORMULA = tuple("=+-@\t\r＝＋－＠")
"""What makes a spreadsheet take a cell for a formula; the wide ones do so in East Asian Excel."""
GUARD = "\u00a0"

_SLICE = 2000
"""Rows of a Parquet row group."""


def write_table(table: ExportTable, path: Path) -> int:
    """Write a table in the format that the file's ending names; how many rows it has.

    Args:
        table: is read once, row by row.
        path: .csv, .jsonl (or .ndjson) or .parquet; what stands there is replaced at the end.

    Raises:
        InputError: another ending, or the folder is missing or cannot be written to.
    """
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise InputError(
            f"A table is written as .csv, .jsonl or .parquet, not {path.suffix or 'without'!r}.",
            file=path,
        )
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
    except OSError as error:
        raise InputError(f"The file cannot be written ({error.strerror}).", file=path) from error
    temporary = Path(name)
    try:
        count = write(table, temporary)
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, path)  # noqa: PTH105
    except OSError as error:
        raise InputError(f"The file cannot be written ({error.strerror}).", file=path) from error
    finally:
        temporary.unlink(missing_ok=True)
    return count


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write_csv(table: ExportTable, path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column.name for column in table.columns])
        for row in table.rows:
            writer.writerow([_csv_cell(cell) for cell in row])
            count += 1
    return count


def _csv_cell(cell: Any) -> Any:
    plain = _plain(cell)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, str) and plain.startswith(FORMULA):
        return GUARD + plain
    return plain


def _write_json_lines(table: ExportTable, path: Path) -> int:
    count = 0
    names = [column.name for column in table.columns]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in table.rows:
            record = {
                name: _plain(cell)
                for name, cell in zip(names, row, strict=True)
                if cell is not None
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(table: ExportTable, path: Path) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "truth": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    form = pa.schema([(column.name, kinds[column.kind]) for column in table.columns])
    count = 0
    with pq.ParquetWriter(path, form, compression="zstd") as writer:
        for rows in _several(table.rows):
            cells = [[_sound(cell) for cell in column] for column in zip(*rows, strict=True)]
            arrays = [
                pa.array(values, field.type) for values, field in zip(cells, form, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=form))
            count += len(rows)
    return count


def _several(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    while some := list(islice(rows, _SLICE)):
        yield some


def _plain(cell: Any) -> Any:
    if isinstance(cell, datetime):
        return cell.isoformat().replace("+00:00", "Z")
    return _sound(cell)


def _sound(cell: Any) -> Any:
    """The cell; a lone surrogate, which no file in UTF-8 can hold, as U+FFFD."""
    if isinstance(cell, str) and not cell.isascii():
        return cell.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return cell


_WRITERS: dict[str, Callable[[ExportTable, Path], int]] = {
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".ndjson": _write_json_lines,
    ".parquet": _write_parquet,
}
