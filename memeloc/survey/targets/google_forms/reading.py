"""Tables of Google Forms. In: its CSV, the zip of it, or the linked spreadsheet. Out: raw answers.

Columns are found by their titles, in any order; the sheet by its id in a title, in a column, in the
file's name, or by which sheet alone has such titles.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from datetime import tzinfo
from itertools import groupby
from pathlib import Path

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.files import starts_as_json
from memeloc.survey.targets.google_forms.forms import Forms, SheetForm, forms_of
from memeloc.survey.targets.places import clean_id
from memeloc.survey.targets.protocol import RawRecord, SurveyPack
from memeloc.survey.targets.time_columns import looks_like_time, read_column
from memeloc.tables import Formula, Row, Table, folded, read_tables, text_of

ENCODINGS = (
    "cp1252", "cp1256", "cp1251", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258", "cp1250",
    "cp874", "gb18030", "big5hkscs", "cp932", "cp949",
)  # fmt: skip
"""What spreadsheets save in where they do not save UTF-8 or UTF-16."""
_NUMBERED = re.compile(r"\W*(\d{1,6})\. \S")
_ID = re.compile(r"[a-z0-9-]+")
_AGAIN = re.compile(r"(?:\.\d+| \(\d+\)|_\d+)$")
"""What programs put behind a title that is there twice."""
_SAMPLE = 200


def recognises(path: Path) -> bool:
    """Whether a file is the API's list of responses, or a table with numbered questions."""
    tables = read_tables(path, is_header=_is_header, encodings=("cp1252",))
    try:
        return starts_as_json(path, '"responseId"') or any(
            _numbers(table.columns) >= {1, 2} for table in tables
        )
    except InputError:
        return False


def read(path: Path, pack: SurveyPack, zone: tzinfo) -> Iterator[RawRecord]:
    """The responses of all tables of a file; `zone` is that of timestamps that name none.

    Raises:
        InputError: it cannot be read, or has no row with a form's titles.
    """
    forms, table = forms_of(pack), None

    def titled(table: Table) -> int:
        return sum(_title(name, forms.titles) != "" for name in table.columns)

    for table in read_tables(path, is_header=_is_header, encodings=ENCODINGS, score=titled):
        if table.note:
            yield RejectedRow("", 1, "encoding", table.note)
        for row in table.above:
            message = "It stands under no row with a form's titles."
            yield RejectedRow("", row.number, "no headings", message, row.texts)
        for header, rows in groupby(table.rows, key=lambda row: row.header):
            yield from _Part(path, forms, header.names, zone).records(list(rows))
    if table is None:
        raise InputError("has no titles of this survey's forms", file=path)


def _is_header(texts: Sequence[str]) -> bool:
    return 1 in _numbers(texts)


def _numbers(texts: Sequence[str]) -> set[int]:
    return {int(match[1]) for text in texts if (match := _NUMBERED.match(text))}


def _title(name: str, titles: Collection[str]) -> str:
    """The title that a column's name is, also with what programs put behind doubled ones."""
    whole = folded(name)
    return next((title for title in (whole, _AGAIN.sub("", whole)) if title in titles), "")


def _are_times(column: Sequence[str]) -> bool:
    sample = [text for text in column if text][:_SAMPLE]
    return sum(map(looks_like_time, sample)) * 2 > len(sample)


