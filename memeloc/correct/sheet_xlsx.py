"""Sheets as Excel workbooks. In: a sheet, or a filled-in workbook. Out: the other.

One row a part, the meme's picture beside its parts, a list to pick the status from, and only the
cells that a person fills in unlocked. The guide stands on a worksheet of its own. LibreOffice's
ods is read as well. A caption is always written as a string, never as a formula or a link.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell

from memeloc.correct.columns import HEADINGS, cells_of, empty_columns, read_columns
from memeloc.correct.model import Sheet, SheetAnswers, SheetItem
from memeloc.correct.statuses import status_words
from memeloc.placeholders import PLACEHOLDER
from memeloc.sheets.markdown import paragraphs
from memeloc.tables import drawable, new_workbook
from memeloc.tables.archives import is_workbook
from memeloc.tables.workbooks import picture_options

CAPTIONS = "Captions"
GUIDE = "Guide"

_WIDTHS = (2, 25, 16, 10, 5, 34, 34, 34, 34, 40, 7, 6, 26, 30, 18, 44, 30, 40, 9, 6, 10)
"""Of the columns in the order of HEADINGS, in characters."""
_HIDDEN = {"key", "language", "round", "person"}
_HIDDEN_IN = {
    "transcript": _HIDDEN | {"source", "room"},
    "survey": _HIDDEN | {"picture", "box", "length", "room"},
}
"""By kind of sheet, the columns that say nothing to a person who fills it in."""
_NUMBERS = {"number", "room", "round"}
_PICTURE_SIDE = 170
_ROW_HEIGHT = 56
_TEXT_HEIGHT = 24
_LARGEST_ROW = 380
_HOW = (
    "How to fill in the sheet “Captions”: read source and picture, then the text to be corrected. "
    "If it is right, pick “{correct}”. If not, write the whole part anew under “your text” (parts "
    "that you leave empty keep what stands there). If it cannot be translated, pick why. One "
    "status a meme is enough, on any of its rows. Leave a meme untouched to come back to it later. "
    "“room” is how many characters fit well; “length” counts yours. Grey cells are locked."
)
_HOW_TRANSCRIPT = (
    "How to fill in the sheet “Captions”: look at the picture, then at what a program has read in "
    "it. If that is what stands there, letter by letter, pick “{correct}”. If not, write the whole "
    "part anew under “your text” (parts that you leave empty keep what stands there; write - for a "
    "part that is no text; put text that was passed over into the part next to it). If there is no "
    "text in the picture, pick “{no_text}”. One status a picture is enough, on "
    "any of its rows. Leave a picture untouched to come back to it later. Grey cells are locked."
)
_HOW_SURVEY = (
    "How to fill in the sheet “Captions”: these are the texts that people read who answer a survey "
    "about memes. Read source, then the text to be corrected. If it is right, pick “{correct}”. If "
    "not, write the whole text anew under “your text”. What stands in braces and in blue is "
    "replaced by a number or a name when the survey is shown: write it letter by letter as it is, "
    "where your language wants it. Leave a text untouched to come back to it later. Grey cells are "
    "locked."
)


class Xlsx:
    """The Excel format of sheets, which also reads ods."""

    name = "xlsx"
    suffix = ".xlsx"
    has_pictures = True

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet with its pictures and its guide."""
        with new_workbook(path, in_order=True) as book:
            _Writer(book, sheet).write()

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it is a workbook of Excel or LibreOffice, or something that pretends to be."""
        return is_workbook(head)

    def read(self, path: Path) -> SheetAnswers:
        """See `SheetFormat.read`."""
        return read_columns(path, CAPTIONS)


class _Writer:
    """Writes one sheet into a workbook."""

    def __init__(self, book: Any, sheet: Sheet) -> None:
        self.book = book
        self.sheet = sheet
        self.columns = {name: index for index, name in enumerate(HEADINGS)}
        right_to_left = {"reading_order": 2} if sheet.language.direction == "rtl" else {}
        cell = {"text_wrap": True, "valign": "top", "font_size": 11, "num_format": "@"}
        grey = {**cell, "bg_color": "#f3f3f3", "border": 1, "border_color": "#dddddd"}
        free = {**cell, "locked": False, "border": 1, "border_color": "#bbbbbb"}
        small = book.add_format({**grey, "font_color": "#666666", "font_size": 9})
        count = book.add_format({**grey, "num_format": "0"})
        self.formats = dict.fromkeys(HEADINGS, small) | {
            "source": book.add_format(grey),
            **dict.fromkeys(
                ("machine", "suggestion"),
                book.add_format({**grey, **right_to_left, "font_size": 12}),
            ),
            "text": book.add_format({**free, **right_to_left, "font_size": 12}),
            "length": count,
            "room": count,
            "status": book.add_format(free),
            "comment": book.add_format(free),
        }
        self.placeholder = book.add_format({"bold": True, "font_color": "#0b5394", "font_size": 11})

    def write(self) -> None:
        sheet = self.sheet
        title = f"memeloc: {sheet.language.name}, round {sheet.round}"
        self.book.set_properties({"title": title, "comments": f"sheet {sheet.id}"})
        created = sheet.created.isoformat()
        for name, value in (("sheet", sheet.id), ("created", created), ("kind", sheet.kind)):
            self.book.set_custom_property(f"memeloc {name}", value)
        page = self.book.add_worksheet(CAPTIONS)
        self._layout(page)
        line = 1
        for item in sheet.items:
            self._item(page, line, item)
            line += len(item.parts)
        if line > 1:
            self._rules(page, line - 1)
        self._guide()

    def _layout(self, page: Any) -> None:
        head = self.book.add_format(
            {"bold": True, "bg_color": "#30475e", "font_color": "#ffffff", "valign": "vcenter"}
        )
        hidden = _HIDDEN_IN.get(self.sheet.kind, _HIDDEN) | empty_columns(self.sheet)
        for (name, index), width in zip(self.columns.items(), _WIDTHS, strict=True):
            page.set_column(index, index, width, None, {"hidden": name in hidden})
            page.write_string(0, index, HEADINGS[name], head)
        page.set_row(0, 22)
        page.freeze_panes(1, self.columns["box"])
        page.set_landscape()
        page.fit_to_pages(1, 0)
        page.repeat_rows(0)
        if self.sheet.language.direction == "rtl":
            page.right_to_left()
        allowed = ("sort", "autofilter", "format_columns", "format_rows", "select_locked_cells")
        page.protect("", dict.fromkeys(allowed, True))

    def _item(self, page: Any, line: int, item: SheetItem) -> None:
        """Write a meme's rows, which together are as high as its picture beside them."""
        height = max(_ROW_HEIGHT, _PICTURE_SIDE // max(len(item.parts), 1))
        if self.sheet.kind == "survey":
            height = _TEXT_HEIGHT
        for number, part in enumerate(item.parts, 1):
            row = line + number - 1
            cells = cells_of(self.sheet, item, number, part) | {"picture": ""}
            lines = 1 + max(len(part.source), len(part.machine)) // 30
            small = sum(1 + len(text) // 40 for text in cells["history"].splitlines())
            page.set_row_pixels(row, min(max(height, 20 * lines, 16 * small), _LARGEST_ROW))
            for name in HEADINGS:
                self._cell(page, row, name, drawable(cells.get(name, "")))
        if item.picture is not None and item.picture.is_file():
            self._picture(page, line, item, height * len(item.parts))

    def _cell(self, page: Any, line: int, name: str, text: str) -> None:
        column, style = self.columns[name], self.formats[name]
        protected = self.sheet.kind == "survey" and name in ("source", "machine")
        if name == "length":
            typed = xl_rowcol_to_cell(line, self.columns["text"])
            page.write_formula(line, column, f"=LEN({typed})", style, 0)
        elif not text:
            page.write_blank(line, column, None, style)
        elif name in _NUMBERS:
            page.write_number(line, column, int(text), style)
        elif protected and len(pieces := self._protected(text)) > 2:
            page.write_rich_string(line, column, *pieces, style)
        else:
            page.write_string(line, column, text, style)

    def _protected(self, text: str) -> list[Any]:
        """A text with the format of placeholders before each of its placeholders."""
        pieces: list[Any] = []
        for piece in re.split(f"({PLACEHOLDER.pattern})", text):
            pieces += [self.placeholder, piece] if PLACEHOLDER.fullmatch(piece) else [piece]
        return [piece for piece in pieces if piece]

    def _picture(self, page: Any, line: int, item: SheetItem, height: int) -> None:
        assert item.picture is not None
        tallest = max(height, _PICTURE_SIDE // 2) - 6
        described = f"The meme {item.meme_id} with the text to be corrected"
        options = picture_options(item.picture, _PICTURE_SIDE, tallest, described)
        page.insert_image(line, self.columns["picture"], str(item.picture), options)

    def _rules(self, page: Any, last: int) -> None:
        """The list to pick the status from, and a warning colour for texts that are too long."""
        column = self.columns
        page.autofilter(0, 0, last, len(column) - 1)
        words = status_words(self.sheet.language.tag)
        statuses = {
            "validate": "list",
            "source": [words[status] for status in self.sheet.statuses],
            "error_title": "Status",
            "error_message": "Pick one from the list.",
        }
        page.data_validation(1, column["status"], last, column["status"], statuses)
        length = xl_rowcol_to_cell(1, column["length"], col_abs=True)
        room = xl_rowcol_to_cell(1, column["room"], col_abs=True)
        too_long = {
            "type": "formula",
            "criteria": f"=AND(ISNUMBER({room}),{length}>{room})",
            "format": self.book.add_format({"font_color": "#b00020", "bold": True}),
        }
        page.conditional_format(1, column["length"], last, column["length"], too_long)

    def _guide(self) -> None:
        page = self.book.add_worksheet(GUIDE)
        page.set_column(0, 0, 110)
        text = {"text_wrap": True, "valign": "top", "font_size": 11}
        right_to_left = self.sheet.language.direction == "rtl"
        native = {**text, "reading_order": 2, "align": "right"} if right_to_left else text
        body = self.book.add_format(native)
        title = self.book.add_format({"bold": True, "font_size": 13, "text_wrap": True})
        how = {"transcript": _HOW_TRANSCRIPT, "survey": _HOW_SURVEY}.get(self.sheet.kind, _HOW)
        words = status_words(self.sheet.language.tag)
        how = how.format(correct=words["correct"], no_text=words["no-text"])
        page.write_string(0, 0, how, self.book.add_format(text))
        page.set_row_pixels(0, 110)
        for line, (heading, paragraph) in enumerate(paragraphs(self.sheet.guide), 2):
            page.write_string(line, 0, drawable(paragraph), title if heading else body)
        page.protect("")
