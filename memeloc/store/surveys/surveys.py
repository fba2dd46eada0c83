"""Surveys. In: designs, batches, what came back. Out: submissions of hashed participants.

The same file twice, or an older one later, changes nothing: a submission is known by its content,
and of several of one person for one sheet the one that was sent last holds.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Connection, Text, delete, select, type_coerce

from memeloc.errors import InputError
from memeloc.store.queries import (
    Repository,
    add_new,
    add_row,
    add_rows,
    columns_of,
    store_files,
    two_columns,
    values_of,
)
from memeloc.store.records import FileRecord
from memeloc.store.surveys.erasures import letting_go, without_erased
from memeloc.store.surveys.participant_ids import SURVEY_KEY, hash_id, hidden, hidden_message
from memeloc.store.tables.captions import files as imported_files
from memeloc.store.tables.surveys import (
    label_deciders,
    label_decisions,
    rejected_rows,
    submissions,
    survey_batches,
    survey_participants,
    survey_results,
    survey_states,
    surveys,
)
from memeloc.store.tables.types import encode_json
from memeloc.survey.model import (
    Answer,
    Batch,
    LabelDecision,
    Participant,
    RejectedRow,
    Slot,
    Submission,
)
from memeloc.tables import folded
from memeloc.taxonomy import LABEL

if TYPE_CHECKING:
    from memeloc.survey.targets.protocol import Imported

Result = Literal["check", "labels"]
"""A quality control (rules and report), or a settling (settings and labels)."""

COMMENT = "comment"
"""The reason of a rejected row that holds what somebody wrote beside the answers."""
_RECORDS = {
    "submissions": submissions, "participants": survey_participants, "rejected": rejected_rows,
}  # fmt: skip
"""The tables of what an import holds."""
_IDS = {
    "submissions": ("participant", "id"),
    "participants": ("participant", "submission"),
    "rejected": ("participant",),
}
"""Where ids of people, and of what they sent, stand in it."""
_SAME = "same person"
"""In the details of a row that says whose answers a service's submission is: since when; or empty
where that was taken back."""
_ROWS = 2000
"""Rows fetched at a time."""
_LONG = 6
"""Characters of an id from which on it is hashed within typed answers; a shorter one may be one."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_NOTHING = {"new": 0, "known": 0, "new_participants": 0, "seen": False}
"""What was stored of a file, as of `Surveys.add_files`."""


