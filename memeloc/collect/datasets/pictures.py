"""The pictures of a dataset. In: what a row says of its picture. Out: its content, checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.datasets.folder import OUTSIDE, DatasetFolder, NotTakenError, read_picture
from memeloc.collect.page_values import refused, web_address
from memeloc.errors import InputError, MemelocError
from memeloc.tables import text_of
from memeloc.templates.pictures import SUFFIXES, picture_size

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher


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
        """Its name without folders and ending."""
        return Path(self.name.replace("\\", "/")).stem


def held(value: Any) -> tuple[str, bytes | None]:
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
    name, content = held(value)
    return name if content is None and web_address(name) else ""


def looks_like_picture(value: Any) -> bool:
    """Return whether a cell names a picture's file, or an address.

    >>> looks_like_picture("img/01.png"), looks_like_picture("a cat")
    (True, False)
    """
    text = value.strip() if isinstance(value, str) else ""
    return bool(web_address(text)) or text.lower().endswith(SUFFIXES)


class Pictures:
    """Finds the pictures that the rows of a dataset's tables name.

    Args:
        folder: nothing is read outside of it.
        files: gives the files in it, if a picture is not where its row says.
        fetcher: fetches addresses.
        read: the files of pictures that were read are added to it.
    """

    def __init__(
        self,
        folder: DatasetFolder,
        files: Callable[[], Iterable[Path]],
        fetcher: Fetcher,
        read: set[Path],
    ) -> None:
        self._read = read
        self._folder = folder
        self._files = files
        self._fetcher = fetcher

    def of(self, value: Any, beside: Path) -> PictureContent:
        """Return the picture that a cell holds, names, or has the address of.

        Args:
            value: bytes, a mapping with `bytes` and `path` (as Hugging Face writes them), a text,
                or the path of a file that is there.
            beside: the folder in which a picture that is named is looked for first: the table's.

        Raises:
            NotTakenError: there is no picture, or it does not open; with the reason.
        """
        if isinstance(value, Path):
            return self._read_file(value)
        name, content = held(value)
        if content is not None:
            try:
                picture_size(content)
            except InputError as error:
                raise NotTakenError("not a picture", f"the picture {error.message}") from None
            return PictureContent(content, hashlib.sha256(content).hexdigest(), name)
        if not web_address(name):
            return self._read_file(self._find(name, beside), name)
        try:
            page = self._fetcher.get(name, accept="picture")
        except MemelocError as error:
            refusal = refused(self._folder.source, name, error)
            raise NotTakenError(refusal.reason, f"{name[:200]}: {refusal.sentence}") from None
        return PictureContent(page.body, name, fetched=page.fetched)

    def _read_file(self, path: Path, name: str = "") -> PictureContent:
        self._read.add(path)
        content, key = read_picture(path, name), self._folder.key_of(path)
        return PictureContent(content, key, name or path.name, path)

    def _find(self, name: str, beside: Path) -> Path:
        """Return a file beside the table, below the folder, or wherever only one has that name.

        Raises:
            NotTakenError: the path leads out of the folder, by itself or by a link, there is no
                such file, or which one is not clear.
        """
        shown, root = repr(name[:120]), self._folder.root
        below = Path(name.replace("\\", "/"))
        for top in (beside, root) if beside.is_relative_to(root) else (root,):
            try:
                path = (top / below).resolve()
                is_inside, is_file = path.is_relative_to(root), path.is_file()
            except (OSError, ValueError, RuntimeError):
                raise NotTakenError("no picture", f"the path {shown} cannot be read") from None
            if ".." in below.parts or not is_inside:
                raise NotTakenError(OUTSIDE, f"the path {shown} leads out of the dataset's folder")
            if is_file:
                return path
        *folders, last = [part.casefold() for part in below.parts] or [""]
        same = [
            path
            for path in self._by_name.get(last if last.endswith(SUFFIXES) else stem_of(last), ())
            if [part.casefold() for part in path.parts[-len(folders) - 1 : -1]] == folders
        ]
        match [path for path in same if beside in path.parents] or same:
            case [path]:
                return path
            case [*paths] if paths:
                first, second = (self._folder.key_of(path) for path in sorted(paths)[:2])
                sentence = f"{shown} may be {first} or {second}: write which in the table"
                raise NotTakenError("several pictures", sentence)
        sentence = f"there is no picture {shown}" if name else "it names no picture"
        raise NotTakenError("no picture", sentence)

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        """Every picture by its name, and by its name without the ending."""
        names: dict[str, list[Path]] = {}
        for path in self._files():
            if path.suffix.lower() in SUFFIXES:
                names.setdefault(path.name.casefold(), []).append(path)
                names.setdefault(stem_of(path.stem), []).append(path)
        return names


def stem_of(name: str) -> str:
    """Return a file's name without its ending; a number without the zeros in front.

    >>> stem_of("0012"), stem_of("12.0"), stem_of("Cat")
    ('12', '12', 'cat')
    """
    whole = name.removesuffix(".0")
    is_number = whole.isascii() and whole.isdecimal()
    return whole.lstrip("0") or "0" if is_number else name.casefold()
