"""Tables that were filled in. In: a CSV, xlsx or ods after `csv_sheets`. Out: submissions.

Columns are found by their headings, rows by their item: their order means nothing. A file may hold
the rows of several sheets and people. A row that is there twice counts once; two rows that answer
the same differently count as neither, and both are told.
"""

from __future__ import annotations

import codecs
import csv
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import compress, islice
from pathlib import Path
from typing import NamedTuple

from memeloc.errors import InputError
from memeloc.spreadsheets import Cell, Formula, clean_text, read_head, read_tables, text_of
from memeloc.spreadsheets import unguarded as without_apostrophe
from memeloc.spreadsheets.csv_file import is_text
from memeloc.survey.csv_sheets import CONSENT
from memeloc.survey.nouns import Answer, Sheet, Submission, Unplaced, entry_id
from memeloc.survey.placing import Places, submission_id
from memeloc.survey.protocol import Imported, SurveyPack

_NEEDED = frozenset({"item", "participant", "answer"})
_KNOWN = ("item", "participant", "answer", "sheet", "second answer", "submitted")
_HEADINGS_WITHIN = 20
_LEGACY = {
    "ar": "cp1256", "fa": "cp1256", "ur": "cp1256", "he": "cp1255", "el": "cp1253",
    "tr": "cp1254", "ru": "cp1251", "uk": "cp1251", "bg": "cp1251", "sr": "cp1251",
    "pl": "cp1250", "cs": "cp1250", "hu": "cp1250", "ro": "cp1250", "hr": "cp1250",
    "vi": "cp1258", "th": "cp874", "ja": "cp932", "ko": "cp949", "zh": "gb18030",
}  # fmt: skip
"""What Excel saves plain CSV in, by language, where it is not Windows-1252."""


_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_Line = tuple[int, Sequence[Cell]]


class _Row(NamedTuple):
    """A row's number, what it holds of `_KNOWN`, and which of that a formula computes."""

    number: int
    item: str
    participant: str
    answer: str
    sheet: str
    second: str
    submitted: str
    formulas: tuple[str, ...]


class _Words(dict[Cell, str]):
    """The cells of a CSV as they are meant. Each text is kept once: most are there very often."""

    def __missing__(self, cell: Cell) -> str:
        found = self[cell] = clean_text(without_apostrophe(str(cell)))
        return found


class CsvBack:
    """Reads what people filled into tables of `CsvSheets`."""

    name = "csv"

    def recognises(self, path: Path) -> bool:
        """Whether some table of the file has the headings that answers need."""
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

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read at all, or has not the headings that are needed.
        """
        taken = _Taken(path.name, pack, Places.of(pack))
        found = False
        for row in _all_rows(path, pack):
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
        name = row.item
        if name.casefold() == CONSENT:
            sheet = self._places.sheet(row.sheet)
            if sheet is not None:
                self._rows[sheet.id].append((CONSENT, row))
            elif row.answer:
                self._leave(row, "unknown sheet", f"There is no sheet {row.sheet[:80]!r}.")
            return
        place = self._places.item(name, row.sheet)
        if place is None:
            if row.answer or row.participant:
                self._leave(row, "unknown item", f"There is no item {name[:80]!r} in this survey.")
            return
        self._rows[place[0].id].append((entry_id(place[1]), row))

    def result(self) -> Imported:
        """All submissions, in the order of the survey's sheets and of people's names."""
        submissions = []
        for sheet in self._pack.sheets:
            for participant, rows in sorted(self._by_person(self._rows.pop(sheet.id, [])).items()):
                submission = self._submission(sheet, participant, rows)
                if submission is not None:
                    submissions.append(submission)
        self._left.sort(key=lambda one: (one.row, one.reason))
        return Imported(tuple(submissions), (), tuple(self._left))

    def _by_person(self, rows: list[tuple[str, _Row]]) -> dict[str, list[tuple[str, _Row]]]:
        """Rows by participant. Whoever is the only one need not write it into every row."""
        people: dict[str, list[tuple[str, _Row]]] = defaultdict(list)
        for entry, row in rows:
            people[row.participant].append((entry, row))
        nameless = people.pop("", [])
        if len(people) == 1:
            ((_, named),) = people.items()
            answered = {entry for entry, row in named if row.answer}
            if not any(entry in answered and row.answer for entry, row in nameless):
                named += nameless
                return people
        for _, row in nameless:
            if row.answer:
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
                words = row.answer
                consented = self._places.consent(sheet, words)
                if consented is not None:
                    agreed.add(consented)
                elif words:
                    message = f"{words[:80]!r} neither agrees to take part nor declines."
                    self._leave(row, "unknown consent", message)
        declined = False in agreed
        unasked = asked and not agreed
        for entry, row in rows:
            if entry == CONSENT or not row.answer or declined:
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
            first = given[0][0]
            if all(answer == first for answer, _ in given):
                settled[entry] = first
                continue
            for _, row in given:
                message = f"{participant[:80]} answered this item in two ways; keep one."
                self._leave(row, "two answers", message)
        if not settled and not declined:
            return None
        order = [entry_id(entry) for entry in sheet.entries]
        kept = tuple(settled[entry] for entry in order if entry in settled)
        moments = [moment for _, row in rows if (moment := _moment(row.submitted))]
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
        words = row.answer
        label = self._places.label(sheet, words)
        if label is None:
            self._leave(row, "unknown label", f"{entry}: {words[:80]!r} is none of the labels.")
            return None
        second: list[str] = []
        for one in _split(row.second):
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
        content = {name: value for name, value in zip(_KNOWN, row[1:7], strict=True) if value}
        self._left.append(Unplaced(self._file, row.number, reason, message, content))


def _all_rows(path: Path, pack: SurveyPack) -> Iterator[_Row | None]:
    """The rows of all tables of a file, none of them kept; None where a table's headings stand."""
    head = read_head(path)
    if _is_workbook(head):
        for lines in _sheets(path):
            yield from _rows(lines, _typed)
    else:
        yield from _rows(_lines(path, _encoding(path, head, pack)), _Words().__getitem__)


