"""Layouts of a release. In: a `Release`, an empty folder. Out: pictures, tables and files in it.

- `hf`: data/LANGUAGE/SPLIT-NNNNN-of-NNNNN.parquet, a row a picture, which is embedded (`image`); or
  data/LANGUAGE/SPLIT/, a folder of pictures with metadata.parquet.
- `webdataset`: data/LANGUAGE/SPLIT-NNNNN-of-NNNNN.tar, of each picture its file, and beside it its
  row as JSON.
- `csv`: pictures-SPLIT.csv, pictures/LANGUAGE/NAME, tables/NAME.csv, and captions.csv, which
  `memeloc import` and `memeloc render` read. Lists stand in their cells as JSON, and a text is what
  it is: nothing guards it from spreadsheets.

The first two have tables/NAME.parquet. Pictures come one by one and are written in row groups:
memory does not grow with the release.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol

from memeloc.errors import InputError
from memeloc.picture_writers import TarWriter
from memeloc.publish.card import JOIN
from memeloc.publish.columns import PICTURE_COLUMNS, picture_fields, picture_values
from memeloc.publish.release import OnProgress, Release, ReleasedPicture
from memeloc.tables.picture_tables import PictureTable, picture_schema, with_features

if TYPE_CHECKING:
    import pandas as pd

_FILE = 450 * 2**20
"""Bytes of pictures of a Parquet file, after which the next begins; the Hub advises 500 MB."""
_SHARD_PICTURES = 1000
"""Of pictures of 100 kB a shard has 100 MB, which suits disks and web servers."""


class _Pictures(Protocol):
    """Takes the pictures of a split in a language, or of a split."""

    def add(self, picture: ReleasedPicture) -> None: ...

    def close(self) -> None: ...

    def finish(self) -> None: ...


def write_hf(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: str = "embedded"
) -> None:
    """Write a release for Hugging Face's `datasets`.

    Args:
        pictures: `embedded` in Parquet, or a `folder` of files. Where pictures stay behind, the
            rows are written without them.
    """
    if pictures not in ("embedded", "folder"):
        raise InputError(f"Pictures are embedded or folder, not {pictures[:40]!r}.")

    def begin(language: str, split: str, with_files: bool) -> _Pictures:
        folder = out / "data" / language
        if pictures == "folder" and with_files:
            return _PictureFolder(folder / split)
        schema = picture_schema(picture_fields(), pictures=with_files)
        return _NumberedFiles(
            folder / split, ".parquet", lambda path: _NamedPictures(path, schema), size=_FILE
        )

    _write_all(release, out, on_progress, begin)
    _write_parquet_tables(release, out, on_progress)


def write_shards(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: int = _SHARD_PICTURES
) -> None:
    """Write a release in tar files of at most so many pictures."""

    def begin(language: str, split: str, with_files: bool) -> _Pictures:
        if not with_files:
            raise InputError(
                "Shards are of pictures: to publish without them choose --to hf or --to csv."
            )
        return _NumberedFiles(out / "data" / language / split, ".tar", TarWriter, most=pictures)

    _write_all(release, out, on_progress, begin)
    _write_parquet_tables(release, out, on_progress)


def write_csv(release: Release, out: Path, on_progress: OnProgress) -> None:
    """Write a release as plain tables and pictures."""
    _write_all(
        release,
        out,
        on_progress,
        lambda language, split, _: _CsvRows(out, split),
        by_language=False,
    )
    for table in release.tables.values():
        _write_csv(table.frame, out / "tables" / f"{table.name}.csv")
        on_progress("tables", 1, len(release.tables))
    if "captions" in release.tables:
        frame, key = release.tables["captions"].frame, ["meme_id", "template"]
        wide = frame.pivot(index=key, columns="language", values="text")
        tags = [tag for tag in release.languages if tag in wide.columns]
        memes = frame[key].drop_duplicates()
        _write_csv(memes.merge(wide[tags].reset_index(), on=key, how="left"), out / "captions.csv")


def _write_all(
    release: Release,
    out: Path,
    on_progress: OnProgress,
    begin: Callable[[str, str, bool], _Pictures],
    *,
    by_language: bool = True,
) -> None:
    """Write the pictures by split and language, further files, and where pictures stay behind the
    program that joins them again.

    Args:
        begin: opens what takes the pictures of a language and a split; the third argument says
            whether they come with their files.
    """
    total = sum(release.counts.values())
    for split, released in groupby(release.pictures(), key=lambda picture: picture.split):
        with ExitStack() as stack:
            files: dict[str, _Pictures] = {}
            for picture in released:
                language = picture.language if by_language else ""
                if language not in files:
                    files[language] = begin(language, split, picture.file is not None)
                    stack.callback(files[language].close)
                files[language].add(picture)
                on_progress("pictures", 1, total)
            for each in files.values():
                each.finish()
    for name, file in release.files.items():
        shutil.copyfile(file, _place(out, name))
    for name, text in release.texts.items():
        _place(out, name).write_text(text, encoding="utf-8", newline="\n")
    first = next(release.pictures(), None)
    if first is not None and first.file is None:
        shutil.copyfile(Path(__file__).with_name(JOIN), out / JOIN)


def _place(out: Path, name: str) -> Path:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise InputError(f"{name[:80]!r} is no path within the release.")
    target = out.joinpath(*path.parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        raise InputError(f"Two files of the release have the name {name}; rename yours.")
    return target


class _NumberedFiles:
    """The files of a split's pictures in a language, as SPLIT-00000-of-00002.tar.

    Args:
        path: of the files, without number and suffix.
        most: pictures of a file.
        size: bytes of pictures after which the next file begins.
    """

    def __init__(
        self,
        path: Path,
        suffix: str,
        open_file: Callable[[Path], TarWriter | PictureTable],
        *,
        most: float = float("inf"),
        size: float = float("inf"),
    ) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._suffix = path, suffix
        self._open, self._most, self._size = open_file, most, size
        self._files: list[Path] = []
        self._writer: TarWriter | PictureTable | None = None
        self._count = 0

    def add(self, picture: ReleasedPicture) -> None:
        if self._writer is None:
            file = Path(f"{self._path}-{len(self._files):05}{self._suffix}")
            self._files.append(file)
            self._writer, self._count = self._open(file), 0
        content = picture.content() if picture.file is not None else None
        self._writer.add(picture_values(picture), content, picture.path)
        self._count += 1
        if self._count >= self._most or self._writer.written >= self._size:
            self.close()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = None

    def finish(self) -> None:
        """Give the files their names, with their number."""
        self.close()
        count = len(self._files)
        for number, file in enumerate(self._files):
            file.rename(f"{self._path}-{number:05}-of-{count:05}{self._suffix}")


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


class _CsvRows:
    """Writes pictures as files, and their rows into pictures-SPLIT.csv."""

    def __init__(self, out: Path, split: str) -> None:
        self._out = out
        self._file = (out / f"pictures-{split}.csv").open("w", encoding="utf-8-sig", newline="")
        self._writer = csv.writer(self._file)
        self._writer.writerow(column.name for column in PICTURE_COLUMNS)

    def add(self, picture: ReleasedPicture) -> None:
        if picture.file is not None:
            target = self._out / "pictures" / picture.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(picture.content())
        self._writer.writerow(map(_cell, picture_values(picture).values()))

    def close(self) -> None:
        self._file.close()

    finish = close


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    values = frame.astype(object).where(frame.notna(), None)
    rows: Iterable[Any] = values.itertuples(index=False, name=None)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(frame.columns)
        writer.writerows(map(_cell, row) for row in rows)


def _cell(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's
        value = value.tolist()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False)
    # A lone surrogate is in no file of UTF-8.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _write_parquet_tables(release: Release, out: Path, on_progress: OnProgress) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (out / "tables").mkdir()
    for table in release.tables.values():
        arrow = pa.Table.from_pandas(table.frame, preserve_index=False)
        plain = [
            pa.field(
                column.name, pa.string() if pa.types.is_large_string(column.type) else column.type
            )
            for column in arrow.schema
        ]
        path = out / "tables" / f"{table.name}.parquet"
        pq.write_table(arrow.cast(with_features(pa.schema(plain))), path, compression="zstd")
        on_progress("tables", 1, len(release.tables))