class Surveys(Repository):
    def add(self, name: str, design: Mapping[str, Any], batches: Sequence[Batch]) -> int:
        """Store a survey and its first batches; how many were not there; raise InputError if there
        is another survey under that name."""
        query = select(surveys.c.design).where(surveys.c.name == name)
        with self.database.write() as connection:
            stored = connection.execute(query).scalar()
            if stored is None:
                add_row(connection, surveys, name=name, design=dict(design))
            elif encode_json(stored) != encode_json(dict(design)):
                raise InputError(
                    f"There is a survey {name!r} with other settings; what went out is never "
                    "changed, so give this one another name."
                )
            return _add_batches(connection, name, batches)

    def add_batches(self, survey: str, batches: Sequence[Batch]) -> int:
        """Store further batches of a survey, such as a round of ties; how many were not there;
        raise InputError if there is no such survey, or a batch of that id with other content."""
        self.design(survey)
        with self.database.write() as connection:
            return _add_batches(connection, survey, batches)

    def names(self) -> list[str]:
        query = select(surveys.c.name).order_by(surveys.c.created_at, surveys.c.name)
        return [name for (name,) in self.fetch(query)]

    def design(self, name: str) -> dict[str, Any]:
        """Return how a survey was designed; raise InputError if there is none of that name."""
        design = self.value(select(surveys.c.design).where(surveys.c.name == name))
        if design is None:
            existing = ", ".join(self.names()) or "none"
            raise InputError(f"There is no survey {name[:60]!r}; there are {existing}.")
        return dict(design)

    def batches(self, name: str) -> list[Batch]:
        with self.database.read() as connection:
            return _batches(connection, name)

    def state(self, name: str, target: str) -> dict[str, Any]:
        query = select(survey_states.c.key, survey_states.c.value).where(
            survey_states.c.survey == name, survey_states.c.target == target
        )
        return two_columns(self.fetch(query))

    def put_state(self, name: str, target: str, key: str, value: Any) -> None:
        """Note what a service made, at once, so that a second run makes nothing twice."""
        row = {"survey": name, "target": target, "key": key, "value": value}
        with self.database.write() as connection:
            add_rows(connection, survey_states, [row], ["survey", "target", "key"], replace="value")

    def add_submissions(
        self, name: str, file: FileRecord, imported: Imported, *, words: Collection[str] = ()
    ) -> dict[str, int]:
        """Store what one file of answers holds; see `add_files`."""
        return self.add_files(name, [(file, imported)], words=words)[0]

    def add_files(
        self,
        name: str,
        files: Sequence[tuple[FileRecord, Imported]],
        *,
        words: Collection[str] = (),
    ) -> list[dict[str, int]]:
        """Store what files of answers hold, whole or not at all, and once.

        Return of each how many submissions were `new` and `known`, the `new_participants`, how many
        records are of `erased` people and were left out, and whether the very file was `seen`
        before; what can be resolved by now, and could not be then, is stored all the same.

        People are stored as keyed hashes, and so is every mention of them; of people who were
        erased nothing is stored, and of a file its target and SHA-256: its name often is a person's
        id. Of rejected rows all texts are hashed that are not the survey's own `words`, as
        `memeloc.tables.folded`. Raises InputError if there is no survey of that name, or the key of
        erased people is missing.
        """
        hashed = partial(hash_id, self.key)
        imports = [imported for _, imported in files]
        self.design(name)
        with self.database.write() as connection:
            stay = without_erased(connection, self.root, imports, hashed)
            erased = [_size(all_) - _size(rest) for all_, rest in zip(imports, stay, strict=True)]
            # Of a file that is all of erased people, nothing is noted.
            stored = [
                number for number, rest in enumerate(stay) if _size(rest) or not erased[number]
            ]
            added = add_submissions(
                connection,
                name,
                [(files[each][0], _without_ids(stay[each], hashed, words)) for each in stored],
            )
        by_number = dict(zip(stored, added, strict=True))
        return [
            {**by_number.get(number, _NOTHING), "erased": count}
            for number, count in enumerate(erased)
        ]

    def submissions(self, name: str, *, superseded: bool = False) -> list[Submission]:
        """Return of each person and sheet what was sent last, in the order of coming; or what that
        superseded."""

        @cache  # what several people answered is in memory once
        def answer(entry: str, label: str, *others: tuple[str, tuple[str, ...]]) -> Answer:
            return Answer(entry, _answered(label, others))

        columns = submissions.c
        query = select(*columns_of(submissions, Submission)).where(columns.survey == name)
        stored = []
        with self.database.read() as connection:
            rows = connection.execution_options(yield_per=_ROWS).execute(
                query.order_by(columns.number)
            )
            for row in rows:
                answers = tuple(
                    Answer(entry, _answered(label, others), *times)
                    if times
                    else answer(entry, label, *((name, tuple(chosen)) for name, chosen in others))
                    for entry, label, others, *times in row.answers
                )
                sent = replace(Submission(*row), answers=answers, presented=row.presented or {})
                stored.append(sent)
        by_time = sorted(enumerate(stored), key=lambda each: each[1].submitted or _EARLIEST)
        last = set({(row.sheet, row.participant): index for index, row in by_time}.values())
        return [row for index, row in enumerate(stored) if (index in last) != superseded]

    def participants(self, name: str) -> list[Participant]:
        """Return what services report of people, once for each person and study, each under the id
        of the answers, see `add_same`."""
        with self.database.read() as connection:
            rows = _participants(connection, name)
        same = _same_people(rows)
        return [
            replace(row, participant=same.get(row.participant, row.participant))
            for row in rows
            if _SAME not in row.details
        ]

    def same_people(self, name: str) -> dict[str, str]:
        """Return by a service's participant the one under whose id the answers came."""
        with self.database.read() as connection:
            return _same_people(_participants(connection, name))

    def add_same(self, name: str, answered: str, participant: str) -> None:
        """Note that whose answers came under one id is whom the service calls by another.

        Both are as they are stored; an empty `participant` takes it back. What is stored of either
        stays as it is. Raise InputError if the service reports nobody of that id, or reports the
        other one, too.
        """
        at = datetime.now(UTC).isoformat()
        with self.database.write() as connection:
            reported = _participants(connection, name)
            if any(row.participant == answered and _SAME not in row.details for row in reported):
                raise InputError(f"The service knows {answered[:8]} itself; these are two people.")
            rows = [
                replace(row, participant=answered, facts={}, status="", details={_SAME: at})
                for row in reported
                if row.participant == participant and row.submission
            ] or [
                replace(row, details={_SAME: "", "at": at})
                for row in reported
                if row.participant == answered and not participant
            ]
            if not rows:
                raise InputError(
                    f"No export of a service names whom {answered[:8]} is to be; import it first."
                )
            from memeloc.survey.targets.protocol import Imported

            digest = hashlib.sha256(f"{answered} {at}".encode()).hexdigest()
            file = FileRecord("submissions", _SAME, digest, len(rows))
            add_submissions(connection, name, [(file, Imported(participants=tuple(rows)))])

    def rejected(self, name: str) -> list[tuple[str, str, str]]:
        """Return the target, person and reason of everything that could not be read."""
        columns = rejected_rows.c
        query = select(imported_files.c.name, columns.participant, columns.reason)
        query = query.join_from(rejected_rows, imported_files).where(columns.survey == name)
        return [tuple(row) for row in self.fetch(query)]

    def add_result(self, name: str, kind: Result, settings: Any, result: Any) -> int:
        """Store a quality control or a settling, as JSON values; its number. The same as the last
        one adds nothing."""
        # What is stored is compared as it is written: large results are not read for it.
        columns = survey_results.c
        written = (type_coerce(column, Text) for column in (columns.settings, columns.result))
        query = select(columns.number, *written).where(columns.survey == name, columns.kind == kind)
        with self.database.write() as connection:
            last = connection.execute(query.order_by(columns.number.desc()).limit(1)).first()
            if last is not None and tuple(last[1:]) == (encode_json(settings), encode_json(result)):
                return int(last.number)
            values = {"survey": name, "kind": kind, "settings": settings, "result": result}
            return int(add_row(connection, survey_results, **values))

    def result(self, name: str, kind: Result) -> tuple[dict[str, Any], Any] | None:
        columns = survey_results.c
        query = select(columns.settings, columns.result).where(
            columns.survey == name, columns.kind == kind
        )
        rows = self.fetch(query.order_by(columns.number.desc()).limit(1))
        return tuple(rows[0]) if rows else None

    def hash_participant(self, participant: str) -> str:
        """Return a person's id as it is stored, see `hash_id`; an empty id stays empty."""
        return hash_id(self.key, participant) if participant else ""

    @property
    def key(self) -> bytes:
        """The key of hashes and completion codes, see `SecretKey.read`."""
        return SURVEY_KEY.read(self.root)

    def add_decisions(self, survey: str, decisions: Sequence[LabelDecision]) -> int:
        """Store decisions, all or none; how many differ from the newest about their item."""
        count = 0
        with self.database.write() as connection:
            newest = {each.cell: each for each in _decisions(connection, survey)}
            for decision in decisions:
                if newest.get(decision.cell) == decision:
                    continue
                newest[decision.cell] = decision
                label, others = _stored_answers(decision.values)
                row = {name: getattr(decision, name) for name in ("item", "culture", "reason")}
                row |= {"survey": survey, "label": label, "further": others}
                number = add_row(connection, label_decisions, **row)
                people = [{"decision": number, "participant": who} for who in decision.people]
                add_rows(connection, label_deciders, people)
                count += 1
        return count

    def decisions(self, survey: str) -> list[LabelDecision]:
        with self.database.read() as connection:
            return _decisions(connection, survey)


