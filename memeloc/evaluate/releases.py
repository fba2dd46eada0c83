"""The pictures of a release, read. In: a folder that `memeloc publish` wrote. Out: its rows.

They stand in data/LANGUAGE/SPLIT*.parquet, with the picture embedded or beside them, in shards
(.tar), or in pictures-SPLIT.csv (guides/publishing.md).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.picture_writers import read_shard
from memeloc.tables import read_table, text_of

_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".avif")


class ReleaseRow(NamedTuple):
    """A row of a release: its cells, its picture's file if it has one, and where it stands."""

    cells: Mapping[str, Any]
    picture: Path | None
    file: Path
    row: int | None

    def text(self, column: str) -> str:
        """Return a cell as text; empty where there is none."""
        return text_of(self.cells.get(column))


def release_rows(folder: Path, pictures: Path) -> Iterator[ReleaseRow]:
    """Yield a row a picture. Raise InputError if the folder has no such files, or one is broken or
    names a picture outside.

    Args:
        pictures: where pictures are put that stand within its files, by their SHA-256.
    """
    plain = sorted(folder.glob("pictures*.csv"))  # one file before 0.2
    data = (path for path in (folder / "data").rglob("*") if path.suffix in (".parquet", ".tar"))
    paths = plain or sorted(data)
    if not paths:
        raise InputError("has no files with a row a picture; publish it again.", file=folder)
    for path in paths:
        if path.suffix == ".tar":
            for sample in read_shard(path):
                files = dict(sample.files)
                try:
                    cells = json.loads(files.pop("json", b"{}"))
                except ValueError:
                    message = f"the row of {sample.key[:60]} is no JSON"
                    raise InputError(message, file=path) from None
                columns = [_kept(content, f".{end}", pictures) for end, content in files.items()]
                cells = cells if isinstance(cells, dict) else {}
                yield ReleaseRow(cells, next(iter(columns), None), path, None)
            continue
        for number, cells in table_rows(path):
            image = cells.get("image")
            picture = None
            if isinstance(image, Mapping) and image.get("bytes"):
                suffix = Path(str(image.get("path") or "")).suffix
                picture = _kept(image["bytes"], suffix, pictures)
            elif cells.get("file_name") or path in plain:
                picture = path.parent / text_of(cells.get("file_name"))
                if not cells.get("file_name"):
                    picture = folder / "pictures" / text_of(cells.get("path"))
                if not picture.resolve().is_relative_to(folder.resolve()):
                    message = "names a picture outside of the release."
                    raise InputError(message, file=path, row=number)
                # A release without pictures has their rows all the same.
                picture = picture if picture.is_file() else None
            yield ReleaseRow(cells, picture, path, number)


def table_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a table, each with its number. Raise InputError if a row is broken."""
    for row in read_table(path).rows:
        if row.error:
            raise InputError(row.error, file=path, row=row.number)
        yield row.number, dict(zip(row.header.names, row.cells, strict=False))


def release_table(folder: Path, name: str) -> Path | None:
    """Return the file of one of its further tables, such as `labels`; None where it has none."""
    paths = (folder / "tables" / f"{name}{suffix}" for suffix in (".parquet", ".csv"))
    return next((path for path in paths if path.is_file()), None)


def _kept(content: bytes, suffix: str, pictures: Path) -> Path:
    """Return a picture within a file as one of its own; readers go by its content, not its name."""
    ending = suffix.lower() if suffix.lower() in _SUFFIXES else ".picture"
    file = pictures / f"{hashlib.sha256(content).hexdigest()}{ending}"
    if not file.is_file():
        pictures.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary:
            temporary.write_bytes(content)
    return file
