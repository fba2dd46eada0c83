"""JSON, Parquet and Arrow. In: a file whose columns have names. Out: those names, and its lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.files import LARGEST_FILE
from memeloc.tables.cells import text_of
from memeloc.tables.csv_files import CsvFile, decode
from memeloc.tables.rows import Line, Table

JSON = (".jsonl", ".ndjson", ".json")
_Object = tuple[int, dict[str, Any], str]
"""Its number, its values by name, and what is wrong with it."""
_SLICE = 1024
"""Rows of a Parquet file that are held at a time, at the most."""
_SLICE_BYTES = 4 << 20
"""Bytes of them, for there may be pictures in it."""
_HELD = ("choices", "text", "rating", "number", "datetime", "taxonomy")
"""Keys of what a control of Label Studio holds, but for spans and regions."""


def json_table(path: Path, is_list: bool) -> Table | None:
    """Return the table of a file that holds JSON: one object a line, or a document with a list, a
    list within it, or an object for each key. A list may have the name of a text, as those of
    SemEval, and is None where it is no JSON. Raise InputError if there are no objects in it."""
    suffix = path.suffix.lower()
    file = decode(path, lambda: path.open("rb"), ())[0]
    if (is_list or suffix == ".json") and path.stat().st_size <= LARGEST_FILE:
        with suppress(ValueError, RecursionError), file.text() as stream:
            values = enumerate(_objects(json.load(stream)), 1)
            objects = [(number, value, "") for number, value in values]
            if not objects:
                raise InputError("holds no list of objects, so it is not a table", file=path)
            return _of_objects(path, lambda: objects)
        if suffix not in JSON:
            return None
    table = _of_objects(path, partial(_values, file))
    if suffix == ".json" and not table.columns:
        raise InputError("is neither a JSON document nor JSON Lines", file=path)
    return table


def _of_objects(path: Path, read: Callable[[], Iterable[_Object]]) -> Table:
    """Return the table of objects; its columns are all names that any of them has."""
    names = dict.fromkeys(name for _, value, _ in read() for name in value)

    def lines() -> Iterator[Line]:
        for number, value, error in read():
            cells = [value.get(name) for name in names]
            yield Line(number, cells, ("broken row", error) if error else None)

    return Table(path, tuple(name.strip() for name in names), _read=lines)


def _values(file: CsvFile) -> Iterator[_Object]:
    with file.text("\n") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                reason = getattr(error, "msg", type(error).__name__)
                yield number, {}, f"The line is not JSON ({reason}); one object a line is read."
                continue
            wrong = "The line is no JSON object; one object a line is read."
            yield (number, value, "") if isinstance(value, dict) else (number, {}, wrong)


def _objects(document: Any) -> Iterator[dict[str, Any]]:
    match document:
        case list():
            for value in document:
                if isinstance(value, dict):
                    yield from _annotations(value)
        case {"chats": {"list": [*chats]}}:  # Telegram's export of an account: ids are a chat's own
            for chat in (chat for chat in chats if isinstance(chat, dict)):
                for value in _objects(chat):
                    yield value | {"id": f"{chat.get('id')}/{value.get('id')}"}
        case dict():
            values = document.values()
            lists = [value for value in values if isinstance(value, list) and value]
            lists = [value for value in lists if isinstance(value[0], dict)]
            if lists:
                yield from _objects(max(lists, key=len))
            elif all(isinstance(value, dict) for value in values):
                yield from ({"id": key, **value} for key, value in document.items())


def _annotations(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the annotations of a task that Label Studio exported (labelstud.io/guide/export); any
    other object as it is. A row has the task's data, `annotator`, `time` and a column a control of
    the labelling interface with its choices, texts or number, several with `|` between; what
    somebody chose before a task was skipped is no answer."""
    match task:
        case {"annotations": [*annotations], "data": dict(data)}:
            for annotation in (each for each in annotations if isinstance(each, dict)):
                who = annotation.get("completed_by")
                who = who.get("id") or who.get("email") if isinstance(who, dict) else who
                time = annotation.get("updated_at") or annotation.get("created_at")
                texts: dict[str, list[str]] = {}
                regions = annotation.get("result") or ()
                for region in () if annotation.get("was_cancelled") else regions:
                    match region:
                        case {"from_name": str(name), "value": dict(value)}:
                            held = next((value[kind] for kind in _HELD if kind in value), value)
                            held = held if isinstance(held, list) else [held]
                            texts.setdefault(name, []).extend(map(text_of, held))
                row = {"id": task.get("id"), **data, "annotator": who, "time": time}
                yield row | {name: "|".join(each) for name, each in texts.items()}
        case _:
            yield task


def parquet(path: Path) -> Table:
    """Return a Parquet file, or an Arrow stream as `datasets` saves it; its header counts as row 1.
    Numbers of classes become the names that `datasets` states for them in the schema. Raise
    InputError if it is neither, or broken; in its middle as its rows are read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    is_stream = path.suffix.lower() == ".arrow"
    try:
        if is_stream:
            with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
                schema = stream.schema
        else:
            schema = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        kind = "an Arrow stream" if is_stream else "Parquet"
        raise InputError(f"The file is not {kind}, or broken ({error}).", file=path) from error
    named = _class_names(schema.metadata or {})
    classes = [named.get(name) for name in schema.names]

    def read() -> Iterator[Line]:
        number = 1
        try:
            for batch in _batches(path, is_stream):
                columns = map(_column_values, batch.columns, classes)
                for cells in zip(*columns, strict=True):
                    number += 1
                    yield Line(number, list(cells))
        except (pa.ArrowException, OSError) as error:
            wrong = f"The file breaks off after row {number} ({error})."
            raise InputError(wrong, file=path) from error

    return Table(path, tuple(name.strip() for name in schema.names), _read=read)


def _batches(path: Path, is_stream: bool) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def most(rows: int, size: int) -> int:
        return max(1, min(_SLICE, _SLICE_BYTES * rows // max(size, 1)))

    if is_stream:
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as stream:
            for batch in stream:
                size = most(batch.num_rows, batch.nbytes)
                for start in range(0, batch.num_rows, size):
                    yield batch.slice(start, size)
        return
    with pq.ParquetFile(path) as file:
        # Over several groups of rows pyarrow would keep all that it read.
        for index in range(file.num_row_groups):
            group = file.metadata.row_group(index)
            size = most(group.num_rows, group.total_byte_size)
            yield from file.iter_batches(size, row_groups=[index])


def _column_values(column: Any, classes: Sequence[str] | None) -> list[Any]:
    """Return a column's values; text that is not UTF-8 stays bytes, for its row alone to be
    refused."""
    import pyarrow as pa

    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        values = column.cast(pa.large_binary()).to_pylist()
        for index, value in enumerate(values):
            if value is not None:
                with suppress(UnicodeDecodeError):
                    values[index] = value.decode("utf-8", "surrogatepass")
    return [_class_of(value, classes) for value in values] if classes else values


def _class_names(metadata: Mapping[bytes, bytes]) -> dict[str, list[str]]:
    """Return the names of a column's numbers, as `datasets` states them in a schema."""
    try:
        features = json.loads(metadata[b"huggingface"])["info"]["features"]
        within = ((column, feature.get("feature", feature)) for column, feature in features.items())
        return {column: list(map(str, each["names"])) for column, each in within if "names" in each}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _class_of(value: Any, names: Sequence[str]) -> Any:
    """Return the name of a class, or of several; None of a number without, such as -1."""
    if isinstance(value, list):
        return [_class_of(each, names) for each in value]
    if type(value) is int:
        return names[value] if 0 <= value < len(names) else None
    return value
