"""Sheets as CSV, for any spreadsheet. In: a sheet, or a file that came back. Out: the other.

UTF-8 with a byte order mark, which Excel needs. A cell that begins with what a spreadsheet takes
for a formula (= + - @, tab, carriage return) gets an apostrophe in front; reading takes it off.
Files are read with commas, semicolons or tabs, in UTF-8 or UTF-16.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from memeloc.correct.columns import HEADINGS, Cell, read_columns
from memeloc.correct.items import Sheet, SheetAnswers
from memeloc.correct.rows import key_of, parts_of
from memeloc.errors import InputError

_RISKY = re.compile("'*[=+\\-@\t\r]")
_GUARDED = re.compile("'+[=+\\-@\t\r]")
_LEFT_OUT = ("length",)


class Csv:
    """The CSV format of sheets."""

    name = "csv"
    suffix = ".csv"

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet, one row a part."""
        names = [name for name in HEADINGS if name not in _LEFT_OUT]
        with path.open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\r\n")
            writer.writerow([HEADINGS[name] for name in names])
            for item, part in parts_of(sheet):
                piece = item.parts[part - 1]
                cells = {
                    "key": key_of(sheet, item, part),
                    "picture": item.picture.name if item.picture else "",
                    "meme": item.meme_id,
                    "box": piece.name,
                    "number": str(part),
                    "source": piece.source,
                    "machine": piece.machine,
                    "room": str(piece.room or ""),
                    "marks": "; ".join([*item.marks, *([item.note] if item.note else [])]),
                    "language": sheet.language.tag,
                    "round": str(sheet.round),
                    "person": sheet.person,
                }
                writer.writerow([guarded(cells.get(name, "")) for name in names])

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it is text; a table of other columns is told when it is read."""
        if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
            return True
        return b"\x00" not in head

    def read(self, path: Path) -> SheetAnswers:
        """Read a sheet that came back; see `SheetFormat`."""
        return read_columns(path, lines_of(path), "the file")


def guarded(text: str) -> str:
    """A cell's text, with an apostrophe before what a spreadsheet would take for a formula."""
    return f"'{text}" if _RISKY.match(text) else text


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            "is not in UTF-8: save it as “CSV UTF-8” (Excel) or choose Unicode (UTF-8) as the "
            "character set (LibreOffice)",
            file=path,
        ) from error


def lines_of(path: Path) -> list[tuple[int, list[Cell]]]:
    """The records of a CSV file with their numbers, apostrophes before formulas taken off.

    Raises:
        InputError: it is not in UTF-8 or UTF-16, or not CSV.
    """
    text = _decoded(path)
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    limit = csv.field_size_limit(len(text) + 1)
    try:
        return [
            (number, [cell[1:] if _GUARDED.match(cell) else cell for cell in cells])
            for number, cells in enumerate(
                csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1
            )
        ]
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=path) from error
    finally:
        csv.field_size_limit(limit)
