"""Rows of tables that were filled in. In: a CSV, xlsx or ods. Out: its rows, or why they are none.

Columns are found by their headings, in whatever order; a table may have several rows of headings.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import compress, islice
from pathlib import Path
from typing import NamedTuple

from memeloc.errors import InputError
from memeloc.spreadsheets import Cell, Formula, clean_text, read_head, read_tables, text_of
from memeloc.spreadsheets import unguarded as without_apostrophe
from memeloc.spreadsheets.csv_file import is_text
from memeloc.survey.targets.broken_rows import CUT, SWALLOWED, file_ends_open, swallowed
from memeloc.survey.targets.csv.export import COLUMNS, CONSENT
from memeloc.survey.targets.placing import Places
from memeloc.survey.targets.protocol import SurveyPack

_NEEDED = frozenset({"item", "participant", "answer"})
KNOWN = ("item", "participant", "answer", "sheet", "second answer", "submitted")
_HEADINGS = frozenset({*COLUMNS, *KNOWN})
_HEADINGS_WITHIN = 20
_ITEM = r"\bi[0-9a-f]{12}\b"
_NO_HEADINGS = (
    "no headings",
    "It stands under no row of headings with item, participant and answer.",
)
_DIFFER = ("columns differ", "Two columns of the same name say different things; keep one.")
_NOT_SENT = ("unknown column", "There are no such columns in what was sent out.")
_LEGACY = {
    "ar": "cp1256", "fa": "cp1256", "ur": "cp1256", "he": "cp1255", "el": "cp1253",
    "tr": "cp1254", "ru": "cp1251", "uk": "cp1251", "bg": "cp1251", "sr": "cp1251",
    "pl": "cp1250", "cs": "cp1250", "hu": "cp1250", "ro": "cp1250", "hr": "cp1250",
    "vi": "cp1258", "th": "cp874", "ja": "cp932", "ko": "cp949", "zh": "gb18030",
}  # fmt: skip
"""What Excel saves plain CSV in, by language, where it is not Windows-1252."""


_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_Line = tuple[int, Sequence[Cell]]


class Row(NamedTuple):
    """A row's number, what it holds of `KNOWN`, and which of that a formula computes."""

    number: int
    item: str
    participant: str
    answer: str
    sheet: str
    second: str
    submitted: str
    formulas: tuple[str, ...]

    @property
    def given(self) -> bool:
        """Whether somebody wrote into it."""
        return bool(self.answer or self.participant or self.second or self.submitted)


class Left(NamedTuple):
    """What cannot be placed, wherever it stands, and why."""

    number: int
    reason: str
    message: str
    content: dict[str, str]


class _Words(dict[Cell, str]):
    """The cells of a CSV as they are meant. Each text is kept once: most are there very often."""

    def __missing__(self, cell: Cell) -> str:
        found = self[cell] = clean_text(without_apostrophe(str(cell)))
        return found


def has_headings(path: Path) -> bool:
    """Whether some table of a file has the headings that answers need."""
    try:
        head = read_head(path)
        return any(
            {text_of(cell).casefold() for cell in cells} >= _NEEDED
            for lines in (_sheets(path) if _is_workbook(head) else [_lines(path, _utf(head))])
            for _, cells in islice(lines, _HEADINGS_WITHIN)
        )
    except InputError:
        return False
    except UnicodeDecodeError:
        first = head.decode("latin-1").casefold().split("\n", 1)[0]
        return all(name in first for name in _NEEDED)


def all_rows(path: Path, pack: SurveyPack) -> Iterator[Row | Left | None]:
    """The rows of all tables of a file, none of them kept; None where a table's headings stand."""
    head = read_head(path)
    if _is_workbook(head):
        for lines in _sheets(path):
            yield from _rows(lines, _typed)
    else:
        lines = _lines(path, *_encoding(path, head, pack))
        if file_ends_open(path):
            lines = _last_below_zero(lines)
        yield from _rows(lines, _Words().__getitem__)


def _is_workbook(head: bytes) -> bool:
    return head.startswith(b"PK") or not is_text(head)


def _sheets(path: Path) -> Iterator[Iterator[_Line]]:
    for _, lines in read_tables(path):
        yield iter(lines)


def _last_below_zero(lines: Iterator[_Line]) -> Iterator[_Line]:
    """The lines, the number of the last one below zero: it may be cut off."""
    before: _Line | None = None
    for line in lines:
        if before is not None:
            yield before
        before = line
    if before is not None:
        yield -before[0], before[1]


def _lines(path: Path, encoding: str, errors: str = "strict") -> Iterator[_Line]:
    """The records of a CSV, one by one: a large one is never in memory as a whole.

    Raises:
        InputError: it is no CSV.
        UnicodeDecodeError: it is in another encoding.
    """
    limit = csv.field_size_limit(path.stat().st_size + 1)
    try:
        with path.open(encoding=encoding, errors=errors, newline="") as stream:
            first = stream.readline()
            stream.seek(0)
            yield from enumerate(csv.reader(stream, delimiter=max(",;\t", key=first.count)), 1)
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=path) from error
    finally:
        csv.field_size_limit(limit)


def _utf(head: bytes) -> str:
    return "utf-16" if head.startswith(_UTF_16) else "utf-8-sig"