def add_submissions(
    connection: Connection, survey: str, files: Sequence[tuple[FileRecord, Imported]]
) -> list[dict[str, int]]:
    """Store what files hold, in which people are hashed already."""
    stored = store_files(connection, [file for file, _ in files])
    imports = _without_facts(connection, survey, [imported for _, imported in files])
    new = {}
    for name, table in _RECORDS.items():
        rows = (
            {**_row(record, file_id), "survey": survey, "file_id": file_id}
            for imported, (file_id, _) in zip(imports, stored, strict=True)
            for record in getattr(imported, name)
        )
        ids = add_new(connection, table, rows, ["survey", "hash"], table.c.file_id)
        new[name] = Counter(ids)
    added = []
    for imported, (file_id, seen) in zip(imports, stored, strict=True):
        # The first of two files that are the same brought it all.
        count, people = (new[name].pop(file_id, 0) for name in ("submissions", "participants"))
        repeated = len(imported.submissions) - count
        added.append({"new": count, "known": repeated, "new_participants": people, "seen": seen})
    return added


def _size(imported: Imported) -> int:
    return sum(len(getattr(imported, name)) for name in _RECORDS)


def _without_ids(imported: Imported, hashed: Any, words: Collection[str]) -> Imported:
    """Return what was imported, with people's ids and every mention of them as keyed hashes. Of
    rejected rows no text stays but the survey's own `words`, and the comments that people wrote."""

    def is_known(text: str) -> bool:
        return folded(text) in words

    ids = {
        getattr(row, field)
        for name, fields in _IDS.items()
        for row in getattr(imported, name)
        for field in fields
    } - {""}
    long = {name for name in ids if len(name) >= _LONG}

    def answer(row: Answer) -> Answer:
        values = {
            name: tuple(each if is_known(each) else hidden(each, long, hashed) for each in chosen)
            for name, chosen in row.values.items()
        }
        return row if values == row.values else replace(row, values=values)

    def beside(row: Any) -> dict[str, Any]:
        """Return the values of a record that may mention somebody."""
        if isinstance(row, Submission):
            return {
                "answers": tuple(map(answer, row.answers)),
                "code": hidden(row.code, ids, hashed),
            }
        if isinstance(row, Participant):
            return {"details": hidden(row.details, ids, hashed)}
        is_comment = row.reason == COMMENT
        return {
            "message": hidden_message(row.message, ids, hashed, None if is_comment else is_known),
            "content": hidden(row.content, ids, hashed, None if is_comment else is_known),
        }

    rows = {
        name: tuple(
            replace(row, **{field: hashed(getattr(row, field)) for field in fields}, **beside(row))
            for row in getattr(imported, name)
        )
        for name, fields in _IDS.items()
    }
    return type(imported)(**rows)


