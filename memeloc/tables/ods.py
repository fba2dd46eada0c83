"""Reading OpenDocument spreadsheets, as LibreOffice saves a sheet. In: a file. Out: its tables.

OpenDocument 1.3, part 3: table:table, rows and cells that may repeat, text:p paragraphs in a cell.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from memeloc.errors import InputError
from memeloc.tables.archives import BROKEN
from memeloc.tables.cells import Cell, Formula
from memeloc.tables.rows import Line

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
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
    for table in root.iter(f"{_TABLE}table"):
        yield table.get(f"{_TABLE}name", ""), partial(_rows, table, path)


def _rows(table: etree._Element, path: Path) -> Iterator[Line]:
    number = 0
    for row in table.iter(f"{_TABLE}table-row"):
        repeated = _times(row, "rows", path)
        cells: list[Any] = []
        empty = 0
        for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            times, value = _times(cell, "columns", path), _value(cell)
            if value is None:
                empty += times  # those at a row's end may be thousands
                continue
            if len(cells) + empty + times > _MOST_COLUMNS:
                raise InputError(f"has more than {_MOST_COLUMNS} columns", file=path)
            cells += [None] * empty + [value] * times
            empty = 0
        if cells:
            # A row that is repeated with content is rare and short; an empty one may be a million.
            for again in range(min(repeated, 1000)):
                if number + again >= _MOST_ROWS:
                    raise InputError(f"has more than {_MOST_ROWS} rows", file=path)
                yield Line(number + 1 + again, list(cells))
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
    return "\n".join(paragraphs) if paragraphs else None


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
