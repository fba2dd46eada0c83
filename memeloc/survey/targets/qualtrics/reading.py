"""Responses of Qualtrics. In: its export as a table, with three rows of headings. Out: submissions.

Answers are found by the questions' export tags in the first row, whatever the order of columns.
Both ways to export are read, as choice text and as numeric values, and what a spreadsheet saved
again. Previews, tests and what Qualtrics takes for spam or a program are no participants.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.files import has_table, unknown_columns
from memeloc.survey.targets.places import CONSENT, is_ticked, whole_number
from memeloc.survey.targets.protocol import (
    RawAnswer,
    RawRecord,
    RawSubmission,
    SheetsToSend,
    encodings_of,
)
from memeloc.survey.targets.time_columns import read_column
from memeloc.tables import Row, Table, folded, read_tables
from memeloc.tables.rows import Header
from memeloc.taxonomy import LABEL, Question

WARNING = "warning"
"""The export tag of what is read before."""
EXAMPLE = "example"
"""How the export tags of examples begin; their number follows after `-`."""
STOP = "stop"
"""What follows an entry's tag, after `_`, in that of the box to stop at."""
PARTICIPANT = "PROLIFIC_PID"
EMBEDDED = (PARTICIPANT, "STUDY_ID", "SESSION_ID")

_MADE = (
    (("spam",), 8, "spam", "Qualtrics takes it for spam, so nobody took part."),
    (("preview",), 1, "preview", "It is a preview of the team's own, so nobody took part."),
    (("test",), 2, "test", "Qualtrics made it to test the survey, so nobody took part."),
)
"""Words in the column `Status`, the bit of its number that says the same, and what that means."""
_LEAST_SCORE = 0.5
"""Of `Q_RecaptchaScore`, from 0 to 1: Qualtrics' guide takes less for a program's response."""
_UNANSWERED = "-99"
"""What numeric exports may have for a question that was seen and not answered."""
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
_SAMPLE = 50
"""Rows by which an encoding is judged."""


def tag_of(number: int) -> str:
    """Return what follows an entry's tag in that of its other question of a number, from 1."""
    return f"_q{number}"


def recognises(path: Path) -> bool:
    """Return whether some table of a file has Qualtrics' three rows of headings."""
    return has_table(path, _has_marks, is_header=_is_header)


def read(path: Path, survey: SheetsToSend) -> Iterator[RawRecord]:
    """Return the responses of a file.

    Raises:
        InputError: it cannot be read, or has not the three rows of headings.
    """

    def readable(table: Table) -> int:
        rows = islice(table.rows, _SAMPLE)
        return sum(folded(text) in survey.words for row in rows for text in row.texts.values())

    found = read_tables(path, is_header=_is_header, encodings=encodings_of(survey), score=readable)
    tables = list(filter(_has_marks, found))
    for table in tables:
        yield from _Reader(survey).records(table)
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


def _zone(marks: Sequence[str]) -> tzinfo:
    """The time zone of times, as a heading's marks say; else UTC."""
    for name in re.findall(r'"timeZone":"([^"]+)"', "".join(marks)):
        try:
            return ZoneInfo(name)
        except (ValueError, OSError):
            continue
    return UTC


