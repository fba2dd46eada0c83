"""The pictures of a release, read. In: a folder that `memeloc publish` wrote. Out: its rows.

They stand in data/LANGUAGE/SPLIT*.parquet, with the picture embedded or beside them, in shards
(.tar), or in pictures.csv (guides/publishing.md).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.picture_writers import read_shard
from memeloc.tables import read_table, text_of

_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".avif")


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A row of a release: its cells, and where it stands.

    Attributes:
        picture: its file; None where the release has none.
        row: its number in the file; None of a shard.
    """

    cells: Mapping[str, Any]
    picture: Path | None
    file: Path
    row: int | None

    def text(self, column: str) -> str:
        """A cell as text; empty where there is none."""
        return text_of(self.cells.get(column))


def release_rows(folder: Path, pictures: Path) -> Iterator[ReleaseRow]:
    """A row a picture.

    Args:
        pictures: where pictures are put that stand within its files, by their SHA-256.

    Raises:
        InputError: the folder has no such files, or one is broken or names a picture outside.
    """
    for path in _files(folder):
        if path.suffix == ".tar":
            yield from _shard_rows(path, pictures)
            continue
        for number, cells in table_rows(path):
            yield ReleaseRow(cells, _picture(cells, path, folder, pictures, number), path, number)


def table_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a table, each with its number.

    Raises:
        InputError: a row is broken.
    """
    for row in read_table(path).rows:
        if row.error:
            raise InputError(row.error, file=path, row=row.number)
        yield row.number, dict(zip(row.header.names, row.cells, strict=False))


def release_table(folder: Path, name: str) -> Path | None:
    """The file of one of its further tables, such as `labels`; None where it has none."""
    paths = (folder / "tables" / f"{name}{suffix}" for suffix in (".parquet", ".csv"))
    return next((path for path in paths if path.is_file()), None)


def _files(folder: Path) -> list[Path]:
    plain = folder / "pictures.csv"
    data = (path for path in (folder / "data").rglob("*") if path.suffix in (".parquet", ".tar"))
    paths = [plain] if plain.is_file() else sorted(data)
    if not paths:
        raise InputError("has no files with a row a picture; publish it again.", file=folder)
    return paths


def _shard_rows(path: Path, pictures: Path) -> Iterator[ReleaseRow]:
    for sample in read_shard(path):
        files = dict(sample.files)
        try:
            cells = json.loads(files.pop("json", b"{}"))
        except ValueError:
            raise InputError(f"the row of {sample.key[:60]} is no JSON", file=path) from None
        kept = [_kept(content, f".{suffix}", pictures) for suffix, content in files.items()]
        yield ReleaseRow(
            cells if isinstance(cells, dict) else {}, next(iter(kept), None), path, None
        )


def _picture(
    cells: Mapping[str, Any], path: Path, folder: Path, pictures: Path, number: int
) -> Path | None:
    image = cells.get("image")
    if isinstance(image, Mapping) and image.get("bytes"):
        return _kept(image["bytes"], Path(str(image.get("path") or "")).suffix, pictures)
    if cells.get("file_name"):
        file = path.parent / text_of(cells["file_name"])
    elif path.name == "pictures.csv":
        file = folder / "pictures" / text_of(cells.get("path"))
    else:
        return None
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError("names a picture outside of the release.", file=path, row=number)
    # A release without pictures has their rows all the same.
    return file if file.is_file() else None


def _kept(content: bytes, suffix: str, pictures: Path) -> Path:
    """A picture within a file as one of its own; readers go by its content, not by its name."""
    ending = suffix.lower() if suffix.lower() in _SUFFIXES else ".picture"
    file = pictures / f"{hashlib.sha256(content).hexdigest()}{ending}"
    if not file.is_file():
        pictures.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary:
            temporary.write_bytes(content)
    return file
