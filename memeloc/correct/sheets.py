"""Sheets as files. In: a sheet and a format's name, or a file. Out: a file, or what came back.

A format is one module with one class, registered here or, from another package, under the entry
point group `memeloc.sheets`. Files are told by what is in them, not by their names.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol

from memeloc.correct.items import Sheet, SheetAnswers
from memeloc.errors import InputError

LARGEST_FILE = 512 * 1024 * 1024
"""Bytes of a sheet that is read."""


class SheetFormat(Protocol):
    """A kind of file that sheets go out in and come back in.

    Attributes:
        name: what commands call it.
        suffix: of its files, with the dot.
    """

    name: str
    suffix: str

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet to `path`, which may be a temporary name.

        Text is text, whatever it begins with: nothing of a caption becomes a formula, a link or
        markup.
        """
        ...

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether the file, of which `head` are the first 4,096 bytes, is of this kind."""
        ...

    def read(self, path: Path) -> SheetAnswers:
        """Read a sheet that came back.

        Raises:
            InputError: the file as a whole cannot be read. What is wrong with a row is among the
                answers' problems.
        """
        ...


_BUILT_IN = {
    "xlsx": "memeloc.correct.sheet_xlsx:Xlsx",
    "xliff": "memeloc.correct.sheet_xliff:Xliff",
    "po": "memeloc.correct.sheet_po:Po",
    "csv": "memeloc.correct.sheet_csv:Csv",
}


@cache
def formats() -> dict[str, SheetFormat]:
    """All formats there are, by name; the one that takes any text, CSV, is the last to be asked."""
    found: dict[str, SheetFormat] = {}
    for entry in entry_points(group="memeloc.sheets"):
        found[entry.name] = entry.load()()
    for name, place in _BUILT_IN.items():
        module, _, attribute = place.partition(":")
        found.setdefault(name, getattr(import_module(module), attribute)())
    return found


def write_sheet(sheet: Sheet, path: Path, format: str) -> None:
    """Write a sheet; a file of that name is replaced, as a whole and at once.

    Args:
        sheet: what goes out.
        path: where to.
        format: name of a format.

    Raises:
        InputError: there is no such format, or the file cannot be written.
    """
    known = formats().get(format)
    if known is None:
        raise InputError(f"there is no sheet format {format!r}; there are {', '.join(formats())}")
    with _replacing(path) as temporary:
        known.write(sheet, temporary)


def read_sheet(path: Path) -> SheetAnswers:
    """Read a sheet that came back, in any format.

    Raises:
        InputError: the file is missing, too large, broken, or of no kind that is known.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(4096)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    if size > LARGEST_FILE:
        raise InputError(
            f"has {size / 2**20:,.0f} MB; more than {LARGEST_FILE // 2**20} MB are not read",
            file=path,
        )
    if not head.strip():
        raise InputError("is empty", file=path)
    for kind in formats().values():
        if kind.knows(path, head):
            return kind.read(path)
    raise InputError(
        f"is no sheet that memeloc knows; it reads {', '.join(formats())} and ods", file=path
    )


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, which takes its place when all went well."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error
    finally:
        temporary.unlink(missing_ok=True)
