"""The layout of WebDataset. In: a release. Out: tar shards that `webdataset` and `datasets` read.

- data/LANGUAGE/SPLIT-NNNNN-of-NNNNN.tar: of each picture its file, and beside it its row as JSON.
- tables/NAME.parquet: the other tables.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path, PurePosixPath

from memeloc.errors import InputError
from memeloc.publish.columns import picture_values
from memeloc.publish.registry import OnProgress
from memeloc.publish.release import Release, ReleasedPicture
from memeloc.publish.writers.files import write_files, write_tables
from memeloc.tar_shards import SHARD_PICTURES, Sample, ShardWriter, sample_key


def write(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: int = SHARD_PICTURES
) -> None:
    """Write a release.

    Args:
        pictures: of a shard at most.

    Raises:
        InputError: a picture cannot be read, or stays behind.
    """
    total = sum(release.counts.values())
    for split, released in groupby(release.pictures(), key=lambda picture: picture.split):
        with ExitStack() as stack:
            shards: dict[str, _Shards] = {}
            for picture in released:
                language = picture.language
                if language not in shards:
                    shards[language] = _Shards(out / "data" / language, split, pictures)
                    stack.push(shards[language].close)
                shards[language].add(picture)
                on_progress("pictures", 1, total)
            for each in shards.values():
                each.finish()
    write_tables(release, out, on_progress)
    write_files(release, out)


class _Shards:
    def __init__(self, folder: Path, split: str, most: int) -> None:
        self._folder, self._split, self._most = folder, split, most
        self._files: list[Path] = []
        self._writer: ShardWriter | None = None
        self._count = 0

    def add(self, picture: ReleasedPicture) -> None:
        if picture.file is None:
            raise InputError(
                "Shards are of pictures: to publish without them choose --to hf or --to csv."
            )
        if self._writer is None or self._count == self._most:
            self.close()
            self._files.append(self._folder / f"{self._split}-{len(self._files):05}.tar")
            self._writer, self._count = ShardWriter(self._files[-1]), 0
        row = json.dumps(picture_values(picture), ensure_ascii=False, separators=(",", ":"))
        suffix = PurePosixPath(picture.path).suffix.removeprefix(".")
        files = {suffix: picture.content(), "json": row.encode()}
        self._writer.add(Sample(sample_key(picture.path), files))
        self._count += 1

    def close(self, kind: type[BaseException] | None = None, *_: object) -> None:
        """Close the shard that is open; it goes if there was an error."""
        if self._writer is not None:
            self._writer.__exit__(kind)
        self._writer = None

    def finish(self) -> None:
        self.close()
        count = len(self._files)
        for number, file in enumerate(self._files):
            file.rename(self._folder / f"{self._split}-{number:05}-of-{count:05}.tar")
