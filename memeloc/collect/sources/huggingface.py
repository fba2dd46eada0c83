"""Datasets in the forms of the Hugging Face Hub, on disk. In: a folder or file. Out: memes.

Three forms, all of which may stand in one folder: Parquet with a column of pictures (a struct of
`bytes` and `path`, or bytes); pictures with a table metadata.csv, .jsonl or .parquet whose column
`file_name` names them; and pictures in folders that are named by their class.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.sources.dataset_files import (
    OUTSIDE,
    NotTakenError,
    Row,
    check_bytes,
    check_dataset,
    details_of,
    find_inside,
    leads_out,
    parts_of,
    read_checked,
    relative,
    table_rows,
    terms_of,
    walk_pictures,
)
from memeloc.errors import InputError
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import text_of

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "huggingface"

_METADATA = ("metadata.csv", "metadata.jsonl", "metadata.parquet")
_PICTURE_COLUMNS = ("image", "img", "picture", "photo")
_TEXT_COLUMNS = ("text", "caption", "ocr", "ocr_text", "ocr text")
_LANGUAGE_COLUMNS = ("language", "lang")
_ID_COLUMNS = ("id", "image_id", "meme_id", "meme id")
_SPLITS = frozenset({"train", "test", "validation", "valid", "val", "dev", "data", "images"})
_LINKED = (
    "is a link that leads out of the folder, as in the cache of the Hub: download the dataset with "
    "--local-dir and give that folder"
)
_BATCH = 16
"""Rows of Parquet that are held at a time, pictures and all."""


class HuggingFaceSource:
    """A dataset in a form of the Hugging Face Hub.

    Args:
        path: a folder, or one Parquet file.
        image: the column of pictures; without, one named image or the like.
        text: the column of the text in the pictures; without, one named text, caption or the like.
        label: columns that are labels; without, those whose names begin with label.
        language: tag of the language; without, what a column named language says.
        terms: licence or terms of use; without, what the folder's README or licence says.
    """

    name = NAME
    summary = "a dataset as on the Hugging Face Hub: Parquet with pictures, or an image folder"

    def __init__(
        self,
        path: Path,
        *,
        image: str = "",
        text: str = "",
        label: tuple[str, ...] = (),
        language: str = "",
        terms: str = "",
    ) -> None:
        self.path = path
        self.image = image
        self.text = text
        self.label = label
        self.language = language
        self.terms = terms

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | Refusal]:
        """Read the files; nothing is fetched.

        Raises:
            InputError: there is no such folder or file, it is broken, or has no pictures.
        """
        if self.path.is_file():
            path = self.path.resolve()
            terms = self.terms or terms_of(path.parent)
            yield from self._parquet(path, path.parent, terms, set())
            return
        root = check_dataset(self.path, "a folder of Parquet files, or of pictures")
        terms = self.terms or terms_of(root)
        tables, metadata, outside = _tables(root)
        named: set[Path] = set()
        for table in outside:
            yield Refusal(NAME, relative(table, root), OUTSIDE, _LINKED)
        for table in metadata:
            yield from self._metadata(table, root, terms, named)
        for table in tables:
            try:
                yield from self._parquet(table, root, terms, named)
            except InputError as error:
                yield Refusal(NAME, relative(table, root), "not readable", error.message)
        found = bool(tables or metadata or outside)
        for one in self._classes(root, terms, named, {table.parent for table in metadata}):
            found = True
            yield one
        if not found:
            raise InputError("there are neither tables nor pictures in it", file=self.path)

    def _parquet(
        self, path: Path, root: Path, terms: str, named: set[Path]
    ) -> Iterator[FoundPicture | Refusal]:
        """The rows of a Parquet file with pictures in it, a few at a time."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = relative(path, root)
        number = 1
        seen: set[str] = set()
        try:
            with pq.ParquetFile(path) as opened:
                schema = opened.schema_arrow
                column = self._picture_column(schema.names, path)
                classes = _class_names(schema.metadata or {})
                for batch in _batches(opened):
                    for cells in batch.to_pylist():
                        number += 1
                        row = Row(file, number, cells)
                        try:
                            key = self._id(row) or str(number)
                            # Several rows may be about one picture.
                            key = f"{key}@{number}" if key in seen else key
                            seen.add(key)
                            place = f"{file}#{key}"
                            content, name = _content(cells.get(column), root, named)
                            yield self._found(row, content, place, name, {column}, classes, terms)
                        except NotTakenError as error:
                            yield row.refusal(NAME, error)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            wrong = f"cannot be read after row {number}: {str(error)[:200]}"
            raise InputError(wrong, file=path) from error

    def _picture_column(self, names: Sequence[str], path: Path) -> str:
        wanted = (self.image,) if self.image else _PICTURE_COLUMNS
        for name in wanted:
            for column in names:
                if column == name or column.lower() == name:
                    return column
        raise InputError(
            f"has no column of pictures ({' or '.join(wanted)}); its columns are "
            f"{', '.join(names)[:300]}",
            file=path,
        )

    def _id(self, row: Row) -> str:
        column = _column(row.cells, _ID_COLUMNS)
        return row.text(column).strip() if column else ""

    def _found(
        self,
        row: Row,
        content: bytes,
        key: str,
        name: str,
        taken: set[str],
        classes: Mapping[str, Sequence[str]],
        terms: str,
        also: Mapping[str, str] | None = None,
    ) -> FoundPicture:
        text = self.text or _column(row.cells, _TEXT_COLUMNS)
        if self.text and self.text not in row.cells:
            raise NotTakenError("not readable", f"there is no column {self.text[:60]!r}")
        language = _column(row.cells, _LANGUAGE_COLUMNS)
        columns = [
            one
            for one in row.cells
            if (one in self.label if self.label else one.lower().startswith("label"))
        ]
        labels = {one: _label(row.cells[one], classes.get(one, ())) for one in columns}
        stem = Path(name.replace("\\", "/")).stem
        return FoundPicture(
            Origin(NAME, key, row.place, terms),
            content,
            name=stem or self._id(row),
            parts=parts_of(row.text(text)) if text else (),
            language=self.language or (row.text(language).strip() if language else ""),
            labels=dict(also or {}) | {column: label for column, label in labels.items() if label},
            details=details_of(row.cells, {*taken, *columns, text, language}),
        )

    def _metadata(
        self, table: Path, root: Path, terms: str, named: set[Path]
    ) -> Iterator[FoundPicture | Refusal]:
        """The pictures that a table of metadata names, below its own folder."""
        try:
            for row in table_rows(table, root, ("file_name",)):
                try:
                    row.check()
                    name = row.need("file_name")
                    path = find_inside(table.parent.resolve(), name)
                    if path in named:
                        raise NotTakenError("another of the same id", f"{name!r} stood before it")
                    content = read_checked(path, name)
                    named.add(path)
                    key = relative(path, root)
                    yield self._found(row, content, key, name, {"file_name"}, {}, terms)
                except NotTakenError as error:
                    yield row.refusal(NAME, error)
        except InputError as error:
            where = relative(table, root)
            yield Refusal(NAME, where, "not readable", error.message)

    def _classes(
        self, root: Path, terms: str, named: set[Path], described: set[Path]
    ) -> Iterator[FoundPicture | Refusal]:
        """The pictures that no table names; the folder they stand in is their label.

        Below a table of metadata the folders are no classes, as in the library `datasets`.
        """
        for path, wrong in walk_pictures(root):
            key = relative(path, root)
            if path in named:
                continue
            try:
                if wrong is not None:
                    raise wrong
                if any(path.is_relative_to(folder) for folder in described):
                    raise NotTakenError("not in the table", "no row of the metadata names it")
                content = read_checked(path)
            except NotTakenError as error:
                yield Refusal(NAME, key, error.reason, error.sentence)
                continue
            folder = relative(path.parent, root)
            kind = folder.rpartition("/")[2]
            labels = {} if kind in ("", ".") or kind.lower() in _SPLITS else {"label": kind}
            yield FoundPicture(
                Origin(NAME, key, key, terms),
                content,
                name=relative(path.with_suffix(""), path.parent),
                language=self.language,
                labels=labels,
            )