def _without_facts(
    connection: Connection, survey: str, imports: Sequence[Imported]
) -> Sequence[Imported]:
    """Return what was imported, of people who declined a sheet only the submission that a service
    reports, and how it ended; what else is stored of it already is deleted."""
    from memeloc.survey.targets.resolver import DECLINED

    now = {
        (row.sheet, row.participant)
        for imported in imports
        for row in imported.submissions
        if row.status == DECLINED
    }
    if not (now or any(imported.participants for imported in imports)):
        return imports

    def bare(row: Participant) -> Participant:
        ended = {key: value for key, value in row.details.items() if key == "ended"}
        return replace(row, facts={}, seconds=None, details=ended)

    table, columns = survey_participants, survey_participants.c
    query = select(columns.number, columns.file_id, *columns_of(table, Participant)).where(
        columns.survey == survey, columns.participant.in_({who for _, who in now})
    )
    for number, file_id, *values in connection.execute(query).all():
        stored = Participant(*values)
        if (stored.study, stored.participant) in now and stored != bare(stored):
            with letting_go(connection) as counts:
                rows = delete(table).where(columns.number == number)
                counts[table.name] += connection.execute(rows).rowcount
            row = {**_row(bare(stored), file_id), "survey": survey, "file_id": file_id}
            add_rows(connection, table, [row], ["survey", "hash"])
    query = select(submissions.c.sheet, submissions.c.participant).where(
        submissions.c.survey == survey, submissions.c.status == DECLINED
    )
    declined = now | {(sheet, who) for sheet, who in connection.execute(query)}
    return [
        replace(
            imported,
            participants=tuple(
                bare(row) if (row.study, row.participant) in declined else row
                for row in imported.participants
            ),
        )
        for imported in imports
    ]


