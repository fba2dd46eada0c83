"""Data frames as tables. In: a frame of pandas, polars or another library. Out: a file.

Rows become lines of JSON, so that a row is counted as in the frame: its first row is row 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, runtime_checkable

from memeloc.errors import InputError

_FRAME = "the data frame"


@runtime_checkable
class Frame(Protocol):
    """A table in memory that offers itself through Arrow's PyCapsule interface.

    pandas 2.2, polars and pyarrow do so (arrow.apache.org, "The Arrow PyCapsule Interface").
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Its rows as a stream of Arrow."""


@contextmanager
def as_file(table: str | Path | Frame) -> Iterator[Path]:
    """A table as a file: its own, or that of a frame, which is there until the block ends.

    Raises:
        InputError: `table` is no table; and what the block raises of the file of a frame, which
            then names the frame.
    """
    if isinstance(table, str | Path):
        yield Path(table)
        return
    with TemporaryDirectory(prefix="memeloc-") as folder:
        path = Path(folder) / "table.jsonl"
        write_frame(table, path)
        try:
            yield path
        except InputError as error:
            raise of_frame(error, path) from error


def of_frame(error: InputError, path: Path) -> InputError:
    """A problem of the file of a frame as one of the frame."""
    if error.file != str(path):
        return error
    return InputError(error.message, file=_FRAME, row=error.row, column=error.column)


def write_frame(frame: Frame, path: Path) -> None:
    """Write a frame as JSON Lines; an index of pandas that has a name is a column.

    Raises:
        InputError: it is no frame.
    """
    if not isinstance(frame, Frame):
        raise InputError(f"A table is a file's path or a data frame, not a {type(frame).__name__}.")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in _rows(frame):
            file.write(json.dumps(row, default=_plain) + "\n")


def _rows(frame: Any) -> list[dict[str, Any]]:
    if type(frame).__module__.partition(".")[0] != "pandas":
        import pyarrow as pa

        rows: list[dict[str, Any]] = pa.table(frame).to_pylist()
        return rows
    named = [name for name in frame.index.names if name is not None]
    whole = frame.reset_index(level=named) if named else frame
    if whole.columns.has_duplicates:
        name = str(whole.columns[whole.columns.duplicated()][0])
        raise InputError("two columns have this name; rename one", file=_FRAME, column=name)
    whole = whole.convert_dtypes()  # an id of 7 stays 7 where another is missing
    whole = whole.astype(object).where(whole.notna(), None)
    return [
        dict(zip(map(str, whole.columns), row, strict=True))
        for row in whole.itertuples(index=False, name=None)
    ]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)
