"""Tables that were filled in. In: a CSV, xlsx or ods after `csv_sheets`. Out: submissions.

Columns are found by their headings, rows by their item: their order means nothing. A file may hold
the rows of several sheets and people. A row that is there twice counts once; two rows that answer
the same differently count as neither, and both are told.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from memeloc.errors import InputError
from memeloc.spreadsheets import Cell, Formula, Line, clean_text, read_head, read_tables, text_of
from memeloc.spreadsheets import unguarded as without_apostrophe
from memeloc.survey.csv_sheets import CONSENT
from memeloc.survey.nouns import Answer, Sheet, Submission, Unplaced, entry_id
from memeloc.survey.placing import Places, submission_id
from memeloc.survey.protocol import Imported, SurveyPack

_NEEDED = frozenset({"item", "participant", "answer"})
_KNOWN = (*sorted(_NEEDED), "sheet", "second answer", "submitted")
_HEADINGS_WITHIN = 20
_LEGACY = {
    "ar": "cp1256", "fa": "cp1256", "ur": "cp1256", "he": "cp1255", "el": "cp1253",
    "tr": "cp1254", "ru": "cp1251", "uk": "cp1251", "bg": "cp1251", "sr": "cp1251",
    "pl": "cp1250", "cs": "cp1250", "hu": "cp1250", "ro": "cp1250", "hr": "cp1250",
    "vi": "cp1258", "th": "cp874", "ja": "cp932", "ko": "cp949", "zh": "gb18030",
}  # fmt: skip
"""What Excel saves plain CSV in, by language, where it is not Windows-1252."""


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    values: dict[str, str]
    formulas: tuple[str, ...]

    def get(self, name: str) -> str:
        return self.values.get(name, "")


class CsvBack:
    """Reads what people filled into tables of `CsvSheets`."""

    name = "csv"

    def recognises(self, path: Path) -> bool:
        """Whether some table of the file has the headings that answers need."""
        try:
            return any(
                {text_of(cell).casefold() for cell in cells} >= _NEEDED
                for _, lines in read_tables(path)
                for _, cells in islice(lines, _HEADINGS_WITHIN)
            )
        except InputError:
            pass
        try:
            head = read_head(path).decode("latin-1").casefold()
        except InputError:
            return False
        return "\x00" not in head and all(name in head.split("\n", 1)[0] for name in _NEEDED)

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read at all, or has not the headings that are needed.
        """
        places = Places(pack)
        taken = _Taken(path.name, pack, places)
        found = False
        for lines in _tables(path, pack):
            for row in _rows(lines):
                found = True
                if row is not None:
                    taken.add(row)
        if not found:
            raise InputError(
                "has no row of headings with item, participant and answer among them; keep the "
                "first row of the sheet that was sent out",
                file=path,
            )
        return taken.result()


class _Taken:
    """Rows so far, by sheet and item."""

    def __init__(self, file: str, pack: SurveyPack, places: Places) -> None:
        self._file = file
        self._pack = pack
        self._places = places
        self._rows: dict[str, list[tuple[str, _Row]]] = defaultdict(list)
        self._left: list[Unplaced] = []

    def add(self, row: _Row) -> None:
        """Find a row's sheet and entry."""
        wanted = [name for name in ("item", "participant", "answer") if name in row.formulas]
        if wanted:
            self._leave(row, "formula", f"The {wanted[0]} is a formula; write it as a text.")
            return
        name = row.get("item")
        if name.casefold() == CONSENT:
            sheet = self._places.sheet(row.get("sheet"))
            if sheet is not None:
                self._rows[sheet.id].append((CONSENT, row))
            elif row.get("answer"):
                self._leave(row, "unknown sheet", f"There is no sheet {row.get('sheet')[:80]!r}.")
            return
        place = self._places.item(name, row.get("sheet"))
        if place is None:
            if row.get("answer") or row.get("participant"):
                self._leave(row, "unknown item", f"There is no item {name[:80]!r} in this survey.")
            return
        self._rows[place[0].id].append((entry_id(place[1]), row))

    def result(self) -> Imported:
        """All submissions, in the order of the survey's sheets and of people's names."""
        submissions = []
        for sheet in self._pack.sheets:
            for participant, rows in sorted(self._by_person(self._rows[sheet.id]).items()):
                submission = self._submission(sheet, participant, rows)
                if submission is not None:
                    submissions.append(submission)
        self._left.sort(key=lambda one: (one.row, one.reason))
        return Imported(tuple(submissions), (), tuple(self._left))

    def _by_person(self, rows: list[tuple[str, _Row]]) -> dict[str, list[tuple[str, _Row]]]:
        """Rows by participant. Whoever is the only one need not write it into every row."""
        people: dict[str, list[tuple[str, _Row]]] = defaultdict(list)
        for entry, row in rows:
            people[row.get("participant")].append((entry, row))
        nameless = people.pop("", [])
        if len(people) == 1:
            ((_, named),) = people.items()
            answered = {entry for entry, row in named if row.get("answer")}
            if not any(entry in answered and row.get("answer") for entry, row in nameless):
                named += nameless
                return people
        for _, row in nameless:
            if row.get("answer"):
                self._leave(row, "no participant", "It does not say who answered.")
        return people

    def _submission(
        self, sheet: Sheet, participant: str, rows: list[tuple[str, _Row]]
    ) -> Submission | None:
        agreed: set[bool] = set()
        asked = False
        answers: dict[str, list[tuple[Answer, _Row]]] = defaultdict(list)
        for entry, row in rows:
            if entry == CONSENT:
                asked = True
                words = row.get("answer")
                consented = self._places.consent(sheet, words)
                if consented is not None:
                    agreed.add(consented)
                elif words:
                    message = f"{words[:80]!r} neither agrees to take part nor declines."
                    self._leave(row, "unknown consent", message)
        declined = False in agreed
        unasked = asked and not agreed
        for entry, row in rows:
            if entry == CONSENT or not row.get("answer") or declined:
                continue
            if unasked:
                message = "The row that asks for consent is not answered, so nothing is taken."
                self._leave(row, "no consent", message)
                continue
            answer = self._answer(sheet, entry, row)
            if answer is not None:
                answers[entry].append((answer, row))
        settled: dict[str, Answer] = {}
        for entry, given in answers.items():
            if len({answer for answer, _ in given}) == 1:
                settled[entry] = given[0][0]
                continue
            for _, row in given:
                message = f"{participant[:80]} answered this item in two ways; keep one."
                self._leave(row, "two answers", message)
        if not settled and not declined:
            return None
        order = [entry_id(entry) for entry in sheet.entries]
        kept = tuple(settled[entry] for entry in order if entry in settled)
        moments = [moment for _, row in rows if (moment := _moment(row.get("submitted")))]
        said = [f"{one.entry}={one.label}/{','.join(one.second)}" for one in kept]
        complete = "complete" if len(kept) == len(order) else "returned"
        return Submission(
            id=submission_id(self._pack.name, sheet.id, participant, *said),
            sheet=sheet.id,
            participant=participant,
            answers=kept,
            source="csv",
            submitted=max(moments, default=None),
            started=min(moments, default=None) if len(set(moments)) > 1 else None,
            status="no consent" if declined else complete,
            row=min(row.number for _, row in rows),
        )

    def _answer(self, sheet: Sheet, entry: str, row: _Row) -> Answer | None:
        words = row.get("answer")
        label = self._places.label(sheet, words)
        if label is None:
            self._leave(row, "unknown label", f"{entry}: {words[:80]!r} is none of the labels.")
            return None
        second: list[str] = []
        for one in _split(row.get("second answer")):
            found = self._places.second(sheet, one)
            if found is None:
                message = f"{entry}: {one[:80]!r} is no answer to the second question."
                self._leave(row, "unknown second answer", message)
            elif found not in second:
                second.append(found)
        if "second answer" in row.formulas:
            self._leave(row, "formula", "The second answer is a formula; write it as a text.")
        return Answer(entry, label, tuple(sorted(second)))

    def _leave(self, row: _Row, reason: str, message: str) -> None:
        content = {name: value for name, value in row.values.items() if value}
        self._left.append(Unplaced(self._file, row.number, reason, message, content))


