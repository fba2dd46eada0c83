"""Rows and tables. In: lines of a file, whatever its format. Out: rows that know their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.tables.cells import Formula, clean_text, text_of

BROKEN = (
    "broken row",
    "A quotation mark is not closed in this row; close it and import again. The rows after it "
    "were read.",
)
CUT = ("cut off", "The file ends in the middle of this row; get it again, whole.")
OPEN_END = ("", "")
"""Of a line that ends without a line's end; it is cut off when cells are missing."""


class Line(NamedTuple):
    """One line of a table as a format's reader gives it, numbered as spreadsheets count.

    `problem` is reason and sentence when it cannot be read, or `OPEN_END`.
    """

    number: int
    cells: list[Any]
    problem: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """The names of columns, without white space around them, and where each stands.

    `positions` has each name, as it is and in lower case; the first where a name is doubled.
    """

    names: tuple[str, ...]
    positions: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for names in (self.names, [name.casefold() for name in self.names]):
            for position, name in enumerate(names):
                if name:
                    self.positions.setdefault(name, position)

    def name(self, position: int) -> str:
        """The name of a column; "column 4" where it has none."""
        name = self.names[position] if position < len(self.names) else ""
        return name or f"column {position + 1}"


@dataclass(slots=True, eq=False)
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

    number: int
    cells: list[Any]
    header: Header
    reason: str = ""
    error: str = ""

    def value(self, column: str) -> Any:
        """A cell as the file holds it; None where there is no such cell or column."""
        at = self.header.positions.get(column)
        return None if at is None or at >= len(self.cells) else self.cells[at]

    def __getitem__(self, column: str) -> str:
        """A cell as the text that was typed, see `text_of`; empty where there is none.

        A name in lower case finds its column however the file writes it.
        """
        cell = self.value(column)
        return clean_text(cell) if type(cell) is str else text_of(cell)

    def __contains__(self, column: object) -> bool:
        """Whether the table has such a column."""
        return column in self.header.positions

    @property
    def texts(self) -> dict[str, str]:
        """All that stands in the row, by column; see `Header.name`."""
        return {
            self.header.name(position): text
            for position, cell in enumerate(self.cells)
            if (text := cell.text if isinstance(cell, Formula) else text_of(cell))
        }

    @property
    def formulas(self) -> tuple[str, ...]:
        """The columns whose cell computes its value."""
        cells = enumerate(self.cells)
        return tuple(self.header.name(at) for at, cell in cells if isinstance(cell, Formula))


IsHeader = Callable[[Sequence[str]], bool]
"""Whether the texts of a row are the headings that are looked for."""


@dataclass(frozen=True, slots=True)
class Table:
    """An open table.

    Attributes:
        columns: their names, without white space around them.
        note: what was odd about the file, such as another encoding; or empty.
    """

    path: Path
    columns: tuple[str, ...]
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
        header = Header(self.columns)
        for number, cells, problem in self._read():
            if number <= self._header_row:
                continue
            if problem is not None and (problem is not OPEN_END or len(cells) < len(header.names)):
                yield Row(number, cells, header, *(CUT if problem is OPEN_END else problem))
                continue
            first = cells[0] if cells else None
            if self._is_header and type(first) is str:
                is_name = first.strip().casefold() in header.positions
                if is_name and self._is_header(names := header_names(cells)):
                    header = Header(tuple(names))
                    continue
            if len(cells) > len(header.names):
                cells = without_blank_end(cells, len(header.names))
            elif not any(cells) and all(cell is None or cell == "" for cell in cells):
                continue
            yield Row(number, cells, header)

    def without_header(self, columns: Sequence[str]) -> Table:
        """Return a file whose first row is no header, its columns named so."""
        return replace(self, columns=tuple(columns), _header_row=0)

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


def find_columns(headings: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """The headings of our columns in a file, by our name: the first heading of each.

    `names` has our names by heading, in lower case.

    >>> find_columns(["Meme ", "TEXT", "text"], {"meme": "key", "text": "text"})
    {'key': 'Meme ', 'text': 'TEXT'}
    """
    columns: dict[str, str] = {}
    for heading in headings:
        if name := names.get(" ".join(heading.casefold().split())):
            columns.setdefault(name, heading)
    return columns
