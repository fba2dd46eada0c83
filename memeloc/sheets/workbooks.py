"""Sheets as Excel workbooks. In: a form and its rows. Out: a file.

Only the cells that a person fills in are unlocked; pictures stand beside the rows that are about
them, and how to fill the sheet in on a page of its own. A text is always written as a string, never
as a formula or a link.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count, groupby
from pathlib import Path
from typing import Any

from PIL import Image
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
    paragraphs,
    picture_of,
)
from memeloc.tables import drawable, new_workbook

GUIDE = "Guide"
_LONGEST = 32_000
"""Characters of a cell; Excel takes 32,767."""
_LARGEST_ROW = 400  # pixels; Excel takes 409 points, 545 pixels
_LOW, _HIGH = 24, 56
"""Pixels of a row at least, on sheets without pictures and with them."""
_LONGEST_LIST = 255
"""Characters of choices that Excel takes within a cell's rule; longer ones stand on a worksheet."""
_HEAD = {"bold": True, "bg_color": "#30475e", "font_color": "#ffffff", "text_wrap": True}
_PLACEHOLDER = {"bold": True, "font_color": "#0b5394", "font_size": 11}


def _styles(is_rtl: bool) -> dict[str, dict[str, Any]]:
    """Return the formats of cells by the kind of their column, and those of the pages."""
    # Text without a direction of its own takes that of the cell: 0 is by its first letter.
    order = {"reading_order": 2 if is_rtl else 0}
    cell = {"text_wrap": True, "valign": "top", "num_format": "@", "border": 1}
    cell |= {"border_color": "#dddddd", "font_size": 11}
    grey = {**cell, "bg_color": "#f3f3f3"}
    small = {**grey, "font_color": "#666666", "font_size": 9}
    free = {**cell, "border_color": "#bbbbbb", "locked": False}
    body = {"text_wrap": True, "valign": "top", "font_size": 11}
    body |= {"reading_order": 2, "align": "right"} if is_rtl else {}
    return {
        "source": grey,
        "text": {**grey, **order, "font_size": 12},
        "answer": {**free, **order, "font_size": 12},
        "status": free,
        "note": {**free, **order},
        "hint": {**small, "italic": True},
        "count": {**grey, "num_format": "0"},
        "room": {**grey, "num_format": "0"},
        "plain": {**small, "reading_order": 0},
        "head": {**_HEAD, "valign": "vcenter"},
        "placeholder": _PLACEHOLDER,
        "too long": {"font_color": "#b00020", "bold": True},
        "body": body,
        "title": {**body, "bold": True, "font_size": 13},
    }


def write(path: Path, form: SheetForm, rows: Sequence[Cells]) -> None:
    """Write a sheet with its pictures, its lists and the page that says how."""
    check = [SheetColumn(CHECK, "key")] * any(column.kind == "key" for column in form.columns)
    columns = [*form.columns, *check]
    is_rtl = form.language is not None and form.language.direction == "rtl"
    with new_workbook(path, in_order=True) as book:
        formats = {name: book.add_format(style) for name, style in _styles(is_rtl).items()}
        book.set_properties({"title": f"memeloc: {form.title}", "comments": form.asked})
        page = book.add_worksheet(form.title)
        for place, column in enumerate(columns):
            empty = column.optional and not any(row.get(column.name) for row in rows)
            hidden = column.hidden or column.kind in ("key", "fact") or empty
            page.set_column(place, place, column.width, None, {"hidden": hidden})
            page.write_string(0, place, drawable(column.heading or column.name), formats["head"])
        headings = (_pixels(column, column.heading or column.name) for column in columns)
        page.set_row_pixels(0, max(headings))
        names = [column.name for column in columns]
        page.freeze_panes(1, names.index(form.together) + 1 if form.together else 0)
        page.autofilter(0, 0, len(rows), len(columns) - 1)
        page.set_landscape()
        page.fit_to_pages(1, 0)
        page.repeat_rows(0)
        if is_rtl:
            page.right_to_left()
        allowed = ("sort", "autofilter", "format_columns", "format_rows", "select_locked_cells")
        page.protect("", dict.fromkeys(allowed, True))
        line, numbers = 1, count()
        groups = groupby(
            rows, lambda row: row.get(form.together) if form.together else next(numbers)
        )
        for _, group in groups:
            line = _write_group(page, form, columns, line, list(group), formats)
        _add_rules(book, page, form, columns, len(rows), formats)
        if form.listed is not None:
            listed = [form.listed.headings, *form.listed.rows]
            _write_table(book, form.listed.name, listed, formats)
        if form.how or form.guide:
            page = book.add_worksheet(GUIDE)
            wide = SheetColumn("", "source", 80)
            page.set_column(0, 0, wide.width)
            page.fit_to_pages(1, 0)
            if is_rtl:
                page.right_to_left()
            how = ((line == 0, text) for line, text in enumerate(form.how))
            for line, (heading, text) in enumerate([*how, *paragraphs(form.guide)]):
                # LibreOffice shows one line of a row whose height is not set.
                page.set_row_pixels(line, _pixels(wide, text))
                page.write_string(line, 0, drawable(text), formats["title" if heading else "body"])
            page.protect("")


