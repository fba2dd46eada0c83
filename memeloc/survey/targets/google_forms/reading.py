"""Tables of Google Forms. In: its CSV, the zip of it, or the linked spreadsheet. Out: raw answers.

Columns are found by their titles, in any order; the sheet by its id in a title, in a column, in the
file's name, or by which sheet alone has such titles.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import groupby
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.google_forms.forms import Forms, SheetForm, forms_of
from memeloc.survey.targets.google_forms.times import looks_like_time, read_column
from memeloc.survey.targets.places import folded
from memeloc.survey.targets.protocol import RawRecord, SurveyPack
from memeloc.survey.targets.resolver import clean_id
from memeloc.tables import Formula, Row, Table, read_tables, text_of

ENCODINGS = (
    "cp1252", "cp1256", "cp1251", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258", "cp1250",
    "cp874", "gb18030", "big5hkscs", "cp932", "cp949",
)  # fmt: skip
"""What spreadsheets save in where they do not save UTF-8 or UTF-16."""
_NUMBERED = re.compile(r"^\W*(\d+)\. \S")
_ID = re.compile(r"[a-z0-9-]+")
_AGAIN = re.compile(r"(?:\.\d+| \(\d+\)|_\d+)$")
"""What programs put behind a title that is there twice."""
_SAMPLE = 200


def recognises(path: Path) -> bool:
    """Whether a file is a table with numbered questions."""
    try:
        return any(
            _numbered(table.columns) > 1
            for table in read_tables(path, is_header=_is_header, encodings=("cp1252",))
        )
    except InputError:
        return False


def read(path: Path, pack: SurveyPack, zone: tzinfo) -> Iterator[RawRecord]:
    """The responses of all tables of a file.

    Args:
        path: the file.
        pack: the survey.
        zone: of timestamps that name none.

    Raises:
        InputError: it cannot be read, or has no row with a form's titles.
    """
    forms, found = forms_of(pack), False

    def titled(table: Table) -> int:
        return sum(_title(folded(name), forms.titles) is not None for name in table.columns)

    for table in read_tables(path, is_header=_is_header, encodings=ENCODINGS, score=titled):
        found = True
        if table.note:
            yield RejectedRow("", 1, "encoding", table.note)
        for row in table.above:
            message = "It stands under no row with a form's titles."
            yield RejectedRow("", row.number, "no headings", message, row.texts)
        for header, rows in groupby(table.rows, key=lambda row: row.header):
            yield from _Part(path, forms, header.names, list(rows), zone).records()
    if not found:
        raise InputError("has no titles of this survey's forms", file=path)


def _is_header(texts: Sequence[str]) -> bool:
    return _numbered(texts) > 0


def _numbered(texts: Sequence[str]) -> int:
    """How many questions in a row, from 1, a header has."""
    numbers = {int(match[1][:6]) for text in texts if (match := _NUMBERED.match(text.strip()))}
    count = 0
    while count + 1 in numbers:
        count += 1
    return count


def _title(cell: str, titles: frozenset[str] | Mapping[str, str]) -> str | None:
    """The title that a header's cell is, also with what programs put behind doubled ones."""
    if cell in titles:
        return cell
    short = _AGAIN.sub("", cell)
    return short if short in titles else None


