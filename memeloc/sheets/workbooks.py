"""Sheets as Excel workbooks. In: a form and its rows. Out: a file.

Only the cells that a person fills in are unlocked; pictures stand beside the rows that are about
them, and how to fill the sheet in on a page of its own. A text is always written as a string, never
as a formula or a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell

from memeloc.placeholders import PLACEHOLDER
from memeloc.sheets.form import (
    CHECK,
    TYPED,
    Cells,
    SheetColumn,
    SheetForm,
    cell_text,
    check_of,
    picture_of,
)
from memeloc.sheets.markdown import paragraphs
from memeloc.tables import drawable, new_workbook
from memeloc.tables.workbooks import picture_options

GUIDE = "Guide"
_LONGEST = 32_000
"""Characters of a cell; Excel takes 32,767."""
_LARGEST_ROW = 400
_LOW, _HIGH = 24, 56
"""Pixels of a row at least, on sheets without pictures and with them."""
_LONGEST_LIST = 255
"""Characters of choices that Excel takes within a cell's rule; longer ones stand on a worksheet."""


def write(path: Path, form: SheetForm, rows: Sequence[Cells]) -> None:
    """Write a sheet with its pictures, its lists and the page that says how."""
    with new_workbook(path, in_order=True) as book:
        _Writer(book, form, rows).write()


