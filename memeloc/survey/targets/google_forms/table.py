"""Tables that Google Forms gives out. In: a file of a stranger. Out: its rows of plain texts.

A CSV in whatever encoding and with whatever delimiter, the zip archive that Google puts it in, or
a workbook of the linked spreadsheet. Which encoding is right is said by the titles that it ought to
have: the one under which most of them are found.
"""

from __future__ import annotations

import codecs
import csv
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from memeloc.errors import InputError
from memeloc.spreadsheets import Cell, Formula, read_head, read_tables, text_of, unguarded
from memeloc.spreadsheets.zipped import LARGEST_RATIO
from memeloc.survey.targets.broken_rows import ends_open

LARGEST_TABLE = 512 * 1024 * 1024
"""Bytes of a table once unpacked."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ENCODINGS = (
    "cp1252", "cp1256", "cp1251", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258", "cp1250",
    "cp874", "gb18030", "big5hkscs", "cp932", "cp949", "utf-16-le", "utf-16-be",
)  # fmt: skip
"""What spreadsheets save in where they do not save UTF-8."""
_DELIMITERS = ",;\t"
_BROKEN = (zipfile.BadZipFile, RuntimeError, NotImplementedError)
_LOOKED_AT = 1 << 18
_AGAIN = 3
"""Titles in a row that make it one of titles."""

Score = Callable[[Sequence[str]], int]
"""How many of a header's cells are titles that are looked for."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that was read.

    Attributes:
        header: its first row that is not empty.
        rows: the others, each with its number as spreadsheets count.
        formulas: row and column numbers of cells that compute their value.
        note: what was odd about the file, or empty.
        cut: the number of a row that the file ends in the midst of; 0 for none.
        name: the worksheet's, where there are several.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]
    formulas: frozenset[tuple[int, int]] = frozenset()
    note: str = ""
    cut: int = 0
    name: str = ""


def read_table(path: Path, score: Score) -> list[Table]:
    """Read a file; a workbook has a table for each worksheet that has anything in it.

    A row of titles further down begins a table of its own: that is how several are put together.

    Args:
        path: CSV, zip with one CSV, xlsx or ods.
        score: see `Score`.

    Raises:
        InputError: it is none of these, broken, empty or too large.
    """
    head = read_head(path)
    inner = _zipped(path) if head.startswith(b"PK") else path.read_bytes()
    tables = _workbook(path) if inner is None else [_csv(inner, path, score)]
    return [part for table in tables for part in _parts(table, score)]


def _parts(table: Table, score: Score) -> Iterator[Table]:
    """A table, taken apart where titles stand again."""
    titles = set(table.header) - {""}
    header, rows = table.header, list[tuple[int, list[str]]]()
    for number, cells in table.rows:
        if sum(cell in titles for cell in cells) < _AGAIN or score(cells) < _AGAIN:
            rows.append((number, cells))
            continue
        yield replace(table, header=header, rows=tuple(rows))
        header, rows = tuple(cells), []
    yield replace(table, header=header, rows=tuple(rows))


def read_header(path: Path, score: Score) -> tuple[str, ...]:
    """The header of a file, of which only the beginning is read where it is a plain CSV.

    Raises:
        InputError: as `read_table`, as far as the beginning tells.
    """
    if read_head(path).startswith(b"PK"):
        return read_table(path, score)[0].header
    with path.open("rb") as stream:
        start = stream.read(_LOOKED_AT)
    if len(start) == _LOOKED_AT and b"\x00" not in start:
        start = start[: start.rfind(b"\n") + 1] or start  # no letter is cut in two
    return _csv(start, path, score).header


