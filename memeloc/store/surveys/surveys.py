"""Surveys. In: designs, batches, what came back. Out: submissions of hashed participants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any, Literal

from sqlalchemy import Connection, Text, select, type_coerce

from memeloc.errors import InputError
from memeloc.store.queries import Repository, add_row, add_rows, columns_of, two_columns
from memeloc.store.records import FileRecord
from memeloc.store.surveys.erasures import without_erased
from memeloc.store.surveys.participant_ids import hash_id, survey_key
from memeloc.store.surveys.submissions import (
    AddedSubmissions,
    add_submissions,
    find_participants,
    find_submissions,
    left_out,
    without_ids,
)
from memeloc.store.tables.captions import files
from memeloc.store.tables.surveys import (
    label_deciders,
    label_decisions,
    rejected_rows,
    survey_batches,
    survey_results,
    survey_states,
    surveys,
)  # fmt: skip
from memeloc.store.tables.types import encode_json
from memeloc.survey.labels.settling import LabelDecision
from memeloc.survey.model import Batch, Participant, Slot, Submission
from memeloc.survey.targets.protocol import Imported
from memeloc.taxonomy import LABEL

Result = Literal["check", "labels"]
"""A quality control (rules and report), or a settling (settings and labels)."""

_SAME = "same person"
"""In the details of a row that says whose answers a service's submission is: since when; or empty
where that was taken back."""


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
        with self.database.write() as connection:
            _check_name(connection, survey)
            return _add_batches(connection, survey, batches)

    def names(self) -> list[str]:
        with self.database.read() as connection:
            return _names(connection)

    def design(self, name: str) -> dict[str, Any]:
        """How a survey was designed; raise InputError if there is no survey of that name."""
        query = select(surveys.c.design).where(surveys.c.name == name)
        with self.database.read() as connection:
            _check_name(connection, name)
            design: dict[str, Any] = connection.execute(query).scalar_one()
        return design

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
    ) -> AddedSubmissions:
        """Store what a file of answers holds, whole or not at all, and once.

        People are stored as keyed hashes, and so is every mention of them; of people who were
        erased nothing is stored.

        Args:
            file: `FileRecord("submissions", target, sha256, rows)`; its name, which often is a
                person's id, is not stored.
            words: the survey's own texts, as `memeloc.survey.targets.places.folded`; other texts of
                rejected rows are hashed.

        Raises:
            InputError: there is no survey of that name, or the key of erased people is missing.
        """
        return self.add_files(name, [(file, imported)], words=words)[0]

    def add_files(
        self,
        name: str,
        files: Sequence[tuple[FileRecord, Imported]],
        *,
        words: Collection[str] = (),
    ) -> list[AddedSubmissions]:
        key = self.key
        with self.database.write() as connection:
            _check_name(connection, name)
            all_held = [imported for _, imported in files]
            kept = without_erased(connection, self.root, all_held, partial(hash_id, key))
            erased = list(map(left_out, all_held, kept))
            # Of a file that is all of erased people, nothing is noted.
            stored = {
                number: (file, without_ids(own, key, words))
                for number, ((file, _), own) in enumerate(zip(files, kept, strict=True))
                if own != Imported() or not erased[number]
            }
            added = add_submissions(connection, name, list(stored.values()))
        counts = dict(zip(stored, added, strict=True))
        nothing = AddedSubmissions(False, 0, 0, 0, 0)
        return [
            replace(counts.get(number, nothing), erased=left) for number, left in enumerate(erased)
        ]

    def submissions(self, name: str, *, superseded: bool = False) -> list[Submission]:
        """Of each person and sheet what was sent last, in the order of coming; or what that
        superseded."""
        with self.database.read() as connection:
            return find_submissions(connection, name, superseded=superseded)

    def participants(self, name: str) -> list[Participant]:
        """What services report of people, each under the id of the answers, see `add_same`."""
        with self.database.read() as connection:
            rows = find_participants(connection, name)
        same = _same_people(rows)
        return [
            replace(row, participant=same.get(row.participant, row.participant))
            for row in rows
            if _SAME not in row.details
        ]

    def same_people(self, name: str) -> dict[str, str]:
        """By a service's participant the one under whose id the answers came, see `add_same`."""
        with self.database.read() as connection:
            return _same_people(find_participants(connection, name))

    def add_same(self, name: str, answered: str, participant: str) -> None:
        """Note that whose answers came under one id is whom the service calls by another.

        Both are as they are stored; an empty `participant` takes it back. What is stored of either
        stays as it is.

        Raises:
            InputError: the service reports nobody of that id, or reports the other one, too.
        """
        at = datetime.now(UTC).isoformat()
        with self.database.write() as connection:
            known = find_participants(connection, name)
            if any(row.participant == answered and _SAME not in row.details for row in known):
                raise InputError(f"The service knows {answered[:8]} itself; these are two people.")
            rows = [
                replace(row, participant=answered, facts={}, status="", details={_SAME: at})
                for row in known
                if row.participant == participant and row.submission
            ] or [
                replace(row, details={_SAME: "", "at": at})
                for row in known
                if row.participant == answered and not participant
            ]
            if not rows:
                raise InputError(
                    f"No export of a service names whom {answered[:8]} is to be; import it first."
                )
            digest = sha256(f"{answered} {at}".encode()).hexdigest()
            file = FileRecord("submissions", _SAME, digest, len(rows))
            add_submissions(connection, name, [(file, Imported(participants=tuple(rows)))])

    def rejected(self, name: str) -> list[tuple[str, str, str]]:
        """Return the target, person and reason of everything that could not be read."""
        columns = rejected_rows.c
        query = select(files.c.name, columns.participant, columns.reason)
        query = query.join_from(rejected_rows, files).where(columns.survey == name)
        return [tuple(row) for row in self.fetch(query)]

    def add_result(self, name: str, kind: Result, settings: Any, result: Any) -> int:
        """Store a quality control or a settling, as JSON values; its number.

        The same as the last one adds nothing.
        """
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
        """A person's id as it is stored, see `hash_id`; an empty id stays empty."""
        return hash_id(self.key, participant) if participant else ""

    @property
    def key(self) -> bytes:
        """The key of hashes and completion codes: from the environment, or the workspace's own;
        raise InputError if the workspace has no folder, and the environment no key."""
        return survey_key(self.root)