class _Part:
    """The rows under one row of titles."""

    def __init__(self, path: Path, forms: Forms, names: Sequence[str], zone: tzinfo) -> None:
        self.path, self.forms, self.names, self.zone = path, forms, names, zone
        self.titles = [_title(name, forms.titles) for name in names]
        self.others = [place for place, title in enumerate(self.titles) if not title]

    def records(self, rows: Sequence[Row]) -> Iterator[RawRecord]:
        for row in rows:
            if row.reason:
                yield RejectedRow("", row.number, row.reason, row.error, row.texts)
        rows = [row for row in rows if not row.reason]
        cells = [
            {
                place: text
                for place, cell in enumerate(row.cells)
                if cell != "" and ((text := text_of(cell)) or isinstance(cell, Formula))
            }
            for row in rows
        ]
        columns = {place: [texts.get(place, "") for texts in cells] for place in self.others}
        ids = self.forms.sheets.keys()
        sheets = next((place for place, column in columns.items() if ids & set(column)), None)
        time_column = next((place for place, column in columns.items() if _are_times(column)), None)
        whole = self._sheet_of_file() if sheets is None else None
        timestamps = columns[time_column] if time_column is not None else [""] * len(rows)
        times = read_column(timestamps, self.zone)
        for number, (row, timestamp, moment) in enumerate(
            zip(rows, timestamps, times, strict=True)
        ):
            form = whole if sheets is None else self.forms.sheets.get(columns[sheets][number])
            if form is None:
                message = (
                    "No title, column or file name says which of the survey's sheets it is of: "
                    "call the file as the sheet is called, such as r1-b03-DE.csv."
                )
                yield RejectedRow("", row.number, "unknown sheet", message, row.texts)
                continue
            texts = yield from self._texts(form, row, cells[number], {sheets, time_column})
            if len({clean_id(text) for text in texts.get("participant", ())}) > 1:
                message = "Two columns name different participants; leave the right one."
                content = form.content(texts)
                yield RejectedRow("", row.number, "participants differ", message, content)
                continue
            if moment is None and looks_like_time(timestamp):
                message = (
                    f"The timestamp {timestamp[:40]!r} may be read in two ways (which number is "
                    "the day?), and no other row decides: export the table with another locale. "
                    "The answers come without it."
                )
                yield RejectedRow("", row.number, "ambiguous time", message, {"time": timestamp})
                timestamp = ""
            yield form.submission(texts, row.number, moment or timestamp)

    def _sheet_of_file(self) -> SheetForm | None:
        """The sheet that a title or the file's name has in it, or that alone has such titles."""
        ids = self.forms.folded_ids
        for name in (*self.names, self.path.stem):
            if named := ids.keys() & set(_ID.findall(folded(name))):
                return ids[max(named, key=len)]
        scores = [(len(form.titles.keys() & {*self.titles}), form) for form in ids.values()]
        best = max(score for score, _ in scores)
        alone = [form for score, form in scores if score == best]
        return alone[0] if best >= 2 and len(alone) == 1 else None

    def _texts(
        self, form: SheetForm, row: Row, cells: Mapping[int, str], skipped: set[int | None]
    ) -> Generator[RejectedRow, None, dict[str, list[str]]]:
        """A row's texts by the questions' keys, returned; what belongs to none is rejected."""
        texts: dict[str, list[str]] = {}
        for place, text in cells.items():
            if place in skipped:
                continue
            name, key = f"column {place + 1}", None
            if place < len(self.names):
                name, title = self.names[place], self.titles[place]
                key = form.titles.get(title)
                if title in self.forms.participants:
                    key = "participant"  # tables of several sheets, put together, have one's title
            reason, cell = "", row.cells[place]
            if isinstance(cell, Formula):
                reason, text = "formula", cell.text
                message = "A formula stands where an answer should be."
            elif place >= len(self.names):
                reason, message = "no title", "The row has more cells than the table has titles."
            elif key is None:
                reason, message = "unknown column", f"The form has no question {name[:80]!r}."
            if key is None or reason:
                content = {"column": name, "text": text}
                yield RejectedRow("", row.number, reason, message, content)
                continue
            before = texts.setdefault(key, [])
            if any(folded(other) == folded(text) for other in before):
                continue
            if before:
                message = f"Two columns {name[:80]!r} say different things."
                differing = {"sheet": form.sheet.id, "texts": [*before, text]}
                yield RejectedRow("", row.number, "columns differ", message, differing)
            before.append(text)
        return texts
