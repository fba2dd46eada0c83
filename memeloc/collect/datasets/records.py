"""Rows of a dataset's tables. In: a file, or JSON files beside pictures. Out: records, in order.

CSV, TSV, workbooks and JSON Lines are read by `memeloc.tables`; datasets also have
whole JSON documents, Parquet and Arrow with pictures in them, a JSON file for each picture, tables
without headings, and WebDataset shards, of which each sample is a row. All but JSON documents are
read a few rows at a time.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any

from memeloc.collect.sources.dataset_files import Dataset, Row
from memeloc.errors import InputError
from memeloc.files import read_head, read_text
from memeloc.items import Refusal
from memeloc.picture_writers import read_shard
from memeloc.tables import read_table
from memeloc.templates.pictures import SUFFIXES

TABLES = (
    *(".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".xlsx", ".ods"),
    *(".parquet", ".arrow", ".tar"),
)
"""How the names of tables end."""

_BATCH = 16  # rows of Parquet that are held at a time, pictures and all
_LOOKED_AT = 50  # rows by which columns are guessed
_TEXT_FILES = frozenset({"txt", "text", "caption", "transcript", "cls", "label"})
"""Files of a shard's sample that are texts."""


@dataclass(frozen=True, slots=True)
class Record(Row):
    """A row of a table, or what a JSON file beside a picture says.

    Attributes:
        picture: the picture that the file stands beside.
        within: what the row is part of in its file, such as a chat's id; its id is unique there.
        error: why it cannot be read.
    """

    picture: Path | None = None
    within: str = ""
    error: str = ""


@dataclass(frozen=True)
class Records:
    """The rows of a table.

    Attributes:
        path: the file, or of JSON files beside pictures their folder.
        columns: all names that a row may have.
        have_pictures: each row stands beside its picture, and need not name it.
        rows: reads them anew at each call.
    """

    path: Path
    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Record]] = field(repr=False)
    have_pictures: bool = False

    @property
    def first(self) -> list[Record]:
        """The rows by which columns are guessed."""
        return [row for row in islice(self.rows(), _LOOKED_AT) if not row.error]


def open_records(dataset: Dataset, path: Path) -> Records:
    """The rows of a table.

    Raises:
        InputError: the file is missing, empty, too large, broken or not a table.
    """
    if path.suffix.lower() == ".parquet":
        return _parquet(dataset, path)
    if path.suffix.lower() == ".arrow":
        return _arrow(dataset, path)
    if path.suffix.lower() == ".tar":
        return _shard(dataset, path)
    # SemEval gives JSON in .txt files.
    if path.suffix.lower() == ".json" or read_head(path).lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"[":
        return _json_document(dataset, path)
    return _table(dataset, path)


def beside_pictures(dataset: Dataset, files: Iterable[tuple[Path, Path]], folder: Path) -> Records:
    """What JSON files say of the pictures that they stand beside; `files` are pairs of them."""
    pairs = sorted(files)

    def rows() -> Iterator[Record]:
        for file, picture in pairs:
            key = dataset.key_of(file)
            try:
                value = json.loads(read_text(file))
            except InputError as error:
                yield Record(key, 0, {}, error=error.message)
                continue
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                yield Record(key, 0, value, picture)
            else:
                yield Record(key, 0, {}, error="the file is not a JSON object")

    columns: dict[str, None] = {}
    for row in islice(rows(), _LOOKED_AT):
        columns.update(dict.fromkeys(row.cells))
    return Records(folder, tuple(columns), rows, have_pictures=True)


def sidecars(files: Iterable[Path]) -> dict[Path, Path]:
    """The JSON files that stand beside a picture, and their pictures.

    They are named as the picture, with its ending (gallery-dl) or without (img2dataset).
    """
    known = set(files)
    stems = {path.with_suffix(""): path for path in known if path.suffix.lower() in SUFFIXES}
    pairs = {}
    for path in known:
        if path.suffix.lower() == ".json":
            bare = path.with_suffix("")
            picture = bare if bare.suffix.lower() in SUFFIXES and bare in known else stems.get(bare)
            if picture is not None:
                pairs[path] = picture
    return pairs


