"""Tables as files. In: a CSV, JSON Lines or Parquet file. Out: its column names and its records.

One pass, flat memory. A record that cannot be read is handed out with the reason, and the next one
follows. What the cells mean is not this module's business.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.errors import InputError

DELIMITERS = (",", ";", "\t")
"""What may stand between the cells of a CSV file; Excel writes `;` in much of Europe."""

_FIELD_LIMIT = 1 << 26
"""Characters that csv collects for one cell before it gives up. Its own limit, 131,072, would end
the whole file at the first paste gone wrong; ours still ends a quotation mark left open."""

_HEADER_LIMIT = 1 << 20
"""Characters looked at when the delimiter is guessed from the header."""

_SLICE = 1024
"""Rows of a Parquet file that are held at a time."""

_SAVE_AS = "Save it again as UTF-8 (in Excel: 'CSV UTF-8') and try again."


class Record(NamedTuple):
    """One row of a table.

    Attributes:
        row: as the user counts it: a table's header is row 1, a line of JSON Lines its number.
        cells: in the order of the columns; fewer or more than those only from CSV. A cell is text,
            None where there is nothing, or whatever else the file holds.
        error: why the row could not be read, or empty.
    """

    row: int
    cells: list[Any]
    error: str = ""


class Records:
    """An open table: its columns, and its records as often as they are asked for.

    Attributes:
        path: the file.
        columns: the names of its columns, white space around them removed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Record]:
        """The records in the file's order; wholly blank ones are counted and left out."""
        raise NotImplementedError


def open_records(path: Path, required: tuple[str, ...]) -> Records:
    """Open a table by its suffix: .csv .tsv .txt, .jsonl .ndjson .json, or .parquet.

    Args:
        path: the file.
        required: columns it must have; in CSV the delimiter is the one that finds them.

    Raises:
        InputError: it is not there, not such a file, not UTF-8, has no such column or one twice.
    """
    if path.is_dir():
        raise InputError("is a folder; name the table's file itself.", file=path)
    if not path.exists():
        raise InputError("There is no such file.", file=path)
    if path.stat().st_size == 0:
        raise InputError("The file is empty.", file=path)
    suffix = path.suffix.lower()
    records: Records
    if suffix in (".csv", ".tsv", ".txt"):
        _check_utf8(path)
        records = _CsvRecords(path, required)
    elif suffix in (".jsonl", ".ndjson", ".json"):
        _check_utf8(path)
        records = _JsonRecords(path)
    elif suffix == ".parquet":
        records = _ParquetRecords(path)
    else:
        raise InputError(
            f"A table is .csv, .tsv, .jsonl or .parquet, not {suffix or 'without a suffix'!r}; "
            "save it as one of these.",
            file=path,
        )
    _check_columns(records, required)
    return records


def _check_columns(records: Records, required: tuple[str, ...]) -> None:
    for name in required:
        if name not in records.columns:
            found = ", ".join(repr(column[:40]) for column in records.columns[:12]) or "none"
            raise InputError(
                f"The table has no column {name!r}. Its columns are {found}.",
                file=records.path,
                column=name,
            )
    seen: set[str] = set()
    for name in records.columns:
        if name and name.lower() in seen:
            raise InputError(
                "The table has two columns of this name; rename or remove one.",
                file=records.path,
                column=name[:60],
            )
        seen.add(name.lower())


def _check_utf8(path: Path) -> None:
    """Read the file through once, so that a wrong encoding is known before any work is done."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
    lines = 1
    with path.open("rb") as file:
        chunk = file.read(1 << 20)
        if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or (
            chunk[:4096].count(0) > len(chunk[:4096]) // 4
        ):
            raise InputError(f"The file is UTF-16, not UTF-8. {_SAVE_AS}", file=path)
        while True:
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                line = lines + bytes(error.object[: error.start]).count(b"\n")
                byte = error.object[error.start]
                raise InputError(
                    f"The file is not UTF-8: line {line} has the byte 0x{byte:02X}, as Latin-1 or "
                    f"Windows-1252 files have. {_SAVE_AS}",
                    file=path,
                ) from error
            if not chunk:
                return
            lines += chunk.count(b"\n")
            chunk = file.read(1 << 20)


class _CsvRecords(Records):
    def __init__(self, path: Path, required: tuple[str, ...]) -> None:
        super().__init__(path)
        csv.field_size_limit(max(csv.field_size_limit(), _FIELD_LIMIT))
        self._delimiter = DELIMITERS[0]
        headers = {delimiter: self._header(delimiter) for delimiter in DELIMITERS}
        for delimiter, header in headers.items():
            if all(name in header for name in required):
                self._delimiter = delimiter
                break
        self.columns = tuple(headers[self._delimiter])

    def _header(self, delimiter: str) -> list[str]:
        # Of the file's beginning only: with the wrong delimiter a quotation mark may seem open.
        with self.path.open(encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
            beginning = file.read(_HEADER_LIMIT)
        for cells in csv.reader(beginning.splitlines(keepends=True), delimiter=delimiter):
            if any(cells):
                return _without_blank_end([cell.strip() for cell in cells])
        return []

    def __iter__(self) -> Iterator[Record]:
        row, header = 0, True
        with self.path.open(encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
            reader = csv.reader(file, delimiter=self._delimiter)
            while True:
                row += 1
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield Record(row, [], f"The row cannot be read ({error}).")
                    continue
                if not any(cells):
                    continue
                if header:
                    header = False
                    continue
                if len(cells) > len(self.columns):
                    cells = _without_blank_end(cells, len(self.columns))
                yield Record(row, cells)


def _without_blank_end(cells: list[str], least: int = 0) -> list[str]:
    """Without the empty cells that spreadsheets leave at a row's end, beyond the `least` first."""
    while len(cells) > least and not cells[-1]:
        cells.pop()
    return cells


class _JsonRecords(Records):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        # Any line may bring a new language, so the names are gathered in a pass of their own.
        names: dict[str, None] = {}
        for _, value, error in self._values():
            if not error:
                names.update(dict.fromkeys(value))
        self._keys = tuple(names)
        self.columns = tuple(name.strip() for name in names)

    def _values(self) -> Iterator[tuple[int, dict[str, Any], str]]:
        with self.path.open(encoding="utf-8-sig", errors="surrogatepass", newline="\n") as file:
            for row, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError) as error:
                    reason = getattr(error, "msg", type(error).__name__)
                    yield row, {}, f"The line is not JSON ({reason}); one object a line is needed."
                    continue
                if isinstance(value, dict):
                    yield row, value, ""
                else:
                    yield row, {}, "The line is no JSON object; one object a line is needed."

    def __iter__(self) -> Iterator[Record]:
        for row, value, error in self._values():
            yield Record(row, [value.get(key) for key in self._keys], error)


class _ParquetRecords(Records):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(path) as file:
                self.columns = tuple(name.strip() for name in file.schema_arrow.names)
        except pa.ArrowException as error:
            raise InputError(f"The file is not Parquet, or broken ({error}).", file=path) from error

    def __iter__(self) -> Iterator[Record]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        row = 1
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(batch_size=_SLICE):
                    for cells in zip(*map(_column_values, batch.columns), strict=True):
                        row += 1
                        yield Record(row, list(cells))
        except pa.ArrowException as error:
            raise InputError(
                f"The file breaks off after row {row} ({error}).", file=self.path
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
