"""Releases as what is learned from. In: a folder that `memeloc publish` wrote. Out: its rows.

The pictures' rows stand in data/LANGUAGE/SPLIT*.parquet, with the picture embedded or beside them,
or in pictures.csv; labels in tables/ (guides/publishing.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.training.run_file import DataSettings
from memeloc.files import replacing
from memeloc.tables import read_table, text_of

_COLUMNS = {
    "text": "text",
    "language": "language",
    "group": "template",
    "split": "split",
}
"""Columns of a release's pictures, by what they are here."""
ReleaseRecord = tuple[dict[str, str], Path | None, Path, int | None]


def release_records(data: DataSettings, pictures: Path) -> Iterator[ReleaseRecord]:
    """By picture: its cells, its file, and where its row stands.

    A meme of several languages has an item in each, MEME/LANGUAGE, and they stay in one split.

    Args:
        data: the release, which table of labels, and which rows of either are taken.
        pictures: where embedded pictures are put, by their SHA-256.

    Raises:
        InputError: the folder is no release, a table is broken, a meme has two labels, or a
            picture is missing.
    """
    folder = Path(data.release)
    if not (folder / "release.json").is_file():
        raise InputError("is no release: it has no release.json.", file=folder)
    labels, columns = _labels(folder, data)
    for path in _tables(folder):
        for number, row in _rows(path):
            if unknown := [name for name in data.where if name not in row.keys() | columns]:
                raise InputError(
                    f"The release has no column {unknown[0][:40]!r}, which [data.where] names.",
                    file=path,
                )
            cells = {name: text_of(row.get(column)) for name, column in _COLUMNS.items()}
            meme = text_of(row.get("meme_id"))
            if any(name in row and text_of(row[name]) != v for name, v in data.where.items()):
                continue
            cells["item"] = f"{meme}/{cells['language']}" if cells["language"] else meme
            cells["group"] = cells["group"] or meme
            known = labels.get(meme, {})
            cells["label"] = known.get("label", "")
            cells |= {f"other.{name}": known.get(name, "") for name in data.other}
            cells["year"] = known.get(data.columns.year, "")
            yield cells, _picture(row, path, folder, pictures, number), path, number


def _tables(folder: Path) -> list[Path]:
    """The files with a row a picture."""
    plain = folder / "pictures.csv"
    paths = [plain] if plain.is_file() else sorted((folder / "data").rglob("*.parquet"))
    if not paths:
        raise InputError(
            "has no table with a row a picture; publish it with --to hf or csv.", file=folder
        )
    return paths


def _labels(folder: Path, data: DataSettings) -> tuple[dict[str, dict[str, str]], set[str]]:
    """By meme the row of its label; and the columns of the table."""
    names = [folder / "tables" / f"{data.label_table}{end}" for end in (".parquet", ".csv")]
    path = next((name for name in names if name.is_file()), None)
    if path is None:
        known = sorted(each.stem for each in (folder / "tables").glob("*"))
        raise InputError(
            f"has no table {data.label_table}; it has {', '.join(known) or 'none'}.", file=folder
        )
    labels: dict[str, dict[str, str]] = {}
    columns: set[str] = set()
    for number, row in _rows(path):
        columns.update(row)
        cells = {name: text_of(value) for name, value in row.items()}
        if any(name in cells and cells[name] != value for name, value in data.where.items()):
            continue
        meme, label = cells.get("meme_id", ""), cells.get("label", "")
        if label and labels.get(meme, cells)["label"] != label:
            raise InputError(
                f"The meme {meme[:60]!r} has the labels {labels[meme]['label']!r} and {label!r}; "
                "say in [data.where] whose labels are meant, such as culture = 'US'.",
                file=path,
                row=number,
            )
        if label:
            labels[meme] = cells
    return labels, columns


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    table = read_table(path)
    for row in table.rows:
        if row.error:
            raise InputError(row.error, file=path, row=row.number)
        yield row.number, dict(zip(row.header.names, row.cells, strict=False))


def _picture(
    row: Mapping[str, Any], path: Path, folder: Path, pictures: Path, number: int
) -> Path | None:
    image = row.get("image")
    if isinstance(image, Mapping) and image.get("bytes"):
        return _kept(image["bytes"], str(image.get("path") or ""), pictures)
    if row.get("file_name"):
        file = path.parent / text_of(row["file_name"])
    elif path.name == "pictures.csv":
        file = folder / "pictures" / text_of(row.get("path"))
    else:
        return None
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError("names a picture outside of the release.", file=path, row=number)
    # A release without pictures has their rows all the same.
    return file if file.is_file() else None


def _kept(content: bytes, name: str, pictures: Path) -> Path:
    """An embedded picture as a file; what it is, is told by its content and not by its name."""
    ending = Path(name).suffix.lower()
    suffix = ending if ending in (".jpg", ".jpeg", ".png", ".webp", ".avif") else ".picture"
    file = pictures / f"{hashlib.sha256(content).hexdigest()}{suffix}"
    if not file.is_file():
        with replacing(file) as temporary:
            temporary.write_bytes(content)
    return file
