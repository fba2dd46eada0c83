"""Datasets on disk. In: a folder that somebody published. Out: its rows and pictures, checked.

Nothing that a dataset names is read outside of its own folder, whatever its paths and links say.
Tables are read in one pass, pictures one by one.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from memeloc.errors import InputError, MemelocError
from memeloc.items import Refusal
from memeloc.model import Caption
from memeloc.tables import read_table, text_of
from memeloc.templates.pictures import SUFFIXES, picture_size

Item = TypeVar("Item")

OUTSIDE = "outside the folder"
"""Reason of refusing what leads out of the dataset."""

_LONGEST_DETAIL = 2000
_LICENCES = ("LICENSE", "LICENCE", "LICENSE.txt", "LICENCE.txt", "LICENSE.md", "COPYING")
_STATED = re.compile(r"^licen[sc]e:\s*[\"']?([^\"'\n]+?)[\"']?\s*$", re.MULTILINE)


class NotTakenError(MemelocError):
    """A row or picture is not taken: a short `reason` that can be counted, and a `sentence`."""

    def __init__(self, reason: str, sentence: str) -> None:
        self.reason = reason
        self.sentence = sentence
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a dataset's table.

    Attributes:
        file: the table's path below the dataset's folder.
        number: as the user counts it: a table's header is row 1, a line of JSON Lines its number;
            0 stands for the table as a whole.
        cells: by column.
        error: why it could not be read, or empty.
    """

    file: str
    number: int
    cells: Mapping[str, Any]
    error: str = ""

    @property
    def place(self) -> str:
        """Its file and number, for people."""
        return f"{self.file}, row {self.number}" if self.number else self.file

    def text(self, column: str) -> str:
        """A cell as text, see `memeloc.tables.text_of`; empty when there is none."""
        return text_of(self.cells.get(column))

    def need(self, column: str) -> str:
        """A cell that must have a value, stripped.

        Raises:
            NotTakenError: it has none.
        """
        value = self.text(column).strip()
        if not value:
            raise NotTakenError("not readable", f"its {column} is missing")
        return value


def taken(source: str, place: str, items: Iterable[Item]) -> Iterator[Item | Refusal]:
    """The items, and in place of a `NotTakenError` a refusal."""
    try:
        yield from items
    except NotTakenError as error:
        yield Refusal(source, place, error.reason, error.sentence)


def read_rows(
    source: str, rows: Iterable[Row], read: Callable[[Row], Iterable[Item]]
) -> Iterator[Item | Refusal]:
    """What is read from each row, and a refusal for each that is not taken."""
    for row in rows:
        if row.error:
            yield Refusal(source, row.place, "not readable", row.error)
        else:
            yield from taken(source, row.place, read(row))


def parts_of(text: str) -> tuple[str, ...]:
    """A text as parts of a meme: cut at ` // `; empty when there is none."""
    return Caption.parse(text).parts if text.strip() else ()


def details_of(cells: Mapping[str, Any], used: Iterable[str]) -> dict[str, Any]:
    """What else a row says: values that are JSON, of a sensible length."""
    left = {name: _plain(value) for name, value in cells.items() if name not in set(used)}
    return {name: value for name, value in left.items() if value not in (None, "", [], {})}


def _plain(value: Any, depth: int = 0) -> Any:
    is_nested = isinstance(value, list | tuple | dict)
    if isinstance(value, bytes) or (is_nested and depth == 3):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(each, depth + 1) for key, each in list(value.items())[:100]}
    if is_nested:
        return [_plain(each, depth + 1) for each in value[:100]]
    return str(value)[:_LONGEST_DETAIL]


def table_rows(
    path: Path, root: Path, required: Sequence[str], *, only: bool = False
) -> Iterator[Row]:
    """The rows of a CSV, JSON Lines or Parquet table without pictures in it.

    A table that cannot be read, or has not the columns, is a row with the error.

    Raises:
        InputError: it cannot be read, and is the `only` one.
    """
    file = relative(path, root)
    try:
        for row in read_table(path, required).rows:
            names = row.header.names
            error = row.error
            if not error and len(row.cells) > len(names):
                error = "it has more cells than the table has columns"
            yield Row(file, row.number, dict(zip(names, row.cells, strict=False)), error)
    except InputError as error:
        if only:
            raise
        yield Row(file, 0, {}, error.message)


