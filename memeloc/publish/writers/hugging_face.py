"""The layout of Hugging Face. In: a release. Out: what `datasets.load_dataset(DIR)` reads.

- data/LANGUAGE/SPLIT-NNNNN-of-NNNNN.parquet: a row a picture, which is embedded (`image`); or
  data/LANGUAGE/SPLIT/: a folder of pictures with metadata.parquet.
- tables/NAME.parquet: the other tables.

Pictures come one by one and are written in row groups: memory does not grow with the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.publish.columns import picture_fields, picture_values
from memeloc.publish.registry import OnProgress
from memeloc.publish.release import Release, ReleasedPicture
from memeloc.publish.writers.files import write_files, write_tables
from memeloc.tables.picture_tables import PictureTable, picture_schema

_FILE = 450 * 2**20
"""Bytes of pictures of a file, after which the next one begins."""

PICTURES = ("embedded", "folder")


def write(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: str = "embedded"
) -> None:
    """Write a release.

    Args:
        pictures: `embedded` in Parquet, or a `folder` of files. Where pictures stay behind, the
            rows are written without them.

    Raises:
        InputError: a picture cannot be read.
    """
    if pictures not in PICTURES:
        raise InputError(f"Pictures are {' or '.join(PICTURES)}, not {pictures[:40]!r}.")
    total = sum(release.counts.values())
    for split, released in groupby(release.pictures(), key=lambda picture: picture.split):
        with ExitStack() as stack:
            files: dict[str, _SplitFiles] = {}
            for picture in released:
                language = picture.language
                if language not in files:
                    kind = _Folder if pictures == "folder" and picture.file else _SplitFiles
                    files[language] = kind(out / "data" / language, split, picture.file is not None)
                    stack.callback(files[language].close)
                files[language].add(picture)
                on_progress("pictures", 1, total)
            for each in files.values():
                each.finish()
    write_tables(release, out, on_progress)
    write_files(release, out)


class _SplitFiles:
    def __init__(self, folder: Path, split: str, embedded: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._split, self._embedded = folder, split, embedded
        self._schema = picture_schema(picture_fields(), pictures=embedded)
        self._files: list[Path] = []
        self._table: PictureTable | None = None

    def add(self, picture: ReleasedPicture) -> None:
        content = picture.content() if self._embedded else None
        self._add(picture_values(picture), content, picture.path.rpartition("/")[2])

    def _add(self, row: Mapping[str, Any], content: bytes | None = None, name: str = "") -> None:
        if self._table is None:
            self._files.append(self._folder / f"{self._split}-{len(self._files):05}.parquet")
            self._table = PictureTable(self._files[-1], self._schema)
        self._table.add(row, content, name)
        if self._table.written >= _FILE:
            self.close()

    def close(self) -> None:
        if self._table is not None:
            self._table.close()
        self._table = None

    def finish(self) -> None:
        self.close()
        count = len(self._files)
        for number, file in enumerate(self._files):
            file.rename(self._folder / f"{self._split}-{number:05}-of-{count:05}.parquet")


class _Folder(_SplitFiles):
    def __init__(self, folder: Path, split: str, embedded: bool) -> None:
        import pyarrow as pa

        super().__init__(folder / split, "metadata", False)
        self._schema = pa.schema([("file_name", pa.string()), *picture_fields()])

    def add(self, picture: ReleasedPicture) -> None:
        name = picture.path.rpartition("/")[2]
        (self._folder / name).write_bytes(picture.content())
        self._add({"file_name": name, **picture_values(picture)})

    def finish(self) -> None:
        self.close()
        (file,) = self._files
        file.rename(self._folder / "metadata.parquet")
