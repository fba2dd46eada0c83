"""Workbooks. In: a file of Excel or LibreOffice, or a path to write to. Out: its worksheets' lines.

What is in a workbook is not believed: sizes are looked at before anything is unpacked, XML may
name no entities, and formulas stay what they are.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.tables.archives import BROKEN, names_in
from memeloc.tables.cells import Formula, drawable, text_of, turned_into
from memeloc.tables.rows import STRUCK, Line, Seen

_ESCAPED = re.compile("_x(00[01][0-9A-Fa-f])_")
"""Control characters (ISO 29500-1, 22.9.2.19, ST_Xstring): Excel writes the CR of a pasted line
break as `_x000D_`, which openpyxl leaves; other escapes it has made indistinguishable from text."""

_NOTHING = Seen()


def read_worksheets(path: Path, first: str = "") -> Iterator[Callable[[], Iterator[Line]]]:
    """What reads the lines of each worksheet of an xlsx or ods file, the one named `first` first.

    Raises:
        InputError: it is broken, too large once unpacked, or no workbook.
    """
    import openpyxl

    from memeloc.tables import ods

    if "xl/workbook.xml" not in names_in(path):
        for _, read in sorted(ods.read_tables(path), key=lambda table: table[0] != first):
            yield read
        return
    with _explained(path):
        book = openpyxl.load_workbook(path, read_only=True, rich_text=True)
        for name in sorted(book.sheetnames, key=lambda name: name != first):
            worksheet: Any = book[name]
            if hasattr(worksheet, "reset_dimensions"):  # a sheet of charts has no rows
                # What a program wrote as the worksheet's size need not be true.
                worksheet.reset_dimensions()
                yield partial(_lines, path, worksheet)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what openpyxl meets in a broken file into one sentence."""
    try:
        yield
    except (*BROKEN, TypeError, SyntaxError, AttributeError, ArithmeticError) as error:
        raise InputError(f"is a broken workbook: {error}", file=path) from error


def _lines(path: Path, worksheet: Any) -> Iterator[Line]:
    looks: dict[int, Seen] = {}
    with _explained(path):
        notes = _notes(path, worksheet)
        for number, row in enumerate(worksheet.iter_rows(), 1):
            cells: list[Any] = []
            seen: dict[int, Seen] = {}
            for place, cell in enumerate(row):
                value, look = cell.value, _NOTHING
                if value is not None:
                    value, look = _value(cell, looks)
                if note := notes.get((number, place + 1), ""):
                    look = look._replace(note=note)
                if look is not _NOTHING:
                    seen[place] = look
                cells.append(value)
            yield Line(number, cells, None, seen)


def _value(cell: Any, looks: dict[int, Seen]) -> tuple[Any, Seen]:
    """Return a cell's value, and how it looks; `looks` keeps that of each style of the book."""
    value, style = cell.value, cell._style_id
    if style not in looks:
        looks[style] = Seen(cell.number_format, STRUCK if cell.font.strike else "")
    look = looks[style]
    if isinstance(value, list):  # openpyxl's text in several fonts
        is_struck = any(getattr(getattr(piece, "font", None), "strike", False) for piece in value)
        value, look = str(value), Seen(wrong=STRUCK) if is_struck else look
    if cell.data_type == "f":
        return Formula(str(value)), _NOTHING
    if cell.data_type == "e":
        return value, Seen(wrong=f"the cell shows an error ({value}): put the text itself")
    if isinstance(value, bool):
        return value, Seen(wrong=turned_into("a truth value", text_of(value)))
    if isinstance(value, str):
        if "_x" in value:
            value = drawable(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), value))
        return value, Seen(wrong=look.wrong) if look.wrong else _NOTHING
    is_number = isinstance(value, int | float)
    is_plain = look.format in ("General", "@") and is_number and value == int(value)
    return value, _NOTHING if is_plain and not look.wrong else look


def _notes(path: Path, worksheet: Any) -> dict[tuple[int, int], str]:
    """Return the comments on cells, by row and column from 1, which openpyxl reads only if it
    reads the whole file at once. Excel keeps conversations beside comments that stand for them."""
    from lxml import etree
    from openpyxl.packaging.relationship import get_dependents, get_rels_path
    from openpyxl.utils.cell import coordinate_to_tuple

    part = worksheet._worksheet_path
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if get_rels_path(part) not in names:
            return {}
        parts = get_dependents(archive, get_rels_path(part))
        by_kind: dict[bool, dict[tuple[int, int], list[str]]] = {False: {}, True: {}}
        for relation in parts:
            kind = relation.Type.rpartition("/")[2]
            if kind not in ("comments", "threadedComment") or relation.target not in names:
                continue
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            root = etree.fromstring(archive.read(relation.target), parser)
            for comment in root.iter("{*}comment", "{*}threadedComment"):
                text = "".join(map(str, comment.itertext("{*}t", "{*}text"))).strip()
                place = coordinate_to_tuple(comment.get("ref"))
                by_kind[kind != "comments"].setdefault(place, []).append(text)
    return {place: "\n".join(texts) for place, texts in (by_kind[False] | by_kind[True]).items()}


@contextmanager
def new_workbook(path: Path, *, in_order: bool = False) -> Iterator[Any]:
    """A workbook of xlsxwriter that is written to `path` at the end; texts stay texts.

    With rows that are written `in_order`, the last of them only is held in memory.
    """
    import xlsxwriter

    plain = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
    options = plain | {"constant_memory": in_order, "tmpdir": str(path.parent)}
    with closing(xlsxwriter.Workbook(str(path), options)) as book:
        yield book


def picture_options(path: Path, width: float, height: float, description: str) -> dict[str, Any]:
    """How xlsxwriter places a picture in a cell: within so many pixels, and moving with it."""
    from PIL import Image

    with Image.open(path) as picture:
        wide, tall = picture.size
        density = picture.info.get("dpi", (96, 96))
    scale = min(width / wide, height / tall)
    return {
        "x_scale": scale * float(density[0]) / 96,
        "y_scale": scale * float(density[1]) / 96,
        "x_offset": 3,
        "y_offset": 3,
        "object_position": 1,
        "description": description,
    }
