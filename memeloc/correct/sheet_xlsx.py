"""Sheets as Excel workbooks. In: a sheet, or a workbook that came back. Out: the other.

One row a part, the meme's picture beside its parts, a list to pick the status from, and only the
cells that are hers to change unlocked. The guide stands on a worksheet of its own. LibreOffice's
ods is read as well. A caption is always written as a string, never as a formula or a link.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memeloc.correct.columns import HEADINGS, read_columns
from memeloc.correct.guide_text import paragraphs
from memeloc.correct.model import Sheet, SheetAnswers, SheetItem
from memeloc.correct.rows import LABELS, key_of, parts_of
from memeloc.placeholders import PLACEHOLDER
from memeloc.tables import drawable
from memeloc.tables.workbooks import is_workbook, new_workbook

CAPTIONS = "Captions"
GUIDE = "Guide"

_WIDTHS = {
    "key": 2,
    "picture": 25,
    "meme": 16,
    "box": 10,
    "number": 5,
    "source": 34,
    "machine": 34,
    "text": 40,
    "length": 7,
    "room": 6,
    "status": 26,
    "comment": 30,
    "marks": 18,
    "language": 9,
    "round": 6,
    "person": 10,
}
_HIDDEN = "key", "language", "round", "person"
_SOURCE_ONLY = "source", "room"
"""Columns that say nothing of a transcript."""
_OF_MEMES = "picture", "box", "length", "room"
"""Columns that say nothing of a survey's text."""
_UNUSED = {"transcript": _SOURCE_ONLY, "survey": _OF_MEMES}
_PICTURE_SIDE = 170
_ROW_HEIGHT = 56
_TEXT_HEIGHT = 24
_LARGEST_ROW = 380
_HOW = (
    "How to fill in the sheet “Captions”: read source and picture, then the text to be corrected. "
    "If it is right, pick “correct”. If not, write the whole part anew under “your text” (parts "
    "that you leave empty keep what stands there). If it cannot be translated, pick why. One "
    "status a meme is enough, on any of its rows. Leave a meme untouched to come back to it later. "
    "“room” is how many characters fit well; “length” counts yours. Grey cells are locked."
)
_HOW_TRANSCRIPT = (
    "How to fill in the sheet “Captions”: look at the picture, then at what a program has read in "
    "it. If that is what stands there, letter by letter, pick “correct”. If not, write the whole "
    "part anew under “your text” (parts that you leave empty keep what stands there; write - for a "
    "part that is no text; put text that was passed over into the part next to it). If there is no "
    "text in the picture, pick “no text in the picture”. One status a picture is enough, on "
    "any of its rows. Leave a picture untouched to come back to it later. Grey cells are locked."
)
_HOW_SURVEY = (
    "How to fill in the sheet “Captions”: these are the texts that people read who answer a survey "
    "about memes. Read source, then the text to be corrected. If it is right, pick “correct”. If "
    "not, write the whole text anew under “your text”. What stands in braces and in blue is "
    "replaced by a number or a name when the survey is shown: write it letter by letter as it is, "
    "where your language wants it. Leave a text untouched to come back to it later. Grey cells are "
    "locked."
)