class _Writer:
    """Writes one sheet into a workbook, row by row."""

    def __init__(self, book: Any, form: SheetForm, rows: Sequence[Cells]) -> None:
        self.book, self.form, self.rows = book, form, rows
        check = [SheetColumn(CHECK, "key")] * any(column.kind == "key" for column in form.columns)
        self.columns = [*form.columns, *check]
        self.places = {column.name: place for place, column in enumerate(self.columns)}
        # Text without a direction of its own takes that of the cell: 0 is by its first letter.
        order = {"reading_order": 2 if form.is_rtl else 0}
        cell = {"text_wrap": True, "valign": "top", "num_format": "@", "border": 1}
        cell |= {"border_color": "#dddddd", "font_size": 11}
        grey = {**cell, "bg_color": "#f3f3f3"}
        small = {**grey, "font_color": "#666666", "font_size": 9}
        free = {**cell, "border_color": "#bbbbbb", "locked": False}
        styles = {
            "source": grey,
            "text": {**grey, **order, "font_size": 12},
            "answer": {**free, **order, "font_size": 12},
            "status": free,
            "note": {**free, **order},
            "hint": {**small, "italic": True},
            "count": {**grey, "num_format": "0"},
            "room": {**grey, "num_format": "0"},
        }
        self.formats = {kind: book.add_format(style) for kind, style in styles.items()}
        self.plain = book.add_format({**small, "reading_order": 0})
        head = {"bold": True, "bg_color": "#30475e", "font_color": "#ffffff", "text_wrap": True}
        self.head = book.add_format({**head, "valign": "vcenter"})
        self.placeholder = book.add_format({"bold": True, "font_color": "#0b5394", "font_size": 11})

    def write(self) -> None:
        form, last = self.form, len(self.rows)
        self.book.set_properties({"title": f"memeloc: {form.title}", "comments": form.asked})
        page = self.book.add_worksheet(form.title)
        self._layout(page, last)
        line = 1
        for rows in self._groups():
            self._group(page, line, rows)
            line += len(rows)
        for column in self.columns if last else ():
            if column.kind in TYPED and (rule := self._rule(column)):
                place = self.places[column.name]
                page.data_validation(1, place, last, place, rule)
        self._warn_of_length(page, last)
        if form.listed is not None:
            self._table(form.listed.name, [form.listed.headings, *form.listed.rows])
        if form.how or form.guide:
            self._guide()

    def _layout(self, page: Any, last: int) -> None:
        for place, column in enumerate(self.columns):
            empty = column.optional and not any(row.get(column.name) for row in self.rows)
            hidden = column.hidden or column.kind in ("key", "fact") or empty
            page.set_column(place, place, column.width, None, {"hidden": hidden})
            page.write_string(0, place, drawable(column.shown), self.head)
        together = self.form.together
        page.freeze_panes(1, self.places[together] + 1 if together else 0)
        page.autofilter(0, 0, last, len(self.columns) - 1)
        page.set_landscape()
        page.fit_to_pages(1, 0)
        page.repeat_rows(0)
        if self.form.is_rtl:
            page.right_to_left()
        allowed = ("sort", "autofilter", "format_columns", "format_rows", "select_locked_cells")
        page.protect("", dict.fromkeys(allowed, True))

    def _groups(self) -> Iterator[list[Cells]]:
        """Yield the rows that stand together."""
        if not self.form.together:
            yield from ([row] for row in self.rows)
            return
        for _, rows in groupby(self.rows, lambda row: row.get(self.form.together)):
            yield list(rows)

    def _group(self, page: Any, line: int, rows: Sequence[Cells]) -> None:
        """Write rows that stand together; they are as high as the picture beside them."""
        columns = [column for column in self.form.of_kind("picture") if not column.hidden]
        pictures = {column.name: picture_of(rows[0].get(column.name)) for column in columns}
        least = _HIGH if columns else _LOW
        if any(pictures.values()):
            least = max(least, (self.form.side + 6) // len(rows))
        height = 0
        for number, row in enumerate(rows, line):
            texts = {column.name: cell_text(row.get(column.name)) for column in self.columns}
            texts[CHECK] = check_of(self.form.columns, texts)
            texts |= dict.fromkeys((name for name, picture in pictures.items() if picture), "")
            lines = (_pixels(column, texts[column.name]) for column in self.columns)
            pixels = min(max(least, *lines), _LARGEST_ROW)
            page.set_row_pixels(number, pixels)
            height += pixels
            for place, column in enumerate(self.columns):
                is_number = type(row.get(column.name)) is int
                self._cell(page, number, place, texts[column.name][:_LONGEST], is_number)
        for name, picture in pictures.items():
            if picture is not None:
                described = picture.description or f"The {name}"
                high = max(height - 6, self.form.side // 2)
                options = picture_options(picture.file, self.form.side, high, described)
                page.insert_image(line, self.places[name], str(picture.file), options)

    def _cell(self, page: Any, line: int, place: int, text: str, is_number: bool) -> None:
        column = self.columns[place]
        style = self.formats.get(column.kind, self.plain)
        if column.kind == "count":
            typed = xl_rowcol_to_cell(line, self._place("answer"))
            page.write_formula(line, place, f"=LEN({typed})", style, 0)
        elif not text:
            page.write_blank(line, place, None, style)
        elif is_number:
            page.write_number(line, place, int(text), style)
        elif column.kind in ("source", "text") and len(pieces := self._protected(text)) > 2:
            page.write_rich_string(line, place, *pieces, style)
        else:
            page.write_string(line, place, text, style)

    def _place(self, kind: str) -> int:
        return self.places[self.form.of_kind(kind)[0].name]

    def _protected(self, text: str) -> list[Any]:
        """Return a text with the format of placeholders before each of its placeholders."""
        pieces: list[Any] = []
        for piece in re.split(f"({PLACEHOLDER.pattern})", text) if self.form.braces else ():
            pieces += [self.placeholder, piece] if PLACEHOLDER.fullmatch(piece) else [piece]
        return [piece for piece in pieces if piece]

    def _rule(self, column: SheetColumn) -> dict[str, Any] | None:
        """Return the question beside a cell, and the list that it offers."""
        rule: dict[str, Any] = {"validate": "any"}
        if self.form.asked and column.kind == "answer":
            rule["input_message"] = self.form.asked[:255]
        if column.choices and self.form.listed is not None:
            listed = f"='{self.form.listed.name}'!$B$2:$B${len(self.form.listed.rows) + 1}"
            rule |= {"validate": "list", "source": listed, "show_error": False}
        elif column.choices:
            source: Any = list(column.choices)
            if len(",".join(column.choices)) > _LONGEST_LIST or "," in "".join(column.choices):
                page = self._table(f"{column.name} list", [[choice] for choice in column.choices])
                page.hide()
                source = f"='{column.name} list'!$A$1:$A${len(column.choices)}"
            error = {"error_title": column.shown[:32], "error_message": "Pick one from the list."}
            rule |= {"validate": "list", "source": source, **error}
        return rule if len(rule) > 1 else None

    def _warn_of_length(self, page: Any, last: int) -> None:
        """Show a length that is larger than the room in a colour that warns."""
        if not (last and self.form.of_kind("count") and self.form.of_kind("room")):
            return
        place = self._place("count")
        length = xl_rowcol_to_cell(1, place, col_abs=True)
        room = xl_rowcol_to_cell(1, self._place("room"), col_abs=True)
        too_long = {
            "type": "formula",
            "criteria": f"=AND(ISNUMBER({room}),{length}>{room})",
            "format": self.book.add_format({"font_color": "#b00020", "bold": True}),
        }
        page.conditional_format(1, place, last, place, too_long)

    def _table(self, name: str, rows: Sequence[Sequence[str]]) -> Any:
        page = self.book.add_worksheet(name)
        page.set_column(0, len(rows[0]) - 1, 48)
        for line, cells in enumerate(rows):
            for place, text in enumerate(cells):
                style = self.formats["source"] if line else self.head
                page.write_string(line, place, drawable(text)[:_LONGEST], style)
        return page

    def _guide(self) -> None:
        page = self.book.add_worksheet(GUIDE)
        page.set_column(0, 0, 110)
        style = {"text_wrap": True, "valign": "top", "font_size": 11}
        if self.form.is_rtl:
            style |= {"reading_order": 2, "align": "right"}
        body = self.book.add_format(style)
        title = self.book.add_format({**style, "bold": True, "font_size": 13})
        lines = [(line == 0, text) for line, text in enumerate(self.form.how)]
        for line, (heading, text) in enumerate([*lines, *paragraphs(self.form.guide)]):
            page.write_string(line, 0, drawable(text), title if heading else body)
        page.protect("")


def _pixels(column: SheetColumn, text: str) -> int:
    """Return how high a row has to be for a cell; what only programs read needs no height."""
    if column.hidden or not text or column.kind in ("key", "fact"):
        return 0
    lines = sum(1 + len(line) // max(column.width - 4, 1) for line in text.splitlines())
    return (20 if column.kind in ("source", "text") else 16) * lines + 4
