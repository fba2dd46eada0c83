"""Rows and tables. In: lines of a file, whatever its format. Out: rows that know their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.tables.cells import Formula, clean_text, text_of

BROKEN = (
    "broken row",
    "A quotation mark is not closed in this row; close it and import again. The rows after it "
    "were read.",
)
CUT = ("cut off", "The file ends in the midst of this row; get it again, whole.")
OPEN_END = ("", "")
"""Of a line that ends without a line's end; it is cut off when cells are missing."""


class Line(NamedTuple):
    """One line of a table as a format's reader gives it.

    Attributes:
        number: as spreadsheets count; in JSON Lines the line's.
        cells: what was read of it.
        problem: reason and sentence when it cannot be read, or `OPEN_END`.
    """

    number: int
    cells: list[Any]
    problem: tuple[str, str] | None = None


class Header:
    """The names of columns and where each stands.

    Attributes:
        names: without white space around them.
        positions: of each name, as it is and in lower case; of the first where a name is doubled.
    """

    __slots__ = ("names", "positions")

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.positions: dict[str, int] = {}
        for names in (self.names, [name.casefold() for name in self.names]):
            for position, name in enumerate(names):
                if name:
                    self.positions.setdefault(name, position)


class Row:
    """One row of a table; `row["name"]` is a cell's text.

    Attributes:
        number: as the user counts: a spreadsheet's first row is 1, in JSON Lines the line's number.
        cells: the values in the order of the columns, as the file holds them: text from CSV, also
            numbers, truth values, dates, formulas and None from others. Fewer or more than the
            columns where the file has it so.
        header: the columns under which it stands.
        reason: a short key when the row cannot be trusted: "broken row", "cut off"; or empty.
        error: the sentence for that; a broken row's only cell is its raw text.
    """

    __slots__ = ("cells", "error", "header", "number", "reason")

    def __init__(
        self, number: int, cells: list[Any], header: Header, reason: str = "", error: str = ""
    ) -> None:
        self.number = number
        self.cells = cells
        self.header = header
        self.reason = reason
        self.error = error

    def value(self, column: str) -> Any:
        """A cell as the file holds it; None where there is no such cell or column."""
        position = self.header.positions.get(column)
        if position is None or position >= len(self.cells):
            return None
        return self.cells[position]

    def __getitem__(self, column: str) -> str:
        """A cell as the text that was typed, see `text_of`; empty where there is none.

        A name in lower case finds its column however the file writes it.
        """
        value = self.value(column)
        return clean_text(value) if type(value) is str else text_of(value)

    def __contains__(self, column: object) -> bool:
        """Whether the table has such a column."""
        return column in self.header.positions

    @property
    def texts(self) -> dict[str, str]:
        """All that stands in the row, by column; "column 4" where there is no name."""
        names = self.header.names
        return {
            (names[place] if place < len(names) and names[place] else f"column {place + 1}"): text
            for place, cell in enumerate(self.cells)
            if (text := cell.text if isinstance(cell, Formula) else text_of(cell))
        }

    @property
    def formulas(self) -> tuple[str, ...]:
        """The columns whose cell computes its value."""
        names = self.header.names
        return tuple(
            names[place] if place < len(names) else f"column {place + 1}"
            for place, cell in enumerate(self.cells)
            if isinstance(cell, Formula)
        )

    def __repr__(self) -> str:
        return f"Row({self.number}, {self.cells!r}, {self.reason!r})"


IsHeader = Callable[[Sequence[str]], bool]
"""Whether the texts of a row are the headings that are looked for."""


@dataclass(frozen=True, slots=True)
class Table:
    """An open table.

    Attributes:
        path: the file.
        columns: the names of its columns, without white space around them.
        place: what it is called in sentences: "the file", or the worksheet with its name.
        note: what was odd about the file, such as another encoding; or empty.
    """

    path: Path
    columns: tuple[str, ...]
    place: str = "the file"
    note: str = ""
    _read: Callable[[], Iterator[Line]] = field(default=lambda: iter(()), repr=False)
    _header_row: int = 0
    _is_header: IsHeader | None = field(default=None, repr=False)

    @property
    def rows(self) -> Iterator[Row]:
        """The rows under the header, read anew at each use; blank ones are counted and left out.

        Where the headings stand again, in whatever order, the rows after them have a header of
        their own: that is how people put tables under one another.
        """
        header, is_header = Header(self.columns), self._is_header
        for number, cells, problem in self._read():
            if number <= self._header_row:
                continue
            if problem is not None and (problem is not OPEN_END or len(cells) < len(header.names)):
                yield Row(number, cells, header, *(CUT if problem is OPEN_END else problem))
                continue
            if is_header is not None and cells:
                first = cells[0]
                if type(first) is str and first.strip().casefold() in header.positions:
                    names = header_names(cells)
                    if is_header(names):
                        header = Header(names)
                        continue
            if len(cells) > len(header.names):
                cells = without_blank_end(cells, len(header.names))
            elif not any(cells) and all(cell is None or cell == "" for cell in cells):
                continue
            yield Row(number, cells, header)

    @property
    def above(self) -> Iterator[Row]:
        """What stands over the headings: notes, or rows that were sorted before them."""
        for number, cells, _ in self._read():
            if number >= self._header_row:
                return
            if any(cells):
                yield Row(number, cells, Header(()))


def header_names(cells: Sequence[Any]) -> list[str]:
    """The names of columns in a header's cells."""
    return [text_of(cell) for cell in without_blank_end(list(cells))]


def without_blank_end(cells: list[Any], least: int = 0) -> list[Any]:
    """Without the empty cells that spreadsheets leave at a row's end, beyond the `least` first."""
    while len(cells) > least and (cells[-1] is None or cells[-1] == ""):
        cells.pop()
    return cells