class LabelDecisions(Repository):
    def add(self, survey: str, decisions: Sequence[LabelDecision]) -> int:
        """Store decisions, all or none; how many differ from the newest about their item."""
        count = 0
        with self.database.write() as connection:
            newest = {each.cell: each for each in _decisions(connection, survey)}
            for decision in decisions:
                if newest.get(decision.cell) == decision:
                    continue
                newest[decision.cell] = decision
                others = [pair for pair in decision.values.items() if pair[0] != LABEL]
                number = add_row(
                    connection,
                    label_decisions,
                    survey=survey,
                    item=decision.item,
                    culture=decision.culture,
                    label="".join(decision.values.get(LABEL, ())),
                    further=others,
                    reason=decision.reason,
                )
                people = [{"decision": number, "participant": who} for who in decision.people]
                add_rows(connection, label_deciders, people)
                count += 1
        return count

    def find(self, survey: str) -> list[LabelDecision]:
        with self.database.read() as connection:
            return _decisions(connection, survey)


def _names(connection: Connection) -> list[str]:
    query = select(surveys.c.name).order_by(surveys.c.created_at, surveys.c.name)
    return list(connection.execute(query).scalars())


def _check_name(connection: Connection, survey: str) -> None:
    names = _names(connection)
    if survey not in names:
        existing = ", ".join(names) or "none"
        raise InputError(f"There is no survey {survey[:60]!r}; there are {existing}.")


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
            {
                question: tuple(values)
                for question, values in ((LABEL, [row.label]), *row.further)
                if values != [""]
            },
            tuple(sorted(people[row.number])),
            row.reason,
        )
        for row in rows
    ]


def _same_people(rows: Sequence[Participant]) -> dict[str, str]:
    same = {row.submission: row.participant for row in rows if row.details.get(_SAME)}
    return {
        row.participant: same[row.submission]
        for row in rows
        if row.submission in same and _SAME not in row.details
    }