class _Part:
    """Rows under one row of titles."""

    def __init__(
        self,
        path: Path,
        forms: Forms,
        names: Sequence[str],
        rows: Sequence[Row],
        zone: tzinfo,
    ) -> None:
        self.path, self.forms, self.names, self.zone = path, forms, names, zone
        self.titles = [folded(name) for name in names]
        self.broken = [row for row in rows if row.reason]
        self.rows = [row for row in rows if not row.reason]
        self.cells = [[text_of(cell) for cell in row.cells] for row in self.rows]

    def records(self) -> Iterator[RawRecord]:
        for row in self.broken:
            yield RejectedRow("", row.number, row.reason, row.error, row.texts)
        column = self._sheet_column()
        whole = self._sheet_of_file() if column is None else None
        if column is None and whole is None:
            message = (
                "No title, column or file name says which sheet it is of: call the file as the "
                "sheet is called, such as r1-b03-DE.csv."
            )
            for row in self.rows:
                yield RejectedRow("", row.number, "unknown sheet", message, row.texts)
            return
        times = self._time_column()
        moments: Sequence[datetime | None] = (None,) * len(self.rows)
        if times is not None:
            moments = yield from self._moments(times)
        for row, cells, moment in zip(self.rows, self.cells, moments, strict=True):
            form = whole
            if column is not None:
                form = self.forms.get(cells[column] if column < len(cells) else "")
            if form is None:
                message = "Its sheet is not one of this survey's."
                yield RejectedRow("", row.number, "unknown sheet", message, row.texts)
                continue
            texts = yield from self._texts(form, row, cells, {column, times})
            if len({clean_id(text) for text in texts.get("participant", ())}) > 1:
                message = "Two columns name different participants; leave the right one."
                content = form.content(texts)
                yield RejectedRow("", row.number, "participants differ", message, content)
                continue
            yield form.submission(texts, row.number, moment)

    def _column(self, place: int) -> list[str]:
        """What stands in a column."""
        return [cells[place] if place < len(cells) else "" for cells in self.cells]

    def _other_columns(self) -> Iterator[int]:
        """The columns whose title is not a question's."""
        for place, title in enumerate(self.titles):
            if _title(title, self.forms.titles) is None:
                yield place

    def _sheet_column(self) -> int | None:
        """The column in which each row names its sheet."""
        for place in self._other_columns():
            values = {text for text in self._column(place) if text}
            if any(self.forms.get(value) for value in values) and all(
                _ID.fullmatch(value.casefold()) for value in values
            ):
                return place
        return None

    def _sheet_of_file(self) -> SheetForm | None:
        """The sheet that a title or the file's name has in it, or that alone has such titles."""
        for name in (*self.titles, folded(self.path.stem)):
            ids = [sheet for part in _ID.findall(name) if (sheet := self.forms.by_name.get(part))]
            if ids:
                return self.forms.get(max(ids, key=len))
        scores = [
            (sum(_title(title, form.titles) is not None for title in self.titles), form)
            for form in self.forms
        ]
        best = max((score for score, _ in scores), default=0)
        alone = [form for score, form in scores if score == best]
        return alone[0] if best >= 2 and len(alone) == 1 else None

    def _time_column(self) -> int | None:
        """The column of timestamps: that with the most of them, more than half of what it has."""
        counts = {}
        for place in self._other_columns():
            some = [text for text in self._column(place) if text][:_SAMPLE]
            count = sum(map(looks_like_time, some))
            if count * 2 > len(some):
                counts[place] = count
        return max(counts, key=lambda place: counts[place]) if counts else None

    def _moments(self, place: int) -> Generator[RejectedRow, None, Sequence[datetime | None]]:
        """The moments of a column, returned; those that cannot be read are rejected."""
        cells = self._column(place)
        column = read_column(cells, self.zone)
        for number in column.doubtful:
            text, reason = cells[number], "unknown time"
            message = f"The timestamp {text[:40]!r} cannot be read; the answers come without it."
            if column.order == "unknown" and looks_like_time(text):
                reason = "ambiguous time"
                message = (
                    f"The timestamp {text[:40]!r} does not tell day and month apart, and no other "
                    "row does: export the table with another locale. The answers come without it."
                )
            yield RejectedRow("", self.rows[number].number, reason, message, {"time": text})
        return column.moments

    def _texts(
        self, form: SheetForm, row: Row, cells: Sequence[str], skipped: set[int | None]
    ) -> Generator[RejectedRow, None, dict[str, list[str]]]:
        """A row's texts by the questions' keys, returned; what belongs to none is rejected."""
        texts: dict[str, list[str]] = {}
        for place, text in enumerate(cells):
            if place in skipped:
                continue
            name = self.names[place] if place < len(self.names) else ""
            content: dict[str, Any] = {"column": name or place + 1, "text": text}
            cell = row.cells[place]
            if isinstance(cell, Formula):
                message = "A formula stands where an answer should be."
                content["text"] = cell.text
                yield RejectedRow("", row.number, "formula", message, content)
                continue
            if not text:
                continue
            if place >= len(self.names):
                message = "The row has more cells than the table has titles."
                yield RejectedRow("", row.number, "no title", message, content)
                continue
            key = form.titles.get(_title(self.titles[place], form.titles) or "")
            if key is None and _title(self.titles[place], self.forms.participants) is not None:
                key = "participant"  # tables of several sheets, put together, have one's title
            if key is None:
                message = f"The form has no question {name[:80]!r}."
                yield RejectedRow("", row.number, "unknown column", message, content)
                continue
            before = texts.setdefault(key, [])
            if any(folded(other) == folded(text) for other in before):
                continue
            if before:
                message = f"Two columns {name[:80]!r} say different things."
                content = {"sheet": form.sheet.id, "texts": [*before, text]}
                yield RejectedRow("", row.number, "columns differ", message, content)
            before.append(text)
        return texts
