"""Reading tables. In: a file of any kind that people keep tables in. Out: its tables, row by row.

CSV (comma, semicolon or tab; UTF-8, UTF-16, or what else the caller expects), also within a zip
archive, workbooks of Excel and LibreOffice, JSON Lines and Parquet; known by their content. One
pass with flat memory, but for ods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.files import read_head
from memeloc.tables.archives import csv_member, is_ole, is_zip
from memeloc.tables.columnar import JsonLines, Parquet
from memeloc.tables.csv_files import SEARCHED, CsvFile, decode
from memeloc.tables.rows import IsHeader, Line, Table, header_names
from memeloc.tables.workbooks import read_worksheets

_JSON = (".jsonl", ".ndjson", ".json")


def read_table(
    path: Path,
    required: Sequence[str] = (),
    *,
    is_header: IsHeader | None = None,
    wanted: str = "",
    worksheet: str = "",
    encodings: Sequence[str] = (),
    score: Callable[[Table], float] | None = None,
) -> Table:
    """Open the table of a file: of several the first that has the headings.

    Args:
        path: the file.
        required: columns it must have, each once; its header is the first row that names them.
        is_header: tells the header instead of `required`; it is given a row's texts. Without
            either the header is the first row that is not blank.
        wanted: what a table without such a header lacks, for the sentence.
        worksheet: name of the worksheet that is looked at first.
        encodings: for CSV that is neither UTF-8 nor UTF-16: what it may be in, the likeliest first.
        score: how well a table was read; of several encodings the one with the highest score is
            taken. Without it, it is the first in which the file can be read.

    Raises:
        InputError: the file is missing, empty, too large, broken or no table, or has no such
            header.
    """
    for table in read_tables(
        path,
        required,
        is_header=is_header,
        worksheet=worksheet,
        encodings=encodings,
        score=score,
    ):
        _check_unique(table, required)
        return table
    if not required:
        raise InputError((wanted and f"has no row with {wanted}") or "has no rows", file=path)
    columns: tuple[str, ...] = ()
    for table in read_tables(path, worksheet=worksheet, encodings=encodings):
        columns = table.columns
        break
    lacking = next((name for name in required if name not in columns), required[0])
    shown = ", ".join(repr(column[:40]) for column in columns[:12]) or "none"
    raise InputError(
        f"The table has no column {lacking!r}. Its columns are {shown}.", file=path, column=lacking
    )


def read_tables(
    path: Path,
    required: Sequence[str] = (),
    *,
    is_header: IsHeader | None = None,
    worksheet: str = "",
    encodings: Sequence[str] = (),
    score: Callable[[Table], float] | None = None,
) -> Iterator[Table]:
    """Every table of a file that has the headings; only a workbook can have several.

    Takes and raises what `read_table` does, but for headings that no table has.
    """
    if is_header is None and required:
        needed = {name.casefold() for name in required}

        def is_header(texts: Sequence[str]) -> bool:
            return needed <= {text.casefold() for text in texts}

    head = read_head(path)
    if head.startswith(b"PAR1"):
        yield from _columnar(Parquet(path), required)
    elif is_zip(head) or is_ole(head):
        member = None if is_ole(head) else csv_member(path)
        if member is not None:
            yield from _csv(path, member, is_header, encodings, score)
            return
        for name, read in read_worksheets(path, worksheet):
            table = _find(path, read, is_header, place=f"the worksheet {name[:60]!r}")
            if table is not None:
                yield table
    elif path.suffix.lower() in _JSON:
        text = decode(path, lambda: path.open("rb"), ())[0]
        yield from _columnar(JsonLines(path, text.encoding, text.errors), required)
    elif path.suffix.lower() == ".parquet":
        raise InputError("The file is not Parquet, or broken.", file=path)
    else:
        yield from _csv(path, lambda: path.open("rb"), is_header, encodings, score)


def _columnar(file: JsonLines | Parquet, required: Sequence[str]) -> Iterator[Table]:
    columns = tuple(name.strip() for name in file.columns)
    if {name.casefold() for name in required} <= {name.casefold() for name in columns}:
        yield Table(file.path, columns, _read=file.lines)


def _csv(
    path: Path,
    opener: Callable[[], Any],
    is_header: IsHeader | None,
    encodings: Sequence[str],
    score: Callable[[Table], float] | None,
) -> Iterator[Table]:
    tables = []
    for file in decode(path, opener, encodings):
        table = _csv_table(file.with_delimiter(is_header), is_header)
        if table is not None:
            tables.append(table)
            if score is None:
                break
    if len(tables) > 1 and score is not None:
        yield max(tables, key=score)
    else:
        yield from tables


def _csv_table(file: CsvFile, is_header: IsHeader | None) -> Table | None:
    return _find(file.path, file.lines, is_header, note=file.note)


def _find(
    path: Path,
    read: Callable[[], Iterator[Line]],
    is_header: IsHeader | None,
    *,
    place: str = "the file",
    note: str = "",
) -> Table | None:
    """The table whose header stands among the first rows; None when there is none."""
    lines = read() if is_header is None else islice(read(), SEARCHED)
    for number, cells, problem in lines:
        names = header_names(cells)
        if any(names) and (not problem or not problem[0]) and (not is_header or is_header(names)):
            return Table(path, tuple(names), place, note, read, number, is_header)
    return None


def _check_unique(table: Table, required: Sequence[str]) -> None:
    """Refuse a table of known columns that has one of them, or any other, twice."""
    seen: set[str] = set()
    for name in table.columns if required else ():
        if name and name.casefold() in seen:
            raise InputError(
                "The table has two columns of this name; rename or remove one.",
                file=table.path,
                column=name[:60],
            )
        seen.add(name.casefold())
