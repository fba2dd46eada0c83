"""Reading CSV as spreadsheets save it. In: a file. Out: its lines.

With commas, semicolons or tabs, in UTF-8 or UTF-16, with or without a byte order mark.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

from memeloc.errors import InputError
from memeloc.tables.cells import Cell, unguarded

Line = tuple[int, list[Cell]]


def is_text(head: bytes) -> bool:
    """Whether a file that begins so may be CSV."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    return b"\x00" not in head


def lines_of(path: Path) -> list[Line]:
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
            (number, [unguarded(cell) for cell in cells])
            for number, cells in enumerate(
                csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1
            )
        ]
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=path) from error
    finally:
        csv.field_size_limit(limit)


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