class Xlsx:
    """The Excel format of sheets, which also reads ods."""

    name = "xlsx"
    suffix = ".xlsx"

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet with its pictures and its guide."""
        with new_workbook(path) as book:
            _Writer(book, sheet).write()

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it is a workbook of Excel or LibreOffice, or something that pretends to be."""
        return is_workbook(head)

    def read(self, path: Path) -> SheetAnswers:
        """Read a sheet that came back; see `SheetFormat`."""
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
        self.locked = book.add_format(grey)
        self.small = book.add_format({**grey, "font_color": "#666666", "font_size": 9})
        self.count = book.add_format({**grey, "num_format": "0"})
        self.target = book.add_format({**grey, **right_to_left, "font_size": 12})
        hers = {**cell, "locked": False, "border": 1, "border_color": "#bbbbbb"}
        self.editable = book.add_format({**hers, **right_to_left, "font_size": 12})
        self.free = book.add_format(hers)
        self.head = book.add_format(
            {"bold": True, "bg_color": "#30475e", "font_color": "#ffffff", "valign": "vcenter"}
        )
        self.placeholder = book.add_format({"bold": True, "font_color": "#0b5394", "font_size": 11})
        self.over = book.add_format({"font_color": "#b00020", "bold": True})

    def write(self) -> None:
        sheet = self.sheet
        created = sheet.created.isoformat()
        self.book.set_properties(
            {
                "title": f"memeloc: {sheet.language.name}, round {sheet.round}",
                "comments": f"sheet {sheet.id}",
            }
        )
        for name, value in (("sheet", sheet.id), ("created", created), ("kind", sheet.kind)):
            self.book.set_custom_property(f"memeloc {name}", value)
        page = self.book.add_worksheet(CAPTIONS)
        self._layout(page)
        line = 1
        for item in sheet.items:
            self._picture(page, line, item)
            line += len(item.parts)
        for line, (item, part) in enumerate(parts_of(sheet), 1):
            self._row(page, line, item, part)
        self._after(page, sum(len(item.parts) for item in sheet.items))
        self._guide()

    def _layout(self, page: Any) -> None:
        for name, index in self.columns.items():
            hidden = name in (*_HIDDEN, *_UNUSED.get(self.sheet.kind, ()))
            options = {"hidden": True} if hidden else {}
            page.set_column(index, index, _WIDTHS[name], None, options)
            page.write_string(0, index, HEADINGS[name], self.head)
        page.set_row(0, 22)
        page.freeze_panes(1, self.columns["box"])
        page.set_landscape()
        page.fit_to_pages(1, 0)
        page.repeat_rows(0)
        if self.sheet.language.direction == "rtl":
            page.right_to_left()
        page.protect(
            "",
            {
                "sort": True,
                "autofilter": True,
                "format_columns": True,
                "format_rows": True,
                "select_locked_cells": True,
            },
        )

    def _picture(self, page: Any, line: int, item: SheetItem) -> None:
        """Put the meme's picture beside its rows, which together are as high as it."""
        height = max(_ROW_HEIGHT, _PICTURE_SIDE // max(len(item.parts), 1))
        if self.sheet.kind == "survey":
            height = _TEXT_HEIGHT
        for row in range(line, line + len(item.parts)):
            longest = max(len(item.parts[row - line].source), len(item.parts[row - line].machine))
            lines = 1 + longest // 30
            page.set_row_pixels(row, min(max(height, 20 * lines), _LARGEST_ROW))
        if item.picture is None or not item.picture.is_file():
            return
        from PIL import Image

        with Image.open(item.picture) as picture:
            width, tall = picture.size
            density = picture.info.get("dpi", (96, 96))
        room = max(height * len(item.parts), _PICTURE_SIDE // 2) - 6
        scale = min(_PICTURE_SIDE / width, room / tall)
        page.insert_image(
            line,
            self.columns["picture"],
            str(item.picture),
            {
                "x_scale": scale * float(density[0]) / 96,
                "y_scale": scale * float(density[1]) / 96,
                "x_offset": 3,
                "y_offset": 3,
                "object_position": 1,
                "description": f"The meme {item.meme_id} with the text to be corrected",
            },
        )

    def _row(self, page: Any, line: int, item: SheetItem, part: int) -> None:
        from xlsxwriter.utility import xl_rowcol_to_cell

        sheet, piece = self.sheet, item.parts[part - 1]
        column = self.columns

        def put(name: str, text: str, form: Any) -> None:
            if text:
                page.write_string(line, column[name], drawable(text), form)
            else:
                page.write_blank(line, column[name], None, form)

        put("key", key_of(sheet, item, part), self.small)
        put("picture", "", self.small)
        put("meme", item.meme_id, self.small)
        put("box", piece.name, self.small)
        page.write_number(line, column["number"], part, self.small)
        if sheet.kind == "survey":
            self._protected(page, line, "source", piece.source, self.locked)
            self._protected(page, line, "machine", piece.machine, self.target)
        else:
            put("source", piece.source, self.locked)
            put("machine", piece.machine, self.target)
        put("text", "", self.editable)
        cell = xl_rowcol_to_cell(line, column["text"])
        page.write_formula(line, column["length"], f"=LEN({cell})", self.count, 0)
        if piece.capacity:
            page.write_number(line, column["room"], piece.capacity, self.count)
        else:
            put("room", "", self.count)
        put("status", "", self.free)
        put("comment", "", self.free)
        put("marks", "; ".join(item.remarks), self.small)
        put("language", sheet.language.tag, self.small)
        page.write_number(line, column["round"], sheet.round, self.small)
        put("person", sheet.person, self.small)

    def _protected(self, page: Any, line: int, name: str, text: str, form: Any) -> None:
        """Write a text with its placeholders in blue."""
        plain = drawable(text)
        between = PLACEHOLDER.split(plain)
        pieces: list[Any] = [between[0]] if between[0] else []
        for placeholder, after in zip(PLACEHOLDER.findall(plain), between[1:], strict=True):
            pieces += [self.placeholder, placeholder, *([after] if after else [])]
        if any(between) and len(between) > 1:
            page.write_rich_string(line, self.columns[name], *pieces, form)
        elif plain:
            page.write_string(line, self.columns[name], plain, form)
        else:
            page.write_blank(line, self.columns[name], None, form)

    def _after(self, page: Any, last: int) -> None:
        from xlsxwriter.utility import xl_rowcol_to_cell

        if not last:
            return
        column = self.columns
        page.autofilter(0, 0, last, len(column) - 1)
        page.data_validation(
            1,
            column["status"],
            last,
            column["status"],
            {
                "validate": "list",
                "source": [LABELS[status] for status in self.sheet.statuses],
                "error_title": "Status",
                "error_message": "Pick one from the list.",
            },
        )
        length = xl_rowcol_to_cell(1, column["length"], col_abs=True)
        room = xl_rowcol_to_cell(1, column["room"], col_abs=True)
        page.conditional_format(
            1,
            column["length"],
            last,
            column["length"],
            {
                "type": "formula",
                "criteria": f"=AND(ISNUMBER({room}),{length}>{room})",
                "format": self.over,
            },
        )

    def _guide(self) -> None:
        page = self.book.add_worksheet(GUIDE)
        page.set_column(0, 0, 110)
        wrap = self.book.add_format({"text_wrap": True, "valign": "top", "font_size": 11})
        right_to_left = self.sheet.language.direction == "rtl"
        native = self.book.add_format(
            {
                "text_wrap": True,
                "valign": "top",
                "font_size": 11,
                **({"reading_order": 2, "align": "right"} if right_to_left else {}),
            }
        )
        title = self.book.add_format({"bold": True, "font_size": 13, "text_wrap": True})
        how = {"transcript": _HOW_TRANSCRIPT, "survey": _HOW_SURVEY}.get(self.sheet.kind, _HOW)
        page.write_string(0, 0, how, wrap)
        page.set_row_pixels(0, 110)
        line = 2
        for heading, text in paragraphs(self.sheet.guide):
            page.write_string(line, 0, drawable(text), title if heading else native)
            line += 1
        page.protect("")
