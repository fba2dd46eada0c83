"""Workbooks. In: a file of Excel or LibreOffice, or a path to write to. Out: its worksheets' lines.

What is in a workbook is not believed: sizes are looked at before anything is unpacked, XML may
name no entities, and formulas stay what they are. OpenDocument 1.3, part 3, has rows and cells that
may repeat, and text:p paragraphs in a cell.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.tables.archives import BROKEN, names_in
from memeloc.tables.cells import Formula, drawable, text_of, turned_into
from memeloc.tables.rows import PLAIN, STRUCK, Line, Seen

if TYPE_CHECKING:
    from lxml.etree import _Element

_ESCAPED = re.compile("_x(00[01][0-9A-Fa-f])_")
"""Control characters (ISO 29500-1, 22.9.2.19, ST_Xstring): Excel writes the CR of a pasted line
break as `_x000D_`, which openpyxl leaves; other escapes it has made indistinguishable from text."""

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_MOST_COLUMNS, _MOST_ROWS = 16_384, 1_048_576
"""What a worksheet of LibreOffice can have."""
_REPEATED = 1000
"""Rows that one with content may stand for; an empty one may be a million."""
_TURNED = {"date": "a date or time", "time": "a date or time", "boolean": "a truth value"}


def read_worksheets(path: Path, first: str = "") -> Iterator[Callable[[], Iterator[Line]]]:
    """Yield what reads the lines of each worksheet of a workbook, the one named `first` first.
    Raise InputError if it is broken, too large once unpacked, or no workbook."""
    if "xl/workbook.xml" not in names_in(path):
        for _, read in sorted(_open_document(path), key=lambda table: table[0] != first):
            yield read
        return
    import openpyxl

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
                value, look = cell.value, PLAIN
                if value is not None:
                    value, look = _value(cell, looks)
                if note := notes.get((number, place + 1), ""):
                    look = look._replace(note=note)
                if look is not PLAIN:
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
        return Formula(str(value)), PLAIN
    if cell.data_type == "e":
        return value, Seen(wrong=f"the cell shows an error ({value}): put the text itself")
    if isinstance(value, bool):
        return value, Seen(wrong=turned_into("a truth value", text_of(value)))
    if isinstance(value, str):
        if "_x" in value:
            value = drawable(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), value))
        return value, Seen(wrong=look.wrong) if look.wrong else PLAIN
    is_number = isinstance(value, int | float)
    is_plain = look.format in ("General", "@") and is_number and value == int(value)
    return value, PLAIN if is_plain and not look.wrong else look


def _notes(path: Path, worksheet: Any) -> dict[tuple[int, int], str]:
    """Return the comments on cells, by row and column from 1, which openpyxl reads only if it
    reads the whole file at once. Excel keeps conversations beside comments that stand for them."""
    from lxml import etree
    from openpyxl.packaging.relationship import get_dependents, get_rels_path
    from openpyxl.utils.cell import coordinate_to_tuple

    comments: dict[str, dict[tuple[int, int], list[str]]] = {"comments": {}, "threadedComment": {}}
    with zipfile.ZipFile(path) as archive:
        names, part = set(archive.namelist()), get_rels_path(worksheet._worksheet_path)
        for relation in get_dependents(archive, part) if part in names else ():
            relation_part = comments.get(relation.Type.rpartition("/")[2])
            if relation_part is None or relation.target not in names:
                continue
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            root = etree.fromstring(archive.read(relation.target), parser)
            for comment in root.iter("{*}comment", "{*}threadedComment"):
                text = "".join(map(str, comment.itertext("{*}t", "{*}text"))).strip()
                relation_part.setdefault(coordinate_to_tuple(comment.get("ref")), []).append(text)
    both = comments["comments"] | comments["threadedComment"]
    return {place: "\n".join(texts) for place, texts in both.items()}


def _open_document(path: Path) -> Iterator[tuple[str, Callable[[], Iterator[Line]]]]:
    """Yield each table's name, and what reads its lines, numbered as the program shows them. Raise
    InputError if the file is broken."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        with zipfile.ZipFile(path) as archive:
            root = etree.fromstring(archive.read("content.xml"), parser)
    except (etree.XMLSyntaxError, *BROKEN) as error:
        raise InputError(f"is a broken OpenDocument file: {error}", file=path) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise InputError("has a document type of its own, which no spreadsheet has", file=path)
    lines = (f"{_STYLE}text-line-through-style", f"{_STYLE}text-line-through-type")
    struck = {
        style.get(f"{_STYLE}name", "")
        for style in root.iter(f"{_STYLE}style")
        for text in style.iterchildren(f"{_STYLE}text-properties")
        if any(text.get(line, "none") != "none" for line in lines)
    } - {""}
    for table in root.iter(f"{_TABLE}table"):
        yield table.get(f"{_TABLE}name", ""), partial(_ods_lines, table, path, struck)


