"""Sheets that ask for text. In: columns and rows. Out: a workbook with pictures, or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc import sheets
from memeloc.errors import InputError
from memeloc.tables import drawable, new_workbook
from memeloc.tables.workbooks import picture_options

SUFFIXES = (".xlsx", ".csv", ".jsonl", ".parquet")
_SIDE = 230
"""Pixels of a picture's larger side."""
_LONGEST = 32_000
"""Characters of a cell; Excel takes 32,767."""


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a sheet.

    Attributes:
        kind: `text` (a caption, in any script), `picture` (a file), `answer` (to be filled in), or
            empty for what is read only.
        width: in characters.
        choices: offered in a list; other text may be typed, too.
    """

    name: str
    kind: str = ""
    width: int = 16
    choices: tuple[str, ...] = ()


Listed = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A second worksheet: its name, headings and rows. The choices of a column stand in its second."""


def write_sheet(
    path: Path,
    name: str,
    columns: Sequence[SheetColumn],
    rows: Sequence[Mapping[str, Any]],
    *,
    asked: str,
    listed: Listed | None = None,
) -> Path:
    """Write a sheet; return where it is, see `memeloc.sheets.write_sheet`.

    A cell that is to be filled in has nothing in `rows`.

    Args:
        asked: what the person is asked, beside the cells of answers.

    Raises:
        InputError: the file's ending is none of `SUFFIXES`.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"A sheet is written as {', '.join(SUFFIXES)}, not {suffix!r}.", file=path)
    if suffix != ".xlsx":
        cells = ([row.get(column.name, "") for column in columns] for row in rows)
        return sheets.write_sheet_table(path, [column.name for column in columns], cells)[0]

    def write(draft: Path) -> None:
        with new_workbook(draft) as book:
            _Writer(book, columns, asked).write(name, rows, listed)

    return sheets.write_sheet(path, write)[0]


class _Writer:
    """Writes one sheet into a workbook."""

    def __init__(self, book: Any, columns: Sequence[SheetColumn], asked: str) -> None:
        self.book, self.columns, self.asked = book, columns, asked
        cell = {"text_wrap": True, "valign": "top", "num_format": "@", "border": 1}
        grey = {**cell, "bg_color": "#f3f3f3", "border_color": "#dddddd", "reading_order": 0}
        self.head = book.add_format({"bold": True, "bg_color": "#30475e", "font_color": "#ffffff"})
        self.formats = {
            "": book.add_format({**grey, "font_color": "#666666"}),
            "text": book.add_format({**grey, "font_size": 12}),
            "picture": book.add_format(grey),
            "answer": book.add_format({**cell, "border_color": "#bbbbbb", "locked": False}),
        }

    def write(self, name: str, rows: Sequence[Mapping[str, Any]], listed: Listed | None) -> None:
        page = self.book.add_worksheet(name)
        for place, column in enumerate(self.columns):
            page.set_column(place, place, column.width)
            page.write_string(0, place, column.name, self.head)
        page.freeze_panes(1, 0)
        page.autofilter(0, 0, len(rows), len(self.columns) - 1)
        page.set_landscape()
        page.fit_to_pages(1, 0)
        page.repeat_rows(0)
        allowed = ("sort", "autofilter", "format_columns", "format_rows", "select_locked_cells")
        page.protect("", dict.fromkeys(allowed, True))
        for line, row in enumerate(rows, 1):
            self._row(page, line, row)
        for place, column in enumerate(self.columns):
            if column.kind == "answer":
                rule = self._rule(column, listed)
                page.data_validation(1, place, len(rows), place, rule)
        if listed is not None:
            self._list(listed)

    def _row(self, page: Any, line: int, row: Mapping[str, Any]) -> None:
        height = 60
        for place, column in enumerate(self.columns):
            text = drawable(str(row.get(column.name, "")))[:_LONGEST]
            form = self.formats[column.kind]
            if column.kind == "picture" and text and (file := Path(text)).is_file():
                page.write_blank(line, place, None, form)
                options = picture_options(file, _SIDE, _SIDE, f"The picture of {column.name}")
                page.insert_image(line, place, str(file), options)
                height = _SIDE + 6
            elif text:
                page.write_string(line, place, text, form)
            else:
                page.write_blank(line, place, None, form)
        page.set_row_pixels(line, height)

    def _rule(self, column: SheetColumn, listed: Listed | None) -> dict[str, Any]:
        """The question beside a cell, and the list that it offers."""
        asked = {"input_message": self.asked[:255]}
        if not column.choices or listed is None:
            return {"validate": "any", **asked}
        source = f"='{listed[0]}'!$B$2:$B${len(listed[2]) + 1}"
        return {"validate": "list", "source": source, "show_error": False, **asked}

    def _list(self, listed: Listed) -> None:
        name, headings, rows = listed
        page = self.book.add_worksheet(name)
        page.set_column(0, len(headings) - 1, 48)
        for line, cells in enumerate([headings, *rows]):
            for place, text in enumerate(cells):
                form = self.formats["text"] if line else self.head
                page.write_string(line, place, drawable(text)[:_LONGEST], form)
