"""CSV as spreadsheets save it. In: a file. Out: its encoding, its delimiter and its lines.

A row whose quotation mark is not closed is given as broken, and reading goes on in the line after
its first: the rows that such a mark swallows are not lost.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO

from memeloc.errors import InputError
from memeloc.tables.cells import unguarded
from memeloc.tables.rows import BROKEN, CUT, OPEN_END, IsHeader, Line, header_names

DELIMITERS = (",", ";", "\t")
"""What may stand between cells; Excel writes `;` in much of Europe."""

SEARCHED = 20
"""Rows among which the headings are looked for."""

_BEGINNING = 1 << 18
"""Characters of a file in which its delimiter and its headings are looked for."""

ENCODINGS = (
    "cp1252", "cp1250", "cp1251", "cp1256", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258",
    "cp874", "cp932", "gb18030", "cp949", "big5hkscs", "mac_roman",
)  # fmt: skip
"""In which spreadsheets save CSV that is not in Unicode, the commonest first."""

MIXED = "Some bytes are not UTF-8; they are kept as numbers."
"""What is odd about a file in which no encoding fits all bytes."""

csv.field_size_limit(1 << 26)  # pictures as data: addresses stand in cells, too


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file and how it is read.

    `open` opens its bytes, `encoding` and `errors` are as Python's `open` takes them; it `is_cut`
    when it ends within a character; `note` is what is odd about the encoding. In one that is
    `exact`, an apostrophe before what looks like a formula is part of the text.
    """

    path: Path
    open: Callable[[], IO[bytes]]
    encoding: str = "utf-8-sig"
    errors: str = "surrogatepass"
    is_cut: bool = False
    note: str = ""
    delimiter: str = ","
    exact: bool = False

    def with_delimiter(self, is_header: IsHeader | None) -> CsvFile:
        """Return it with the delimiter by which headings are found, else the most frequent one."""
        with self.text() as stream:
            lines = stream.read(_BEGINNING).splitlines(keepends=True)
        first = next((line for line in lines if line.strip(" \t\r\n,;")), "")
        frequent = sorted(DELIMITERS, key=first.count, reverse=True)
        for delimiter in frequent if is_header else ():
            records = islice(_records(iter(lines), delimiter), SEARCHED)
            if is_header and any(is_header(header_names(cells)) for cells, _ in records):
                return replace(self, delimiter=delimiter)
        return replace(self, delimiter=frequent[0])

    def lines(self) -> Iterator[Line]:
        """Yield its lines, apostrophes before what looks like a formula taken off."""
        with self.text() as stream:
            for number, (cells, problem) in enumerate(_records(stream, self.delimiter), 1):
                if problem is OPEN_END and self.is_cut:
                    problem = CUT
                if not self.exact and "'" in "".join(cells):
                    cells = [unguarded(cell) if cell[:1] == "'" else cell for cell in cells]
                yield Line(number, cells, problem)

    def text(self, newline: str = "") -> io.TextIOWrapper:
        """Open its characters; `newline` as `open` takes it."""
        return io.TextIOWrapper(self.open(), self.encoding, self.errors, newline)


def _records(
    lines: Iterator[str], delimiter: str
) -> Iterator[tuple[list[str], tuple[str, str] | None]]:
    """Yield the records of a CSV, each with what is wrong with it."""
    again: list[str] = []  # lines that a broken record swallowed, the last one first
    taken: list[str] = []  # lines of the record that is being read

    def feed() -> Iterator[str]:
        while line := again.pop() if again else next(lines, ""):
            taken.append(line)
            yield line

    # A strict reader reports what stands after a closing quotation mark and a mark left open.
    reader = csv.reader(feed(), delimiter=delimiter, strict=True)
    while True:
        taken.clear()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            first, *rest = taken
            reader = csv.reader(feed(), delimiter=delimiter, strict=True)
            if not rest and "expected after" in str(error):
                # Within one line a mark amid a cell swallows nothing.
                yield next(csv.reader([first], delimiter=delimiter)), None
                continue
            again.extend(reversed(rest))
            is_last = not rest and not first.endswith(("\n", "\r"))
            yield [first.rstrip("\r\n")], CUT if is_last else BROKEN
            continue
        yield cells, None if taken[-1].endswith(("\n", "\r")) else OPEN_END


def decode(path: Path, opener: Callable[[], IO[bytes]], encodings: Sequence[str]) -> list[CsvFile]:
    """Return the ways in which a file can be read as text, the likeliest first. `encodings` are
    what it may be in where it is neither UTF-8 nor UTF-16. Raise InputError if it is in none of
    them."""
    with opener() as stream:
        head = stream.read(4096)
    # In a release of memeloc's nothing guards a text.
    is_of_release = any((folder / "release.json").is_file() for folder in path.parents[:2])
    file = CsvFile(path, opener, exact=is_of_release)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return [replace(file, encoding="utf-16", errors="replace")]
    problem = _problem(opener, "utf-8", "surrogatepass")
    if head.count(0) > len(head) // 8 or (b"\x00" in head and problem is not None):
        for order, encoding in enumerate(("utf-16-le", "utf-16-be")):
            if b"\x00" in head[1 - order :: 2] and b"\x00" not in head[order::2]:
                return [replace(file, encoding=encoding, errors="replace")]
        raise InputError("is no table: CSV, xlsx, ods, JSON Lines and Parquet are read", file=path)
    if problem is None:
        return [file]
    line, error = problem
    as_bytes = replace(file, errors="backslashreplace")
    if "end of data" in error.reason:
        return [replace(as_bytes, is_cut=True)]
    if not encodings:
        raise InputError(
            f"is not in UTF-8: line {line} has the byte 0x{error.object[error.start]:02X}, as "
            "files in Windows-1252, Windows-1256 and the like have; save it as “CSV UTF-8” (Excel) "
            "or choose Unicode (UTF-8) as the character set (LibreOffice)",
            file=path,
        )
    possible = [encoding for encoding in encodings if _problem(opener, encoding) is None]
    note = "It is not in UTF-8; it was read as {}."
    strict = replace(file, errors="strict")
    read = [replace(strict, encoding=name, note=note.format(name)) for name in possible]
    return [*read, replace(as_bytes, note=MIXED)]


def _problem(
    opener: Callable[[], IO[bytes]], encoding: str, errors: str = "strict"
) -> tuple[int, UnicodeDecodeError] | None:
    """Return the line in which a file is not in an encoding, and why; None when it is."""
    with opener() as stream:
        for number, line in enumerate(stream, 1):
            try:
                line.decode(encoding, errors)
            except UnicodeDecodeError as error:
                return number, error
    return None