def _batches(opened: Any) -> Iterator[Any]:
    """A few rows at a time; over several groups of rows pyarrow would keep all that it read."""
    for group in range(opened.num_row_groups):
        yield from opened.iter_batches(batch_size=_BATCH, row_groups=[group])


def _content(value: Any, root: Path, named: set[Path]) -> tuple[bytes, str]:
    """A picture in a cell of Parquet, and its file's name.

    Without bytes it is the file that the cell names, which is then added to `named`.

    Raises:
        NotTakenError: there is none.
    """
    name = value if isinstance(value, str) else ""
    if isinstance(value, dict):
        name, value = text_of(value.get("path")), value.get("bytes")
    if isinstance(value, bytes) and value:
        return check_bytes(value), name
    if not name:
        raise NotTakenError("no picture", "it has no picture")
    path = find_inside(root, name)
    named.add(path)
    return read_checked(path, name), name


def _tables(root: Path) -> tuple[list[Path], list[Path], list[Path]]:
    """The Parquet files, the tables of metadata, and the links among them that lead out."""
    tables, metadata, outside = [], [], []
    for path in sorted({one for name in ("*.parquet", *_METADATA) for one in root.rglob(name)}):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if hidden or path.is_dir():
            continue
        if path.is_symlink():
            # A link within the folder is met by its own name anyway.
            if leads_out(path, root):
                outside.append(path)
        elif path.name in _METADATA:
            metadata.append(path)
        else:
            tables.append(path)
    return tables, metadata, outside


def _column(cells: Mapping[str, Any], wanted: Sequence[str]) -> str:
    """The first of the columns that there is, whatever its case; empty when there is none."""
    names = {name.lower(): name for name in reversed(list(cells))}
    return next((names[one] for one in wanted if one in names), "")


def _class_names(metadata: Mapping[bytes, bytes]) -> dict[str, Sequence[str]]:
    """What the numbers of a column mean, as the dataset states in the Parquet file."""
    try:
        info = json.loads(metadata.get(b"huggingface", b"{}"))
        features = info["info"]["features"]
        return {
            str(column): [str(name) for name in feature["names"]]
            for column, feature in features.items()
            if isinstance(feature, dict) and isinstance(feature.get("names"), list)
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _label(value: Any, names: Sequence[str]) -> str:
    """A label as it is written, or by the name that the dataset gives its number."""
    number = isinstance(value, int) and not isinstance(value, bool)
    return names[value] if number and 0 <= value < len(names) else text_of(value)
