"""Writing what people fill in. In: a path, and what writes the file. Out: where the file is.

What was written stands with its SHA-256 in `.memeloc/written.json` of the folder, so that a file
which nobody has touched since is known, and is replaced. Any other file stays.
"""

from __future__ import annotations

import json
import os
import secrets
import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from memeloc.errors import InputError, KeptFileWarning
from memeloc.files import file_sha256, not_written, replacing
from memeloc.sheets.form import (
    CHECK,
    Cells,
    SheetForm,
    SheetPicture,
    cell_text,
    check_of,
    picture_of,
)
from memeloc.tables import Column, write_table

Result = TypeVar("Result")

FORMATS = {
    "xlsx": ".xlsx",
    "csv": ".csv",
    "xliff": ".xlf",
    "po": ".po",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
}
"""The endings of formats by name. OpenDocument is read, and not written."""
_OF_TEXTS = ("xliff", "po")
"""Formats for texts with a source only."""

_WRITTEN = Path(".memeloc", "written.json")
"""By name of a file: the name that it was to have, without a number, and the SHA-256 of it."""


def write_form(
    path: Path,
    form: SheetForm,
    rows: Sequence[Cells],
    *,
    format: str = "",
    before: Callable[[Path], object] = lambda place: None,
) -> Path:
    """Write a sheet for a person to fill in; return where it is, see `write_sheet`. Raise
    InputError if there is no such format or ending, or the file cannot be written.

    Args:
        rows: cells by column. Facts are the form's, and what is to be filled in may be left out.
        format: a name of FORMATS; empty is what the file's ending says.
        before: is given the file's place before the file appears there.
    """
    formats = [name for name in FORMATS if name not in _OF_TEXTS or form.of_kind("source")]
    suffix = path.suffix.lower()
    by_suffix = {FORMATS[name]: name for name in formats} | {".xliff": "xliff", ".ndjson": "jsonl"}
    format = format or by_suffix.get(suffix, "")
    if format not in formats:
        *endings, last = [FORMATS[name] for name in formats]
        raise InputError(
            f"A sheet is written as {', '.join(endings)} or {last}, not {suffix or 'without'!r}.",
            file=path,
        )
    rows = [{**form.facts, **row} for row in rows]

    def write(draft: Path) -> None:
        if format == "xlsx":
            from memeloc.sheets import workbooks

            workbooks.write(draft, form, rows)
        elif format in _OF_TEXTS:
            from memeloc.sheets import units

            (units.write_po if format == "po" else units.write_xliff)(draft, form, rows)
        else:
            _write_table(draft, form, rows, FORMATS[format])

    return write_sheet(path, write, before=before)[0]


def _write_table(path: Path, form: SheetForm, rows: Sequence[Cells], suffix: str) -> None:
    """Write a sheet as a table, under the names of its columns."""
    filled = {name for row in rows for name, cell in row.items() if cell}
    columns = [column for column in form.columns if column.kind != "count"]
    columns = [column for column in columns if column.name in filled or not column.optional]
    has_check = suffix == ".csv" and form.of_kind("key")
    cells = []
    for row in rows:
        texts = {column.name: cell_text(row.get(column.name)) for column in columns}
        cells.append([*texts.values(), *([check_of(columns, texts)] if has_check else [])])
    names = [*(column.name for column in columns), *([CHECK] if has_check else [])]
    write_table(path, names, cells, suffix=suffix)


def write_archive(file: Path, rows: Iterable[Cells]) -> Path | None:
    """Write an archive of a sheet's file and the pictures of its rows beside it: what is mailed.

    Return where it is; None where the sheet has no pictures, or is a workbook, which holds them.
    """
    cells = (cell for row in rows for cell in row.values() if isinstance(cell, SheetPicture))
    pictures = {picture.name: picture.file for picture in cells if picture_of(picture)}
    if file.suffix.lower() == FORMATS["xlsx"] or not pictures:
        return None

    def write(draft: Path) -> None:
        with zipfile.ZipFile(draft, "w") as archive:
            archive.write(file, file.name, zipfile.ZIP_DEFLATED)
            for name, picture in pictures.items():
                archive.write(picture, name)

    return write_sheet(file.with_name(f"{file.name}.zip"), write)[0]


def write_sheet(
    path: Path,
    write: Callable[[Path], Result],
    *,
    before: Callable[[Path], object] = lambda place: None,
) -> tuple[Path, Result]:
    """Write a file, whole or not at all; return where it is, and what `write` returned.

    What stands at `path` is replaced if it is byte for byte what memeloc wrote there and no program
    has it open. Else it stays, the new file is called NAME-2, NAME-3 and so on, and a
    `KeptFileWarning` says so. Raise InputError if the file cannot be written.

    Args:
        write: writes the file to the path that it is given, which ends as `path` does.
        before: is given the file's place before the file appears there.
    """
    if path.exists() and not path.is_file():
        raise InputError("is not a file: name a file, as one in that folder", file=path)
    draft = path.with_name(f".{secrets.token_hex(8)}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.touch()  # where that cannot be, xlsxwriter would raise an error of its own
        result = write(draft)
        with ExitStack() as stack:
            with suppress(ImportError, OSError):  # where the system has locks, others wait
                import fcntl

                handle = os.open(path.parent, os.O_RDONLY)
                stack.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX)
            written, sha256 = dict[str, Any](), file_sha256(draft)
            with suppress(OSError, ValueError, TypeError):
                written = dict(json.loads((path.parent / _WRITTEN).read_text("utf-8")))
            numbered = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
            place, reason = path, _why_kept(path, path.name, sha256, written)
            while _why_kept(place, path.name, sha256, written):
                place = next(numbered)
            before(place)
            # Where this cannot be, as in another person's folder, files count as somebody's own.
            with suppress(OSError, InputError), replacing(path.parent / _WRITTEN) as record:
                record.write_text(json.dumps(written | {place.name: [path.name, sha256]}), "utf-8")
            draft.replace(place)
    except InputError as error:
        if error.file != str(draft):
            raise
        raise InputError(error.message, file=path, row=error.row, column=error.column) from error
    except OSError as error:
        raise InputError(f"cannot be written: {not_written(error)}", file=path) from error
    finally:
        with suppress(OSError):
            draft.unlink()
    if reason:
        message = f"{path} {reason}: it stays as it is, and the new file is {place}"
        warnings.warn(message, KeptFileWarning, stacklevel=2)
    return place, result


def write_sheet_table(
    path: Path, columns: Sequence[str | Column], rows: Iterable[Sequence[Any]], *, suffix: str = ""
) -> tuple[Path, int]:
    """Write a table by `write_sheet`; return where it is, and how many rows it has."""
    return write_sheet(path, lambda draft: write_table(draft, columns, rows, suffix=suffix))


def _why_kept(place: Path, name: str, sha256: str, written: Mapping[str, Any]) -> str:
    """Return why a file must stay, empty where it may be replaced by one that was called `name`.

    A file with a number is replaced only by one of the same name: `hi-r1-asha-2.xlsx` may be the
    second sheet of asha, or the first of somebody called asha-2.
    """
    if not os.path.lexists(place):
        return ""
    try:
        current = file_sha256(place)
    except OSError:
        return "cannot be read"
    if current == sha256:
        return ""
    # Beside an open file LibreOffice has the first, Microsoft Office the second.
    if any(place.with_name(lock).exists() for lock in (f".~lock.{place.name}#", f"~${place.name}")):
        return "is open in another program"
    if written.get(place.name) == [name, current]:
        return ""
    if place.name in written:
        return "has been changed since memeloc wrote it"
    return "is not known to be memeloc's"