class _Reader:
    """Reads one survey's responses."""

    def __init__(self, survey: SheetsToSend) -> None:
        self.places = survey.places
        self.keys: dict[Header, dict[str, str]] = {}
        self.labels = {str(n): label.id for n, label in enumerate(survey.taxonomy.labels, 1)}
        self.questions = {
            tag_of(number): question for number, question in enumerate(survey.taxonomy.questions, 1)
        }

    def records(self, table: Table) -> Iterator[RawRecord]:
        """Return the responses under a table's headings, also where those stand there again."""
        zone: tzinfo = UTC
        rows: list[Row] = []
        for row in table.rows:
            marks = _marks(row)
            if marks:
                # The row before has what people read of the questions, unless rows were sorted.
                if rows and folded(whole_number(rows[-1]["Finished"])) not in _FINISHED:
                    rows.pop()
                yield from self._responses(rows, zone)
                zone, rows = _zone(marks), []
            else:
                rows.append(row)
        yield from self._responses(rows, zone)

    def _responses(self, rows: Sequence[Row], zone: tzinfo) -> Iterator[RawRecord]:
        """The responses of rows whose times are of one zone."""
        written = [row["StartDate"] for row in rows]
        written += [row["EndDate"] or row["RecordedDate"] for row in rows]
        times = read_column(written, zone)
        for place, row in enumerate(rows):
            both = place, place + len(rows)
            if problem := _problem(row):
                content = {name: text for name, text in row.texts.items() if name not in _PERSONAL}
                yield RejectedRow("", row.number, *problem, content)
                continue
            if unread := [written[at] for at in both if written[at] and times[at] is None]:
                message = (
                    "The times of this file may be read in two ways (which number is the day?) or "
                    "in none, so the answers come without them: take the file as Qualtrics "
                    "exported it."
                )
                yield RejectedRow("", row.number, "unknown time", message, {"times": unread})
            yield from self._response(row, times[both[0]], times[both[1]])

    def _response(
        self, row: Row, started: datetime | None, submitted: datetime | None
    ) -> Iterator[RawRecord]:
        yield from unknown_columns(row, self._is_known)
        content = {name: text for name, text in row.texts.items() if name not in _PERSONAL}
        answers: dict[str, dict[str, str]] = defaultdict(dict)
        keys = self._keys(row.header)
        for name, text in content.items():
            key = keys.get(name)
            if key and whole_number(text) != _UNANSWERED:
                answers[key][name] = text
        sheets: set[str] = set()
        if not answers:  # they say which sheet they are of; who declined has none
            sheets = {place.sheet.id for key in keys.values() if (place := self.places.item(key))}
        consent = row[CONSENT]
        yield RawSubmission(
            row[PARTICIPANT],
            [self._answer(key, own, row) for key, own in answers.items()],
            sheet=sheets.pop() if len(sheets) == 1 else "",
            id=row["ResponseId"],
            finished=_FINISHED.get(folded(whole_number(row["Finished"])), False),
            consent={"1": True, "2": False}.get(whole_number(consent), consent),
            started=started,
            submitted=submitted,
            row=row.number,
            content=content,
        )

    def _keys(self, header: Header) -> dict[str, str]:
        """The items' keys by the names of the columns that are theirs."""
        if header not in self.keys:
            keys = {name: name.partition("_")[0] for name in header.names}
            own = {name: key for name, key in keys.items() if self.places.item(key)}
            self.keys[header] = own
        return self.keys[header]

    def _is_known(self, column: str) -> bool:
        """Whether a column is of a sheet, or of Qualtrics' own."""
        is_own = column in _METADATA or column.startswith("Q_")
        return is_own or self.places.item(column.partition("_")[0]) is not None

    def _answer(self, key: str, own: Mapping[str, str], row: Row) -> RawAnswer:
        text = own.get(key, "")
        label = self.labels.get(whole_number(text), text)
        values = {
            question.id: chosen
            for tag, question in self.questions.items()
            if (chosen := self._chosen(f"{key}{tag}", question, own))
        }
        return RawAnswer(
            key, values | ({LABEL: (label,)} if label else {}), row=row.number, content=own
        )

    def _chosen(self, tag: str, question: Question, own: Mapping[str, str]) -> list[str]:
        """Answers to another question: they stand in one cell, by commas, or in a column each."""
        text = own.get(tag, "")
        if question.kind in ("scale", "text"):
            text = text or own.get(f"{tag}_1", "")  # a slider's has the number of its bar
            return [text] if text else []
        numbers = {str(n): answer for n, answer in enumerate(question.answers, 1)}
        ticked = [own.get(f"{tag}_{number}", "") for number in numbers]
        chosen = [id for id, cell in zip(numbers.values(), ticked, strict=True) if is_ticked(cell)]
        parts = [whole_number(part) for part in text.split(",")]
        if all(part.isdecimal() for part in parts):
            return chosen + [numbers.get(part, part) for part in parts]
        return [*chosen, *filter(None, [text])]


def _problem(row: Row) -> tuple[str, str] | None:
    """Why a row is no participant's response: a short reason, and a sentence."""
    if row.reason:
        return row.reason, row.error
    status, number = row["Status"].casefold(), whole_number(row["Status"])
    for words, bit, reason, message in _MADE:
        if any(word in status for word in words) or (number.isdecimal() and int(number) & bit):
            return reason, message
    try:
        score = float(row["Q_RecaptchaScore"].replace(",", ".") or 1)
    except ValueError:
        score = 1.0
    if score < _LEAST_SCORE:
        return "bot", f"Qualtrics gives it less than {_LEAST_SCORE} of 1 for being a person's."
    if not row["ResponseId"]:
        return "no id", "It has no ResponseId, so it could count twice."
    return None
