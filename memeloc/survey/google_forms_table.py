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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from memeloc.errors import InputError
from memeloc.spreadsheets import Cell, Formula, read_head, read_tables, text_of, unguarded

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
_LOOKED_AT = 1 << 18

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
    """

    header: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]
    formulas: frozenset[tuple[int, int]] = frozenset()
    note: str = ""


def read_table(path: Path, score: Score) -> Table:
    """Read a file.

    Args:
        path: CSV, zip with one CSV, xlsx or ods.
        score: see `Score`.

    Raises:
        InputError: it is none of these, broken, empty or too large.
    """
    head = read_head(path)
    if head.startswith(b"PK"):
        inner = _zipped(path)
        if inner is None:
            return _workbook(path)
        return _csv(inner, path, score)
    return _csv(path.read_bytes(), path, score)


def read_header(path: Path, score: Score) -> tuple[str, ...]:
    """The header of a file, of which only the beginning is read where it is a plain CSV.

    Raises:
        InputError: as `read_table`, as far as the beginning tells.
    """
    if read_head(path).startswith(b"PK"):
        return read_table(path, score).header
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
            if tables[0].file_size > LARGEST_TABLE:
                raise InputError("is too large once unpacked", file=path)
            with archive.open(tables[0]) as stream:
                data = stream.read(LARGEST_TABLE + 1)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError) as error:
        raise InputError(f"is a broken archive: {error}", file=path) from error
    if len(data) > LARGEST_TABLE:
        raise InputError("is too large once unpacked", file=path)
    return data


def _workbook(path: Path) -> Table:
    """The first worksheet that has anything in it."""
    for _, lines in read_tables(path):
        rows: list[tuple[int, list[str]]] = []
        formulas: set[tuple[int, int]] = set()
        for number, cells in lines:
            rows.append((number, [_text(cell) for cell in cells]))
            formulas |= {
                (number, place) for place, cell in enumerate(cells) if isinstance(cell, Formula)
            }
        if rows := [row for row in rows if any(row[1])]:
            return Table(tuple(rows[0][1]), tuple(rows[1:]), frozenset(formulas))
    raise InputError("has no rows", file=path)


def _text(cell: Cell) -> str:
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
    return Table(tuple(rows[0][1]), tuple(rows[1:]), note=note)


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
            return data.decode(encoding, "replace"), ""
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
        told = "Some bytes are not UTF-8; what stands there cannot be read."
        candidates.append((data.decode("utf-8", "replace"), told))
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