def unread_tables(
    dataset: Dataset, files: Sequence[Path], read: Collection[Path] = ()
) -> Iterator[Refusal]:
    """A refusal for each table that lies in a folder of pictures and is not among those `read`.

    JSON files beside pictures count as one; others are tables if they hold a list of objects.
    """
    beside = sorted(sidecars(files).keys() - set(read))
    tables = [path for path in files if path.suffix.lower() in TABLES and path not in beside]
    for path in (*tables, *beside[:1]):
        if path in read or (path in tables and not _may_be_table(dataset, path)):
            continue
        what, how = path, "it was not read"
        if path in beside:
            what, how = dataset.root, f"{len(beside):,} JSON files beside pictures were not read"
        command = f"memeloc collect table {quote(str(what))} --dry-run"
        sentence = f"{how}: `{command}` shows what it says"
        yield Refusal(dataset.source, dataset.key_of(path), "a table, not read", sentence)


def _may_be_table(dataset: Dataset, path: Path) -> bool:
    if path.suffix.lower() == ".json" and not dataset.is_outside(path):
        try:
            open_records(dataset, path)
        except InputError:
            return False
    return True


def without_headings(dataset: Dataset, path: Path, columns: Sequence[str]) -> Records:
    """A table without headings, its cells separated by tabs or commas.

    Raises:
        InputError: it is not a text.
    """
    lines = read_text(path).splitlines()
    delimiter = "\t" if any("\t" in line for line in lines[:_LOOKED_AT]) else ","

    def rows() -> Iterator[Record]:
        for number, cells in enumerate(csv.reader(lines, delimiter=delimiter), 1):
            yield Record(dataset.key_of(path), number, dict(zip(columns, cells, strict=False)))

    return Records(path, tuple(columns), rows)


def _table(dataset: Dataset, path: Path) -> Records:
    table = read_table(path)
    file = dataset.key_of(path)

    def rows() -> Iterator[Record]:
        for row in table.rows:
            names = row.header.names
            error = row.error
            if not error and len(row.cells) > len(names):
                error = "it has more cells than the table has columns"
            cells = dict(zip(names, row.cells, strict=False))
            cells.pop("", None)  # a DataFrame's index, written without a name
            yield Record(file, row.number, cells, error=error)

    return Records(path, tuple(filter(None, table.columns)), rows)


def _json_document(dataset: Dataset, path: Path) -> Records:
    """The objects of a JSON file: a list, a list within it, or one object for each key.

    Raises:
        InputError: it is not JSON, or holds no objects.
    """
    read_head(path)
    try:
        with path.open(encoding="utf-8-sig") as stream:
            document = json.load(stream)
    except (ValueError, RecursionError):
        records = _table(dataset, path)
        if records.columns:
            return records  # JSON Lines, by another name
        raise InputError("is neither a JSON document nor JSON Lines", file=path) from None
    objects = list(_objects(document))
    if not objects:
        raise InputError("holds no list of objects, so it is not a table", file=path)
    names = dict.fromkeys(name for _, value in objects for name in value)
    file = dataset.key_of(path)

    def rows() -> Iterator[Record]:
        for number, (within, value) in enumerate(objects, 1):
            yield Record(file, number, value, within=within)

    return Records(path, tuple(names), rows)


