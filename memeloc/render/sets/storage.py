"""Where a set's pictures are kept. In: pictures as made. Out: single files, or WebDataset shards.

A `Storage` is made in the process of the run and pickled into those that make pictures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol

from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.render.encode import write_whole
from memeloc.render.sets.manifest import SHARDS, EarlierPicture, Row
from memeloc.render.sets.out_folder import remove_picture, remove_temporaries
from memeloc.tar_shards import (
    SHARD_PICTURES,
    Sample,
    ShardWriter,
    remove_samples,
    sample_key,
    shard_keys,
)

Layout = Literal["files", "webdataset"]
"""How pictures are kept."""

Add = Callable[[Row, bytes], None]
"""Takes a picture: its row, which has its path, and its bytes."""

_SHARD_NAME = re.compile(r"\d{6,}-\d{8}\.tar")
_NOT_IN_SAMPLE = {"path", "shard"}


class Storage(Protocol):
    """Where the pictures of a set are kept.

    Attributes:
        out: the set's folder.
        in_shards: whether rows name a shard.
    """

    out: Path
    in_shards: bool

    def names(self, languages: Iterable[str]) -> Sequence[str]:
        """What it writes in the set's folder."""

    def pictures_at_once(self, total: Callable[[], int], jobs: int) -> int:
        """Pictures that are made together and kept together, of so many in all."""

    def adding(self, part: str) -> AbstractContextManager[Add]:
        """Take the pictures of a part; they are all there when the block has ended."""

    def clean(self, known: Iterable[EarlierPicture]) -> None:
        """Remove what a killed run left unfinished, or finished and not in its rows."""

    def has(self, picture: EarlierPicture, *, thoroughly: bool) -> bool:
        """Whether a picture is there as it was recorded.

        Args:
            thoroughly: after a run that was cut off, when it may be newer than its record.
        """

    def remove(self, picture: EarlierPicture) -> bool:
        """Remove a picture, at `finish` at the latest; False if somebody has changed it."""

    def remove_replaced(self, picture: EarlierPicture, path: str) -> None:
        """Remove a picture that a newer one, of this path, has taken the place of."""

    def finish(self) -> None:
        """End the run."""


class SingleFiles:
    """Pictures as OUT/LANGUAGE/TEMPLATE/MEME_ID.jpg."""

    in_shards = False

    def __init__(self, out: Path) -> None:
        self.out = out
        self._made_folders: set[Path] = set()

    def names(self, languages: Iterable[str]) -> Sequence[str]:
        """The languages' folders."""
        return [*languages]

    def pictures_at_once(self, total: Callable[[], int], jobs: int) -> int:
        """Few enough that several processes end at nearly the same time."""
        return 64

    @contextmanager
    def adding(self, part: str) -> Iterator[Add]:
        """Write each picture as it comes."""
        yield self._add

    def _add(self, row: Row, content: bytes) -> None:
        path = self.out / row["path"]
        if path.parent not in self._made_folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made_folders.add(path.parent)
        write_whole(path, content)

    def clean(self, known: Iterable[EarlierPicture]) -> None:
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

    def remove_replaced(self, picture: EarlierPicture, path: str) -> None:
        """Remove the file, unless it has the newer one's name."""
        now, old = self.out / path, self.out / (picture.path or "")
        # A file system that ignores case may have both names for one file.
        if now.is_file() and old.is_file() and not old.samefile(now):
            self.remove(picture)

    def finish(self) -> None:
        """Nothing is left to do."""


_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Made once: `json.dumps` makes an encoder for each text."""


class TarShards:
    """Pictures in OUT/shards/RUN-NUMBER.tar, each with its row beside it as JSON.

    A shard appears whole, and its name never comes again in a set. A picture that is replaced or
    pruned leaves its shard when the run ends: that is written again without it.
    """

    in_shards = True

    def __init__(self, out: Path) -> None:
        self.out = out
        self._going: dict[str, set[str]] = {}
        self._keys = cache(shard_keys)
        self._is_there = cache(Path.is_file)

    def __reduce__(self) -> tuple[type[TarShards], tuple[Path]]:
        return TarShards, (self.out,)

    def names(self, languages: Iterable[str]) -> Sequence[str]:
        """The folder of the shards."""
        return [SHARDS]

    def pictures_at_once(self, total: Callable[[], int], jobs: int) -> int:
        """A shard's pictures; fewer where that would leave processes without work."""
        return min(SHARD_PICTURES, max(64, total() // (8 * jobs)))

    @contextmanager
    def adding(self, part: str) -> Iterator[Add]:
        """Write a shard of the part's name."""
        shard = f"{SHARDS}/{Path(part).stem}.tar"
        with ShardWriter(self.out / shard) as writer:

            def add(row: Row, content: bytes) -> None:
                about = {name: value for name, value in row.items() if name not in _NOT_IN_SAMPLE}
                suffix = row["path"].rpartition(".")[2]
                files = {suffix: content, "json": _as_json(about).encode()}
                writer.add(Sample(sample_key(row["path"]), files))
                row["shard"] = shard

            yield add

    def clean(self, known: Iterable[EarlierPicture]) -> None:
        """Remove unfinished shards, and whole ones of which the rows were not written."""
        shards = {picture.shard for picture in known}
        for path in (self.out / SHARDS).glob("*.tar"):
            if _SHARD_NAME.fullmatch(path.name) and f"{SHARDS}/{path.name}" not in shards:
                path.unlink()
        for path in (self.out / SHARDS).glob(".*.tar.tmp"):
            path.unlink()

    def has(self, picture: EarlierPicture, *, thoroughly: bool) -> bool:
        """Whether the shard is there; `thoroughly` whether the picture is in it, too."""
        shard = self.out / (picture.shard or "")
        if thoroughly:
            return sample_key(picture.path or "") in self._keys(shard)
        return self._is_there(shard)

    def remove(self, picture: EarlierPicture) -> bool:
        """Note what is to go, until `finish`."""
        shard = PurePosixPath(picture.shard or "")
        if str(shard.parent) == SHARDS and self.has(picture, thoroughly=False):
            self._going.setdefault(str(shard), set()).add(sample_key(picture.path or ""))
            return True
        return False

    def remove_replaced(self, picture: EarlierPicture, path: str) -> None:
        """Note what is to go: the newer picture is in another shard."""
        self.remove(picture)

    def finish(self) -> None:
        """Write the shards again that have pictures which are to go."""
        for shard, keys in self._going.items():
            remove_samples(self.out / shard, keys)
        self._going.clear()


_STORAGES: dict[str, type[SingleFiles | TarShards]] = {
    "files": SingleFiles,
    "webdataset": TarShards,
}


def storage_of(layout: str, out: Path) -> Storage:
    """The storage of that name.

    Raises:
        InputError: there is none.
    """
    try:
        return _STORAGES[layout](out)
    except KeyError:
        known = " or ".join(_STORAGES)
        raise InputError(f"Pictures are kept as {known}, not as {layout!r}.") from None
