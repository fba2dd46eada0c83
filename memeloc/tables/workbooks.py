"""Workbooks. In: a file of Excel or LibreOffice, or a path to write to. Out: its worksheets' lines.

What is in a workbook is not believed: sizes are looked at before anything is unpacked, XML may
name no entities, and formulas stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.tables.archives import BROKEN, is_ole, is_zip, names_in
from memeloc.tables.cells import Formula, drawable
from memeloc.tables.rows import Line

_ESCAPED = re.compile("_x(00[01][0-9A-Fa-f])_")

Worksheet = tuple[str, Callable[[], Iterator[Line]]]
"""A worksheet's name, and what reads its lines."""


def is_workbook(head: bytes) -> bool:
    """Whether it is a workbook of Excel or LibreOffice, or something that pretends to be."""
    return is_zip(head) or is_ole(head)


def read_worksheets(path: Path, first: str = "") -> Iterator[Worksheet]:
    """The worksheets of a file.

    Args:
        path: an xlsx or ods file.
        first: name of the worksheet that comes first, wherever it was moved.

    Raises:
        InputError: it is broken, too large once unpacked, behind a password, or no workbook.
    """
    with path.open("rb") as stream:
        if is_ole(stream.read(8)):
            raise InputError(
                "is an old Excel file (.xls) or has a password: save it as .xlsx without one",
                file=path,
            )
    names = names_in(path)
    if "xl/workbook.xml" in names:
        yield from _worksheets(path, first)
    elif "content.xml" in names:
        from memeloc.tables.ods import read_tables

        yield from sorted(read_tables(path), key=lambda table: table[0] != first)
    else:
        raise InputError("is a zip archive, but no workbook", file=path)


def _worksheets(path: Path, first: str) -> Iterator[Worksheet]:
    import openpyxl

    with _explained(path):
        book = openpyxl.load_workbook(path, read_only=True)
        names = sorted(book.sheetnames, key=lambda name: name != first)
    for name in names:
        with _explained(path):
            worksheet = book[name]
            if not hasattr(worksheet, "reset_dimensions"):
                continue
            # What a program wrote as the worksheet's size need not be true.
            worksheet.reset_dimensions()

        def read(worksheet: Any = worksheet) -> Iterator[Line]:
            return _lines(path, worksheet)

        yield name, read


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what openpyxl meets in a broken file into one sentence."""
    from defusedxml import DefusedXmlException

    try:
        yield
    except InputError:
        raise
    except DefusedXmlException as error:
        raise InputError(f"holds XML that no workbook has: {error}", file=path) from error
    except (*BROKEN, TypeError, SyntaxError, AttributeError, ArithmeticError) as error:
        raise InputError(f"is a broken workbook: {error}", file=path) from error


def _lines(path: Path, worksheet: Any) -> Iterator[Line]:
    rows = enumerate(worksheet.iter_rows(), 1)
    while True:
        with _explained(path):
            number, row = next(rows, (0, ()))
        if not number:
            return
        cells: list[Any] = []
        for cell in row:
            value = cell.value
            if getattr(cell, "data_type", "") == "f" and value is not None:
                value = Formula(str(value))
            elif isinstance(value, str):
                value = _unescaped(value)
            cells.append(value)
        yield Line(number, cells)


def _unescaped(text: str) -> str:
    """A text with its control characters (ISO 29500-1, 22.9.2.19, ST_Xstring).

    Excel writes the CR of a pasted line break as `_x000D_`, which openpyxl leaves; other escapes it
    has made indistinguishable from text.
    """
    if "_x" not in text:
        return text
    return drawable(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))


@contextmanager
def new_workbook(path: Path) -> Iterator[Any]:
    """A workbook of xlsxwriter that is written to `path` at the end; texts stay texts."""
    import xlsxwriter

    book = xlsxwriter.Workbook(
        str(path),
        {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False},
    )
    try:
        yield book
    finally:
        book.close()
