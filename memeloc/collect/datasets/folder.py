"""Datasets on disk. In: a folder that somebody published. Out: its files and pictures, checked.

Nothing that a dataset names is read outside of its own folder, whatever its paths and links say.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from memeloc.errors import InputError, MemelocError
from memeloc.items import Origin, Refusal
from memeloc.model import SEPARATOR, Caption
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


class DatasetFolder:
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
        """Return the origin of what stands in a file or row."""
        return Origin(self.source, key, place, self.terms)

    def key_of(self, path: Path) -> str:
        """Return a path below the folder with slashes, as text that can be stored."""
        below = path.relative_to(self.root) if path.is_relative_to(self.root) else Path(path.name)
        return os.fsencode(below.as_posix()).decode("utf-8", "backslashreplace")

    def is_outside(self, path: Path) -> bool:
        """Return whether a path leads out of the folder by a link, or nowhere."""
        try:
            return not path.resolve(strict=True).is_relative_to(self.root)
        except (OSError, RuntimeError):
            return True

    def taken(self, place: str, items: Iterable[Item]) -> Iterator[Item | Refusal]:
        """Yield the items, and in place of a `NotTakenError` a refusal."""
        try:
            yield from items
        except NotTakenError as error:
            yield Refusal(self.source, place, error.reason, error.sentence)

    def files(self, below: Path | None = None) -> Iterator[Path]:
        """Yield all files in order, but hidden ones, and links, wherever they lead."""
        for folder, folders, names in os.walk(below or self.root):
            here = Path(folder)
            visible = sorted(name for name in folders if name[0] != ".")
            links = [name for name in visible if (here / name).is_symlink()]
            folders[:] = [name for name in visible if name not in links]
            yield from (here / name for name in links)
            yield from (here / name for name in sorted(names) if name[0] != ".")

    def leads_out(self, path: Path) -> bool:
        """Return whether a path that `files` gave is a link that leads out, or nowhere."""
        return path.is_symlink() and self.is_outside(path)

    def read_pictures(
        self, read: Callable[[Path], Iterable[Item]], below: Path | None = None
    ) -> Iterator[Item | Refusal]:
        """Yield what is read from every picture by its name's ending, in order.

        Links within the folder are no pictures of their own: what they lead to is met anyway.
        """
        if below is not None and self.is_outside(below):
            return
        for path in self.files(below and below.resolve()):
            is_picture = path.suffix.lower() in SUFFIXES
            if self.leads_out(path) and (is_picture or path.is_dir()):
                sentence = "a link that leads out of the folder"
                yield Refusal(self.source, self.key_of(path), OUTSIDE, sentence)
            elif is_picture and not path.is_symlink():
                yield from self.taken(self.key_of(path), read(path))


def read_picture(path: Path, name: str = "") -> bytes:
    """Read a picture's file; `name` is what sentences call it.

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
    """Return a text as parts of a meme: cut at ` // `; empty when there is none.

    Multi3Hate also has `<sep>` between the parts, and `<emp>` for one without text.

    >>> parts_of("see http://example.org // now"), parts_of("<emp><sep>good tea")
    (('see http://example.org', 'now'), ('', 'good tea'))
    """
    text = _EMPTY_PART.sub("", _PARTED.sub(SEPARATOR, text))
    return Caption.parse(text).parts if text.strip() else ()


def details_of(cells: Mapping[str, Any], used: Iterable[str]) -> dict[str, Any]:
    """Return what else a row says: values that are JSON, of a sensible length."""
    left = {name: _plain(value) for name, value in cells.items() if name not in set(used)}
    return {name: value for name, value in left.items() if value not in (None, "", [], {})}


def _plain(value: Any, depth: int = 0) -> Any:
    match value:
        case bool() | int() | None:
            return value
        case float():
            return value if math.isfinite(value) else None
        case bytes():
            return None
        case dict() | list() | tuple() if depth == 3:
            return None
        case dict():
            return {str(key): _plain(each, depth + 1) for key, each in list(value.items())[:100]}
        case list() | tuple():
            return [_plain(each, depth + 1) for each in value[:_MOST_VALUES]]
    return str(value)[:_LONGEST_DETAIL]


def terms_of(root: Path) -> str:
    """Return under what terms a dataset says it stands; empty when it says nothing.

    They are its card's licence, else its licence's first line.
    """
    card = _beginning(root / "README.md")
    if card.startswith("---") and (stated := _STATED.search(card.split("\n---", 1)[0])):
        return stated[1][:200]
    lines = (line for name in _LICENCES for line in _beginning(root / name).splitlines())
    return next(filter(None, (line.strip(" #*")[:200] for line in lines)), "")


def _beginning(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(20_000)