def _encoding(path: Path, head: bytes, pack: SurveyPack) -> tuple[str, str]:
    """UTF-8 or UTF-16; else that of a sheet's language in which all answers can be read.

    Beside it stands what becomes of bytes that are in no encoding.

    Raises:
        InputError: there is none.
    """
    places = pack.places
    languages = dict.fromkeys(sheet.culture.locale.tag.split("-")[0] for sheet in pack.sheets)
    legacy = dict.fromkeys([*(_LEGACY.get(one, "cp1252") for one in languages), "cp1252"])
    encoding = _utf(head)
    try:
        with path.open(encoding=encoding) as stream:
            while stream.read(1 << 20):
                pass
        return encoding, "strict"
    except UnicodeDecodeError as error:
        if "end of data" in error.reason or "truncated" in error.reason:
            return encoding, "backslashreplace"  # It was cut off within a letter.
    for encoding in () if head.startswith((codecs.BOM_UTF8, *_UTF_16)) else legacy:
        with suppress(UnicodeDecodeError):
            rows = _rows(_lines(path, encoding), _Words().__getitem__)
            if all(_readable(row, places) for row in rows if isinstance(row, Row) and row.answer):
                return encoding, "strict"
    raise InputError(
        "is not in UTF-8: save it as “CSV UTF-8” (Excel) or choose Unicode (UTF-8) as the "
        "character set (LibreOffice)",
        file=path,
    )


def _readable(row: Row, places: Places) -> bool:
    """Whether a row's answer is a word of its sheet; a row of no sheet says nothing."""
    if row.item.casefold() == CONSENT:
        sheet = places.sheet(row.sheet)
        return sheet is None or places.consent(sheet, row.answer) is not None
    place = places.item(row.item, row.sheet)
    return place is None or places.label(place[0], row.answer) is not None


def _rows(lines: Iterator[_Line], text: Callable[[Cell], str]) -> Iterator[Row | Left | None]:
    """The rows under the headings; None at each row of headings.

    Args:
        lines: of a table.
        text: what a cell says.
    """
    places: list[int] = []
    others: list[tuple[int, str]] = []
    width = 0
    for number, cells in lines:
        if not places or _is_heading(cells, places, text):
            names = [text(cell).casefold() for cell in cells]
            if set(names) >= _NEEDED:
                places = [names.index(name) if name in names else -1 for name in KNOWN]
                others = _others(names)
                width = len(names)
                yield None
                continue
        if not places or number < 0 or any(type(cell) is str and "\n" in cell for cell in cells):
            why = _why(number, cells, width)
            if why is not None:
                if content := _content(cells, text):
                    yield Left(abs(number), *why, content)
                continue
        known = [cells[place] if -1 < place < len(cells) else "" for place in places]
        said = [text(cell) for cell in known]
        if others or len(cells) > width:
            further = _further(cells, others, width, said, text)
            if further is not None:
                yield Left(abs(number), *further)
                if further[0] == _DIFFER[0]:
                    continue
        if any(said):
            computed = [isinstance(cell, Formula) for cell in known]
            formulas = tuple(compress(KNOWN, computed)) if any(computed) else ()
            yield Row._make((abs(number), *said, formulas))


def _is_heading(cells: Sequence[Cell], places: Sequence[int], text: Callable[[Cell], str]) -> bool:
    """Whether a row may be a further one of headings: tables that were put under one another."""
    place = places[0]
    return place < len(cells) and text(cells[place]).casefold() in _HEADINGS


def _others(names: Sequence[str]) -> list[tuple[int, str]]:
    """Columns that were not sent out, and those that are there once more."""
    return [
        (place, name)
        for place, name in enumerate(names)
        if (name in KNOWN and names.index(name) != place) or name not in _HEADINGS
    ]


def _further(
    cells: Sequence[Cell],
    others: Sequence[tuple[int, str]],
    width: int,
    said: Sequence[str],
    text: Callable[[Cell], str],
) -> tuple[str, str, dict[str, str]] | None:
    """What stands in columns that are not taken, and why it is not."""
    beyond = [(place, "") for place in range(width, len(cells))]
    found = {}
    differ = False
    for place, name in (*others, *beyond):
        words = text(cells[place]) if place < len(cells) else ""
        if words and (name not in KNOWN or words != said[KNOWN.index(name)]):
            found[f"column {place + 1} {name}".strip()] = words
            differ = differ or name in KNOWN
    if differ:
        shown = {name: words for name, words in zip(KNOWN, said, strict=True) if words}
        return (*_DIFFER, shown | found)
    return (*_NOT_SENT, found) if found else None


def _why(number: int, cells: Sequence[Cell], width: int) -> tuple[str, str] | None:
    """Why a row cannot be believed; None when it can."""
    if not width:
        return _NO_HEADINGS
    if number < 0 and len(cells) < width:
        return CUT
    return SWALLOWED if swallowed([str(cell or "") for cell in cells], width, _ITEM) else None


def _content(cells: Sequence[Cell], text: Callable[[Cell], str]) -> dict[str, str]:
    return {
        f"column {place}": words for place, cell in enumerate(cells, 1) if (words := text(cell))
    }


def _typed(cell: Cell) -> str:
    """What was typed into a workbook's cell."""
    return cell.text if isinstance(cell, Formula) else clean_text(text_of(cell))
