"""What came back of surveys. In: submissions, participants, rejected rows. Out: the newest of each.

The same file twice, or an older one later, changes nothing: a submission is known by its content,
and of several of one person for one sheet the one that was sent last holds.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Table, delete, select

from memeloc.store.queries import add_new, columns_of, store_files, values_of
from memeloc.store.records import FileRecord
from memeloc.store.surveys.erasures import letting_go
from memeloc.store.surveys.participant_ids import any_text, hash_id, hidden, hidden_message
from memeloc.store.tables.surveys import rejected_rows, submissions, survey_participants
from memeloc.store.tables.types import encode_json
from memeloc.survey.model import Answer, Participant, RejectedRow, Submission
from memeloc.survey.quality.participants import merged
from memeloc.survey.targets.protocol import Imported
from memeloc.survey.targets.resolver import DECLINED
from memeloc.tables import folded
from memeloc.taxonomy import LABEL

_ROWS = 2000
"""Rows fetched at a time."""

_LONG = 6
"""Characters of an id from which on it is hashed within typed answers; a shorter one may be one."""

COMMENT = "comment"
"""The reason of a rejected row that holds what somebody wrote beside the answers."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class AddedSubmissions:
    """What `Surveys.add_submissions` stored: submissions that were `new` and that were `known`,
    and what was not stored before of participants and rejected rows.

    `erased`: how many records were left out, for they are of people who were erased. `seen`: the
    very same file had been imported before; what can be resolved by now, and could not
    be then, is stored all the same.
    """

    seen: bool
    new: int
    known: int
    participants: int
    rejected: int
    erased: int = 0


def without_ids(imported: Imported, key: bytes, words: Collection[str]) -> Imported:
    """What was imported, with people's ids and every mention of them as keyed hashes.

    `words` are the survey's own texts, as `folded`: of rejected rows no other text stays, but for
    the comments that people wrote.
    """

    def hashed(participant: str) -> str:
        return hash_id(key, participant)

    def known(text: str) -> bool:
        return folded(text) in words

    def kept(row: RejectedRow) -> RejectedRow:
        is_known = any_text if row.reason == COMMENT else known
        return replace(
            row,
            participant=hashed(row.participant),
            message=hidden_message(row.message, ids, hashed, is_known),
            content=hidden(row.content, ids, hashed, is_known),
        )

    ids = {name for row in imported.submissions for name in (row.participant, row.id)}
    ids |= {name for row in imported.participants for name in (row.participant, row.submission)}
    ids |= {row.participant for row in imported.rejected}
    ids.discard("")
    long = {name for name in ids if len(name) >= _LONG}

    def typed(answer: Answer) -> Answer:
        values = {
            name: tuple(each if known(each) else hidden(each, long, hashed) for each in own)
            for name, own in answer.values.items()
        }
        return answer if values == answer.values else replace(answer, values=values)

    return replace(
        imported,
        submissions=tuple(
            replace(
                row,
                participant=hashed(row.participant),
                id=hashed(row.id),
                answers=tuple(map(typed, row.answers)),
                code=hidden(row.code, ids, hashed),
            )
            for row in imported.submissions
        ),
        participants=tuple(
            replace(
                row,
                participant=hashed(row.participant),
                submission=hashed(row.submission),
                details=hidden(row.details, ids, hashed),
            )
            for row in imported.participants
        ),
        rejected=tuple(map(kept, imported.rejected)),
    )


def add_submissions(
    connection: Connection, survey: str, files: Sequence[tuple[FileRecord, Imported]]
) -> list[AddedSubmissions]:
    stored = store_files(connection, [file for file, _ in files])
    held = list(zip(_without_facts(connection, survey, files), stored, strict=True))

    def add(table: Table, records: str) -> Counter[int]:
        """Return by file's id how many records were not there."""
        rows = (
            {**_row(record, file_id), "survey": survey, "file_id": file_id}
            for imported, (file_id, _) in held
            for record in getattr(imported, records)
        )
        return Counter(add_new(connection, table, rows, ["survey", "hash"], table.c.file_id))

    new = add(submissions, "submissions")
    people = add(survey_participants, "participants")
    rejected = add(rejected_rows, "rejected")
    added = []
    for imported, (file_id, seen) in held:  # the first of two that are the same brought it all
        count = new.pop(file_id, 0)
        counts = (count, len(imported.submissions) - count)
        more = (people.pop(file_id, 0), rejected.pop(file_id, 0))
        added.append(AddedSubmissions(seen, *counts, *more))
    return added


