"""Workbooks. In: a file of Excel or LibreOffice, or a path to write to. Out: its worksheets' lines.

What is in a workbook is not believed: sizes are looked at before anything is unpacked, XML may
name no entities, and formulas stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.tables.archives import BROKEN, names_in
from memeloc.tables.cells import Formula, drawable
from memeloc.tables.rows import Line

_ESCAPED = re.compile("_x(00[01][0-9A-Fa-f])_")
"""Control characters (ISO 29500-1, 22.9.2.19, ST_Xstring): Excel writes the CR of a pasted line
break as `_x000D_`, which openpyxl leaves; other escapes it has made indistinguishable from text."""


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
        book = openpyxl.load_workbook(path, read_only=True)
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
    with _explained(path):
        for number, row in enumerate(worksheet.iter_rows(), 1):
            yield Line(number, [_value(cell) for cell in row])


def _value(cell: Any) -> Any:
    value = cell.value
    if getattr(cell, "data_type", "") == "f" and value is not None:
        return Formula(str(value))
    if isinstance(value, str) and "_x" in value:
        return drawable(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), value))
    return value


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