def _row(record: Submission | Participant | RejectedRow, file_id: int) -> dict[str, Any]:
    """Return the values of a record's row; its hash goes without what says where it stood."""
    values = values_of(record)
    beside: dict[str, Any] = {}
    if isinstance(record, Submission):
        values["id"] = _short(record.id)
        values["answers"] = [
            # Times as far as they were measured.
            (each.entry, *_stored_answers(each.values), each.shown, each.took)[: _measured(each)]
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


def _stored_answers(values: Mapping[str, Sequence[str]]) -> tuple[str, list[Any]]:
    """Return answers by question as they are stored: the label, and pairs of all others."""
    label = "".join(values.get(LABEL, ()))
    return label, [[name, list(chosen)] for name, chosen in values.items() if name != LABEL]


def _answered(label: str, others: Iterable[Any]) -> dict[str, tuple[str, ...]]:
    values = {LABEL: (label,)} if label else {}
    return values | {name: tuple(chosen) for name, chosen in others}


def _participants(connection: Connection, survey: str) -> list[Participant]:
    from memeloc.survey.quality.checking import merged  # numpy: not for `memeloc status`

    columns = survey_participants.c
    query = select(*columns_of(survey_participants, Participant)).where(columns.survey == survey)
    return merged(Participant(*row) for row in connection.execute(query.order_by(columns.number)))


def _same_people(rows: Sequence[Participant]) -> dict[str, str]:
    same = {row.submission: row.participant for row in rows if row.details.get(_SAME)}
    return {
        row.participant: same[row.submission]
        for row in rows
        if row.submission in same and _SAME not in row.details
    }


def _batches(connection: Connection, survey: str) -> list[Batch]:
    columns = survey_batches.c
    query = select(*columns_of(survey_batches, Batch)).where(columns.survey == survey)
    return [
        Batch(id_, round_, tuple(Slot(**slot) for slot in slots), tuple(cultures), answers)
        for id_, round_, slots, cultures, answers in connection.execute(
            query.order_by(columns.position)
        )
    ]


def _add_batches(connection: Connection, survey: str, batches: Sequence[Batch]) -> int:
    stored = {batch.id: batch for batch in _batches(connection, survey)}
    for batch in batches:
        if stored.get(batch.id, batch) != batch:
            raise InputError(f"The batch {batch.id} of {survey} is there with other content.")
    rows = [
        {**asdict(batch), "survey": survey, "position": position}
        for position, batch in enumerate(batches, start=len(stored))
        if batch.id not in stored
    ]
    return add_rows(connection, survey_batches, rows)


def _decisions(connection: Connection, survey: str) -> list[LabelDecision]:
    people: dict[int, list[str]] = defaultdict(list)
    columns = label_decisions.c
    of_survey = select(columns.number).where(columns.survey == survey)
    query = select(label_deciders).where(label_deciders.c.decision.in_(of_survey))
    for number, participant in connection.execute(query):
        people[number].append(participant)
    rows = connection.execute(
        select(label_decisions).where(columns.survey == survey).order_by(columns.number)
    )
    return [
        LabelDecision(
            row.item,
            row.culture,
            _answered(row.label, row.further),
            tuple(sorted(people[row.number])),
            row.reason,
        )
        for row in rows
    ]
