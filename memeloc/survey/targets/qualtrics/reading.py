"""Responses of Qualtrics. In: its export as a table, with three rows of headings. Out: submissions.

Answers are found by the questions' export tags in the first row, whatever the order of columns.
Both ways to export are read: as choice text and as numeric values. Previews are not taken.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow, Sheet
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission, SurveyPack
from memeloc.survey.times import read_moment
from memeloc.tables import Row, Table, read_tables
from memeloc.taxonomy import Question

CONSENT = "consent"
"""The export tag of the question that asks for consent; an entry's is its `item_key`."""
WARNING = "warning"
"""The export tag of what is read before."""
EXAMPLE = "example"
"""How the export tags of examples begin; their number follows after `-`."""
STOP = "stop"
"""What follows an entry's tag, after `_`, in that of the box to stop at."""
PARTICIPANT = "PROLIFIC_PID"
EMBEDDED = (PARTICIPANT, "STUDY_ID", "SESSION_ID")

_PREVIEWS = {"survey preview", "1"}
_FINISHED = {"true": True, "1": True, "false": False, "0": False}
"""What a response has in the column `Finished`; the row of questions has that word itself."""
_PERSONAL = frozenset(
    {
        "IPAddress", "RecipientLastName", "RecipientFirstName", "RecipientEmail",
        "ExternalReference", "LocationLatitude", "LocationLongitude",
    }
)  # fmt: skip
"""What Qualtrics adds of people and nobody asked for; it is never kept."""
_METADATA = _PERSONAL | {
    "StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished",
    "RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage", "introduction", WARNING,
    CONSENT, *EMBEDDED,
}  # fmt: skip
_OWN = "Q_"
"""How further columns of Qualtrics' own begin."""
_MOST_PARTS = 10
"""Parts between commas that the name of an answer may have."""


def tag_of(number: int) -> str:
    """What follows an entry's tag in that of its further question of a number, from 1."""
    return f"_q{number}"


def recognises(path: Path) -> bool:
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
    if not any(isinstance(cell, str) and "ImportId" in cell for cell in row.cells):
        return []
    texts = [text.replace(" ", "") for text in row.texts.values()]
    marks = [text for text in texts if text.startswith('{"ImportId":')]
    # One alone may be what somebody typed.
    return marks if len(marks) * 2 > len(texts) else []


def _zone(marks: Sequence[str]) -> ZoneInfo | None:
    """The time zone of times, as a heading's marks say."""
    for mark in marks:
        try:
            name = json.loads(mark).get("timeZone")
            if name:
                return ZoneInfo(name)
        except (ValueError, OSError):
            continue
    return None


class _Reader:
    """Reads one survey's responses."""

    def __init__(self, pack: SurveyPack) -> None:
        self.places = pack.places
        self.labels = {str(n): label.id for n, label in enumerate(pack.taxonomy.labels, 1)}
        self.questions = {
            tag_of(number): question for number, question in enumerate(pack.taxonomy.questions, 1)
        }

    def records(self, table: Table) -> Iterator[RawRecord]:
        """The responses under a table's headings, and under headings that stand there again."""
        zone: ZoneInfo | None = None
        before: Row | None = None
        for row in table.rows:
            marks = _marks(row)
            if marks:
                # The row before has what people read of the questions, unless rows were sorted.
                if before is not None and before["Finished"].casefold() in _FINISHED:
                    yield from self._record(before, zone)
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
        answers: dict[str, dict[str, str]] = defaultdict(dict)
        others = {}
        for name, text in content.items():
            key = name.partition("_")[0]
            if self.places.item(key):
                answers[key][name] = text
            elif name not in _METADATA and not name.startswith(_OWN):
                others[name] = text
        if others:
            message = "There are no such columns in what was sent out."
            yield RejectedRow("", row.number, "unknown column", message, others)
        if row["Status"].casefold() in _PREVIEWS:
            message = "It is a preview of the team's own."
            yield RejectedRow("", row.number, "preview", message, content)
            return
        if not row["ResponseId"]:
            message = "It has no ResponseId, so it could count twice."
            yield RejectedRow("", row.number, "no id", message, content)
            return
        sheets: set[str] = set()
        if not answers:  # they say which sheet they are of; who declined has none
            keys = (name.partition("_")[0] for name in row.header.names)
            sheets = {place.sheet.id for key in keys if (place := self.places.item(key))}
        consent = row[CONSENT]
        yield RawSubmission(
            row[PARTICIPANT],
            [self._answer(key, own, row) for key, own in answers.items()],
            sheet=sheets.pop() if len(sheets) == 1 else "",
            id=row["ResponseId"],
            finished=_FINISHED.get(row["Finished"].casefold(), False),
            consent={"1": True, "2": False}.get(consent, consent),
            started=_moment(row["StartDate"], zone),
            submitted=_moment(row["EndDate"] or row["RecordedDate"], zone),
            row=row.number,
            content=content,
        )

    def _answer(self, key: str, own: Mapping[str, str], row: Row) -> RawAnswer:
        text = row[key]
        label = self.labels.get(text, text)
        further = {
            question.id: chosen
            for tag, question in self.questions.items()
            if (place := self.places.item(key))
            and (chosen := self._chosen(f"{key}{tag}", question, place.sheet, own))
        }
        return RawAnswer(key, (label,) if label else (), further, row=row.number, content=own)

    def _chosen(
        self, tag: str, question: Question, sheet: Sheet, own: Mapping[str, str]
    ) -> list[str]:
        """Answers to a further question: they stand in one cell, by commas, or in a column each."""
        if question.kind in ("scale", "text"):
            text = own.get(tag) or own.get(f"{tag}_1", "")  # a slider's has the number of its bar
            return [text] if text else []
        numbers = {str(n): answer for n, answer in enumerate(question.answers, 1)}
        chosen = [answer for n, answer in numbers.items() if f"{tag}_{n}" in own]
        parts = own[tag].split(",") if tag in own else []
        start = 0
        while start < len(parts):
            # A name may hold commas, too: the longest run of parts that is a name is taken.
            for end in range(min(len(parts), start + _MOST_PARTS), start, -1):
                run = ",".join(parts[start:end]).strip()
                answer = numbers.get(run) or self.places.answer(sheet, question.id, run)
                if answer or end == start + 1:
                    chosen.append(answer or run)
                    start = end
                    break
        return chosen


def _moment(text: str, zone: ZoneInfo | None) -> datetime | str:
    return read_moment(text, zone or UTC) or text
