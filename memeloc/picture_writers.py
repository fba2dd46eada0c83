"""Pictures in files. In: pictures and their rows. Out: single files, tar files or Parquet.

Tar files are shards as WebDataset reads them. The files of a sample stand one after another and are
named alike up to the first dot of the last part of their path: that is the sample's key, and what
follows says what the file is, as in `de/tea/m1.jpg` and `de/tea/m1.json`
(github.com/webdataset/webdataset, "The WebDataset Format").
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic_core import to_json

from memeloc.errors import InputError
from memeloc.object_storage import Folder
from memeloc.tables.picture_tables import PictureTable

if TYPE_CHECKING:
    import pyarrow as pa

Layout = Literal["files", "webdataset", "parquet"]
"""How pictures are kept: as single files, in tar files, or in Parquet."""
SUFFIXES: Mapping[str, str] = {"files": "", "webdataset": ".tar", "parquet": ".parquet"}
"""By layout how a file of many pictures ends; empty for single files."""
Write = Callable[[Mapping[str, Any], bytes, str], None]
"""Takes the row of a picture, the picture, and a path that names it, with `/` and a suffix."""
LARGEST_SAMPLE = 64 * 1024 * 1024
"""Bytes of a sample that is read."""
_ROWS = 64
"""Rows with pictures that are held while a Parquet file is copied: some 10 MB."""


def check_layout(layout: str) -> None:
    """Raise InputError where there is no such layout."""
    if layout not in SUFFIXES:
        raise InputError(f"Pictures are kept as {' or '.join(SUFFIXES)}, not as {layout!r}.")


class Sample(NamedTuple):
    """A sample of a shard: its key, and its files by what their names end with, without dot."""

    key: str
    files: Mapping[str, bytes]


def sample_key(path: str) -> str:
    """Return the key of a picture by its path; dots in its name would end the key, and are escaped.

    >>> sample_key("de/tea/m1.jpg"), sample_key("de/tea/m1.2.jpg")
    ('de/tea/m1', 'de/tea/m1%2E2')
    """
    folder, slash, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return folder + slash + stem.replace("%", "%25").replace(".", "%2E")


class TarWriter:
    """Writer of pictures and their rows as samples; `written` is the bytes of pictures so far.

    The same pictures give the same bytes: files have no owner and no time.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self.written = 0

    def add(self, row: Mapping[str, Any], content: bytes | None, path: str) -> None:
        """Add a picture, and its row as JSON."""
        assert content is not None
        self.written += len(content)
        self.add_sample(sample_key(path), {path.rpartition(".")[2]: content, "json": to_json(row)})

    def add_sample(self, key: str, files: Mapping[str, bytes]) -> None:
        """Add files by what their names end with, without dot."""
        for suffix, content in files.items():
            member = tarfile.TarInfo(f"{key}.{suffix}")
            member.size = len(content)
            # TarFile.addfile copies in small pieces, which takes half as long again.
            self._file.write(member.tobuf(tarfile.PAX_FORMAT))
            self._file.write(content)
            self._file.write(bytes(-len(content) % tarfile.BLOCKSIZE))

    def close(self) -> None:
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))
        self._file.close()


def read_shard(path: Path) -> Iterator[Sample]:
    """Yield the samples of a shard; directories, links and devices are passed over. Raise
    InputError if it is no tar file or broken, or a sample in it is larger than `LARGEST_SAMPLE`."""
    try:
        with tarfile.open(path, "r:") as tar:
            for key, group in groupby(filter(tarfile.TarInfo.isreg, tar), _key_of):
                members = list(group)
                if sum(member.size for member in members) > LARGEST_SAMPLE:
                    raise InputError(
                        f"the sample {key[:120]!r} in it has more than "
                        f"{LARGEST_SAMPLE // 2**20} MB, which are not read",
                        file=path,
                    )
                streams = ((member.name, tar.extractfile(member)) for member in members)
                files = {name[len(key) + 1 :]: file.read() for name, file in streams if file}
                yield Sample(key, files)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"cannot be read as a tar file: {error}", file=path) from error


def _key_of(member: tarfile.TarInfo) -> str:
    folder, slash, name = member.name.rpartition("/")
    return folder + slash + name.partition(".")[0]


@contextmanager
def writing_pictures(layout: str, place: Folder, key: str, schema: pa.Schema) -> Iterator[Write]:
    """Give what writes pictures, into a file that is there, whole, when the block ends well.

    Args:
        key: of the file with all pictures; without a picture there is none. Single files have the
            keys that are their paths, and their rows stand elsewhere.
        schema: of the rows in Parquet.
    """
    if layout == "files":
        with place.writing_many() as write:
            yield lambda row, content, path: write(path, content)
        return
    with place.staged(key) as path:
        writer = TarWriter(path) if layout == "webdataset" else PictureTable(path, schema)
        try:
            yield writer.add
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
                    tar.add_sample(*sample)
            tar.close()
            return
        with pq.ParquetFile(source) as file:
            table = PictureTable(path, file.schema_arrow)
            for batch in file.iter_batches(_ROWS, use_threads=False):
                for row in batch.to_pylist():
                    if row["path"] not in paths:
                        table.add(row, row["image"]["bytes"], row["image"]["path"])
            table.close()
