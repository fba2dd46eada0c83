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
from collections.abc import Callable, Generator
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.picture_writers import TarWriter
from memeloc.publish.card import JOIN
from memeloc.publish.release import PICTURE_COLUMNS, OnProgress, Release, ReleasedPicture
from memeloc.tables.picture_tables import PictureTable, picture_schema, with_features

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_FILE = 450 * 2**20
"""Bytes of pictures of a Parquet file, after which the next begins; the Hub advises 500 MB."""
_SHARD_PICTURES = 1000
"""Of pictures of 100 kB a shard has 100 MB, which suits disks and web servers."""

Writer = Generator[None, ReleasedPicture | None, None]
"""Is sent the pictures of a split in a language, or of a split, and None behind the last one."""


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

    def begin(language: str, split: str, with_files: bool) -> Writer:
        path = out / "data" / language / split
        if pictures == "folder" and with_files:
            return _picture_folder(path)
        schema = picture_schema(picture_fields(), pictures=with_files)
        return _numbered_files(
            path, ".parquet", lambda file: PictureTable(file, schema), size=_FILE
        )

    _write_all(release, out, on_progress, begin)
    _write_parquet_tables(release, out, on_progress)


def write_shards(
    release: Release, out: Path, on_progress: OnProgress, *, pictures: int = _SHARD_PICTURES
) -> None:
    """Write a release in tar files of at most so many pictures."""

    def begin(language: str, split: str, with_files: bool) -> Writer:
        if not with_files:
            raise InputError(
                "Shards are of pictures: to publish without them choose --to hf or --to csv."
            )
        return _numbered_files(out / "data" / language / split, ".tar", TarWriter, most=pictures)

    _write_all(release, out, on_progress, begin)
    _write_parquet_tables(release, out, on_progress)


def write_csv(release: Release, out: Path, on_progress: OnProgress) -> None:
    """Write a release as plain tables and pictures."""
    _write_all(release, out, on_progress, lambda _, split, __: _csv_rows(out, split), by_split=True)
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
    begin: Callable[[str, str, bool], Writer],
    *,
    by_split: bool = False,
) -> None:
    """Write the pictures by split and language, further files, and where pictures stay behind the
    program that joins them again.

    Args:
        begin: opens what is sent the pictures of a language and a split; the third argument says
            whether they come with their files.
        by_split: whether it is for all languages.
    """
    total = sum(release.counts.values())
    for split, released in groupby(release.pictures(), key=lambda picture: picture.split):
        writers: dict[str, Writer] = {}
        try:
            for picture in released:
                language = "" if by_split else picture.language
                if language not in writers:
                    writers[language] = begin(language, split, picture.file is not None)
                    next(writers[language])
                writers[language].send(picture)
                on_progress("pictures", 1, total)
            for writer in writers.values():
                next(writer, None)
        finally:
            for writer in writers.values():
                writer.close()
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


def _numbered_files(
    path: Path,
    suffix: str,
    open_file: Callable[[Path], TarWriter | PictureTable],
    *,
    most: float = float("inf"),
    size: float = float("inf"),
) -> Writer:
    """Write files as SPLIT-00000-of-00002.tar, named by their number when all are there.

    Args:
        path: of the files, without number and suffix.
        most: pictures of a file.
        size: bytes of pictures after which the next file begins.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    picture = yield
    while picture is not None:
        files.append(Path(f"{path}-{len(files):05}{suffix}"))
        writer, count = open_file(files[-1]), 0
        try:
            while picture is not None and count < most and writer.written < size:
                content = picture.content() if picture.file is not None else None
                # `datasets` shows the last part of a path; a sample of a shard has all of it.
                name = picture.path if suffix == ".tar" else picture.path.rpartition("/")[2]
                writer.add(picture.values, content, name)
                count += 1
                picture = yield
        finally:
            writer.close()
    for number, file in enumerate(files):
        file.rename(f"{path}-{number:05}-of-{len(files):05}{suffix}")


def _picture_folder(folder: Path) -> Writer:
    """Write pictures as files, and metadata.parquet beside them."""
    import pyarrow as pa

    folder.mkdir(parents=True)
    schema = pa.schema([("file_name", pa.string()), *picture_fields()])
    table = PictureTable(folder / "metadata.parquet", schema)
    try:
        while (picture := (yield)) is not None:
            name = picture.path.rpartition("/")[2]
            (folder / name).write_bytes(picture.content())
            table.add({"file_name": name, **picture.values})
    finally:
        table.close()


def _csv_rows(out: Path, split: str) -> Writer:
    """Write pictures as files, and their rows into pictures-SPLIT.csv."""
    with (out / f"pictures-{split}.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(column.name for column in PICTURE_COLUMNS)
        while (picture := (yield)) is not None:
            if picture.file is not None:
                target = out / "pictures" / picture.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(picture.content())
            writer.writerow(map(_cell, picture.values.values()))


def picture_fields() -> list[pa.Field]:
    """Return the columns of pictures in Parquet."""
    import pyarrow as pa

    fields = []
    for column in PICTURE_COLUMNS:
        kind = {"integer": pa.int32(), "number": pa.float64()}.get(column.type, pa.string())
        for _ in range(column.depth):
            kind = pa.list_(kind)
        fields.append(pa.field(column.name, kind))
    return fields


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    values = frame.astype(object).where(frame.notna(), None)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(frame.columns)
        writer.writerows(map(_cell, row) for row in values.itertuples(index=False, name=None))


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
