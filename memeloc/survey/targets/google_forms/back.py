"""Google Forms, the way back. In: its table or the API's responses. Out: submissions.

A table's columns are found by their titles, in any order; the sheet by its id in a title, in a
column, in the file's name, or by which sheet alone has such titles. Responses of the API name
questions by id, which say the sheet too. What cannot be placed is told and kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memeloc.errors import InputError
from memeloc.spreadsheets import read_head
from memeloc.survey.model import RejectedRow, Submission
from memeloc.survey.targets.broken_rows import CUT, SWALLOWED, swallowed
from memeloc.survey.targets.google_forms.answers import NAME, Known, Told, submission_of
from memeloc.survey.targets.google_forms.known import Forms
from memeloc.survey.targets.google_forms.push import made_forms
from memeloc.survey.targets.google_forms.responses import read_responses, responses
from memeloc.survey.targets.google_forms.table import Table, read_header, read_table
from memeloc.survey.targets.google_forms.times import looks_like_time, read_column
from memeloc.survey.targets.google_forms.words import plain
from memeloc.survey.targets.json_in import ascii_of
from memeloc.survey.targets.placing import once
from memeloc.survey.targets.protocol import Imported, SurveyPack

_NUMBERED = re.compile(r"^\W*(\d+)\. \S")
_ID = re.compile(r"[a-z0-9-]+")
_AGAIN = re.compile(r"(?:\.\d+| \(\d+\)|_\d+)$")
"""What programs put behind a title that is there twice."""
_SAMPLE = 200


def _zone(name: str) -> tzinfo:
    """A zone by its name.

    Raises:
        InputError: there is none.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        raise InputError(f"zone is such as Europe/Berlin, not {name[:60]!r}") from error


