"""Responses of Qualtrics. In: its export as CSV, with three rows of headings. Out: submissions.

Answers are found by the questions' export tags in the first row, whatever the order of columns.
Both ways to export are read: as choice text and as numeric values. Previews are told, not taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

from memeloc.errors import InputError
from memeloc.spreadsheets import Line, clean_text, read_tables, text_of
from memeloc.survey.nouns import Answer, Sheet, Submission, Unplaced, entry_id
from memeloc.survey.placing import Places, item_key
from memeloc.survey.protocol import Imported, SurveyPack
from memeloc.survey.qsf import CONSENT, PARTICIPANT, SECOND

_MARK = '{"ImportId":'
_PREVIEWS = {"survey preview", "1"}
_TRUE = {"true", "1"}


class QsfBack:
    """Reads what Qualtrics exports of a survey that `Qsf` wrote."""

    name = "qsf"

    def recognises(self, path: Path) -> bool:
        """Whether the third row has Qualtrics' marks."""
        try:
            for _, lines in read_tables(path):
                rows = list(islice(lines, 3))
                return len(rows) == 3 and any(
                    text_of(cell).replace(" ", "").startswith(_MARK) for cell in rows[2][1]
                )
        except InputError:
            pass
        return False

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read, or has not the three rows of headings.
        """
        lines = next((list(lines) for _, lines in read_tables(path)), [])
        marks = [text_of(cell) for cell in lines[2][1]] if len(lines) > 2 else []
        if not any(mark.replace(" ", "").startswith(_MARK) for mark in marks):
            raise InputError(
                "has not Qualtrics' three rows of headings; export as CSV, and do not remove rows",
                file=path,
            )
        names = [clean_text(text_of(cell)) for cell in lines[0][1]]
        zone = next((one for one in map(_zone, marks) if one), None)
        reader = _Reader(pack, path.name, names, zone)
        submissions = [
            found for line in lines[3:] if (found := reader.submission(line)) is not None
        ]
        return Imported(tuple(submissions), (), tuple(reader.left))


class _Reader:
    def __init__(
        self, pack: SurveyPack, file: str, names: list[str], zone: ZoneInfo | None
    ) -> None:
        self._pack = pack
        self._file = file
        self._names = names
        self._zone = zone
        self._places = Places(pack)
        self.left: list[Unplaced] = []

    def submission(self, line: Line) -> Submission | None:
        """The submission of a row; None when it is empty or was told."""
        number, cells = line
        row = {
            name: clean_text(text_of(cell))
            for name, cell in zip(self._names, cells, strict=False)
            if name
        }
        row = {name: value for name, value in row.items() if value}
        if not row:
            return None
        if row.get("Status", "").casefold() in _PREVIEWS:
            self._leave(number, "preview", "It is a preview of the team's own.", row)
            return None
        sheets = self._sheets(row)
        if len(sheets) != 1:
            message = "It cannot be told which sheet this is of; export one survey at a time."
            self._leave(number, "unknown sheet", message, row)
            return None
        sheet = sheets[0]
        response = row.get("ResponseId", "")
        if not response:
            self._leave(number, "no id", "It has no ResponseId, so it could count twice.", row)
            return None
        words = row.get(CONSENT, "")
        agreed = {"1": True, "2": False}.get(words, self._places.consent(sheet, words))
        participant = row.get(PARTICIPANT, "")
        if agreed is not False and not participant:
            message = f"It does not say who answered: {PARTICIPANT} is empty."
            self._leave(number, "no participant", message, row)
            return None
        if agreed is None:
            message = "The question for consent is not answered, so nothing is taken."
            self._leave(number, "no consent", message, row)
            return None
        answers = self._answers(number, sheet, row) if agreed else ()
        done = row.get("Finished", "").casefold() in _TRUE and len(answers) == len(sheet.entries)
        codes = self._pack.codes.get(sheet.id)
        code = (codes.done if done else "" if agreed else codes.no_consent) if codes else ""
        return Submission(
            id=response,
            sheet=sheet.id,
            participant=participant or f"declined-{response}",
            answers=answers,
            source="qsf",
            submitted=self._moment(row.get("EndDate") or row.get("RecordedDate")),
            started=self._moment(row.get("StartDate")),
            status="no consent" if not agreed else "complete" if done else "returned",
            code=code,
            row=number,
        )

    def _sheets(self, row: Mapping[str, str]) -> list[Sheet]:
        """The sheets that a row has answers to, or, when it has none, that there are columns of."""
        found: dict[str, Sheet] = {}
        for names in (row, self._names):
            for name in names:
                place = self._places.item(name.partition("_")[0])
                if place is not None:
                    found[place[0].id] = place[0]
            if found:
                break
        return list(found.values())

    def _answers(self, number: int, sheet: Sheet, row: Mapping[str, str]) -> tuple[Answer, ...]:
        taxonomy, found = self._pack.taxonomy, []
        by_number = {str(place): one.id for place, one in enumerate(taxonomy.labels, 1)}
        for entry in map(entry_id, sheet.entries):
            tag = item_key(self._pack.name, sheet.id, entry)
            words = row.get(tag)
            if words is None:
                continue
            label = by_number.get(words) or self._places.label(sheet, words)
            if label is None:
                message = f"{entry}: {words[:80]!r} is none of the labels."
                self._leave(number, "unknown label", message, {tag: words})
                continue
            asked = taxonomy.second is not None and label in taxonomy.second.when
            second = self._second(number, sheet, entry, tag, row) if asked else ()
            found.append(Answer(entry, label, second))
        return tuple(found)

    def _second(
        self, number: int, sheet: Sheet, entry: str, tag: str, row: Mapping[str, str]
    ) -> tuple[str, ...]:
        """Answers to the second question: in one cell, by commas, or in a column each."""
        second = self._pack.taxonomy.second
        answers = second.answers if second else ()
        by_number = {str(place): one for place, one in enumerate(answers, 1)}
        found: set[str] = set()
        for place, one in by_number.items():
            if row.get(f"{tag}{SECOND}_{place}"):
                found.add(one)
        words = row.get(f"{tag}{SECOND}", "")
        whole = by_number.get(words) or self._places.second(sheet, words)
        if words and whole:
            return tuple(sorted(found | {whole}))
        left = []
        # A name may hold commas, so the longest run of parts that is a name is taken.
        parts = words.split(",") if words else []
        while parts:
            for length in range(len(parts), 0, -1):
                run = ",".join(parts[:length])
                one_found = by_number.get(run.strip()) or self._places.second(sheet, run)
                if one_found:
                    found.add(one_found)
                    break
            else:
                length = 1
                left.append(parts[0].strip())
            parts = parts[length:]
        for one in left:
            message = f"{entry}: {one[:80]!r} is no answer to the second question."
            self._leave(number, "unknown second answer", message, {f"{tag}{SECOND}": words})
        return tuple(sorted(found))

    def _moment(self, text: str | None) -> datetime | None:
        try:
            moment = datetime.fromisoformat(text or "")
        except ValueError:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=self._zone or UTC)
        return moment.astimezone(UTC)

    def _leave(self, row: int, reason: str, message: str, content: Mapping[str, str]) -> None:
        self.left.append(Unplaced(self._file, row, reason, message, dict(content)))


def _zone(mark: str) -> ZoneInfo | None:
    """The time zone that a column of moments is in, as its mark says."""
    _, _, rest = mark.partition('"timeZone":"')
    name = rest.partition('"')[0].replace("\\/", "/")
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, OSError):
        return None
