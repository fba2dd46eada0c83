"""Shards as WebDataset reads them. In: samples, each of several files. Out: tar files, and back.

The files of a sample stand one after another in the tar and are named alike up to the first dot of
the last part of their path: that is the sample's key, and what follows says what the file is, as in
`de/tea/m1.jpg` and `de/tea/m1.json` (github.com/webdataset/webdataset, "The WebDataset Format").
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_json

from memeloc.errors import InputError

SHARD_PICTURES = 1000
"""Samples of a shard; with pictures of 100 kB it has 100 MB, which suits disks and web servers."""
LARGEST_SAMPLE = 64 * 1024 * 1024
"""Bytes of a sample that is read."""


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
    """Writes pictures and their rows as samples.

    The same pictures give the same bytes: files have no owner and no time.

    Attributes:
        written: bytes of pictures that stand in it.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self.written = 0

    def add(self, row: Mapping[str, Any], content: bytes | None, path: str) -> None:
        """Add a picture, and its row as JSON."""
        assert content is not None
        self.written += len(content)
        files = {path.rpartition(".")[2]: content, "json": to_json(row)}
        self.add_sample(Sample(sample_key(path), files))

    def add_sample(self, sample: Sample) -> None:
        """Add the files of a sample."""
        for suffix, content in sample.files.items():
            # TarFile.addfile copies in small pieces, which takes half as long again.
            self._file.write(_header(f"{sample.key}.{suffix}", len(content)))
            self._file.write(content)
            self._file.write(bytes(-len(content) % tarfile.BLOCKSIZE))

    def close(self) -> None:
        """Write the end of the file."""
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))
        self._file.close()


def _header(name: str, size: int) -> bytes:
    """Return a file's header as tarfile makes it, which takes ten times as long.

    tarfile makes the rare ones. Places and forms of the fields: POSIX.1-2001, pax, "ustar
    Interchange Format".
    """
    if not name.isascii() or len(name) > tarfile.LENGTH_NAME or size >= 8**11:
        member = tarfile.TarInfo(name)
        member.size = size
        return member.tobuf(tarfile.PAX_FORMAT)
    fields = b"%b%b%011o%b" % (
        name.encode().ljust(tarfile.LENGTH_NAME, b"\0"), _NAMELESS[100:124], size, _NAMELESS[135:],
    )  # fmt: skip
    # The sum of all bytes, those of the sum itself counted as spaces.
    total = sum(fields) - sum(_NAMELESS[148:156]) + 8 * 32
    return b"%b%06o%b" % (fields[:148], total, fields[154:])


_NAMELESS = tarfile.TarInfo().tobuf(tarfile.PAX_FORMAT)


def read_shard(path: Path) -> Iterator[Sample]:
    """Yield the samples of a shard; directories, links and devices are passed over.

    Raises:
        InputError: it is no tar file or broken, or a sample in it is larger than `LARGEST_SAMPLE`.
    """
    try:
        with tarfile.open(path, "r:") as tar:
            for key, members in groupby(filter(tarfile.TarInfo.isreg, tar), _key_of):
                files: dict[str, bytes] = {}
                size = 0
                for member in members:
                    size += member.size
                    if size > LARGEST_SAMPLE:
                        raise InputError(
                            f"the sample {key[:120]!r} in it has more than "
                            f"{LARGEST_SAMPLE // 2**20} MB, which are not read",
                            file=path,
                        )
                    stream = tar.extractfile(member)
                    assert stream is not None
                    files[_suffix_of(member)] = stream.read()
                yield Sample(key, files)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"cannot be read as a tar file: {error}", file=path) from error


def _key_of(member: tarfile.TarInfo) -> str:
    folder, slash, name = member.name.rpartition("/")
    return folder + slash + name.partition(".")[0]


def _suffix_of(member: tarfile.TarInfo) -> str:
    return member.name.rpartition("/")[2].partition(".")[2]
