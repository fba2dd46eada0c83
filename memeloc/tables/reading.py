"""Reading tables. In: a file of any kind that people keep tables in. Out: its tables, row by row.

CSV (comma, semicolon or tab; UTF-8, UTF-16, or what else the caller expects), also within a zip
archive, workbooks of Excel and LibreOffice, JSON Lines, Parquet and Arrow; known by their content.
One pass with flat memory, but for ods and for JSON documents.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.files import read_head
from memeloc.tables.archives import OLE, is_workbook, only_member, read_member
from memeloc.tables.columnar import JSON, json_table, parquet
from memeloc.tables.csv_files import SEARCHED, decode
from memeloc.tables.rows import FRAME, Frame, IsHeader, Line, Table, frame_table, header_names
from memeloc.tables.workbooks import read_worksheets

_BEFORE = b"\xef\xbb\xbf \r\n\t"
"""What may stand before a list in JSON."""


def read_table(
    path: str | Path | Frame, required: Sequence[str] = (), *, wanted: str = "", **how: Any
) -> Table:
    """Open the table of a file: of several the first that has the headings. Raise InputError if the
    file is missing, empty, too large, broken or no table, or has no such header.

    Args:
        required: columns it must have, each once; its header is the first row that names them.
        wanted: what a table without such a header lacks, for the sentence.
        how: is_header, worksheet and encodings, as of `read_tables`.
    """
    file = Path(path) if isinstance(path, str | Path) else FRAME
    for table in read_tables(path, required, **how):
        names = [name.casefold() for name in table.columns if name]
        if required and len(set(names)) < len(names):
            doubled = next(name for name in table.columns if names.count(name.casefold()) > 1)
            message = "The table has two columns of this name; rename or remove one."
            raise InputError(message, file=file, column=doubled[:60])
        return table
    if not required:
        raise InputError((wanted and f"has no row with {wanted}") or "has no rows", file=file)
    tables = read_tables(path, **how | {"is_header": None})
    columns = next((table.columns for table in tables), ())
    present = {column.casefold() for column in columns}
    lacking = next((name for name in required if name.casefold() not in present), required[0])
    shown = ", ".join(repr(column[:40]) for column in columns[:12]) or "none"
    raise InputError(
        f"The table has no column {lacking!r}. Its columns are {shown}.", file=file, column=lacking
    )


def read_tables(
    path: str | Path | Frame,
    required: Sequence[str] = (),
    *,
    is_header: IsHeader | None = None,
    worksheet: str = "",
    encodings: Sequence[str] = (),
    score: Callable[[Table], float] | None = None,
) -> Iterator[Table]:
    """Yield every table of a file that has the headings; only a workbook can have several. Raise
    what `read_table` does, but for headings that no table has.

    Args:
        path: of a file, or a frame of pandas, polars or pyarrow.
        is_header: tells the header instead of `required`; it is given a row's texts. Without
            either the header is the first row that is not blank.
        worksheet: name of the worksheet that is looked at first.
        encodings: for CSV that is neither UTF-8 nor UTF-16: what it may be in, the likeliest first.
        score: how well a table was read; of several encodings the one with the highest score is
            taken. Without it, it is the first in which the file can be read.
    """
    names = {name.casefold() for name in required}
    if is_header is None and required:

        def is_header(texts: Sequence[str]) -> bool:
            return names <= {text.casefold() for text in texts}

    if not isinstance(path, str | Path):
        named: Table | None = frame_table(path)
    else:
        path = Path(path)
        head = read_head(path, None)
        suffix = path.suffix.lower()
        named = None
        if head.startswith(b"PAR1") or suffix in (".parquet", ".arrow"):
            named = parquet(path)
        elif (is_list := head.lstrip(_BEFORE).startswith(b"[")) or suffix in JSON:
            named = json_table(path, is_list)
    if named is not None or not isinstance(path, Path):
        if named is not None and (is_header is None or is_header(named.columns)):
            yield named
        return
    content: bytes | None = None
    if is_workbook(head):
        read_head(path)  # a workbook is read at once, and may not be too large
        if head.startswith(OLE):
            hint = "save it as .xlsx without one"
            raise InputError(f"is an old Excel file (.xls) or has a password: {hint}", file=path)
        name = only_member(path, (".csv",), "CSV file")
        if name is None:
            for read in read_worksheets(path, worksheet):
                yield from _tables(path, read, is_header)
            return
        content = read_member(path, name)
    opener: Any = partial(path.open, "rb") if content is None else partial(io.BytesIO, content)
    files = decode(path, opener, encodings)
    tables = (
        table
        for each in files
        for table in _tables(path, each.with_delimiter(is_header).lines, is_header, each.note)
    )
    if score is None or len(files) == 1:
        yield from islice(tables, 1)
    else:
        yield from sorted(tables, key=score, reverse=True)[:1]


def _tables(
    path: Path, read: Callable[[], Iterator[Line]], is_header: IsHeader | None, note: str = ""
) -> Iterator[Table]:
    """Yield the table whose header stands among the first rows, if there is one."""
    for number, cells, problem, _ in read() if is_header is None else islice(read(), SEARCHED):
        names = header_names(cells)
        if any(names) and (not problem or not problem[0]) and (not is_header or is_header(names)):
            yield Table(path, tuple(names), note, read, number, is_header)
            return