def _zipped(path: Path) -> bytes | None:
    """The CSV of an archive; None when it is a workbook.

    Raises:
        InputError: it is broken, too large, or has not one CSV.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            names = {one.filename for one in members}
            if names & {"xl/workbook.xml", "content.xml"}:
                return None
            tables = [one for one in members if one.filename.lower().endswith(".csv")]
            tables = [one for one in tables if not one.filename.startswith("__MACOSX/")]
            if len(tables) != 1:
                raise InputError(
                    f"holds {len(tables)} CSV files; unpack it and import each", file=path
                )
            size, packed = tables[0].file_size, max(tables[0].compress_size, 1)
            if size > LARGEST_TABLE or (size > 1 << 20 and size / packed > LARGEST_RATIO):
                raise InputError("is too large once unpacked", file=path)
            with archive.open(tables[0]) as stream:
                data = stream.read(LARGEST_TABLE + 1)
    except (
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        OSError,
        RuntimeError,
        NotImplementedError,
        EOFError,
    ) as error:
        raise InputError(f"is a broken archive: {error}", file=path) from error
    if len(data) > LARGEST_TABLE:
        raise InputError("is too large once unpacked", file=path)
    return data


def _workbook(path: Path) -> list[Table]:
    """The worksheets that have anything in them."""
    found = []
    for name, lines in read_tables(path):
        rows: list[tuple[int, list[str]]] = []
        formulas: set[tuple[int, int]] = set()
        for number, cells in lines:
            rows.append((number, [_text(cell) for cell in cells]))
            formulas |= {
                (number, place) for place, cell in enumerate(cells) if isinstance(cell, Formula)
            }
        if rows := [row for row in rows if any(row[1])]:
            found.append(Table(tuple(rows[0][1]), tuple(rows[1:]), frozenset(formulas), name=name))
    if not found:
        raise InputError("has no rows", file=path)
    return found


def _text(cell: Cell) -> str:
    if isinstance(cell, Formula):
        return cell.text
    if isinstance(cell, datetime | date):
        return cell.isoformat(sep=" ") if isinstance(cell, datetime) else cell.isoformat()
    return text_of(cell)


def _csv(data: bytes, path: Path, score: Score) -> Table:
    text, note = _decoded(data, path, score)
    delimiter = _delimiter(text[:_LOOKED_AT], score)
    limit = csv.field_size_limit(len(text) + 1)
    rows: list[tuple[int, list[str]]] = []
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        for number, cells in enumerate(reader, 1):
            if any(cells):
                rows.append(
                    (number, [unguarded(cell) if cell[:1] == "'" else cell for cell in cells])
                )
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=path) from error
    finally:
        csv.field_size_limit(limit)
    if not rows:
        raise InputError("has no rows", file=path)
    short = len(rows) > 1 and len(rows[-1][1]) < len(rows[0][1])
    cut = rows[-1][0] if short and ends_open(data[-8:]) else 0
    return Table(tuple(rows[0][1]), tuple(rows[1:]), note=note, cut=cut)


def _delimiter(start: str, score: Score) -> str:
    """The delimiter by which most titles are found; the most frequent where that says nothing."""
    return max(
        _DELIMITERS,
        key=lambda one: (score(_header(start, one)), start.split("\n", 1)[0].count(one)),
    )


def _header(start: str, delimiter: str) -> list[str]:
    try:
        reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
        return next((cells for cells in reader if any(cells)), [])
    except csv.Error:
        return []


def _found(text: str, score: Score) -> int:
    start = text[:_LOOKED_AT]
    return max(score(_header(start, one)) for one in _DELIMITERS)


def _decoded(data: bytes, path: Path, score: Score) -> tuple[str, str]:
    """The text of a file, and what was odd about it."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            broken = "replace" if encoding == "utf-16" else "backslashreplace"
            return data.decode(encoding, broken), ""
    candidates: list[tuple[str, str]] = []
    try:
        text = data.decode("utf-8")
        if (known := _found(text, score)) > 0:
            # Titles that are the same in ASCII are found in a text that was saved wrong, too.
            mended = _mended(text)
            if mended is None or _found(mended, score) <= known:
                return text, ""
            return mended, "It was UTF-8, read as Windows-1252 and saved again; that was undone."
        candidates.append((text, ""))
        if (mended := _mended(text)) is not None:
            told = "It was UTF-8, read as Windows-1252 and saved again; that was undone."
            candidates.append((mended, told))
    except UnicodeDecodeError:
        # What few bytes are broken concerns their cells only.
        told = "Some bytes are not UTF-8; they are kept as their numbers."
        candidates.append((data.decode("utf-8", "backslashreplace"), told))
    for encoding in _ENCODINGS:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        candidates.append((text, f"It is not in UTF-8; it was read as {encoding}."))
    best = max(candidates, key=lambda one: _found(one[0], score))
    if "\x00" in best[0][:4096]:
        raise InputError("is no table of Google Forms", file=path)
    return best


def _control(error: UnicodeError) -> tuple[bytes, int]:
    """The five bytes that Windows-1252 leaves open are control characters to most programs."""
    if isinstance(error, UnicodeEncodeError):
        left = error.object[error.start : error.end]
        if all(ord(letter) < 256 for letter in left):
            return left.encode("latin-1"), error.end
    raise error


_C1 = "memeloc-c1"
codecs.register_error(_C1, _control)


def _mended(text: str) -> str | None:
    """A text that was UTF-8, read as Windows-1252 and saved again; None when it was not."""
    if text.isascii():
        return None
    try:
        return text.encode("cp1252", _C1).decode("utf-8")
    except UnicodeError:
        return None
