"""Sheets with their pictures as one file. In: a sheet, or a zip archive. Out: the other.

What is mailed is an archive of the sheet's file and a folder of pictures, which the sheet names.
What comes back may be the file or an archive that holds it; nothing is unpacked by the names that
an archive gives.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from memeloc.correct.model import Sheet
from memeloc.errors import InputError
from memeloc.tables.archives import WORKBOOKS, names_in, read_member

_SHEETS = (".csv", ".tsv", ".txt", ".xlsx", ".ods", ".xlf", ".xliff", ".po", ".pot")
"""Endings that the file of a sheet may have in an archive, ours and what programs make of them."""
PROJECT = "omegat.project"
"""The file by which a project of OmegaT is known."""


def pack(sheet: Sheet, path: Path, to: Path) -> None:
    """Write the archive `to` of a sheet's file and its pictures."""
    with zipfile.ZipFile(to, "w") as archive:
        archive.write(path, path.name, zipfile.ZIP_DEFLATED)
        add_pictures(archive, sheet)


def add_pictures(archive: zipfile.ZipFile, sheet: Sheet, folder: str = "") -> None:
    """Add the pictures of a sheet's items, each under the name that the sheet has for it."""
    for item in sheet.items:
        if item.picture is not None and item.picture.is_file():
            archive.write(item.picture, folder + item.picture_name)


@contextmanager
def unpacked(path: Path) -> Iterator[Path | None]:
    """The file of a sheet in an archive, until the end; None when it is a workbook or a project.

    Raises:
        InputError: it is broken, too large, or does not hold one sheet.
    """
    names = names_in(path)
    if names & WORKBOOKS or any(name.endswith(PROJECT) for name in names):
        yield None
        return
    name = _sheet_in(names, path)
    with TemporaryDirectory(prefix="memeloc-") as folder:
        file = Path(folder) / f"sheet{Path(name).suffix.lower()}"
        file.write_bytes(read_member(path, name))
        yield file


def _sheet_in(names: Iterable[str], path: Path) -> str:
    sheets = [name for name in names if name.lower().endswith(_SHEETS) and _is_a_persons(name)]
    if len(sheets) != 1:
        shown = ", ".join(sorted(sheets)[:3]) or "none"
        raise InputError(
            f"is no workbook, but a zip archive that holds {len(sheets)} sheets ({shown}), not "
            "one: unpack it and import each",
            file=path,
        )
    return sheets[0]


def _is_a_persons(name: str) -> bool:
    """Whether it is no file that macOS adds to archives."""
    return not name.startswith("__MACOSX/") and not name.rpartition("/")[2].startswith(".")
