"""Layouts of Hugging Face's datasets. In: a release. Out: what `datasets.load_dataset(DIR)` reads.

- data/LANGUAGE/SPLIT-NNNNN-of-NNNNN.parquet: a row a picture, which is embedded (`image`); or
  data/LANGUAGE/SPLIT/: a folder of pictures with metadata.parquet; or
  data/LANGUAGE/SPLIT-NNNNN-of-NNNNN.tar: of each picture its file, and beside it its row as JSON,
  as WebDataset reads it, too.
- tables/NAME.parquet: the other tables.

Pictures come one by one and are written in row groups: memory does not grow with the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.picture_writers import TarWriter
from memeloc.publish.columns import picture_fields, picture_values
from memeloc.publish.registry import OnProgress
from memeloc.publish.release import Release, ReleasedPicture
from memeloc.publish.writers.files import SplitFiles, write_all
from memeloc.tables.picture_tables import PictureTable, picture_schema

_FILE = 450 * 2**20
"""Bytes of pictures of a file, after which the next one begins."""

SHARD_PICTURES = 1000
"""Of pictures of 100 kB a shard has 100 MB, which suits disks and web servers."""

PICTURES = ("embedded", "folder")


def write(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: str = "embedded"
) -> None:
    """Write a release.

    Args:
        pictures: `embedded` in Parquet, or a `folder` of files. Where pictures stay behind, the
            rows are written without them.
    """
    if pictures not in PICTURES:
        raise InputError(f"Pictures are {' or '.join(PICTURES)}, not {pictures[:40]!r}.")

    def begin(language: str, split: str, with_files: bool) -> SplitFiles | _PictureFolder:
        folder = out / "data" / language
        if pictures == "folder" and with_files:
            return _PictureFolder(folder / split)
        schema = picture_schema(picture_fields(), pictures=with_files)
        return SplitFiles(
            folder / split, ".parquet", lambda path: _NamedPictures(path, schema), size=_FILE
        )

    write_all(release, out, on_progress, begin)


def write_shards(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: int = SHARD_PICTURES
) -> None:
    """Write a release in tar files of at most so many pictures."""

    def begin(language: str, split: str, with_files: bool) -> SplitFiles:
        if not with_files:
            raise InputError(
                "Shards are of pictures: to publish without them choose --to hf or --to csv."
            )
        return SplitFiles(out / "data" / language / split, ".tar", TarWriter, most=pictures)

    write_all(release, out, on_progress, begin)


class _NamedPictures(PictureTable):
    """Writes pictures under the last part of their paths, as `datasets` shows them."""

    def add(self, row: Mapping[str, Any], content: bytes | None = None, path: str = "") -> None:
        super().add(row, content, path.rpartition("/")[2])


class _PictureFolder:
    """Writes pictures as files, and metadata.parquet beside them."""

    def __init__(self, folder: Path) -> None:
        import pyarrow as pa

        folder.mkdir(parents=True)
        self._folder = folder
        schema = pa.schema([("file_name", pa.string()), *picture_fields()])
        self._table = PictureTable(folder / "metadata.parquet", schema)

    def add(self, picture: ReleasedPicture) -> None:
        name = picture.path.rpartition("/")[2]
        (self._folder / name).write_bytes(picture.content())
        self._table.add({"file_name": name, **picture_values(picture)})

    def close(self) -> None:
        self._table.close()

    finish = close
