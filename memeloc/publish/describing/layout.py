"""Where a release's data stand. In: a folder that a writer filled. Out: `DataFiles`, by config.

A file of pictures is in a folder named for its language, and it or its folder is named for its
split: `data/de/train-00000-of-00002.parquet`, `data/de/test/metadata.parquet`; or all pictures are
in `pictures.csv`. A table is a file with its own name: `tables/answers.parquet`.
Other files are no data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from memeloc.publish.release import Release

FORMATS = {
    ".parquet": "application/x-parquet",
    ".csv": "text/csv",
    ".jsonl": "application/jsonlines",
    ".tar": "application/x-tar",
}
"""Files of data by their suffix, and what Croissant calls them."""

ALL = "default"
"""The config with the pictures of all languages."""
WHOLE = "train"
"""The split of what is not split, as Hugging Face calls it."""
_ALL_PICTURES = "pictures"
"""The name, without its ending, of a file that has the rows of all pictures."""
_METADATA = "metadata"
"""That of a file with the rows of the pictures beside it."""


@dataclass(frozen=True, slots=True)
class DataFiles:
    """The pictures of a language, or a table.

    Attributes:
        config: the language's tag, `ALL` for those of all languages, or the table's name.
        splits: by split the files, relative to the release, with `/`, sorted; a table is one split.
        suffix: of all files, one of `FORMATS`.
        is_table: whether it is a table beside the pictures.
    """

    config: str
    suffix: str
    is_table: bool = False
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_folder(self) -> bool:
        return any(PurePosixPath(path).stem == _METADATA for path in self.paths)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for paths in self.splits.values() for path in paths)


def find_data(release: Release, folder: Path) -> tuple[DataFiles, ...]:
    """What a writer put into a folder: languages in the release's order, then tables in theirs."""
    others = {*release.files, *release.texts}
    paths = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in FORMATS and path.is_file()
    )
    return arrange(release, (path for path in paths if path not in others))


def arrange(release: Release, paths: Iterable[str]) -> tuple[DataFiles, ...]:
    """The data among some paths, each by its config and split."""
    splits = release.splits
    everything: list[str] = []
    pictures: dict[str, dict[str, list[str]]] = {language: {} for language in release.languages}
    tables: dict[str, list[str]] = {name: [] for name in release.tables}
    for path in map(PurePosixPath, paths):
        language = next((part for part in path.parts[:-1] if part in pictures), None)
        split = next((name for name in splits if _is_of(path, name)), None)
        if language is not None and split is not None:
            pictures[language].setdefault(split, []).append(str(path))
        elif path.stem == _ALL_PICTURES and len(path.parts) == 1:
            everything.append(str(path))
        elif path.stem in tables:
            tables[path.stem].append(str(path))
    if everything:
        suffix = PurePosixPath(everything[0]).suffix
        rows = [DataFiles(ALL, suffix, splits={WHOLE: tuple(everything)})]
    else:
        rows = list(_of_pictures(pictures, splits))
    return (*rows, *_of_tables(tables))


def _is_of(path: PurePosixPath, split: str) -> bool:
    """Whether a file or its folder is named for a split: `train`, `train-00000-of-00002`."""
    named = re.compile(rf"{re.escape(split)}(-\d+(-of-\d+)?)?")
    return any(named.fullmatch(part) for part in (*path.parts[:-1], path.stem))


def _of_pictures(
    pictures: Mapping[str, Mapping[str, list[str]]], splits: Sequence[str]
) -> Iterator[DataFiles]:
    for language, by_split in pictures.items():
        if by_split:
            ordered = {name: tuple(by_split[name]) for name in splits if name in by_split}
            suffix = PurePosixPath(next(iter(ordered.values()))[0]).suffix
            yield DataFiles(language, suffix, splits=ordered)


def _of_tables(tables: Mapping[str, list[str]]) -> Iterator[DataFiles]:
    for name, paths in tables.items():
        if paths:
            yield DataFiles(name, PurePosixPath(paths[0]).suffix, True, {WHOLE: tuple(paths)})