def find_tables(path: Path, what: str) -> tuple[Path, list[Path]]:
    """The folder of a dataset of JSON Lines, and its tables, the training split first.

    Args:
        path: the folder, or one table.
        what: what is wanted, for the error.

    Raises:
        InputError: it is not there, or there is no table.
    """
    if path.is_file():
        return path.parent.resolve(), [path.resolve()]
    root = check_dataset(path, what)
    tables = [
        table
        for table in root.glob("*.jsonl")
        if table.is_file() and table.resolve().parent == root
    ]
    if not tables:
        raise InputError(f"there is no .jsonl file in it; give {what}", file=path)
    # A meme of several splits is of the first of them.
    return root, sorted(tables, key=lambda table: (not table.stem.startswith("train"), table.name))


def check_dataset(path: Path, what: str) -> Path:
    """A dataset's folder, resolved.

    Raises:
        InputError: it is not there or no folder; `what` says what is wanted.
    """
    if not path.is_dir():
        wrong = "is not a folder" if path.exists() else "there is no such folder"
        raise InputError(f"{wrong}; give {what}", file=path)
    return path.resolve()


def relative(path: Path, root: Path) -> str:
    """A path below a folder with slashes, as text that can be stored whatever its bytes are."""
    try:
        below = path.relative_to(root)
    except ValueError:
        below = Path(path.name)
    return os.fsencode(below.as_posix()).decode("utf-8", "backslashreplace")


def find_inside(root: Path, name: str) -> Path:
    """A file below a folder, by its path with slashes or backslashes.

    Raises:
        NotTakenError: the path leads out of the folder, by itself or by a link, or there is no
            such file.
    """
    shown = repr(name[:120])
    if not name.strip():
        raise NotTakenError("no picture", "it names no picture")
    try:
        below = Path(name.strip().replace("\\", "/"))
        path = (root / below).resolve()
        inside = path.is_relative_to(root) and ".." not in below.parts
        is_file = inside and path.is_file()
    except (OSError, ValueError, RuntimeError):
        raise NotTakenError("no picture", f"the path {shown} cannot be read") from None
    if not inside:
        raise NotTakenError(OUTSIDE, f"the path {shown} leads out of the dataset's folder")
    if not is_file:
        raise NotTakenError("no picture", f"there is no picture {shown}")
    return path


def read_picture(path: Path, name: str = "") -> bytes:
    """A picture's file.

    Args:
        path: the file.
        name: what sentences call it; empty where they stand beside its name.

    Raises:
        NotTakenError: it is no picture, or too large.
    """
    shown = f"{name[:120]!r} " if name else ""
    try:
        picture_size(path)
        return path.read_bytes()
    except InputError as error:
        raise NotTakenError("not a picture", f"{shown}{error.message}") from None
    except OSError as error:
        raise NotTakenError("no picture", f"{shown}cannot be read: {error.strerror}") from None


def walk_pictures(root: Path) -> Iterator[tuple[Path, NotTakenError | None]]:
    """Every picture below a folder by its name's ending, in order; hidden ones are left out.

    Links within the folder are no pictures of their own: what they lead to is met anyway.

    Yields:
        A path, and what speaks against it: it is a link that leads out of the folder.
    """
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if name[0] != ".")
        pictures = [name for name in files if here.joinpath(name).suffix.lower() in SUFFIXES]
        for name in (*folders, *sorted(pictures)):
            path = here / name
            if path.is_symlink() and leads_out(path, root):
                yield path, NotTakenError(OUTSIDE, "a link that leads out of the folder")
            elif name[0] != "." and name not in folders and not path.is_symlink():
                yield path, None


def leads_out(path: Path, root: Path) -> bool:
    """Whether a link leads out of a folder, or nowhere."""
    try:
        return not path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return True


def terms_of(root: Path) -> str:
    """Under what terms a dataset says it stands: its card's licence, else its licence's first line.

    Empty when it says nothing.
    """
    card = _beginning(root / "README.md")
    if card.startswith("---"):
        stated = _STATED.search(card.split("\n---", 1)[0])
        if stated:
            return stated[1][:200]
    for name in _LICENCES:
        for line in _beginning(root / name).splitlines():
            if line.strip(" #*"):
                return line.strip(" #*")[:200]
    return ""


def _beginning(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(20_000)
