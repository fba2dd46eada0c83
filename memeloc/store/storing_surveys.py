"""Surveys stored. In: batches, submissions, what was found of them. Out: the same, the newest.

The same file twice, or an older one later, changes nothing: a submission is known by its content,
and of several of one person for one sheet the one that was sent last holds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Text, insert, select, type_coerce
from sqlalchemy.dialects import postgresql, sqlite

from memeloc.errors import InputError
from memeloc.store.caption_versions import now, slices
from memeloc.store.item_tables import encode_json
from memeloc.store.records import FileRecord
from memeloc.store.storing_files import store_file
from memeloc.store.survey_tables import (
    submissions,
    survey_batches,
    survey_checks,
    survey_labels,
    survey_participants,
    survey_states,
    surveys,
    unplaced_answers,
)
from memeloc.survey.model import Answer, Batch, Participant, RejectedRow, Slot, Submission
from memeloc.survey.quality.participants import merged

_FETCHED = 2000
"""Rows fetched, or inserted, at a time."""
_SLOT = tuple(one.name for one in fields(Slot))


@dataclass(frozen=True, slots=True)
class AddedSubmissions:
    """What `Workspace.add_submissions` stored.

    Attributes:
        seen: whether the very same file had been imported before; what can be placed by now, and
            could not be then, is stored all the same.
        new: submissions that were not known.
        known: submissions that were.
        participants: what was new of people.
        rejected: rows that were kept without a place, and were not before.
    """

    seen: bool
    new: int
    known: int
    participants: int
    rejected: int


def add_survey(connection: Connection, name: str, design: Mapping[str, Any]) -> bool:
    """Store a survey's design; False when the very same is there.

    Raises:
        InputError: there is another design under that name.
    """
    known = find_design(connection, name)
    if known is not None:
        if encode_json(known) == encode_json(dict(design)):
            return False
        raise InputError(
            f"There is a survey {name!r} with other settings; what went out is never changed, so "
            "give this one another name."
        )
    row = {"name": name, "design": dict(design), "created_at": now()}
    connection.execute(insert(surveys).values(**row))
    return True


def find_design(connection: Connection, name: str) -> dict[str, Any] | None:
    """How a survey was designed; None when there is none of that name."""
    query = select(surveys.c.design).where(surveys.c.name == name)
    found: dict[str, Any] | None = connection.execute(query).scalar()
    return found


def find_surveys(connection: Connection) -> list[str]:
    """The surveys' names, oldest first."""
    query = select(surveys.c.name).order_by(surveys.c.created_at, surveys.c.name)
    return list(connection.execute(query).scalars())


def add_batches(connection: Connection, survey: str, batches: Sequence[Batch]) -> int:
    """Store batches; how many were not there.

    Raises:
        InputError: a batch of that id is there with other content.
    """
    there = {batch.id: batch for batch in find_batches(connection, survey)}
    rows = []
    for position, batch in enumerate(batches, start=len(there)):
        if batch.id in there:
            if there[batch.id] != batch:
                raise InputError(f"The batch {batch.id} of {survey} is there with other content.")
            continue
        rows.append(
            {
                "survey": survey,
                "id": batch.id,
                "round": batch.round,
                "position": position,
                "slots": [{name: getattr(slot, name) for name in _SLOT} for slot in batch.slots],
                "cultures": list(batch.cultures),
                "answers": batch.answers,
                "created_at": now(),
            }
        )
    if rows:
        connection.execute(insert(survey_batches), rows)
    return len(rows)


def find_batches(connection: Connection, survey: str) -> list[Batch]:
    """The batches of a survey, in the order in which they were made."""
    query = (
        select(survey_batches)
        .where(survey_batches.c.survey == survey)
        .order_by(survey_batches.c.position)
    )
    return [
        Batch(
            row.id,
            row.round,
            tuple(Slot(**slot) for slot in row.slots),
            tuple(row.cultures),
            row.answers,
        )
        for row in connection.execute(query)
    ]