def _without_facts(
    connection: Connection, survey: str, files: Sequence[tuple[FileRecord, Imported]]
) -> list[Imported]:
    """What was imported, without what a service reports of people about sheets they declined.

    What is stored of it already is deleted.
    """
    held = [imported for _, imported in files]
    now = {
        (row.sheet, row.participant): number
        for number, imported in enumerate(held)
        for row in imported.submissions
        if row.status == DECLINED
    }
    if not (now or any(imported.participants for imported in held)):
        return held
    columns = submissions.c
    query = select(columns.sheet, columns.participant).where(
        columns.survey == survey, columns.status == DECLINED
    )
    before = {(sheet, who) for sheet, who in connection.execute(query)}
    declined = before | now.keys()
    people = [
        [
            _bare(row) if (row.study, row.participant) in declined else row
            for row in imported.participants
        ]
        for imported in held
    ]
    known = survey_participants.c
    of_now = select(known.number, *columns_of(survey_participants, Participant)).where(
        known.survey == survey, known.participant.in_({who for _, who in now.keys() - before})
    )
    for number, *values in connection.execute(of_now).all():
        stored = Participant(*values)
        if (stored.study, stored.participant) in now and stored != _bare(stored):
            with letting_go(connection) as counts:
                rows = delete(survey_participants).where(known.number == number)
                counts[survey_participants.name] += connection.execute(rows).rowcount
            people[now[stored.study, stored.participant]].append(_bare(stored))
    return [
        replace(imported, participants=tuple(own))
        for imported, own in zip(held, people, strict=True)
    ]


def _bare(row: Participant) -> Participant:
    """What a service reports of a person who declined: the submission, and how it ended."""
    ended = {key: value for key, value in row.details.items() if key == "ended"}
    return replace(row, facts={}, seconds=None, details=ended)


def left_out(imported: Imported, kept: Imported) -> int:
    return sum(
        len(getattr(imported, field.name)) - len(getattr(kept, field.name))
        for field in fields(imported)
    )


def _row(record: Submission | Participant | RejectedRow, file_id: int) -> dict[str, Any]:
    """Return the values of a record's row; its hash goes without what says where it stood."""
    values = values_of(record)
    beside: dict[str, Any] = {}
    if isinstance(record, Submission):
        values["id"] = _short(record.id)
        values["answers"] = [
            # The label stands before the other answers, and times as far as they were measured.
            (
                each.entry,
                each.label,
                [pair for pair in each.values.items() if pair[0] != LABEL],
                each.shown,
                each.took,
            )[: _measured(each)]
            for each in record.answers
        ]
        beside["row"] = values.pop("row")
        if not record.presented:
            beside["presented"] = values.pop("presented") or None
    elif isinstance(record, Participant):
        values["submission"] = _short(record.submission)
    else:
        del values["file"]
    hashed = {**values, "file_id": file_id} if isinstance(record, RejectedRow) else values
    plain = {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in hashed.items()
    }
    return {**values, **beside, "hash": hashlib.sha256(encode_json(plain).encode()).hexdigest()}


def _measured(answer: Answer) -> int:
    return 5 if answer.took is not None else 4 if answer.shown is not None else 3


def _short(key: str) -> str:
    return key if len(key) <= 64 else hashlib.sha256(key.encode()).hexdigest()


def find_submissions(
    connection: Connection, survey: str, *, superseded: bool = False
) -> list[Submission]:
    """The submission of each person and sheet that was sent last, in the order of coming; or the
    others, which it superseded."""

    @cache  # what several people answered is in memory once
    def answer(entry: str, *values: tuple[str, tuple[str, ...]]) -> Answer:
        return Answer(entry, dict(values))

    query = select(*columns_of(submissions, Submission)).where(submissions.c.survey == survey)
    rows = connection.execution_options(yield_per=_ROWS).execute(
        query.order_by(submissions.c.number)
    )
    stored = []
    for row in rows:
        answers = []
        for entry, label, others, *times in row.answers:
            values = [(name, tuple(own)) for name, own in others]
            if label:
                values.insert(0, (LABEL, (label,)))
            answers.append(Answer(entry, dict(values), *times) if times else answer(entry, *values))
        sent = replace(Submission(*row), answers=tuple(answers), presented=row.presented or {})
        stored.append(sent)
    by_time = sorted(enumerate(stored), key=lambda each: each[1].submitted or _EARLIEST)
    newest = {(row.sheet, row.participant): index for index, row in by_time}
    last = set(newest.values())
    return [row for index, row in enumerate(stored) if (index in last) != superseded]


def find_participants(connection: Connection, survey: str) -> list[Participant]:
    """What is known of people by now, once for each person and study."""
    columns = survey_participants.c
    query = select(*columns_of(survey_participants, Participant)).where(columns.survey == survey)
    return merged(Participant(*row) for row in connection.execute(query.order_by(columns.number)))
