"""Rows of a dataset's tables. In: a file, or JSON files beside pictures. Out: records, in order.

Tables are read by `memeloc.tables`; datasets also have a JSON file for each picture, and WebDataset
shards, of which each sample is a row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any

from memeloc.collect.datasets.folder import DatasetFolder, Item
from memeloc.errors import InputError
from memeloc.files import read_text
from memeloc.items import Refusal
from memeloc.picture_writers import read_shard
from memeloc.tables import read_table, text_of
from memeloc.templates.pictures import SUFFIXES

TABLES = (
    *(".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".xlsx", ".ods"),
    *(".parquet", ".arrow", ".tar"),
)
"""Endings of names of tables."""

BESIDE = "the picture beside it"  # the column of the picture that a JSON file stands beside

_LOOKED_AT = 50  # rows by which columns are guessed
_TEXT_FILES = frozenset({"txt", "text", "caption", "transcript", "cls", "label"})
"""Files of a shard's sample that are texts."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row of a table, or what a JSON file beside a picture says, whose number is 0.

    Rows are counted as the user counts: a table's header is row 1, a line of JSON Lines its number.
    """

    file: str
    number: int
    cells: Mapping[str, Any]
    error: str = ""

    @property
    def place(self) -> str:
        return f"{self.file}, row {self.number}" if self.number else self.file

    def text(self, column: str) -> str:
        return text_of(self.cells.get(column)).strip()


@dataclass(frozen=True)
class Records:
    """The rows of a table, which `rows` reads anew at each call, and all names that one may have.

    The path of JSON files beside pictures is their folder.
    """

    path: Path
    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Record]] = field(repr=False)

    @property
    def first(self) -> list[Record]:
        """The rows by which columns are guessed."""
        return [row for row in islice(self.rows(), _LOOKED_AT) if not row.error]


def read_records(
    folder: DatasetFolder,
    path: Path,
    records: Iterable[Record],
    read: Callable[[Record], Iterable[Item]],
    *,
    strict: bool = False,
) -> Iterator[Item | Refusal]:
    """Yield what is read from each row, and refusals of rows, and of a table that breaks off. Raise
    InputError if the table breaks off, and this is `strict`."""
    try:
        for record in records:
            if record.error:
                yield Refusal(folder.source, record.place, "not readable", record.error)
            else:
                yield from folder.taken(record.place, read(record))
    except InputError as error:
        if strict:
            raise
        yield Refusal(folder.source, folder.key_of(path), "not readable", error.message)


def open_records(
    folder: DatasetFolder,
    path: Path,
    required: Sequence[str] = (),
    *,
    headings: Sequence[str] = (),
) -> Records:
    """Open a table that has the `required` columns; `headings` are those of one without."""
    file = folder.key_of(path)
    if path.suffix.lower() == ".tar":
        return _by_first_rows(path, lambda: _samples(path, file))
    table = read_table(path, required)
    if headings:
        table = table.without_header(headings)

    def rows() -> Iterator[Record]:
        for row in table.rows:
            names = row.header.names
            error = row.error
            if not error and len(row.cells) > len(names):
                error = "it has more cells than the table has columns"
            cells = dict(zip(names, row.cells, strict=False))
            cells.pop("", None)  # a DataFrame's index, written without a name
            yield Record(file, row.number, cells, error)

    return Records(path, tuple(filter(None, table.columns)), rows)


def beside_pictures(folder: DatasetFolder, files: Mapping[Path, Path]) -> Records:
    """Open JSON files, each about the picture that it stands beside."""

    def rows() -> Iterator[Record]:
        for file, picture in sorted(files.items()):
            cells, error = None, "the file is not a JSON object"
            try:
                cells = _object(read_text(file))
            except InputError as problem:
                error = problem.message
            key = folder.key_of(file)
            if cells is None:
                yield Record(key, 0, {}, error)
            else:
                yield Record(key, 0, cells | {BESIDE: picture})

    return _by_first_rows(folder.root, rows)


def _by_first_rows(path: Path, rows: Callable[[], Iterator[Record]]) -> Records:
    columns = dict.fromkeys(name for row in islice(rows(), _LOOKED_AT) for name in row.cells)
    return Records(path, tuple(columns), rows)


def _object(text: str | bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _samples(path: Path, file: str) -> Iterator[Record]:
    """Yield the samples of a WebDataset shard, with `__key__` and their files as the columns.

    What a sample's JSON object has are columns, too, and come before files of the same names.
    """
    for number, sample in enumerate(read_shard(path), 1):
        cells: dict[str, Any] = {"__key__": sample.key}
        for suffix, content in sample.files.items():
            if f".{suffix}".lower().endswith(SUFFIXES):
                cells[suffix.lower()] = {"bytes": content, "path": f"{sample.key}.{suffix}"}
            elif suffix.lower() in _TEXT_FILES:
                cells[suffix.lower()] = content.decode("utf-8", "replace")
        about = _object(sample.files.get("json", b"{}"))
        error = "the sample's JSON is no object" if about is None else ""
        yield Record(file, number, cells | (about or {}), error)


def sidecars(files: Iterable[Path]) -> dict[Path, Path]:
    """Return the JSON files that stand beside a picture, and their pictures.

    They are named as the picture, with its ending (gallery-dl) or without (img2dataset).
    """
    existing = set(files)
    pictures = {path for path in existing if path.suffix.lower() in SUFFIXES}
    by_stem = {path.with_suffix(""): path for path in pictures} | {path: path for path in pictures}
    return {
        path: by_stem[path.with_suffix("")]
        for path in existing
        if path.suffix.lower() == ".json" and path.with_suffix("") in by_stem
    }


def unread_tables(folder: DatasetFolder, read: Collection[Path] = ()) -> Iterator[Refusal]:
    """Yield a refusal for each table that lies in a folder and is not among those `read`.

    JSON files beside pictures count as one; others are tables if they hold a list of objects.
    """
    beside = sorted(sidecars(folder.files).keys() - set(read))
    accounted = {*read, *beside}
    refused = [
        (path, path, "it was not read")
        for path in folder.files
        if path not in accounted and _may_be_table(folder, path)
    ]
    if beside:
        how = f"{len(beside):,} JSON files beside pictures were not read"
        refused.append((beside[0], folder.root, how))
    for path, what, how in refused:
        command = f"memeloc collect table {quote(str(what))} --dry-run"
        sentence = f"{how}: `{command}` shows what it says"
        yield Refusal(folder.source, folder.key_of(path), "a table, not read", sentence)


def _may_be_table(folder: DatasetFolder, path: Path) -> bool:
    if path.suffix.lower() != ".json" or folder.leads_out(path):
        return path.suffix.lower() in TABLES
    try:
        return bool(open_records(folder, path).columns)
    except InputError:
        return False
