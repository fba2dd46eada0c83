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
from memeloc.items import Origin, Refusal
from memeloc.model import SEPARATOR, Caption
from memeloc.tables import read_table, text_of
from memeloc.templates.pictures import SUFFIXES, picture_size

Item = TypeVar("Item")

OUTSIDE = "outside the folder"  # reason of refusing what leads out of the dataset

_LONGEST_DETAIL = 2000
_MOST_VALUES = 1000  # of a list
_PARTED = re.compile(r"\s*<sep>\s*", re.IGNORECASE)
_EMPTY_PART = re.compile(r"<emp>", re.IGNORECASE)
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
    """A row of a dataset's table: its file below the folder, its number as the user counts it (a
    table's header is row 1, a line of JSON Lines its number), and its cells by column.
    """

    file: str
    number: int
    cells: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Its file and number, for people; a file that is one row has none."""
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


class Dataset:
    """A folder that somebody published. Nothing is read outside of it.

    Args:
        source: the name of the source that reads it.
        path: the folder.
        terms: of use; empty is what its README or licence says.
        what: what is wanted, for the error.

    Raises:
        InputError: there is no such folder.
    """

    def __init__(self, source: str, path: Path, terms: str, what: str) -> None:
        if not path.is_dir():
            wrong = "is not a folder" if path.exists() else "there is no such folder"
            raise InputError(f"{wrong}; give {what}", file=path)
        self.source = source
        self.root = path.resolve()
        self.terms = terms or terms_of(self.root)

    def origin(self, key: str, place: str) -> Origin:
        """The origin of what stands in a file or row."""
        return Origin(self.source, key, place, self.terms)

    def key_of(self, path: Path) -> str:
        """A path below the folder with slashes, as text that can be stored whatever its bytes."""
        below = path.relative_to(self.root) if path.is_relative_to(self.root) else Path(path.name)
        return os.fsencode(below.as_posix()).decode("utf-8", "backslashreplace")

    def leads_out(self, path: Path) -> bool:
        """Whether a path leads out of the folder by a link, or nowhere."""
        try:
            return not path.resolve(strict=True).is_relative_to(self.root)
        except (OSError, RuntimeError):
            return True

    def taken(self, place: str, items: Iterable[Item]) -> Iterator[Item | Refusal]:
        """The items, and in place of a `NotTakenError` a refusal."""
        try:
            yield from items
        except NotTakenError as error:
            yield Refusal(self.source, place, error.reason, error.sentence)

    def read_rows(
        self,
        table: Path,
        required: Sequence[str],
        read: Callable[[Row], Iterable[Item]],
        *,
        only: bool = False,
    ) -> Iterator[Item | Refusal]:
        """What is read from each row of a CSV, JSON Lines or Parquet table without pictures in it.

        A row that is not taken becomes a refusal, and so does a table that cannot be read.

        Raises:
            InputError: the table cannot be read or lacks a column, and is the `only` one.
        """
        file = self.key_of(table)
        try:
            for record in read_table(table, required).rows:
                names = record.header.names
                row = Row(file, record.number, dict(zip(names, record.cells, strict=False)))
                error = record.error
                if not error and len(record.cells) > len(names):
                    error = "it has more cells than the table has columns"
                if error:
                    yield Refusal(self.source, row.place, "not readable", error)
                else:
                    yield from self.taken(row.place, read(row))
        except InputError as error:
            if only:
                raise
            yield Refusal(self.source, file, "not readable", error.message)

    def read_pictures(
        self, read: Callable[[Path], Iterable[Item]], below: Path | None = None
    ) -> Iterator[Item | Refusal]:
        """What is read from every picture by its name's ending, in order, but for hidden ones.

        Links within the folder are no pictures of their own: what they lead to is met anyway.
        """
        top = below or self.root
        if self.leads_out(top):
            return
        for folder, folders, files in os.walk(top.resolve()):
            here = Path(folder)
            folders[:] = sorted(name for name in folders if name[0] != ".")
            pictures = [name for name in files if here.joinpath(name).suffix.lower() in SUFFIXES]
            for name in (*folders, *sorted(pictures)):
                path = here / name
                if path.is_symlink() and self.leads_out(path):
                    sentence = "a link that leads out of the folder"
                    yield Refusal(self.source, self.key_of(path), OUTSIDE, sentence)
                elif name[0] != "." and name not in folders and not path.is_symlink():
                    yield from self.taken(self.key_of(path), read(path))

    def files(self) -> Iterator[Path]:
        """All files in order, but hidden ones; links, too, wherever they lead."""
        for folder, folders, names in os.walk(self.root):
            here = Path(folder)
            visible = (name for name in folders if name[0] != ".")
            folders[:] = sorted(name for name in visible if not (here / name).is_symlink())
            yield from (here / name for name in sorted(names) if name[0] != ".")

    def is_outside(self, path: Path) -> bool:
        """Whether a path that `files` gave is a link that leads out of the folder, or nowhere."""
        return path.is_symlink() and self.leads_out(path)

    def find(self, name: str, folder: Path | None = None) -> Path:
        """A file by its path with slashes or backslashes, below a folder of the dataset.

        Raises:
            NotTakenError: the path leads out of the folder, by itself or by a link, or there is no
                such file.
        """
        shown = repr(name[:120])
        if not name.strip():
            raise NotTakenError("no picture", "it names no picture")
        try:
            below = Path(name.strip().replace("\\", "/"))
            path = ((folder or self.root) / below).resolve()
            inside = path.is_relative_to(self.root) and ".." not in below.parts
            is_file = inside and path.is_file()
        except (OSError, ValueError, RuntimeError):
            raise NotTakenError("no picture", f"the path {shown} cannot be read") from None
        if not inside:
            raise NotTakenError(OUTSIDE, f"the path {shown} leads out of the dataset's folder")
        if not is_file:
            raise NotTakenError("no picture", f"there is no picture {shown}")
        return path


def read_picture(path: Path, name: str = "") -> bytes:
    """A picture's file; `name` is what sentences call it.

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


def parts_of(text: str) -> tuple[str, ...]:
    """A text as parts of a meme: cut at ` // `; empty when there is none.

    Multi3Hate also has `<sep>` between the parts, and `<emp>` for one without text.

    >>> parts_of("see http://example.org // now"), parts_of("<emp><sep>good tea")
    (('see http://example.org', 'now'), ('', 'good tea'))
    """
    text = _EMPTY_PART.sub("", _PARTED.sub(SEPARATOR, text))
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
        return [_plain(each, depth + 1) for each in value[:_MOST_VALUES]]
    return str(value)[:_LONGEST_DETAIL]


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
