"""Datasets on disk. In: a folder that somebody published. Out: its rows and pictures, checked.

Nothing that a dataset names is read outside of its own folder, whatever its paths and links say.
Tables are read in one pass, pictures one by one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from memeloc.errors import InputError, MemelocError
from memeloc.items import Refusal
from memeloc.model import Caption
from memeloc.tables import read_table, text_of
from memeloc.templates.pictures import SUFFIXES, picture_size

OUTSIDE = "outside the folder"
"""Reason of refusing what leads out of the dataset."""

_LONGEST_DETAIL = 2000
_LICENCES = ("LICENSE", "LICENCE", "LICENSE.txt", "LICENCE.txt", "LICENSE.md", "COPYING")
_DRIVE = re.compile(r"^[A-Za-z]:")
_STATED = re.compile(r"^licen[sc]e:\s*[\"']?([^\"'\n]+?)[\"']?\s*$", re.MULTILINE)


class NotTakenError(MemelocError):
    """A row or picture that is not taken.

    Attributes:
        reason: a short key that can be counted.
        sentence: what is wrong.
    """

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

    def refusal(self, source: str, wrong: NotTakenError) -> Refusal:
        """The refusal of this row."""
        return Refusal(source, self.place, wrong.reason, wrong.sentence)

    @property
    def place(self) -> str:
        """Its file and number, for people."""
        return f"{self.file}, row {self.number}" if self.number else self.file

    def check(self) -> None:
        """Raise NotTakenError when the row could not be read."""
        if self.error:
            raise NotTakenError("not readable", self.error)

    def text(self, column: str) -> str:
        """A cell as text, see `memeloc.tables.text_of`; empty when there is none."""
        return text_of(self.cells.get(column))

    def need(self, column: str) -> str:
        """A cell that must hold something.

        Raises:
            NotTakenError: it does not.
        """
        found = self.text(column).strip()
        if not found:
            raise NotTakenError("not readable", f"its {column} is missing")
        return found


def parts_of(text: str) -> tuple[str, ...]:
    """A text as parts of a meme: cut at ` // `; empty when there is none."""
    return Caption.parse(text).parts if text.strip() else ()


def details_of(cells: Mapping[str, Any], taken: Iterable[str]) -> dict[str, Any]:
    """What else a row says: values that are JSON, of a sensible length."""
    left = set(cells) - set(taken)
    return {
        name: value
        for name in cells
        if name in left and (value := _plain(cells[name])) not in (None, "", [], {})
    }


def _plain(value: Any, depth: int = 0) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, str):
        return value[:_LONGEST_DETAIL]
    if depth < 3 and isinstance(value, list | tuple):
        return [_plain(one, depth + 1) for one in value[:100]]
    if depth < 3 and isinstance(value, dict):
        return {str(key): _plain(one, depth + 1) for key, one in list(value.items())[:100]}
    return None if isinstance(value, bytes | list | tuple | dict) else str(value)[:_LONGEST_DETAIL]


def table_rows(path: Path, root: Path, required: Sequence[str]) -> Iterator[Row]:
    """The rows of a CSV, JSON Lines or Parquet table without pictures in it.

    Raises:
        InputError: it cannot be opened, or has not the columns.
    """
    file = relative(path, root)
    table = read_table(path, required)
    for row in table.rows:
        names = row.header.names
        if row.error:
            yield Row(file, row.number, {}, row.error)
        elif len(row.cells) > len(names):
            yield Row(file, row.number, {}, "it has more cells than the table has columns")
        else:
            yield Row(file, row.number, dict(zip(names, row.cells, strict=False)))


def rows_of_all(tables: Sequence[Path], root: Path, required: Sequence[str]) -> Iterator[Row]:
    """The rows of several tables. One that cannot be read is a row that says so.

    Raises:
        InputError: there is only one table, and it cannot be read.
    """
    for table in tables:
        try:
            yield from table_rows(table, root, required)
        except InputError as error:
            if len(tables) == 1:
                raise
            yield Row(relative(table, root), 0, {}, error.message)


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


def read_picture(root: Path, name: str) -> bytes:
    """A picture that a dataset names, by its path below the folder.

    Args:
        root: the folder, resolved.
        name: the path, with slashes or backslashes.

    Raises:
        NotTakenError: it leads out of the folder, is not there, or is no picture.
    """
    return read_checked(find_inside(root, name), name)


def find_inside(root: Path, name: str) -> Path:
    """A file below a folder.

    Raises:
        NotTakenError: the path leads out of the folder, by itself or by a link, or there is no
            such file.
    """
    plain = name.strip().replace("\\", "/")
    shown = repr(name[:120])
    if not plain:
        raise NotTakenError("no picture", "it names no picture")
    if plain.startswith("/") or _DRIVE.match(plain) or ".." in PurePosixPath(plain).parts:
        raise NotTakenError(OUTSIDE, f"the path {shown} leads out of the dataset's folder")
    try:
        found = (root / plain).resolve(strict=True)
        inside, is_file = found.is_relative_to(root), found.is_file()
    except FileNotFoundError:
        raise NotTakenError("no picture", f"there is no picture {shown}") from None
    except (OSError, ValueError, RuntimeError):
        raise NotTakenError("no picture", f"the path {shown} cannot be read") from None
    if not inside:
        raise NotTakenError(OUTSIDE, f"the path {shown} is a link that leads out of the folder")
    if not is_file:
        raise NotTakenError("no picture", f"{shown} is not a file")
    return found


def read_checked(path: Path, name: str = "") -> bytes:
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


def check_bytes(content: bytes) -> bytes:
    """A picture that came inside of a table.

    Raises:
        NotTakenError: it is no picture, or too large.
    """
    try:
        picture_size(content)
    except InputError as error:
        raise NotTakenError("not a picture", f"the picture {error.message}") from None
    return content


def walk_pictures(root: Path) -> Iterator[tuple[Path, NotTakenError | None]]:
    """Every picture below a folder by its name's ending, in order; hidden ones are left out.

    Links within the folder are no pictures of their own: what they lead to is met anyway.

    Yields:
        A path, and what speaks against it: it is a link that leads out of the folder.
    """
    for folder, folders, files in os.walk(root, followlinks=False):
        here = Path(folder)
        for name in sorted(folders):
            if (here / name).is_symlink() and leads_out(here / name, root):
                yield here / name, NotTakenError(OUTSIDE, "a link that leads out of the folder")
        folders[:] = sorted(
            name for name in folders if name[0] != "." and not (here / name).is_symlink()
        )
        for name in sorted(files):
            path = here / name
            if name[0] == "." or path.suffix.lower() not in SUFFIXES:
                continue
            if not path.is_symlink():
                yield path, None
            elif leads_out(path, root):
                yield path, NotTakenError(OUTSIDE, "a link that leads out of the folder")


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
