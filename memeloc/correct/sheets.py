"""Sheets as files. In: a sheet and a format's name, or a file. Out: a file, or answers.

A format is one module with one class, registered here or, from another package, under the entry
point group `memeloc.sheets`. Files are known by what is in them, not by their names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from memeloc import sheets
from memeloc.correct.model import Sheet, SheetAnswers
from memeloc.correct.packing import pack, unpacked
from memeloc.errors import InputError
from memeloc.files import read_head
from memeloc.plugins import Registry
from memeloc.tables.archives import ZIP


class SheetFormat(Protocol):
    """A kind of file that sheets are written to and read from.

    Commands call it by its name; the suffix of its files has the dot. `has_pictures` when its files
    hold them; else they stand beside the file in an archive, under the items' `picture_name`.
    """

    name: str
    suffix: str
    has_pictures: bool

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet to `path`, which may be a temporary name.

        No text, whatever it begins with, becomes a formula, a link or markup.
        """
        ...

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether the file, of which `head` are the first 4,096 bytes, is of this kind."""
        ...

    def read(self, path: Path) -> SheetAnswers:
        """Read a sheet that was filled in.

        Raises:
            InputError: the file as a whole cannot be read; what is wrong with a row is a problem.
        """
        ...


FORMATS: Registry[SheetFormat] = Registry(
    "memeloc.sheets",
    {
        "omegat": "memeloc.correct.sheet_omegat:OmegaT",
        "xlsx": "memeloc.correct.sheet_xlsx:Xlsx",
        "xliff": "memeloc.correct.sheet_xliff:Xliff",
        "po": "memeloc.correct.sheet_po:Po",
        "csv": "memeloc.correct.columns:Csv",
    },
    "sheet format",
)


formats = FORMATS.names
"""The names of all formats."""


def suffix_of(format: str) -> str:
    """The suffix of a format's files, with the dot; InputError when there is no such format."""
    return FORMATS.make(format).suffix


def write_sheet(
    sheet: Sheet,
    path: Path,
    format: str,
    *,
    before: Callable[[Path], object] = lambda place: None,
) -> tuple[Path, Path | None]:
    """Write a sheet in a format, see `memeloc.sheets.write_sheet`; return its file and archive.

    Where the format holds no pictures and there are some, an archive of the sheet and its pictures
    is written beside it: that is what can be mailed.

    Raises:
        InputError: there is no such format, or the file cannot be written.
    """
    sheet_format = FORMATS.make(format)
    file, _ = sheets.write_sheet(
        path, lambda draft: sheet_format.write(sheet, draft), before=before
    )
    if sheet_format.has_pictures or not any(item.picture for item in sheet.items):
        return file, None
    archive = file.with_name(f"{file.name}.zip")
    return file, sheets.write_sheet(archive, lambda draft: pack(sheet, file, draft))[0]


def read_sheet(path: Path) -> SheetAnswers:
    """Read a sheet that was filled in, in any format, or in an archive with its pictures.

    Raises:
        InputError: the file is missing, too large, broken, or of no kind that is known.
    """
    head = read_head(path)
    if not head.startswith(ZIP):
        return _read(path, head)
    with unpacked(path) as file:
        try:
            answers = _read(file or path, read_head(file) if file else head)
        except InputError as error:
            raise _at(error, path) from error
    problems = tuple(_at(problem, path) for problem in answers.problems)
    return replace(answers, file=path, problems=problems)


def _read(path: Path, head: bytes) -> SheetAnswers:
    for name in (*FORMATS.outside(), *FORMATS.built_in):  # CSV, which takes any text, is the last
        sheet_format = FORMATS.make(name)
        if sheet_format.knows(path, head):
            return sheet_format.read(path)
    raise InputError(
        f"is not a sheet that memeloc knows; it reads {', '.join(formats())} and ods", file=path
    )


def _at(error: InputError, path: Path) -> InputError:
    """The error, of the file that the person has."""
    return InputError(error.message, file=path, row=error.row, column=error.column)