def _ods_lines(table: _Element, path: Path, struck: Collection[str]) -> Iterator[Line]:
    number = 0
    for row in table.iter(f"{_TABLE}table-row"):
        cells: list[Any] = []
        seen: dict[int, Seen] = {}
        empty, repeated = 0, _times(row, "rows", path)
        for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            times, (value, look) = _times(cell, "columns", path), _ods_value(cell, struck)
            if value is None:
                empty += times  # those at a row's end may be thousands
                continue
            if len(cells) + empty + times > _MOST_COLUMNS:
                raise InputError(f"has more than {_MOST_COLUMNS} columns", file=path)
            cells += [None] * empty
            if look != PLAIN:
                seen |= dict.fromkeys(range(len(cells), len(cells) + times), look)
            cells += [value] * times
            empty = 0
        for again in range(number, number + min(repeated, _REPEATED) if cells else 0):
            if again >= _MOST_ROWS:
                raise InputError(f"has more than {_MOST_ROWS} rows", file=path)
            yield Line(again + 1, list(cells), None, seen)
        number += repeated


def _times(element: _Element, what: str, path: Path) -> int:
    """Return how often a row or cell is repeated."""
    text = element.get(f"{_TABLE}number-{what}-repeated", "1")
    try:
        return int(text)
    except ValueError as error:
        raise InputError(f"repeats {what} {text[:20]!r} times", file=path) from error


def _ods_value(cell: _Element, struck: Collection[str]) -> tuple[str | Formula | None, Seen]:
    """Return what a cell shows, None of an empty one, and how it looks."""
    notes = [
        "\n".join("".join(_ods_text(paragraph)) for paragraph in note.iter(f"{_TEXT}p"))
        for note in cell.findall(f"{_OFFICE}annotation")
    ]
    note = "\n".join(notes) if any(notes) else ""
    if formula := cell.get(f"{_TABLE}formula"):
        return Formula(formula), Seen(note=note)
    paragraphs = ["".join(_ods_text(paragraph)) for paragraph in cell.findall(f"{_TEXT}p")]
    text = "\n".join(paragraphs)
    wrong = ""
    if kind := _TURNED.get(cell.get(f"{_OFFICE}value-type", "")):
        wrong = turned_into(kind, text)
    elif struck:
        styles = [cell.get(f"{_TABLE}style-name")]
        styles += [span.get(f"{_TEXT}style-name") for span in cell.iter(f"{_TEXT}span")]
        wrong = STRUCK * any(style in struck for style in styles)
    return text if paragraphs or notes else None, Seen(wrong=wrong, note=note)


def _ods_text(element: _Element) -> Iterator[str]:
    """Yield a paragraph's text, with its counted spaces, tabs and line breaks."""
    yield element.text or ""
    for child in element:
        if child.tag == f"{_TEXT}s":
            yield " " * min(int(child.get(f"{_TEXT}c", "1")), 1000)
        elif child.tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
            yield "\t" if child.tag == f"{_TEXT}tab" else "\n"
        elif child.tag != f"{_OFFICE}annotation":
            yield from _ods_text(child)
        yield child.tail or ""


@contextmanager
def new_workbook(path: Path, *, in_order: bool = False) -> Iterator[Any]:
    """Give a workbook of xlsxwriter that is written to `path` at the end; texts stay texts. With
    rows that are written `in_order`, the last of them only is held in memory."""
    import xlsxwriter

    plain = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
    options = plain | {"constant_memory": in_order, "tmpdir": str(path.parent)}
    with closing(xlsxwriter.Workbook(str(path), options)) as book:
        yield book
