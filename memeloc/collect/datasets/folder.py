"""Datasets on disk. In: a folder that somebody published. Out: its files and pictures, checked.

Nothing that a dataset names is read outside of its own folder, whatever its paths and links say.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memeloc.collect.page_values import refused, web_address
from memeloc.errors import InputError, MemelocError
from memeloc.items import Origin, Refusal
from memeloc.model import SEPARATOR, Caption
from memeloc.tables import text_of
from memeloc.templates.pictures import SUFFIXES, picture_size

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

Item = TypeVar("Item")

OUTSIDE = "outside the folder"  # reason of refusing what leads out of the dataset

_LONGEST_DETAIL = 2000  # characters of a cell; a longer one is a text, not a detail
_MOST_VALUES = 1000  # of a list
_LICENCES = ("LICENSE", "LICENCE", "LICENSE.txt", "LICENCE.txt", "LICENSE.md", "COPYING")
_STATED = re.compile(r"^licen[sc]e:\s*[\"']?([^\"'\n]+?)[\"']?\s*$", re.MULTILINE)


class NotTakenError(MemelocError):
    """A row or picture is not taken: a short `reason` that can be counted, and a `sentence`."""

    def __init__(self, reason: str, sentence: str) -> None:
        self.reason = reason
        self.sentence = sentence
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class PictureContent:
    """A picture: its bytes, what identifies it in its dataset, and when it was fetched, if it was.

    `path` is its file, `name` what the dataset calls it; both may be empty.
    """

    content: bytes = field(repr=False)
    key: str
    name: str = ""
    path: Path | None = None
    fetched: datetime | None = None

    @property
    def stem(self) -> str:
        return Path(self.name.replace("\\", "/")).stem


class DatasetFolder:
    """A folder that somebody published. Nothing is read outside of it.

    `terms` of use that are empty are what its README or licence says; `what` is what is wanted, for
    the error; `pictures_read` are the files that `picture` has returned. Raise InputError if there
    is no such folder.
    """

    def __init__(self, source: str, path: Path, terms: str, what: str) -> None:
        if not path.is_dir():
            wrong = "is not a folder" if path.exists() else "there is no such folder"
            raise InputError(f"{wrong}; give {what}", file=path)
        self.source = source
        self.root = path.resolve()
        self.terms = terms or terms_of(self.root)
        self.pictures_read: set[Path] = set()

    def origin(self, key: str, place: str) -> Origin:
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

    def leads_out(self, path: Path) -> bool:
        """Return whether one of the `files` is a link that leads out, or nowhere."""
        return path.is_symlink() and self.is_outside(path)

    @cached_property
    def files(self) -> list[Path]:
        """All files in order but hidden ones, and links, wherever they lead."""
        return list(_files(self.root))

    @cached_property
    def files_inside(self) -> list[Path]:
        return [path for path in self.files if not self.leads_out(path)]

    def taken(self, place: str, items: Iterable[Item]) -> Iterator[Item | Refusal]:
        """Yield the items, and in place of a `NotTakenError` a refusal."""
        try:
            yield from items
        except NotTakenError as error:
            yield Refusal(self.source, place, error.reason, error.sentence)

    def read_pictures(self, read: Callable[[Path], Iterable[Item]]) -> Iterator[Item | Refusal]:
        """Yield what is read from every picture by its name's ending, in order.

        Links within the folder are no pictures of their own: what they lead to is met anyway.
        """
        for path in _files(self.root):
            is_picture = path.suffix.lower() in SUFFIXES
            if self.leads_out(path) and (is_picture or path.is_dir()):
                sentence = "a link that leads out of the folder"
                yield Refusal(self.source, self.key_of(path), OUTSIDE, sentence)
            elif is_picture and not path.is_symlink():
                yield from self.taken(self.key_of(path), read(path))

    def picture(self, value: Any, beside: Path, fetcher: Fetcher) -> PictureContent:
        """Return the picture that a cell holds, names, or has the address of. Raise NotTakenError
        if there is no picture, or it does not open; with the reason.

        Args:
            value: bytes, a mapping with `bytes` and `path` (as Hugging Face writes them), a text,
                or the path of a file that is there.
            beside: the folder in which a picture that is named is looked for first: the table's.
        """
        name, content = _held(value)
        if content is not None:
            try:
                picture_size(content)
            except InputError as error:
                raise NotTakenError("not a picture", f"the picture {error.message}") from None
            return PictureContent(content, hashlib.sha256(content).hexdigest(), name)
        if not web_address(name):
            path = value if isinstance(value, Path) else self._find(name, beside)
            name = path.name if path is value else name
            self.pictures_read.add(path)
            content, key = read_picture(path, "" if path is value else name), self.key_of(path)
            return PictureContent(content, key, name, path)
        try:
            page = fetcher.get(name, accept="picture")
        except MemelocError as error:
            refusal = refused(self.source, name, error)
            raise NotTakenError(refusal.reason, f"{name[:200]}: {refusal.sentence}") from None
        return PictureContent(page.body, name, fetched=page.fetched)

    def _find(self, name: str, beside: Path) -> Path:
        """Return a file beside the table, below the folder, or the only one of that name."""
        shown = repr(name[:120])
        below = Path(name.replace("\\", "/"))
        for top in (beside, self.root) if beside.is_relative_to(self.root) else (self.root,):
            try:
                path = (top / below).resolve()
                is_inside, is_file = path.is_relative_to(self.root), path.is_file()
            except (OSError, ValueError, RuntimeError):
                raise NotTakenError("no picture", f"the path {shown} cannot be read") from None
            if ".." in below.parts or not is_inside:
                raise NotTakenError(OUTSIDE, f"the path {shown} leads out of the dataset's folder")
            if is_file:
                return path
        *folders, last = [_same(part) for part in below.parts] or [""]
        same = [
            path
            for path in self._by_name.get(last if last.endswith(SUFFIXES) else stem_of(last), ())
            if [_same(part) for part in path.parts[-len(folders) - 1 : -1]] == folders
        ]
        match [path for path in same if beside in path.parents] or same:
            case [path]:
                return path
            case [*paths] if paths:
                first, second = (self.key_of(path) for path in sorted(paths)[:2])
                sentence = f"{shown} may be {first} or {second}: write which in the table"
                raise NotTakenError("several pictures", sentence)
        sentence = f"there is no picture {shown}" if name else "it names no picture"
        raise NotTakenError("no picture", sentence)

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        names: dict[str, list[Path]] = {}
        for path in self.files_inside:
            if path.suffix.lower() in SUFFIXES:
                names.setdefault(_same(path.name), []).append(path)
                names.setdefault(stem_of(path.stem), []).append(path)
        return names


def _files(top: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(top):
        here = Path(folder)
        visible = sorted(name for name in folders if name[0] != ".")
        links = [name for name in visible if (here / name).is_symlink()]
        folders[:] = [name for name in visible if name not in links]
        yield from (here / name for name in links)
        yield from (here / name for name in sorted(names) if name[0] != ".")


def _held(value: Any) -> tuple[str, bytes | None]:
    """Return the name or address that a cell gives a picture, and the picture if it holds it."""
    name, content = value, None
    if isinstance(value, bytes):
        name, content = "", value
    elif isinstance(value, dict):
        name, content = value.get("path"), value.get("bytes")
    is_held = isinstance(content, bytes) and content
    return text_of(name).strip(), content if is_held else None


def address_of(value: Any) -> str:
    """Return the address that a cell has of a picture; empty when it holds or names the picture."""
    name, content = _held(value)
    return name if content is None and web_address(name) else ""


def looks_like_picture(value: Any) -> bool:
    """Return whether a cell names a picture's file, or an address.

    >>> looks_like_picture("img/01.png"), looks_like_picture("a cat")
    (True, False)
    """
    text = value.strip() if isinstance(value, str) else ""
    return bool(web_address(text)) or text.lower().endswith(SUFFIXES)


def _same(name: str) -> str:
    """Return a name as other systems may write it: in NFC (macOS has NFD), in small letters."""
    return unicodedata.normalize("NFC", name).casefold()


def stem_of(name: str) -> str:
    """Return a file's name without its ending; a number without zeros and without pandas' `.0`.

    >>> stem_of("0012"), stem_of("12.0"), stem_of("Cat")
    ('12', '12', 'cat')
    """
    whole = name.removesuffix(".0")
    is_number = whole.isascii() and whole.isdecimal()
    return whole.lstrip("0") or "0" if is_number else _same(name)


def read_picture(path: Path, name: str = "") -> bytes:
    """Read a picture's file, which sentences call `name`, or raise NotTakenError."""
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
    text = re.sub(r"(?i)\s*<sep>\s*", SEPARATOR, text)
    text = re.sub(r"(?i)<emp>", "", text)
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
    """Return a dataset's terms: its card's licence, else its licence's first line, else nothing."""
    texts = {}
    for path in (root / name for name in ("README.md", *_LICENCES)):
        if path.is_file() and not path.is_symlink():
            with path.open(encoding="utf-8", errors="replace") as file:
                texts[path.name] = file.read(20_000)
    card = texts.pop("README.md", "")
    if card.startswith("---") and (stated := _STATED.search(card.split("\n---", 1)[0])):
        return stated[1][:200]
    lines = (line.strip(" #*")[:200] for text in texts.values() for line in text.splitlines())
    return next(filter(None, lines), "")
