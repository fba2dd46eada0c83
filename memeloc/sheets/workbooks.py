"""Sheets with cells to fill in, as workbooks with pictures, or as tables. In: columns and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.sheets.writing import write_sheet, write_sheet_table
from memeloc.tables import drawable, new_workbook
from memeloc.tables.workbooks import picture_options

SUFFIXES = (".xlsx", ".csv", ".jsonl", ".parquet")
_LONGEST = 32_000
"""Characters of a cell; Excel takes 32,767."""


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a sheet.

    Attributes:
        kind: `text` (a caption, in any script), `picture` (a file), `answer` (to be filled in),
            `note` (may be), `hint` (what a program guessed), or empty for what is read only.
        width: in characters.
        choices: offered in a list; where they are listed on a worksheet, other text may be typed.
        hidden: whether only programs read it.
    """

    name: str
    kind: str = ""
    width: int = 16
    choices: tuple[str, ...] = ()
    hidden: bool = False


Listed = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A second worksheet: its name, headings and rows. The choices of a column stand in its second."""


def write_columns(
    path: Path,
    name: str,
    columns: Sequence[SheetColumn],
    rows: Sequence[Mapping[str, Any]],
    *,
    asked: str,
    side: int = 230,
    listed: Listed | None = None,
    guide: Sequence[str] = (),
) -> Path:
    """Write a sheet; return where it is, see `memeloc.sheets.write_sheet`.

    Args:
        rows: cells by column; a picture is a path. What is to be filled in may be left out.
        asked: what the person is asked, beside the cells of answers.
        side: pixels of a picture's larger side.
        guide: lines of a last worksheet, the first of them its title.

    Raises:
        InputError: the file's ending is none of `SUFFIXES`.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"A sheet is written as {', '.join(SUFFIXES)}, not {suffix!r}.", file=path)
    if suffix != ".xlsx":
        cells = ([row.get(column.name, "") for column in columns] for row in rows)
        return write_sheet_table(path, [column.name for column in columns], cells)[0]

    def write(draft: Path) -> None:
        with new_workbook(draft) as book:
            _Writer(book, columns, asked, side).write(name, rows, listed, guide)

    return write_sheet(path, write)[0]


class _Writer:
    """Writes one sheet into a workbook."""

    def __init__(self, book: Any, columns: Sequence[SheetColumn], asked: str, side: int) -> None:
        self.book, self.columns, self.asked, self.side = book, columns, asked, side
        # Text without direction of its own takes that of the cell: 0 is by its first strong letter.
        cell = {"text_wrap": True, "valign": "top", "num_format": "@", "border": 1}
        cell |= {"reading_order": 0, "border_color": "#dddddd", "font_size": 11}
        grey = {**cell, "bg_color": "#f3f3f3"}
        small = {**grey, "font_color": "#666666", "font_size": 9}
        answer = {**cell, "border_color": "#bbbbbb", "font_size": 12, "locked": False}
        head = {"bold": True, "bg_color": "#30475e", "font_color": "#ffffff", "text_wrap": True}
        self.head = book.add_format(head)
        self.formats = {
            "": book.add_format(small),
            "text": book.add_format(grey),
            "picture": book.add_format(grey),
            "answer": book.add_format(answer),
            "note": book.add_format(answer),
            "hint": book.add_format({**small, "italic": True}),
        }

    def write(
        self,
        name: str,
        rows: Sequence[Mapping[str, Any]],
        listed: Listed | None,
        guide: Sequence[str],
    ) -> None:
        self.book.set_properties({"title": f"memeloc: {name}", "comments": self.asked})
        page = self.book.add_worksheet(name)
        for place, column in enumerate(self.columns):
            page.set_column(place, place, column.width, None, {"hidden": column.hidden})
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
            if column.kind == "answer" and rows:
                page.data_validation(1, place, len(rows), place, self._rule(column, listed))
        if listed is not None:
            self._list(listed)
        if guide:
            self._guide(guide)

    def _row(self, page: Any, line: int, row: Mapping[str, Any]) -> None:
        height = 60
        for place, column in enumerate(self.columns):
            value = row.get(column.name, "")
            text = drawable(str(value))[:_LONGEST]
            form = self.formats[column.kind]
            if column.kind == "picture" and text and (file := Path(value)).is_file():
                page.write_blank(line, place, None, form)
                options = picture_options(file, self.side, self.side, f"The {column.name}")
                page.insert_image(line, place, str(file), options)
                height = max(height, self.side + 6)
            elif text:
                page.write_string(line, place, text, form)
                if column.kind == "text":
                    height = max(height, 20 * (1 + len(text) // max(column.width - 6, 1)))
            else:
                page.write_blank(line, place, None, form)
        page.set_row_pixels(line, min(height, 400))

    def _rule(self, column: SheetColumn, listed: Listed | None) -> dict[str, Any]:
        """The question beside a cell, and the list that it offers."""
        asked = {"input_message": self.asked[:255]}
        if not column.choices:
            return {"validate": "any", **asked}
        if listed is None:
            error = {"error_title": "Your answer", "error_message": "Pick one from the list."}
            return {"validate": "list", "source": list(column.choices), **error, **asked}
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

    def _guide(self, lines: Sequence[str]) -> None:
        page = self.book.add_worksheet("How")
        page.set_column(0, 0, 100)
        wrap = {"text_wrap": True, "valign": "top", "font_size": 11}
        title = self.book.add_format({**wrap, "bold": True, "font_size": 13})
        line = self.book.add_format(wrap)
        for row, text in enumerate(lines):
            page.write_string(row, 0, text, line if row else title)
        page.protect("")
