"""Pictures in shards. In: pictures as made. Out: OUT/shards/RUN-NUMBER.tar, or another kind.

A shard appears whole, and its name never comes again in a set. A picture that is replaced or pruned
leaves its shard when the run ends: that is written again without it.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic_core import to_json

from memeloc.errors import InputError
from memeloc.files import naming, temporary_beside
from memeloc.object_storage import Entry, Folder, LocalFolder
from memeloc.render.sets.earlier import EarlierPicture, EarlierPictures
from memeloc.render.sets.manifest import SCHEMA, SHARDS, VERSIONS, Row
from memeloc.render.sets.storage import Add, SingleFiles, SingleObjects, Storage, changed_since
from memeloc.tables.picture_tables import PictureTable, picture_schema
from memeloc.tar_shards import Sample, ShardWriter, remove_samples, sample_key, shard_keys

_PICTURES = 4000
"""Pictures of a shard, at most: some 300 MB."""
_NAME = re.compile(r"\d{6,}-\d{8}")


class PictureShards(Storage):
    """Pictures in shards, on a disk or in object storage."""

    def __init__(self, place: Folder) -> None:
        self.place = place
        self._going: dict[str, set[str]] = {}
        self._since = float("-inf")  # when the run that was cut off began to write
        self._keys = cache(self._keys_of)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.place,)

    @abstractmethod
    def writing(self, path: Path, shard: str) -> AbstractContextManager[Add]:
        """Write a shard: whole, or without a picture none."""

    @abstractmethod
    def key_of(self, path: str) -> str:
        """The key of a picture in its shard."""

    @abstractmethod
    def keys_in(self, path: Path) -> set[str]:
        """The keys of the pictures in a shard; none where it cannot be read."""

    @abstractmethod
    def remove_from(self, path: Path, keys: Collection[str]) -> None:
        """Write a shard again without some pictures; one that is left without any is removed."""

    def names(self, languages: Iterable[str]) -> Sequence[str]:
        """The folder of the shards."""
        return [SHARDS]

    def pictures_at_once(self, total: Callable[[], int], jobs: int) -> int:
        """A shard's pictures; fewer where that would leave processes without work."""
        return min(_PICTURES, max(64, total() // (8 * jobs)))

    @contextmanager
    def adding(self, part: str) -> Iterator[Add]:
        """Write a shard of the part's name."""
        shard = f"{SHARDS}/{Path(part).stem}{self.suffix}"
        with self.place.staged(shard) as path, self.writing(path, shard) as add:
            yield add

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.key: entry for entry in self.place.entries(SHARDS)}

    def _keys_of(self, shard: str) -> set[str]:
        with self.place.reading(shard) as path:
            return self.keys_in(path)

    def clean(self, known: EarlierPictures) -> None:
        """Remove unfinished shards, and whole ones of which the rows were not written."""
        shards = known.shards()
        for shard in list(self._entries):
            name = PurePosixPath(shard)
            if name.suffix == self.suffix and _NAME.fullmatch(name.stem) and shard not in shards:
                self.place.remove(shard)
                del self._entries[shard]
        if not isinstance(self.place, LocalFolder):
            self._since = changed_since(self.place)
        self._remove_unfinished()

    def _remove_unfinished(self) -> None:
        """Remove what processes that died were writing; elsewhere than on a disk there is none."""
        if isinstance(self.place, LocalFolder):
            for path in (self.place.path / SHARDS).glob(f".*{self.suffix}*.tmp"):
                path.unlink(missing_ok=True)

    def _remove_late(self, run: int) -> None:
        """Remove what an earlier run, which ends when it notices this one, wrote meanwhile."""
        for entry in [] if isinstance(self.place, LocalFolder) else self.place.entries(SHARDS):
            name = PurePosixPath(entry.key).stem
            is_late = entry.key not in self._entries and _NAME.fullmatch(name)
            if is_late and int(name.partition("-")[0]) < run:
                self.place.remove(entry.key)

    def has(self, picture: EarlierPicture, *, thoroughly: bool) -> bool:
        """Whether the shard is there; `thoroughly`, of one written since, the picture in it."""
        entry = self._entries.get(picture.shard or "")
        if entry is None or not thoroughly or entry.changed < self._since:
            return entry is not None
        return self.key_of(picture.path or "") in self._keys(entry.key)

    def remove(self, picture: EarlierPicture) -> bool:
        """Note what is to go, until `finish`."""
        shard = PurePosixPath(picture.shard or "")
        if str(shard.parent) == SHARDS and self.has(picture, thoroughly=False):
            self._going.setdefault(str(shard), set()).add(self.key_of(picture.path or ""))
            return True
        return False

    def changed(self, picture: EarlierPicture) -> None:
        """None: nobody changes a picture in a shard."""
        return

    def remove_replaced(self, picture: EarlierPicture, path: str) -> None:
        """Note what is to go: the newer picture is in another shard."""
        self.remove(picture)

    def finish(self, run: int) -> None:
        """Write the shards again that have pictures which are to go."""
        self._remove_unfinished()
        self._remove_late(run)
        for shard, keys in self._going.items():
            with self.place.rewriting(shard) as path:
                self.remove_from(path, keys)
        self._going.clear()


_NOT_IN_SAMPLE = {"path", "shard"}
_NOT_IN_TABLE = {"shard", "relative_size", "in_table", *VERSIONS}
"""What is known only when the manifest is written, or is the same of all."""
_ROWS = 64
"""Rows of a shard that are held while it is written again."""


class TarShards(PictureShards):
    """OUT/shards/RUN-NUMBER.tar, as WebDataset reads it: each picture with its row as JSON."""

    suffix = ".tar"
    key_of = staticmethod(sample_key)
    keys_in = staticmethod(shard_keys)
    remove_from = staticmethod(remove_samples)

    @contextmanager
    def writing(self, path: Path, shard: str) -> Iterator[Add]:
        """Write a tar file."""
        with ShardWriter(path) as writer:

            def add(row: Row, content: bytes) -> None:
                about = {name: value for name, value in row.items() if name not in _NOT_IN_SAMPLE}
                suffix = row["path"].rpartition(".")[2]
                files = {suffix: content, "json": to_json(about)}
                writer.add(Sample(sample_key(row["path"]), files))
                row["shard"] = shard

            yield add


class ParquetShards(PictureShards):
    """OUT/shards/RUN-NUMBER.parquet: pictures and rows as Hugging Face's `datasets` reads them."""

    suffix = ".parquet"

    def __init__(self, place: Folder) -> None:
        super().__init__(place)
        columns = [field for field in SCHEMA if field.name not in _NOT_IN_TABLE]
        self._schema = picture_schema(columns, pictures=True)

    def key_of(self, path: str) -> str:
        """The path itself."""
        return path

    @contextmanager
    def writing(self, path: Path, shard: str) -> Iterator[Add]:
        """Write a Parquet file."""
        with _table(path, self._schema) as table:

            def add(row: Row, content: bytes) -> None:
                values = {name: row.get(name) for name in self._schema.names}
                table().add(values, content, row["path"])
                row["shard"] = shard

            yield add

    def keys_in(self, path: Path) -> set[str]:
        """The paths of the pictures."""
        try:
            with pq.ParquetFile(path) as file:
                return set(file.read(["path"], use_threads=False).column(0).to_pylist())
        except (OSError, pa.ArrowException):
            return set()

    def remove_from(self, path: Path, keys: Collection[str]) -> None:
        """Write the rows again that stay."""
        with pq.ParquetFile(path) as file, _table(path, file.schema_arrow) as table:
            empty = True
            for batch in file.iter_batches(_ROWS, use_threads=False):
                for row in batch.to_pylist():
                    if row["path"] not in keys:
                        table().add(row, row["image"]["bytes"], row["path"])
                        empty = False
        if empty:
            path.unlink(missing_ok=True)


@contextmanager
def _table(path: Path, schema: Any) -> Iterator[Callable[[], PictureTable]]:
    """A table that takes its name when the block ends well; what is not asked for is not made."""
    temporary = temporary_beside(path)
    tables: list[PictureTable] = []

    def opened() -> PictureTable:
        if not tables:
            path.parent.mkdir(parents=True, exist_ok=True)
            tables.append(PictureTable(temporary, schema))
        return tables[0]

    try:
        with naming(path):
            yield opened
            if tables:
                tables[0].close()
                temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


_SHARDS: dict[str, type[PictureShards]] = {"webdataset": TarShards, "parquet": ParquetShards}


def storage_of(layout: str, place: Folder) -> Storage:
    """The storage of that name, at that place.

    Raises:
        InputError: there is none.
    """
    if layout == "files":
        return SingleFiles(place) if isinstance(place, LocalFolder) else SingleObjects(place)
    try:
        return _SHARDS[layout](place)
    except KeyError:
        known = " or ".join(("files", *_SHARDS))
        raise InputError(f"Pictures are kept as {known}, not as {layout!r}.") from None


def check_layout(layout: str, earlier: EarlierPictures, place: Folder) -> None:
    """See that a set is all single files, or all shards of one kind: its readers look in one place.

    Raises:
        InputError: there are pictures of another kind.
    """
    names = {kind.suffix: name for name, kind in _SHARDS.items()}
    for suffix in earlier.suffixes:
        if (there := names.get(suffix, "files")) != layout:
            has = "shards" if suffix else "single files"
            raise InputError(
                f"The set in this folder has its pictures in {has}: render with --to {there}, or "
                "name another folder.",
                file=place.address(""),
            )