def _is_workbook(head: bytes) -> bool:
    return head.startswith(b"PK") or not is_text(head)


def _sheets(path: Path) -> Iterator[Iterator[_Line]]:
    for _, lines in read_tables(path):
        yield iter(lines)


def _lines(path: Path, encoding: str) -> Iterator[_Line]:
    """The records of a CSV, one by one: a large one is never in memory as a whole.

    Raises:
        InputError: it is no CSV.
        UnicodeDecodeError: it is in another encoding.
    """
    limit = csv.field_size_limit(path.stat().st_size + 1)
    try:
        with path.open(encoding=encoding, newline="") as stream:
            first = stream.readline()
            stream.seek(0)
            yield from enumerate(csv.reader(stream, delimiter=max(",;\t", key=first.count)), 1)
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=path) from error
    finally:
        csv.field_size_limit(limit)


def _utf(head: bytes) -> str:
    return "utf-16" if head.startswith(_UTF_16) else "utf-8-sig"


def _encoding(path: Path, head: bytes, pack: SurveyPack) -> str:
    """UTF-8 or UTF-16; else that of a sheet's language in which all answers can be read.

    Raises:
        InputError: there is none.
    """
    places = Places.of(pack)
    languages = dict.fromkeys(sheet.culture.locale.tag.split("-")[0] for sheet in pack.sheets)
    legacy = dict.fromkeys([*(_LEGACY.get(one, "cp1252") for one in languages), "cp1252"])
    for encoding in (_utf(head), *legacy):
        with suppress(UnicodeDecodeError):
            if encoding in legacy:
                rows = _rows(_lines(path, encoding), _Words().__getitem__)
                if all(_readable(row, places) for row in rows if row is not None and row.answer):
                    return encoding
                continue
            with path.open(encoding=encoding) as stream:
                while stream.read(1 << 20):
                    pass
            return encoding
    raise InputError(
        "is not in UTF-8: save it as “CSV UTF-8” (Excel) or choose Unicode (UTF-8) as the "
        "character set (LibreOffice)",
        file=path,
    )


def _readable(row: _Row, places: Places) -> bool:
    """Whether a row's answer is a word of its sheet; a row of no sheet says nothing."""
    if row.item.casefold() == CONSENT:
        sheet = places.sheet(row.sheet)
        return sheet is None or places.consent(sheet, row.answer) is not None
    place = places.item(row.item, row.sheet)
    return place is None or places.label(place[0], row.answer) is not None


def _rows(lines: Iterator[_Line], text: Callable[[Cell], str]) -> Iterator[_Row | None]:
    """The rows under the headings; None first when there are headings.

    Args:
        lines: of a table.
        text: what a cell says.
    """
    places: list[int] = []
    for count, (number, cells) in enumerate(lines):
        if not places:
            names = [text(cell).casefold() for cell in cells]
            if set(names) >= _NEEDED:
                places = [names.index(name) if name in names else -1 for name in _KNOWN]
                yield None
            elif count >= _HEADINGS_WITHIN:
                return
            continue
        known = [cells[place] if -1 < place < len(cells) else "" for place in places]
        said = [text(cell) for cell in known]
        # Sheets that were put under one another bring their headings with them.
        if any(said) and said[0].casefold() != "item":
            computed = [isinstance(cell, Formula) for cell in known]
            formulas = tuple(compress(_KNOWN, computed)) if any(computed) else ()
            yield _Row._make((number, *said, formulas))


def _typed(cell: Cell) -> str:
    """What was typed into a workbook's cell."""
    return cell.text if isinstance(cell, Formula) else clean_text(text_of(cell))


def _split(words: str) -> list[str]:
    if not words:
        return []
    for mark in "|;\n":
        words = words.replace(mark, "|")
    return [one.strip() for one in words.split("|") if one.strip()]


def _moment(text: str) -> datetime | None:
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None