def _objects(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a document, and what each is part of."""
    if isinstance(document, list):
        yield from (("", value) for value in document if isinstance(value, dict))
        return
    if not isinstance(document, dict):
        return
    chats = document.get("chats")
    if isinstance(chats, dict) and isinstance(chats.get("list"), list):  # of a whole account
        for chat in chats["list"]:
            if isinstance(chat, dict):
                yield from ((str(chat.get("id", "")), value) for _, value in _objects(chat))
        return
    lists = [value for value in document.values() if _is_list_of_objects(value)]
    if lists:
        yield from (("", value) for value in max(lists, key=len) if isinstance(value, dict))
    elif document and all(isinstance(value, dict) for value in document.values()):
        yield from (("", {"id": key} | value) for key, value in document.items())


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _parquet(dataset: Dataset, path: Path) -> Records:
    """The rows of a Parquet file, a few at a time, for there may be pictures in it."""
    import pyarrow.parquet as pq

    def batches() -> Iterator[Any]:
        with pq.ParquetFile(path) as opened:
            # Over several groups of rows pyarrow would keep all that it read.
            for group in range(opened.num_row_groups):
                yield from opened.iter_batches(batch_size=_BATCH, row_groups=[group])

    return _columnar(dataset, path, "Parquet", lambda: pq.read_schema(path), batches)


def _arrow(dataset: Dataset, path: Path) -> Records:
    """The rows of a file that `datasets` saved to disk, an Arrow stream."""
    import pyarrow as pa

    def schema() -> Any:
        with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
            return stream.schema

    def batches() -> Iterator[Any]:
        with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
            for batch in stream:
                for start in range(0, batch.num_rows, _BATCH):
                    yield batch.slice(start, _BATCH)

    return _columnar(dataset, path, "an Arrow stream", schema, batches)


def _columnar(
    dataset: Dataset,
    path: Path,
    what: str,
    read_schema: Callable[[], Any],
    batches: Callable[[], Iterator[Any]],
) -> Records:
    """Rows of Arrow's batches; the numbers of classes become their names."""
    import pyarrow as pa

    try:
        schema = read_schema()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"is not {what}, or broken: {str(error)[:200]}", file=path) from error
    file, classes = dataset.key_of(path), _class_names(schema.metadata or {})

    def rows() -> Iterator[Record]:
        number = 1
        try:
            for batch in batches():
                for cells in batch.to_pylist():
                    number += 1
                    names = {name: _class_of(cells[name], classes[name]) for name in classes}
                    yield Record(file, number, {**cells, **names})
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            wrong = f"cannot be read after row {number}: {str(error)[:200]}"
            raise InputError(wrong, file=path) from error

    return Records(path, tuple(schema.names), rows)


def _class_of(value: Any, names: Sequence[str]) -> Any:
    """The name of a class, or of several; None of a number without, such as -1 for no class."""
    if isinstance(value, list):
        return [_class_of(each, names) for each in value]
    if type(value) is int:
        return names[value] if 0 <= value < len(names) else None
    return value


def _shard(dataset: Dataset, path: Path) -> Records:
    """The samples of a WebDataset shard, with `__key__` and their files as the columns.

    What a sample's JSON object has are columns, too, and come before files of the same names.
    """
    file = dataset.key_of(path)

    def rows() -> Iterator[Record]:
        for number, sample in enumerate(read_shard(path), 1):
            cells: dict[str, Any] = {"__key__": sample.key}
            error = ""
            for suffix, content in sample.files.items():
                if f".{suffix}".lower().endswith(SUFFIXES):
                    cells[suffix.lower()] = {"bytes": content, "path": f"{sample.key}.{suffix}"}
                elif suffix.lower() in _TEXT_FILES:
                    cells[suffix.lower()] = content.decode("utf-8", "replace")
            if "json" in sample.files:
                try:
                    about = json.loads(sample.files["json"])
                except (ValueError, RecursionError):
                    about = None
                if isinstance(about, dict):
                    cells |= about
                else:
                    error = "the sample's JSON is no object"
            yield Record(file, number, cells, error=error)

    columns: dict[str, None] = {}
    for row in islice(rows(), _LOOKED_AT):
        columns.update(dict.fromkeys(row.cells))
    return Records(path, tuple(columns), rows)


def _class_names(metadata: Mapping[bytes, bytes]) -> dict[str, list[str]]:
    """What the numbers of a column mean, as the dataset states in the file's schema."""
    try:
        features = json.loads(metadata[b"huggingface"])["info"]["features"]
        within = {column: feature.get("feature", feature) for column, feature in features.items()}
        return {
            column: [str(name) for name in feature["names"]]
            for column, feature in within.items()
            if "names" in feature
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
