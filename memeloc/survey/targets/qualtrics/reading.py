"""Responses of Qualtrics. In: its export as a table, with three rows of headings. Out: submissions.

Answers are found by the questions' export tags in the first row, whatever the order of columns.
Both ways to export are read: as choice text and as numeric values. Previews are not taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow, Sheet, entry_id
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission, SurveyPack
from memeloc.survey.times import read_moment
from memeloc.tables import Row, Table, read_tables

CONSENT = "consent"
"""The export tag of the question that asks for consent; an entry's is its `item_key`."""
SECOND = "_second"
"""What follows an entry's tag in that of its second question."""
PARTICIPANT = "PROLIFIC_PID"
EMBEDDED = (PARTICIPANT, "STUDY_ID", "SESSION_ID")

_PREVIEWS = {"survey preview", "1"}
_PERSONAL = frozenset(
    {
        "IPAddress", "RecipientLastName", "RecipientFirstName", "RecipientEmail",
        "ExternalReference", "LocationLatitude", "LocationLongitude",
    }
)  # fmt: skip
"""What Qualtrics adds of people and nobody asked for; it is never kept."""
_METADATA = _PERSONAL | {
    "StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished",
    "RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage", "introduction", CONSENT,
    *EMBEDDED,
}  # fmt: skip
_OWN = "Q_"
"""How further columns of Qualtrics' own begin."""


def is_export(path: Path) -> bool:
    """Whether some table of a file has Qualtrics' three rows of headings."""
    try:
        return any(_has_marks(table) for table in read_tables(path, is_header=_is_header))
    except InputError:
        return False


def read(path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
    """The responses of a file.

    Raises:
        InputError: it cannot be read, or has not the three rows of headings.
    """
    tables = [table for table in read_tables(path, is_header=_is_header) if _has_marks(table)]
    for table in tables:
        yield from _Reader(pack).records(table)
    if not tables:
        raise InputError(
            "has not Qualtrics' three rows of headings; export as CSV, and do not remove rows",
            file=path,
        )


def _is_header(texts: Sequence[str]) -> bool:
    return "ResponseId" in texts and CONSENT in texts


def _has_marks(table: Table) -> bool:
    return any(_marks(row) for row in islice(table.rows, 2))


def _marks(row: Row) -> list[str]:
    """The marks of a heading's third row; none in any other row."""
    texts = [text.replace(" ", "") for text in row.texts.values()]
    marks = [text for text in texts if text.startswith('{"ImportId":')]
    # One alone may be what somebody typed.
    return marks if len(marks) * 2 > len(texts) else []


def _zone(marks: Sequence[str]) -> ZoneInfo | None:
    """The time zone that moments are in, as a heading's marks say."""
    for mark in marks:
        try:
            name = json.loads(mark).get("timeZone")
            if name:
                return ZoneInfo(name)
        except (ValueError, OSError):
            continue
    return None


_MOST_PARTS = 10
"""Parts between commas that the name of an answer may have."""


class _Reader:
    """Reads one survey's responses."""

    def __init__(self, pack: SurveyPack) -> None:
        self.pack, self.places = pack, pack.places
        self.keys = {
            sheet.id: [item_key(pack.name, sheet.id, entry_id(entry)) for entry in sheet.entries]
            for sheet in pack.sheets
        }
        self.labels = {str(n): label.id for n, label in enumerate(pack.taxonomy.labels, 1)}
        second = pack.taxonomy.second
        self.seconds = {str(n): own for n, own in enumerate(second.answers if second else (), 1)}
        self.columns = _METADATA | {
            f"{key}{tail}"
            for keys in self.keys.values()
            for key in keys
            for tail in ("", SECOND, *(f"{SECOND}_{n}" for n in self.seconds))
        }
        self.sheet_of = {key: sheet for sheet in pack.sheets for key in self.keys[sheet.id]}

    def records(self, table: Table) -> Iterator[RawRecord]:
        """The responses under a table's headings, and under headings that stand there again."""
        zone: ZoneInfo | None = None
        before: Row | None = None
        for row in table.rows:
            marks = _marks(row)
            if marks:  # the row before has what people read of the questions
                zone, before = _zone(marks), None
                continue
            if before is not None:
                yield from self._record(before, zone)
            before = row
        if before is not None:
            yield from self._record(before, zone)

    def _record(self, row: Row, zone: ZoneInfo | None) -> Iterator[RawRecord]:
        content = {name: text for name, text in row.texts.items() if name not in _PERSONAL}
        if row.reason:
            yield RejectedRow("", row.number, row.reason, row.error, content)
            return
        further = {
            name: text
            for name, text in content.items()
            if name not in self.columns and not name.startswith(_OWN)
        }
        if further:
            message = "There are no such columns in what was sent out."
            yield RejectedRow("", row.number, "unknown column", message, further)
        if row["Status"].casefold() in _PREVIEWS:
            message = "It is a preview of the team's own."
            yield RejectedRow("", row.number, "preview", message, content)
            return
        if not row["ResponseId"]:
            message = "It has no ResponseId, so it could count twice."
            yield RejectedRow("", row.number, "no id", message, content)
            return
        sheets = self._sheets(content) or self._sheets(row.header.names)
        sheet = sheets[0] if len(sheets) == 1 else None
        consent = row[CONSENT]
        yield RawSubmission(
            row[PARTICIPANT],
            [] if sheet is None else self._answers(row, sheet, content),
            sheet=sheet.id if sheet else "",
            id=row["ResponseId"],
            finished=row["Finished"].casefold() in ("true", "1"),
            consent={"1": True, "2": False}.get(consent, consent),
            started=_moment(row["StartDate"], zone),
            submitted=_moment(row["EndDate"] or row["RecordedDate"], zone),
            row=row.number,
            content=content,
        )

    def _sheets(self, names: Sequence[str] | Mapping[str, str]) -> list[Sheet]:
        """The sheets that columns are of."""
        sheets = (self.sheet_of.get(name.partition("_")[0]) for name in names)
        return list({sheet.id: sheet for sheet in sheets if sheet}.values())

    def _answers(self, row: Row, sheet: Sheet, content: Mapping[str, str]) -> list[RawAnswer]:
        answers = []
        for key in self.keys[sheet.id]:
            own = {name: text for name in self._names(key) if (text := content.get(name))}
            if own:
                label = self.labels.get(row[key], row[key])
                labels = (label,) if label else ()
                second = self._second(row, sheet, key)
                answers.append(RawAnswer(key, labels, second, row=row.number, content=own))
        return answers

    def _names(self, key: str) -> Iterator[str]:
        yield from (key, f"{key}{SECOND}", *(f"{key}{SECOND}_{n}" for n in self.seconds))

    def _second(self, row: Row, sheet: Sheet, key: str) -> list[str]:
        """Answers to the second question: in one cell, by commas, or in a column each."""
        answers = [own for n, own in self.seconds.items() if row[f"{key}{SECOND}_{n}"]]
        parts = row[f"{key}{SECOND}"].split(",") if row[f"{key}{SECOND}"] else []
        start = 0
        while start < len(parts):
            # A name may hold commas, too: the longest run of parts that is a name is taken.
            for end in range(min(len(parts), start + _MOST_PARTS), start, -1):
                run = ",".join(parts[start:end]).strip()
                answer = self.seconds.get(run) or self.places.second(sheet, run)
                if answer or end == start + 1:
                    answers.append(answer or run)
                    start = end
                    break
        return answers


def _moment(text: str, zone: ZoneInfo | None) -> datetime | str:
    return read_moment(text, zone or UTC) or text
