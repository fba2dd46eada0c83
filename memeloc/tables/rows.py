"""Rows and tables. In: lines of a file, whatever its format. Out: rows that know their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from memeloc.errors import InputError
from memeloc.tables.cells import Formula, clean_text, shown_number, text_of, wrong_in

FRAME = Path("the data frame")
"""The name of a frame where errors name a file."""


@runtime_checkable
class Frame(Protocol):
    """A table in memory that offers itself through Arrow's PyCapsule interface. pandas 2.2, polars
    and pyarrow do so (arrow.apache.org, "The Arrow PyCapsule Interface")."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return its rows as a stream of Arrow."""


def frame_table(frame: Any) -> Table:
    """Return the table of a frame, its first row row 1; a named index of pandas is a column. Raise
    InputError if it is no frame, or two of its columns have one name."""
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


BROKEN = (
    "broken row",
    "A quotation mark is not closed in this row; close it and import again. The rows after it "
    "were read.",
)
CUT = ("cut off", "The file ends in the middle of this row; get it again, whole.")
OPEN_END = ("", "")
"""Of a line that ends without a line's end; it is cut off when cells are missing."""
STRUCK = "the text is struck through: delete it, or take the line through it away"

IsHeader = Callable[[Sequence[str]], bool]
"""Whether the texts of a row are the headings that are looked for."""


class Seen(NamedTuple):
    """The look of a cell, where that is not its value: the number format in which a number is shown
    (see `shown_number`), why what it shows is no text that somebody meant, as a sentence, and
    people's comments on it."""

    format: str = ""
    wrong: str = ""
    note: str = ""


class Line(NamedTuple):
    """One line of a table as a format's reader gives it, numbered as spreadsheets count. `problem`
    is reason and sentence when it cannot be read, or `OPEN_END`; `seen` has cells by their
    position."""

    number: int
    cells: list[Any]
    problem: tuple[str, str] | None = None
    seen: Mapping[int, Seen] = {}


PLAIN = Seen()


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """The names of columns, without white space around them, and where each stands. `positions` has
    each name, as it is and in lower case; the first where a name is doubled."""

    names: tuple[str, ...]
    positions: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for names in (self.names, [name.casefold() for name in self.names]):
            for position, name in enumerate(names):
                if name:
                    self.positions.setdefault(name, position)

    def name(self, position: int) -> str:
        """Return the name of a column; "column 4" where it has none."""
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
        seen: how cells look, by position, where that is not their value.
    """

    number: int
    cells: list[Any]
    header: Header
    reason: str = ""
    error: str = ""
    seen: Mapping[int, Seen] = field(default_factory=dict)

    def value(self, column: str) -> Any:
        """Return a cell as the file holds it; None where there is no such cell or column."""
        at = self.header.positions.get(column)
        return None if at is None or at >= len(self.cells) else self.cells[at]

    def __getitem__(self, column: str) -> str:
        """Return a cell as the text that was typed, see `text_of`; empty where there is none. A
        name in lower case finds its column however the file writes it."""
        cell = self.value(column)
        return clean_text(cell) if type(cell) is str else text_of(cell)

    def shown(self, column: str, language: str = "") -> str:
        """Return a cell as its program shows it, which is what a person typed: `50%`, `007`. What
        stands before decimals and between thousands is as `language` has it, where the cell's
        format does not say. See `problem` for cells that cannot be shown."""
        cell = self.value(column)
        if type(cell) is str:
            return clean_text(cell)
        if isinstance(cell, Formula):
            return cell.text
        form = self._seen(column).format
        if isinstance(cell, int | float) and not isinstance(cell, bool) and form:
            return shown_number(cell, form, language) or text_of(cell)
        return text_of(cell)

    def problem(self, column: str, *, is_text: bool = True) -> str:
        """Return why a cell that a person typed cannot be used; empty when it can. Where it
        `is_text`, what a spreadsheet made of it may have been meant otherwise."""
        cell, look = self.value(column), self._seen(column)
        problem = wrong_in(cell, is_text) or look.wrong * is_text
        if problem or not (isinstance(cell, int | float) and is_text and look.format):
            return problem
        if shown_number(cell, look.format) is not None:
            return ""
        return (
            f"the cell holds the number {text_of(cell)} in a form that cannot be read "
            f"({look.format}): put an apostrophe before the text"
        )

    def _seen(self, column: str) -> Seen:
        at = self.header.positions.get(column)
        return PLAIN if at is None else self.seen.get(at, PLAIN)

    @property
    def notes(self) -> list[str]:
        return [look.note for _, look in sorted(self.seen.items()) if look.note]

    def __contains__(self, column: object) -> bool:
        return column in self.header.positions

    @property
    def texts(self) -> dict[str, str]:
        """All that stands in the row, by column; see `Header.name`."""
        cells = ((cell.text if isinstance(cell, Formula) else text_of(cell)) for cell in self.cells)
        return {self.header.name(at): text for at, text in enumerate(cells) if text}

    @property
    def formulas(self) -> tuple[str, ...]:
        """The columns whose cell computes its value."""
        cells = enumerate(self.cells)
        return tuple(self.header.name(at) for at, cell in cells if isinstance(cell, Formula))


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
        their own: that is how people put tables under one another."""
        header = Header(self.columns)
        leaves_out = False  # whether the program leaves out the empty cells at a row's end
        for number, cells, problem, seen in self._read():
            if number <= self._header_row:
                continue
            is_short = len(cells) < len(header.names)
            is_cut = is_short and not leaves_out
            if problem is not None and (problem is not OPEN_END or is_cut):
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
            if _is_blank(first) and not seen and all(map(_is_blank, cells)):
                continue
            leaves_out = leaves_out or is_short
            yield Row(number, cells, header, seen=seen)

    def without_header(self, columns: Sequence[str]) -> Table:
        """Return a file whose first row is no header, its columns named so."""
        return replace(self, columns=tuple(columns), _header_row=0)

    @property
    def above(self) -> Iterator[Row]:
        """Yield what stands over the headings: notes, or rows that were sorted before them."""
        for number, cells, _, seen in self._read():
            if number >= self._header_row:
                return
            if any(cells):
                yield Row(number, cells, Header(()), seen=seen)


def _is_blank(cell: Any) -> bool:
    return cell is None or (type(cell) is str and not cell.strip())


def header_names(cells: Sequence[Any]) -> list[str]:
    """Return the names of columns in a header's cells."""
    return [text_of(cell) for cell in without_blank_end(list(cells))]


def without_blank_end(cells: list[Any], least: int = 0) -> list[Any]:
    """Take away the empty cells that spreadsheets leave at a row's end, beyond `least`."""
    while len(cells) > least and (cells[-1] is None or cells[-1] == ""):
        cells.pop()
    return cells
