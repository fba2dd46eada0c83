"""What came back of surveys. In: submissions, participants, rejected rows. Out: the newest of each.

The same file twice, or an older one later, changes nothing: a submission is known by its content,
and of several of one person for one sheet the one that was sent last holds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select

from memeloc.store.database import now, upsert
from memeloc.store.files import store_file
from memeloc.store.participant_ids import hash_id, hidden
from memeloc.store.records import FileRecord
from memeloc.store.tables.surveys import rejected_rows, submissions, survey_participants
from memeloc.store.tables.types import encode_json, safe_text
from memeloc.survey.model import Answer, Participant, RejectedRow, Submission
from memeloc.survey.quality.participants import merged

if TYPE_CHECKING:
    from memeloc.survey.targets.protocol import Imported

_ROWS = 2000
"""Rows fetched, or inserted, at a time."""


@dataclass(frozen=True, slots=True)
class AddedSubmissions:
    """What `Surveys.add_submissions` stored.

    Attributes:
        seen: whether the very same file had been imported before; what can be resolved by now, and
            could not be then, is stored all the same.
        new: submissions that were not there.
        known: submissions that were.
        participants: what was new of people.
        rejected: rows that could not be resolved, and were not there before.
    """

    seen: bool
    new: int
    known: int
    participants: int
    rejected: int


def without_ids(imported: Imported, key: bytes) -> Imported:
    """What was imported, with people's ids and every mention of them as keyed hashes."""

    def hashed(participant: str) -> str:
        return hash_id(key, participant)

    ids = {name for row in imported.submissions for name in (row.participant, row.id)}
    ids |= {name for row in imported.participants for name in (row.participant, row.submission)}
    ids.discard("")
    return replace(
        imported,
        submissions=tuple(
            replace(row, participant=hashed(row.participant), id=hashed(row.id))
            for row in imported.submissions
        ),
        participants=tuple(
            replace(row, participant=hashed(row.participant), submission=hashed(row.submission))
            for row in imported.participants
        ),
        rejected=tuple(
            replace(
                row,
                message=hidden(row.message, ids, hashed),
                content=hidden(row.content, ids, hashed),
            )
            for row in imported.rejected
        ),
    )


def add_submissions(
    connection: Connection, survey: str, file: FileRecord, imported: Imported
) -> AddedSubmissions:
    """Store what a file holds and is not there yet."""
    file_id, seen = store_file(connection, file)
    shared = {"survey": survey, "file_id": file_id, "created_at": now()}
    new = people = 0
    for start in range(0, len(imported.submissions), _ROWS):
        part = imported.submissions[start : start + _ROWS]
        rows = [{**shared, **_submission_row(survey, row)} for row in part]
        new += upsert(connection, submissions, rows, ["survey", "hash"])
    for start in range(0, len(imported.participants), _ROWS):
        part_of = imported.participants[start : start + _ROWS]
        rows = [{**shared, **_participant_row(survey, row)} for row in part_of]
        people += upsert(connection, survey_participants, rows, ["survey", "hash"])
    stored = _rejected(connection, survey, file_id) if seen else set()
    left = [row for row in imported.rejected if _key(row) not in stored]
    for start in range(0, len(left), _ROWS):
        connection.execute(
            insert(rejected_rows),
            [
                {
                    **shared,
                    "row": row.row,
                    "reason": row.reason[:100],
                    "message": row.message,
                    "content": dict(row.content),
                }
                for row in left[start : start + _ROWS]
            ],
        )
    return AddedSubmissions(seen, new, len(imported.submissions) - new, people, len(left))


def _submission_row(survey: str, submission: Submission) -> dict[str, Any]:
    content = {
        "id": _short(submission.id),
        "sheet": submission.sheet,
        "participant": submission.participant,
        "source": submission.source,
        "status": submission.status,
        "code": submission.code,
        "started_at": submission.started,
        "submitted_at": submission.submitted,
        "answers": [(row.entry, row.label, row.second) for row in submission.answers],
    }
    return {**content, "hash": _hash_of(survey, content), "row": submission.row}


def _participant_row(survey: str, participant: Participant) -> dict[str, Any]:
    content = {
        "participant": participant.participant,
        "study": participant.study,
        "submission": _short(participant.submission),
        "status": participant.status,
        "seconds": participant.seconds,
        "facts": dict(participant.facts),
        "details": dict(participant.details),
    }
    return {**content, "hash": _hash_of(survey, content)}


def _rejected(connection: Connection, survey: str, file_id: int) -> set[tuple[int, str, str]]:
    """Of a file's rejected rows, those that are stored."""
    columns = rejected_rows.c
    query = select(columns.row, columns.reason, columns.message).where(
        columns.survey == survey, columns.file_id == file_id
    )
    return {(row.row, row.reason, row.message) for row in connection.execute(query)}


def _key(row: RejectedRow) -> tuple[int, str, str]:
    return row.row, row.reason[:100], safe_text(row.message)


def _hash_of(survey: str, content: Mapping[str, Any]) -> str:
    plain = {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in content.items()
    }
    return hashlib.sha256(encode_json({"survey": survey, **plain}).encode()).hexdigest()


def _short(key: str) -> str:
    """An id as it is, or its hash where it is long."""
    return key if len(key) <= 64 else hashlib.sha256(key.encode()).hexdigest()


def find_submissions(connection: Connection, survey: str) -> list[Submission]:
    """The submission of each person and sheet that was sent last, in the order of coming."""
    query = select(submissions).where(submissions.c.survey == survey).order_by(submissions.c.number)
    newest: dict[tuple[str, str], tuple[int, Submission]] = {}
    shared: dict[tuple[str, ...], Answer] = {}
    for row in connection.execution_options(yield_per=_ROWS).execute(query):
        key = (row.sheet, row.participant)
        before = newest.get(key)
        if before is None or _later(row.submitted_at, before[1].submitted):
            newest[key] = (
                row.number,
                Submission(
                    row.id,
                    row.sheet,
                    row.participant,
                    tuple(_answer(answer, shared) for answer in row.answers),
                    row.source,
                    row.submitted_at,
                    row.started_at,
                    row.status,
                    row.code,
                    row.row,
                ),
            )
    return [submission for _, submission in sorted(newest.values(), key=itemgetter(0))]


def _answer(stored: Sequence[Any], shared: dict[tuple[str, ...], Answer]) -> Answer:
    """An answer; one that several people gave is one in memory."""
    entry, label, second = stored
    key = (entry, label, *second)
    if key not in shared:
        shared[key] = Answer(entry, label, tuple(second))
    return shared[key]


def _later(submitted: datetime | None, before: datetime | None) -> bool:
    """Whether a submission takes the place of one that came earlier."""
    if submitted is None or before is None:
        return submitted is not None or before is None
    return submitted >= before


def find_participants(connection: Connection, survey: str) -> list[Participant]:
    """What is known of people by now, once for each person and study."""
    query = (
        select(survey_participants)
        .where(survey_participants.c.survey == survey)
        .order_by(survey_participants.c.number)
    )
    return merged(
        Participant(
            row.participant,
            row.facts,
            row.submission,
            row.study,
            row.status,
            row.seconds,
            row.details,
        )
        for row in connection.execute(query)
    )