def find_state(connection: Connection, survey: str, target: str) -> dict[str, Any]:
    """What a service made of a survey's sheets, by key."""
    query = select(survey_states.c.key, survey_states.c.value).where(
        survey_states.c.survey == survey, survey_states.c.target == target
    )
    return {row.key: row.value for row in connection.execute(query)}


def put_state(connection: Connection, survey: str, target: str, key: str, value: Any) -> None:
    """Note what a service made; a newer value takes the place of an older one."""
    add = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    row = {
        "survey": survey,
        "target": target,
        "key": key,
        "value": value,
        "created_at": now(),
    }
    connection.execute(
        add(survey_states)
        .values(**row)
        .on_conflict_do_update(index_elements=["survey", "target", "key"], set_={"value": value})
    )


def add_submissions(
    connection: Connection,
    survey: str,
    file: FileRecord,
    several: Sequence[Submission],
    people: Sequence[Participant],
    rejected: Sequence[RejectedRow],
) -> AddedSubmissions:
    """Store what a file holds and is not known yet.

    Participants are hashed already.
    """
    file_id, seen = store_file(connection, file)
    moment = now()
    new = sum(
        _add_some(connection, survey, file_id, several[start : start + _FETCHED], moment)
        for start in range(0, len(several), _FETCHED)
    )
    added_people = _add_people(connection, survey, file_id, people)
    kept = _kept(connection, survey, file_id) if seen else set()
    left = [one for one in rejected if (one.row, one.reason[:100], one.message) not in kept]
    if left:
        connection.execute(
            insert(unplaced_answers),
            [
                {
                    "survey": survey,
                    "file_id": file_id,
                    "row": one.row,
                    "reason": one.reason[:100],
                    "message": one.message,
                    "content": dict(one.content),
                    "created_at": moment,
                }
                for one in left
            ],
        )
    return AddedSubmissions(seen, new, len(several) - new, added_people, len(left))


def _add_some(
    connection: Connection,
    survey: str,
    file_id: int,
    several: Sequence[Submission],
    moment: datetime,
) -> int:
    """Store those submissions that are not known yet; how many they were."""
    rows: dict[str, dict[str, Any]] = {}
    for one in several:
        answers = [(a.entry, a.label, a.second, a.text) for a in one.answers]
        content = {
            "survey": survey,
            "id": _short(one.id),
            "sheet": one.sheet,
            "participant": one.participant,
            "source": one.source,
            "status": one.status,
            "code": one.code,
            "started_at": one.started,
            "submitted_at": one.submitted,
            "answers": answers,
        }
        key = _hash_of(content)
        rows.setdefault(
            key,
            {**content, "hash": key, "file_id": file_id, "row": one.row, "created_at": moment},
        )
    known = _known(connection, submissions, survey, rows)
    fresh = [row for key, row in rows.items() if key not in known]
    if fresh:
        connection.execute(insert(submissions), fresh)
    return len(fresh)


def _kept(connection: Connection, survey: str, file_id: int) -> set[tuple[int, str, str]]:
    """Of a file's rows without a place, those that are stored."""
    query = select(
        unplaced_answers.c.row, unplaced_answers.c.reason, unplaced_answers.c.message
    ).where(unplaced_answers.c.survey == survey, unplaced_answers.c.file_id == file_id)
    return {(row.row, row.reason, row.message) for row in connection.execute(query)}


def _add_people(
    connection: Connection, survey: str, file_id: int, people: Sequence[Participant]
) -> int:
    rows: dict[str, dict[str, Any]] = {}
    for one in people:
        content = {
            "survey": survey,
            "participant": one.participant,
            "study": one.study,
            "submission": _short(one.submission),
            "status": one.status,
            "seconds": one.seconds,
            "facts": dict(one.facts),
            "details": dict(one.details),
        }
        key = _hash_of(content)
        rows.setdefault(key, {**content, "hash": key, "file_id": file_id, "created_at": now()})
    known = _known(connection, survey_participants, survey, rows)
    fresh = [row for key, row in rows.items() if key not in known]
    for start in range(0, len(fresh), _FETCHED):
        connection.execute(insert(survey_participants), fresh[start : start + _FETCHED])
    return len(fresh)


