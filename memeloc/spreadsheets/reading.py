"""Any spreadsheet. In: a file. Out: its tables, told by content and not by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memeloc.errors import InputError
from memeloc.files import read_head
from memeloc.spreadsheets.csv_file import is_text, lines_of
from memeloc.tables.cells import Cell
from memeloc.tables.workbooks import is_workbook, read_worksheets

Line = tuple[int, list[Cell]]


def read_tables(path: Path, first: str = "") -> Iterator[tuple[str, Iterator[Line]]]:
    """The tables of an xlsx, ods or CSV file, each with what it is called in sentences.

    Args:
        path: the file.
        first: name of the worksheet that comes first.

    Raises:
        InputError: the file is missing, empty, too large, broken, or none of these.
    """
    head = read_head(path)
    if is_workbook(head):
        for name, read in read_worksheets(path, first):
            yield f"the worksheet {name[:60]!r}", ((number, cells) for number, cells, _ in read())
    elif is_text(head):
        yield "the file", iter(lines_of(path))
    else:
        raise InputError("is no spreadsheet: xlsx, ods and CSV are read", file=path)
