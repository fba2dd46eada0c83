"""Sheets as CSV, for any spreadsheet. In: a sheet, or a file that came back. Out: the other.

UTF-8 with a byte order mark, which Excel needs. A cell that begins with what a spreadsheet takes
for a formula (= + - @, tab, carriage return) gets an apostrophe in front; reading takes it off.
Files are read with commas, semicolons or tabs, in UTF-8 or UTF-16.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memeloc.correct.columns import HEADINGS, read_columns
from memeloc.correct.model import Sheet, SheetAnswers
from memeloc.correct.rows import key_of, parts_of
from memeloc.tables import write_table
from memeloc.tables.workbooks import is_workbook

_LEFT_OUT = ("length",)


class Csv:
    """The CSV format of sheets."""

    name = "csv"
    suffix = ".csv"

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet, one row a part."""
        names = [name for name in HEADINGS if name not in _LEFT_OUT]
        rows = ([cells.get(name, "") for name in names] for cells in _rows(sheet))
        write_table(path, [HEADINGS[name] for name in names], rows, suffix=self.suffix)

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it is text; a table of other columns is noticed when it is read."""
        return not is_workbook(head)

    def read(self, path: Path) -> SheetAnswers:
        """Read a sheet that came back; see `SheetFormat`."""
        return read_columns(path)


def _rows(sheet: Sheet) -> Iterator[dict[str, str]]:
    for item, part in parts_of(sheet):
        piece = item.parts[part - 1]
        yield {
            "key": key_of(sheet, item, part),
            "picture": item.picture.name if item.picture else "",
            "meme": item.meme_id,
            "box": piece.name,
            "number": str(part),
            "source": piece.source,
            "machine": piece.machine,
            "room": str(piece.capacity or ""),
            "marks": "; ".join(item.remarks),
            "language": sheet.language.tag,
            "round": str(sheet.round),
            "person": sheet.person,
        }