def _tables(path: Path, pack: SurveyPack) -> Iterator[Iterator[Line]]:
    try:
        for _, lines in read_tables(path):
            yield lines
    except InputError as error:
        if "UTF-8" not in str(error):
            raise
        lines_found = _legacy(path, pack)
        if lines_found is None:
            raise
        yield iter(lines_found)


def _legacy(path: Path, pack: SurveyPack) -> list[Line] | None:
    """A CSV in the encoding of a sheet's language in which all its answers can be read."""
    places, content = Places(pack), path.read_bytes()
    languages = dict.fromkeys(sheet.culture.locale.tag.split("-")[0] for sheet in pack.sheets)
    for encoding in dict.fromkeys([*(_LEGACY.get(one, "cp1252") for one in languages), "cp1252"]):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
        try:
            cells = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except csv.Error:
            continue
        lines: list[Line] = [
            (number, [without_apostrophe(cell) for cell in line])
            for number, line in enumerate(cells, 1)
        ]
        rows = [row for row in _rows(iter(lines)) if row is not None and row.get("answer")]
        if all(_readable(row, places) for row in rows):
            return lines
    return None


def _readable(row: _Row, places: Places) -> bool:
    """Whether a row's answer is a word of its sheet; a row of no sheet says nothing."""
    if row.get("item").casefold() == CONSENT:
        sheet = places.sheet(row.get("sheet"))
        return sheet is None or places.consent(sheet, row.get("answer")) is not None
    place = places.item(row.get("item"), row.get("sheet"))
    return place is None or places.label(place[0], row.get("answer")) is not None


def _rows(lines: Iterator[Line]) -> Iterator[_Row | None]:
    """The rows under the headings; None first when there are headings."""
    columns: dict[str, int] = {}
    for count, (number, cells) in enumerate(lines):
        if not columns:
            names = [text_of(cell).casefold() for cell in cells]
            if set(names) >= _NEEDED:
                columns = {name: names.index(name) for name in _KNOWN if name in names}
                yield None
            elif count >= _HEADINGS_WITHIN:
                return
            continue
        row = _row(number, cells, columns)
        # Sheets that were put under one another bring their headings with them.
        if any(row.values.values()) and row.get("item").casefold() != "item":
            yield row


def _row(number: int, cells: Sequence[Cell], columns: dict[str, int]) -> _Row:
    values, formulas = {}, []
    for name, place in columns.items():
        cell = cells[place] if place < len(cells) else None
        values[name] = clean_text(text_of(cell))
        if isinstance(cell, Formula):
            values[name] = cell.text
            formulas.append(name)
    return _Row(number, values, tuple(formulas))


def _split(words: str) -> list[str]:
    for mark in "|;\n":
        words = words.replace(mark, "|")
    return [one.strip() for one in words.split("|") if one.strip()]


def _moment(text: str) -> datetime | None:
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None