class GoogleFormsBack:
    """Reads what Google Forms gives out.

    Args:
        made: the state file of a push, where Google gave questions other ids than were asked for.
        zone: of timestamps that name none, such as `Europe/Berlin`; those of a CSV from Forms
            name it.
    """

    name = NAME

    def __init__(self, made: Path | str | None = None, zone: tzinfo | str = UTC) -> None:
        self.made = Path(made) if made else None
        self.zone = _zone(zone) if isinstance(zone, str) else zone

    def recognises(self, path: Path) -> bool:
        """Whether it is the API's list of responses, or a table with numbered questions."""
        try:
            head = ascii_of(read_head(path))
            if head[:1] in (b"{", b"["):
                return b'"responseId"' in head or any(
                    "responseId" in one for one in responses(path)
                )
            header = read_header(path, _numbered)
        except InputError:
            return False
        return _numbered(header) >= 2

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read at all.
        """
        forms = once(Forms, pack)
        if ascii_of(read_head(path))[:1] in (b"{", b"["):
            made = made_forms(self.made) if self.made else {}
            return read_responses(path, forms, made)
        return _TableReader(path, forms, self.zone).read()


def _numbered(header: Sequence[str]) -> int:
    """How many questions in a row, from 1, a header has."""
    numbers = {int(found[1][:6]) for cell in header if (found := _NUMBERED.match(cell.strip()))}
    count = 0
    while count + 1 in numbers:
        count += 1
    return count


class _TableReader:
    def __init__(self, path: Path, forms: Forms, zone: tzinfo) -> None:
        self.path, self.forms, self.zone = path, forms, zone
        self.told = Told(path.name)
        self.participants, self.titles = forms.participants, forms.titles
        self.found: dict[str, Submission] = {}

    def read(self) -> Imported:
        tables = read_table(self.path, self._score)
        several = len({table.name for table in tables}) > 1
        ours = [self._score(table.header) > 0 for table in tables]
        if not any(ours) and not any(table.rows for table in tables):
            raise InputError("has no titles of this survey's forms", file=self.path)
        if tables[0].note:
            self.told.say(1, "encoding", tables[0].note)
        for table, titled in zip(tables, ours, strict=True):
            if several:
                self.told.file = f"{self.path.name}, {table.name}"
            if titled or not any(ours):
                self._table(table)
                continue
            message = "It stands under no row with a form's titles."
            for number, cells in ((0, list(table.header)), *table.rows):
                self.told.say(number, "no headings", message, cells=cells)
        return Imported(tuple(self.found.values()), (), tuple(_once(self.told.rejected)))

    def _table(self, table: Table) -> None:
        header = [plain(cell) for cell in table.header]
        column = self._sheet_column(table)
        whole = None if column is not None else self._sheet_of_file(header)
        if column is None and whole is None:
            for number, cells in table.rows:
                message = (
                    "Which sheet it is of is said by no title, column or file name: call the file "
                    "as the sheet is called, such as r1-b03-DE.csv."
                )
                self.told.say(number, "unknown sheet", message, cells=cells)
            return
        times, moments = self._times(table, header)
        for place, (number, cells) in enumerate(table.rows):
            known = whole
            if column is not None:
                cell = cells[column] if column < len(cells) else ""
                known = self.forms.get(cell.strip())
            if known is None:
                message = "Its sheet is none of this survey's."
                self.told.say(number, "unknown sheet", message, cells=cells)
                continue
            if number == table.cut:
                self.told.say(number, *CUT, cells=cells)
                continue
            if "\n" in "".join(cells) and swallowed(cells, len(header)):
                self.told.say(number, *SWALLOWED, cells=cells)
                continue
            skipped = {one for one in (column, times) if one is not None}
            said = self._said(known, header, table, number, cells, skipped)
            one = submission_of(known, said, self.told, number, moments[place])
            if one is not None:
                self.found.setdefault(one.id, one)

    def _score(self, header: Sequence[str]) -> int:
        return sum(self._title(plain(cell), self.titles) is not None for cell in header)

    @staticmethod
    def _title(cell: str, titles: Mapping[str, str] | Set[str]) -> str | None:
        """The title that a header's cell is, also with what programs put behind doubled ones."""
        if cell in titles:
            return cell
        short = _AGAIN.sub("", cell)
        return short if short in titles else None

    def _sheet_column(self, table: Table) -> int | None:
        """The column whose cells are all ids of sheets."""
        for place, title in enumerate(table.header):
            if self._title(plain(title), self.titles) is not None:
                continue
            values = {
                cells[place].strip()
                for _, cells in table.rows
                if place < len(cells) and cells[place].strip()
            }
            if values and values & set(self.forms) and all(map(_like_sheet, values)):
                return place
        return None

    def _sheet_of_file(self, header: Sequence[str]) -> Known | None:
        for name in (*header, plain(self.path.stem)):
            named = _ID.findall(plain(name))
            found = [one for one in map(self.forms.by_name.get, named) if one is not None]
            if found:
                return self.forms[max(found, key=len)]
        scores = {
            sheet: sum(self._title(cell, known.titles) is not None for cell in header)
            for sheet, known in self.forms.items()
        }
        best = max(scores.values(), default=0)
        alone = [sheet for sheet, count in scores.items() if count == best]
        # One title more than another sheet is not much of a proof, but all of its own are.
        if best >= 2 and len(alone) == 1:
            return self.forms[alone[0]]
        return None

    def _times(
        self, table: Table, header: Sequence[str]
    ) -> tuple[int | None, tuple[datetime | None, ...]]:
        """The column of timestamps, and the rows' moments."""
        rows = [cells for _, cells in table.rows]
        best, place = 0, None
        for number, title in enumerate(header):
            if self._title(title, self.titles) is not None:
                continue
            some = [
                cells[number] for cells in rows if number < len(cells) and cells[number].strip()
            ]
            count = sum(map(looks_like_time, some[:_SAMPLE]))
            if count > best and count * 2 > len(some[:_SAMPLE]):
                best, place = count, number
        if place is None:
            return None, (None,) * len(rows)
        cells = [row[place] if place < len(row) else "" for row in rows]
        column = read_column(cells, self.zone)
        for number in column.doubtful:
            text = cells[number]
            message = (
                f"The timestamp {text[:40]!r} does not tell day and month apart, and no other row "
                "does: export the table with another locale. The answers are taken without it."
                if column.order == "unknown" and looks_like_time(text)
                else f"The timestamp {text[:40]!r} cannot be read; the answers come without it."
            )
            reason = "ambiguous time" if column.order == "unknown" else "unknown time"
            self.told.say(table.rows[number][0], reason, message, text=text)
        return place, column.moments

    def _said(
        self,
        known: Known,
        header: Sequence[str],
        table: Table,
        number: int,
        cells: Sequence[str],
        skipped: set[int],
    ) -> dict[str, list[str]]:
        """A row's texts by the questions' keys."""
        said: dict[str, list[str]] = {}
        for place, raw in enumerate(cells):
            text = raw.strip()
            if place in skipped:
                continue
            if (number, place) in table.formulas:
                message = "A formula stands where an answer should be."
                self.told.say(number, "formula", message, column=place + 1, text=text)
                continue
            if not text:
                continue
            if place >= len(header):
                message = "The row has more cells than the table has titles."
                self.told.say(number, "no title", message, column=place + 1, text=text)
                continue
            title = self._title(header[place], known.titles)
            key = known.titles[title] if title is not None else ""
            if not key and self._title(header[place], self.participants) is not None:
                # Tables of several sheets, put together, have the title of one of them.
                key = "participant"
            if not key:
                message = f"The form has no question {table.header[place][:80]!r}."
                self.told.say(
                    number, "unknown column", message, title=table.header[place], text=text
                )
                continue
            before = said.setdefault(key, [])
            if any(plain(one) == plain(text) for one in before):
                continue
            if before:
                message = f"Two columns {table.header[place][:80]!r} say different things."
                self.told.say(
                    number, "columns differ", message, sheet=known.sheet.id, texts=[*before, text]
                )
            before.append(text)
        return said


def _once(rejected: Sequence[RejectedRow]) -> Iterator[RejectedRow]:
    """What is told, in the rows' order."""
    yield from sorted(rejected, key=lambda one: one.row)


def _like_sheet(value: str) -> bool:
    return re.fullmatch(r"r\d+-b\d+-[A-Za-z]{2}|[A-Za-z0-9-]{1,80}", value) is not None