def _write_group(
    page: Any,
    form: SheetForm,
    columns: Sequence[SheetColumn],
    line: int,
    rows: Sequence[Cells],
    formats: Mapping[str, Any],
) -> int:
    """Write rows that stand together, as high as the picture beside them; return the next line."""
    shown = [column.name for column in form.of_kind("picture") if not column.hidden]
    pictures = {name: picture_of(rows[0].get(name)) for name in shown}
    least = _HIGH if shown else _LOW
    if any(pictures.values()):
        least = max(least, (form.side + 6) // len(rows))
    height, first = 0, line
    for line, row in enumerate(rows, first):
        texts = {column.name: cell_text(row.get(column.name)) for column in columns}
        texts[CHECK] = check_of(form.columns, texts)
        texts |= dict.fromkeys((name for name, picture in pictures.items() if picture), "")
        lines = (_pixels(column, texts[column.name]) for column in columns)
        pixels = min(max(least, *lines), _LARGEST_ROW)
        page.set_row_pixels(line, pixels)
        height += pixels
        for place, column in enumerate(columns):
            text = texts[column.name][:_LONGEST]
            style = formats.get(column.kind, formats["plain"])
            if column.kind == "count":
                answer = next(at for at, each in enumerate(columns) if each.kind == "answer")
                page.write_formula(
                    line, place, f"=LEN({xl_rowcol_to_cell(line, answer)})", style, 0
                )
            elif not text:
                page.write_blank(line, place, None, style)
            elif type(row.get(column.name)) is int:
                page.write_number(line, place, int(text), style)
            elif (
                form.braces
                and column.kind in ("source", "text")
                and len(pieces := _protected(text, formats["placeholder"])) > 2
            ):
                page.write_rich_string(line, place, *pieces, style)
            else:
                page.write_string(line, place, text, style)
    for name, picture in pictures.items():
        if picture is not None:
            described = picture.description or f"The {name}"
            high = max(height - 6, form.side // 2)
            with Image.open(picture.file) as image:
                (width, tall), dots = image.size, image.info.get("dpi", (96, 96))
            scale = min(form.side / width, high / tall)
            options: dict[str, Any] = {"x_scale": scale * float(dots[0]) / 96, "x_offset": 3}
            options |= {"y_scale": scale * float(dots[1]) / 96, "y_offset": 3}
            options |= {"object_position": 1, "description": described}
            place = [column.name for column in columns].index(name)
            page.insert_image(first, place, str(picture.file), options)
    return line + 1


def _pixels(column: SheetColumn, text: str) -> int:
    """Return how high a row has to be for a cell; what only programs read needs no height."""
    if column.hidden or not text or column.kind in ("key", "fact"):
        return 0
    lines = sum(1 + len(line) // max(column.width - 4, 1) for line in text.splitlines())
    return (20 if column.kind in ("source", "text") else 16) * lines + 4


def _protected(text: str, style: Any) -> list[Any]:
    """Return a text with the format of placeholders before each of its placeholders."""
    pieces: list[Any] = []
    for piece in re.split(f"({PLACEHOLDER.pattern})", text):
        pieces += [style, piece] if PLACEHOLDER.fullmatch(piece) else [piece]
    return [piece for piece in pieces if piece]


def _add_rules(
    book: Any,
    page: Any,
    form: SheetForm,
    columns: Sequence[SheetColumn],
    last: int,
    formats: Mapping[str, Any],
) -> None:
    """Add the question beside a cell, the list that it offers, and the colour of a length that is
    larger than the room."""
    places: dict[str, int] = {}
    for place, column in enumerate(columns if last else ()):
        places.setdefault(column.kind, place)
        rule: dict[str, Any] = {"validate": "any"}
        if form.asked and column.kind == "answer":
            rule["input_message"] = form.asked[:255]
        if column.choices and form.listed is not None:
            listed = f"='{form.listed.name}'!$B$2:$B${len(form.listed.rows) + 1}"
            rule |= {"validate": "list", "source": listed, "show_error": False}
        elif column.choices:
            source: Any = list(column.choices)
            if len(",".join(column.choices)) > _LONGEST_LIST or "," in "".join(column.choices):
                name = f"{column.name} list"
                _write_table(book, name, [[choice] for choice in column.choices], formats).hide()
                source = f"='{name}'!$A$1:$A${len(column.choices)}"
            title = (column.heading or column.name)[:32]
            error = {"error_title": title, "error_message": "Pick one from the list."}
            rule |= {"validate": "list", "source": source, **error}
        if column.kind in TYPED and len(rule) > 1:
            page.data_validation(1, place, last, place, rule)
    if {"count", "room"} <= places.keys():
        length, room = (
            xl_rowcol_to_cell(1, places[kind], col_abs=True) for kind in ("count", "room")
        )
        criteria = f"=AND(ISNUMBER({room}),{length}>{room})"
        too_long = {"type": "formula", "criteria": criteria, "format": formats["too long"]}
        page.conditional_format(1, places["count"], last, places["count"], too_long)


def _write_table(
    book: Any, name: str, rows: Sequence[Sequence[str]], formats: Mapping[str, Any]
) -> Any:
    page = book.add_worksheet(name)
    page.set_column(0, len(rows[0]) - 1, 48)
    for line, cells in enumerate(rows):
        for place, text in enumerate(cells):
            style = formats["source" if line else "head"]
            page.write_string(line, place, drawable(text)[:_LONGEST], style)
    return page