def _known(connection: Connection, table: Any, survey: str, hashes: Collection[str]) -> set[str]:
    found: set[str] = set()
    for some in slices(hashes):
        query = select(table.c.hash).where(table.c.survey == survey, table.c.hash.in_(some))
        found.update(connection.execute(query).scalars())
    return found


def _hash_of(content: Mapping[str, Any]) -> str:
    plain = {
        key: value.isoformat() if hasattr(value, "isoformat") else value
        for key, value in content.items()
    }
    return hashlib.sha256(encode_json(plain).encode()).hexdigest()


def _short(words: str) -> str:
    """An id as it is, or its hash where it is long."""
    return words if len(words) <= 64 else hashlib.sha256(words.encode()).hexdigest()


def find_submissions(connection: Connection, survey: str) -> list[Submission]:
    """The submission of each person and sheet that was sent last, in the order of coming."""
    query = select(submissions).where(submissions.c.survey == survey).order_by(submissions.c.number)
    newest: dict[tuple[str, str], tuple[int, Submission]] = {}
    known: dict[tuple[str, ...], Answer] = {}
    for row in connection.execution_options(yield_per=_FETCHED).execute(query):
        key = (row.sheet, row.participant)
        before = newest.get(key)
        if before is None or _later(row.submitted_at, before[1].submitted):
            newest[key] = (
                row.number,
                Submission(
                    row.id,
                    row.sheet,
                    row.participant,
                    tuple(_answer(one, known) for one in row.answers),
                    row.source,
                    row.submitted_at,
                    row.started_at,
                    row.status,
                    row.code,
                    row.row,
                ),
            )
    return [one for _, one in sorted(newest.values(), key=itemgetter(0))]


def _answer(stored: Sequence[Any], known: dict[tuple[str, ...], Answer]) -> Answer:
    """An answer; one that several people gave is one in memory."""
    entry, label, second, text = stored
    key = (entry, label, text, *second)
    found = known.get(key)
    if found is None:
        found = known[key] = Answer(entry, label, tuple(second), text)
    return found


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


def add_check(
    connection: Connection, survey: str, rules: Mapping[str, Any], report: Mapping[str, Any]
) -> int:
    """Store a quality control; its number, that of the last one when that says the same."""
    return _add_result(connection, survey_checks, survey, "rules", rules, "report", report)


def add_labels(
    connection: Connection, survey: str, settings: Mapping[str, Any], labels: Sequence[Any]
) -> int:
    """Store a settling; its number, that of the last one when that says the same."""
    return _add_result(
        connection, survey_labels, survey, "settings", settings, "labels", list(labels)
    )


def find_check(connection: Connection, survey: str) -> tuple[dict[str, Any], Any] | None:
    """The rules and the report of the last quality control."""
    return _last(connection, survey_checks, survey, "rules", "report")


def find_labels(connection: Connection, survey: str) -> tuple[dict[str, Any], Any] | None:
    """The settings and the labels of the last settling."""
    return _last(connection, survey_labels, survey, "settings", "labels")


def _last(
    connection: Connection, table: Any, survey: str, first: str, second: str
) -> tuple[dict[str, Any], Any] | None:
    query = select(table).where(table.c.survey == survey).order_by(table.c.number.desc())
    row = connection.execute(query.limit(1)).first()
    return None if row is None else (getattr(row, first), getattr(row, second))


def _add_result(
    connection: Connection, table: Any, survey: str, first: str, one: Any, second: str, other: Any
) -> int:
    # What is stored is compared as it is written: large results are not read for it.
    written = (type_coerce(table.c[name], Text) for name in (first, second))
    query = select(table.c.number, *written).where(table.c.survey == survey)
    last = connection.execute(query.order_by(table.c.number.desc()).limit(1)).first()
    if last is not None and tuple(last[1:]) == (encode_json(one), encode_json(other)):
        return int(last.number)
    row = {"survey": survey, first: one, second: other, "created_at": now()}
    statement = insert(table).values(**row).returning(table.c.number)
    return int(connection.execute(statement).scalar_one())
