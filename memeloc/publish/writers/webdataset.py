"""The layout of WebDataset. In: a release. Out: tar shards that `webdataset` and `datasets` read.

- data/LANGUAGE/SPLIT-NNNNN-of-NNNNN.tar: of each picture its file, and beside it its row as JSON.
- tables/NAME.parquet: the other tables.
"""

from __future__ import annotations

from pathlib import Path

from memeloc.errors import InputError
from memeloc.picture_writers import TarWriter
from memeloc.publish.registry import OnProgress
from memeloc.publish.release import Release
from memeloc.publish.writers.files import SplitFiles, write_files, write_pictures, write_tables

SHARD_PICTURES = 1000
"""Of pictures of 100 kB a shard has 100 MB, which suits disks and web servers."""


def write(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: int = SHARD_PICTURES
) -> None:
    """Write a release.

    Args:
        pictures: of a shard at most.

    Raises:
        InputError: a picture cannot be read, or stays behind.
    """

    def begin(language: str, split: str, with_files: bool) -> SplitFiles:
        if not with_files:
            raise InputError(
                "Shards are of pictures: to publish without them choose --to hf or --to csv."
            )
        return SplitFiles(out / "data" / language, split, ".tar", TarWriter, most=pictures)

    write_pictures(release, on_progress, begin)
    write_tables(release, out, on_progress)
    write_files(release, out)
