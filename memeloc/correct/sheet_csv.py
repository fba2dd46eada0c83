"""Sheets as CSV, for any spreadsheet. In: a sheet, or a file that was filled in. Out: the other.

UTF-8 with a byte order mark, which Excel needs. A cell that begins with what a spreadsheet takes
for a formula (= + - @, tab, carriage return) gets an apostrophe in front; reading takes it off.
Files are read with commas, semicolons or tabs, in UTF-8 or UTF-16.
"""

from __future__ import annotations

from pathlib import Path

from memeloc.correct.columns import HEADINGS, cells_of, read_columns
from memeloc.correct.model import Sheet, SheetAnswers
from memeloc.correct.rows import parts_of
from memeloc.tables import write_table
from memeloc.tables.archives import is_workbook


class Csv:
    """The CSV format of sheets."""

    name = "csv"
    suffix = ".csv"

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet, one row a part."""
        names = [name for name in HEADINGS if name != "length"]
        cells = (cells_of(sheet, *each) for each in parts_of(sheet))
        rows = ([row.get(name, "") for name in names] for row in cells)
        write_table(path, [HEADINGS[name] for name in names], rows, suffix=self.suffix)

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it is text; a table of other columns is noticed when it is read."""
        return not is_workbook(head)

    def read(self, path: Path) -> SheetAnswers:
        """See `SheetFormat.read`."""
        return read_columns(path)
