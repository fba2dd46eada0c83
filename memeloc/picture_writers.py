"""Pictures on their way out. In: pictures and their rows. Out: files, tar files or Parquet.

Rendering and publishing write through these; all have the same two methods.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol

from memeloc.errors import InputError
from memeloc.object_storage import Folder
from memeloc.tables.picture_tables import PictureTable
from memeloc.tar_shards import TarWriter, read_shard, sample_key

if TYPE_CHECKING:
    import pyarrow as pa

Layout = Literal["files", "webdataset", "parquet"]
"""How pictures are kept: as single files, in tar files, or in Parquet."""
SUFFIXES: Mapping[str, str] = {"files": "", "webdataset": ".tar", "parquet": ".parquet"}
"""By layout how a file of many pictures ends; empty for single files."""
_ROWS = 64
"""Rows with pictures that are held while a Parquet file is copied: some 10 MB."""


class PictureWriter(Protocol):
    """Takes pictures.

    Attributes:
        written: bytes of pictures so far.
    """

    written: int

    def add(self, row: Mapping[str, Any], content: bytes | None, path: str) -> None:
        """Write a picture with its row; `path` names it, with `/` and a suffix."""

    def close(self) -> None:
        """Write what is left."""


class FilesWriter:
    """Writes each picture as a file of its path; the rows stand elsewhere."""

    def __init__(self, write: Callable[[str, bytes], None]) -> None:
        self._write = write
        self.written = 0

    def add(self, row: Mapping[str, Any], content: bytes | None, path: str) -> None:
        """Write the file."""
        assert content is not None
        self.written += len(content)
        self._write(path, content)

    def close(self) -> None:
        """Do nothing: every file is there."""


def check_layout(layout: str) -> None:
    """Raise InputError where there is no such layout."""
    if layout not in SUFFIXES:
        known = " or ".join(SUFFIXES)
        raise InputError(f"Pictures are kept as {known}, not as {layout!r}.")


@contextmanager
def open_writer(layout: str, place: Folder, key: str, schema: pa.Schema) -> Iterator[PictureWriter]:
    """Open a writer whose file is there, whole, when the block ends well.

    Args:
        key: of the file with all pictures; without a picture there is none. Single files have the
            keys that are their paths.
        schema: of the rows in Parquet.
    """
    if layout == "files":
        with place.writing_many() as write:
            yield FilesWriter(write)
        return
    with place.staged(key) as path:
        writer: PictureWriter = (
            TarWriter(path) if layout == "webdataset" else PictureTable(path, schema)
        )
        try:
            yield writer
        finally:
            writer.close()
        if not writer.written:
            path.unlink()


def copy_without(place: Folder, old: str, new: str, paths: Collection[str]) -> None:
    """Copy a file of many pictures without those of some paths."""
    import pyarrow.parquet as pq

    with place.reading(old) as source, place.staged(new) as path:
        if old.endswith(SUFFIXES["webdataset"]):
            tar = TarWriter(path)
            keys = {*map(sample_key, paths)}
            for sample in read_shard(source):
                if sample.key not in keys:
                    tar.add_sample(sample)
            tar.close()
            return
        with pq.ParquetFile(source) as file:
            table = PictureTable(path, file.schema_arrow)
            for batch in file.iter_batches(_ROWS, use_threads=False):
                for row in batch.to_pylist():
                    if row["path"] not in paths:
                        table.add(row, row["image"]["bytes"], row["image"]["path"])
            table.close()
