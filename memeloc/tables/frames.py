"""Data frames as tables. In: a frame of pandas, polars or another library. Out: a `Table`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from memeloc.errors import InputError
from memeloc.tables.rows import Line, Table

FRAME = Path("the data frame")
"""The name of a frame where errors name a file."""


@runtime_checkable
class Frame(Protocol):
    """A table in memory that offers itself through Arrow's PyCapsule interface.

    pandas 2.2, polars and pyarrow do so (arrow.apache.org, "The Arrow PyCapsule Interface").
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return its rows as a stream of Arrow."""


def frame_table(frame: Any) -> Table:
    """Return the table of a frame, its first row row 1; a named index of pandas is a column.

    Raises:
        InputError: it is no frame, or two of its columns have one name.
    """
    if not isinstance(frame, Frame):
        raise InputError(f"A table is a file's path or a data frame, not a {type(frame).__name__}.")
    if type(frame).__module__.partition(".")[0] == "pandas":
        whole: Any = frame
        named = [name for name in whole.index.names if name is not None]
        whole = whole.reset_index(level=named) if named else whole
        names = [str(name) for name in whole.columns]
        whole = whole.convert_dtypes()  # an id of 7 stays 7 where another is missing
        whole = whole.astype(object).where(whole.notna(), None)
        rows: list[Any] = list(whole.itertuples(index=False, name=None))
    else:
        import pyarrow as pa

        arrow = pa.table(frame)
        names = arrow.column_names
        rows = list(zip(*(column.to_pylist() for column in arrow.columns), strict=True))
    if doubled := [name for name in names if names.count(name) > 1]:
        raise InputError("two columns have this name; rename one", file=FRAME, column=doubled[0])
    lines = [Line(number, list(cells)) for number, cells in enumerate(rows, 1)]
    return Table(FRAME, tuple(name.strip() for name in names), _read=lambda: iter(lines))
