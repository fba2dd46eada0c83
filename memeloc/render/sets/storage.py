"""Where a set's pictures are kept. In: pictures as made. Out: single files, or WebDataset shards.

A `Storage` is made in the process of the run and pickled into those that make pictures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import ClassVar, Literal

from memeloc.files import file_sha256
from memeloc.object_storage import Entry, Folder, LocalFolder, ObjectFolder
from memeloc.render.encode import write_whole
from memeloc.render.sets.earlier import EarlierPicture, EarlierPictures
from memeloc.render.sets.manifest import Row
from memeloc.render.sets.out_folder import remove_picture, remove_temporaries
from memeloc.render.sets.set_folder import RUNNING

Layout = Literal["files", "webdataset", "parquet"]
"""How pictures are kept."""

Add = Callable[[Row, bytes], None]
"""Takes a picture: its row, which has its path, and its bytes."""


class Storage(ABC):
    """Where the pictures of a set are kept.

    Attributes:
        place: the set's folder.
        suffix: of the shards that rows name; empty of single files.
    """

    place: Folder
    suffix: ClassVar[str] = ""

    def names(self, languages: Iterable[str]) -> Sequence[str]:
        """What it writes in the set's folder; of single files the languages' folders."""
        return [*languages]

    def pictures_at_once(self, total: Callable[[], int], jobs: int) -> int:
        """Pictures that are made together and kept together, of so many in all.

        Of single files few enough that several processes end at nearly the same time.
        """
        return 64

    @abstractmethod
    def adding(self, part: str) -> AbstractContextManager[Add]:
        """Take the pictures of a part; they are all there when the block has ended."""

    @abstractmethod
    def clean(self, known: EarlierPictures) -> None:
        """Remove what a killed run left unfinished, or finished and not in its rows."""

    @abstractmethod
    def has(self, picture: EarlierPicture, *, thoroughly: bool) -> bool:
        """Whether a picture is there as it was recorded.

        Args:
            thoroughly: after a run that was cut off, when it may be newer than its record.
        """

    @abstractmethod
    def remove(self, picture: EarlierPicture) -> bool:
        """Remove a picture, at `finish` at the latest; False if somebody has changed it."""

    @abstractmethod
    def changed(self, picture: EarlierPicture) -> Path | str | None:
        """The file of a picture that somebody has changed, or None."""

    def set_aside(self, path: str, size: int | None) -> Path | None:
        """Rename somebody's own file at the place of a picture that is to be made.

        Args:
            path: of the picture.
            size: of the file that an earlier run made there; None where none did.

        Returns:
            The file as it is called now; None where there is none, and in shards and object
            storage, where nobody edits a picture.
        """
        return None

    @abstractmethod
    def remove_replaced(self, picture: EarlierPicture, path: str) -> None:
        """Remove a picture that a newer one, of this path, has taken the place of."""

    def finish(self, run: int) -> None:
        """End the run of that number; of single files nothing is left to do."""
        return


class SingleFiles(Storage):
    """Pictures as OUT/LANGUAGE/TEMPLATE/MEME_ID.jpg."""

    def __init__(self, place: LocalFolder) -> None:
        self.place, self.out = place, place.path
        self._made_folders: set[str] = set()

    @contextmanager
    def adding(self, part: str) -> Iterator[Add]:
        """Write each picture as it comes."""
        yield self._add

    def _add(self, row: Row, content: bytes) -> None:
        below, _, name = row["path"].rpartition("/")
        folder = f"{self.out}/{below}"
        if folder not in self._made_folders:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self._made_folders.add(folder)
        write_whole(folder, name, content)

    def clean(self, known: EarlierPictures) -> None:
        """Remove unfinished files; finished ones are written over."""
        remove_temporaries(self.out)

    def has(self, picture: EarlierPicture, *, thoroughly: bool) -> bool:
        """Compare the file's size; `thoroughly` its bytes, as a size may be equal by chance."""
        path = self.out / (picture.path or "")
        try:
            if not thoroughly:
                return path.stat().st_size == picture.bytes
            return file_sha256(path) == picture.sha256
        except OSError:
            return False

    def remove(self, picture: EarlierPicture) -> bool:
        """Remove the file, and folders that it leaves empty."""
        return remove_picture(self.out, picture.path or "", picture.sha256)

    def changed(self, picture: EarlierPicture) -> Path | None:
        """The file, where it is still there."""
        file = self.out / (picture.path or "")
        return file if file.is_file() else None

    def set_aside(self, path: str, size: int | None) -> Path | None:
        """Rename the file if its size is another."""
        file = self.out / path
        if not file.is_file() or file.stat().st_size == size:
            return None
        names = (f"{file.stem}.kept{number or ''}{file.suffix}" for number in count())
        return file.rename(next(new for new in map(file.with_name, names) if not new.exists()))

    def remove_replaced(self, picture: EarlierPicture, path: str) -> None:
        """Remove the file, unless it has the newer one's name."""
        now, old = self.out / path, self.out / (picture.path or "")
        # A file system that ignores case may have both names for one file.
        if now.is_file() and old.is_file() and not old.samefile(now):
            self.remove(picture)


class SingleObjects(Storage):
    """Pictures as OUT/LANGUAGE/TEMPLATE/MEME_ID.jpg in object storage."""

    place: ObjectFolder

    def __init__(self, place: ObjectFolder) -> None:
        self.place = place
        self._since = float("inf")  # when the run that was cut off began to write

    def __reduce__(self) -> tuple[type[SingleObjects], tuple[ObjectFolder]]:
        return SingleObjects, (self.place,)

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.key: entry for entry in self.place.entries()}

    @contextmanager
    def adding(self, part: str) -> Iterator[Add]:
        """Write several pictures at once, as each waits for an answer."""
        with self.place.writing_many() as write:
            yield lambda row, content: write(row["path"], content)

    def clean(self, known: EarlierPictures) -> None:
        """Note what the run may have written: an object is never there in part."""
        self._since = changed_since(self.place)

    def has(self, picture: EarlierPicture, *, thoroughly: bool) -> bool:
        """Compare the size; `thoroughly`, of one written since, the bytes."""
        entry = self._entries.get(picture.path or "")
        if entry is None or entry.size != picture.bytes:
            return False
        return not thoroughly or entry.changed < self._since or self._is_same(picture)

    def _is_same(self, picture: EarlierPicture) -> bool:
        with self.place.reading(picture.path or "") as file:
            return file.exists() and file_sha256(file) == picture.sha256

    def remove(self, picture: EarlierPicture) -> bool:
        """Remove the object, unless somebody has changed it."""
        if picture.path not in self._entries or not self._is_same(picture):
            return False
        self.place.remove(self._entries.pop(picture.path).key)
        return True

    def changed(self, picture: EarlierPicture) -> str | None:
        """The object, where it is still there."""
        there = picture.path in self._entries
        return self.place.address(picture.path or "") if there else None

    def remove_replaced(self, picture: EarlierPicture, path: str) -> None:
        """Remove the object, unless it has the newer one's key."""
        if picture.path != path:
            self.remove(picture)


def changed_since(place: Folder) -> float:
    """Since when a run that was cut off may have changed what earlier ones wrote."""
    entry = place.entry(RUNNING)
    return entry.changed if entry else float("-inf")
