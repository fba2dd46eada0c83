"""Reading OpenDocument spreadsheets, as LibreOffice saves a sheet. In: a file. Out: its tables.

OpenDocument 1.3, part 3: table:table, rows and cells that may repeat, text:p paragraphs in a cell.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from memeloc.errors import InputError
from memeloc.tables.archives import BROKEN
from memeloc.tables.cells import Cell, Formula, turned_into
from memeloc.tables.rows import STRUCK, Line, Seen

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_MOST_COLUMNS, _MOST_ROWS = 16_384, 1_048_576
"""What a worksheet of LibreOffice can have."""


def read_tables(path: Path) -> Iterator[tuple[str, Callable[[], Iterator[Line]]]]:
    """Each table's name, and what reads its lines, numbered as the program shows them.

    Raises:
        InputError: the file is broken.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        with zipfile.ZipFile(path) as archive:
            root = etree.fromstring(archive.read("content.xml"), parser)
    except (etree.XMLSyntaxError, *BROKEN) as error:
        raise InputError(f"is a broken OpenDocument file: {error}", file=path) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise InputError("has a document type of its own, which no spreadsheet has", file=path)
    struck = {
        style.get(f"{_STYLE}name")
        for style in root.iter(f"{_STYLE}style")
        for text in style.iterchildren(f"{_STYLE}text-properties")
        if any(
            text.get(f"{_STYLE}text-line-through-{name}", "none") != "none"
            for name in ("style", "type")
        )
    }
    for table in root.iter(f"{_TABLE}table"):
        yield table.get(f"{_TABLE}name", ""), partial(_rows, table, path, struck)


def _rows(table: etree._Element, path: Path, struck: Collection[str | None]) -> Iterator[Line]:
    number = 0
    for row in table.iter(f"{_TABLE}table-row"):
        repeated = _times(row, "rows", path)
        cells: list[Any] = []
        seen: dict[int, Seen] = {}
        empty = 0
        for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            times, value = _times(cell, "columns", path), _value(cell)
            if value is None:
                empty += times  # those at a row's end may be thousands
                continue
            if len(cells) + empty + times > _MOST_COLUMNS:
                raise InputError(f"has more than {_MOST_COLUMNS} columns", file=path)
            cells += [None] * empty
            if look := _look(cell, struck):
                seen |= dict.fromkeys(range(len(cells), len(cells) + times), look)
            cells += [value] * times
            empty = 0
        if cells:
            # A row that is repeated with content is rare and short; an empty one may be a million.
            for again in range(min(repeated, 1000)):
                if number + again >= _MOST_ROWS:
                    raise InputError(f"has more than {_MOST_ROWS} rows", file=path)
                yield Line(number + 1 + again, list(cells), None, seen)
        number += repeated


def _times(element: etree._Element, what: str, path: Path) -> int:
    """How often a row or cell is repeated."""
    text = element.get(f"{_TABLE}number-{what}-repeated", "1")
    try:
        return int(text)
    except ValueError as error:
        raise InputError(f"repeats {what} {text[:20]!r} times", file=path) from error


def _value(cell: etree._Element) -> Cell:
    if formula := cell.get(f"{_TABLE}formula"):
        return Formula(formula)
    paragraphs = ["".join(_text(paragraph)) for paragraph in cell.findall(f"{_TEXT}p")]
    has_note = cell.find(f"{_OFFICE}annotation") is not None
    return "\n".join(paragraphs) if paragraphs or has_note else None


def _look(cell: etree._Element, struck: Collection[str | None]) -> Seen | None:
    """Return how a cell looks, where that is not its text."""
    notes = [
        "\n".join("".join(_text(paragraph)) for paragraph in note.iter(f"{_TEXT}p"))
        for note in cell.findall(f"{_OFFICE}annotation")
    ]
    shown = [text for text in (_value(cell),) if isinstance(text, str)]
    wrong = ""
    if cell.get(f"{_OFFICE}value-type") in ("date", "time"):
        wrong = turned_into("a date or time", *shown)
    elif cell.get(f"{_OFFICE}value-type") == "boolean":
        wrong = turned_into("a truth value", *shown)
    elif struck:
        names = [cell.get(f"{_TABLE}style-name")]
        names += [span.get(f"{_TEXT}style-name") for span in cell.iter(f"{_TEXT}span")]
        wrong = STRUCK if any(name in struck for name in names if name) else ""
    return Seen(wrong=wrong, note="\n".join(notes)) if wrong or any(notes) else None


def _text(element: etree._Element) -> Iterator[str]:
    """A paragraph's text, with its counted spaces, tabs and line breaks."""
    yield element.text or ""
    for child in element:
        if child.tag == f"{_TEXT}s":
            yield " " * min(int(child.get(f"{_TEXT}c", "1")), 1000)
        elif child.tag == f"{_TEXT}tab":
            yield "\t"
        elif child.tag == f"{_TEXT}line-break":
            yield "\n"
        elif child.tag != f"{_OFFICE}annotation":
            yield from _text(child)
        yield child.tail or ""
