"""What an erasure deletes. In: people's ids, a transaction. Out: how many rows went, by table.

Which rows those are, the tables themselves say: every one with a column `participant`, and what
refers to its rows. Of rejected rows also those that mention a person's hash; of what was computed
(`survey_results`) all of the surveys that the person was in; of what targets remember, the parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, Text, delete, select, type_coerce, update

from memeloc.store.queries import add_row
from memeloc.store.surveys.participant_ids import hash_id
from memeloc.store.tables import metadata
from memeloc.store.tables.captions import files
from memeloc.store.tables.surveys import erasures, rejected_rows, survey_results, survey_states
from memeloc.store.tables.types import encode_json

_LONG = 20
"""Characters of a hash, or of a service's id: no other text holds one by chance."""

_SHORTEST = 6
"""Characters of an id as its source has it, from which on a target's memory is searched for it."""


@contextmanager
def letting_go(connection: Connection) -> Iterator[Counter[str]]:
    """While it lasts, the tables let go of people; what is counted meanwhile is the receipt."""
    number = add_row(connection, erasures)
    counts: Counter[str] = Counter()
    yield counts
    done = update(erasures).where(erasures.c.number == number)
    connection.execute(done.values(counts=dict(sorted((+counts).items()))))


def tables_of_people() -> list[Table]:
    return [
        table
        for table in reversed(metadata.sorted_tables)
        if table.info["people"] or table in (survey_states, files)
    ]


def erase_rows(
    connection: Connection, people: set[str], key: bytes, counts: Counter[str]
) -> tuple[str, ...]:
    """Delete all that is of some people, and count it by table; the surveys they were in."""
    of_people = [table for table in tables_of_people() if "participant" in table.c]
    names: set[str] = set()
    mentions = {participant for participant in people if len(participant) >= _LONG}
    files_before: set[int] = set()
    for table in of_people:
        rows = connection.execute(select(table).where(table.c.participant.in_(people))).mappings()
        for row in rows:
            names |= {row["survey"]} if "survey" in row else set()
            own = (row.get("id"), row.get("submission"))
            mentions |= {each for each in own if isinstance(each, str) and len(each) >= _LONG}
            files_before |= {row["file_id"]} if row.get("file_id") else set()
            counts["answers"] += len(row.get("answers") or ()) if "participant" in row else 0
    for table in of_people:
        _delete(connection, table, table.c.participant.in_(people), counts)

    def mentioned(text: str) -> bool:
        return any(mention in text for mention in mentions)

    def is_theirs(text: str) -> bool:
        is_plain = len(text) >= _SHORTEST and (text in people or hash_id(key, text) in mentions)
        return is_plain or mentioned(text)

    for rejected in connection.execute(_as_written(rejected_rows, "content", "message")).all():
        if mentioned(rejected.content) or mentioned(rejected.message):
            files_before.add(rejected.file_id)
            _delete(connection, rejected_rows, rejected_rows.c.number == rejected.number, counts)
    for result in connection.execute(_as_written(survey_results, "result")).all():
        if result.survey in names or mentioned(result.result):
            names.add(result.survey)
            _delete(connection, survey_results, survey_results.c.number == result.number, counts)
    _erase_states(connection, is_theirs, counts)
    _erase_files(connection, files_before, counts)
    return tuple(sorted(names))


def _as_written(table: Table, *columns: str) -> Any:
    """All rows of a table with some columns as the text that is stored."""
    others = [column for column in table.c if column.name in ("number", "survey", "file_id")]
    return select(*others, *(type_coerce(table.c[name], Text).label(name) for name in columns))


def _delete(
    connection: Connection, table: Table, condition: ColumnElement[bool], counts: Counter[str]
) -> None:
    for other in metadata.sorted_tables:
        for column in other.c:
            for reference in column.foreign_keys:
                if reference.column.table is table and other is not table:
                    gone = select(reference.column).where(condition)
                    _delete(connection, other, column.in_(gone), counts)
    counts[table.name] += connection.execute(delete(table).where(condition)).rowcount


def _erase_states(
    connection: Connection, is_theirs: Callable[[str], bool], counts: Counter[str]
) -> None:
    """Take people out of what targets remember: keys, and what is within values."""
    columns = survey_states.c
    for row in connection.execute(select(survey_states)).all():
        same = (columns.survey == row.survey, columns.target == row.target, columns.key == row.key)
        if any(map(is_theirs, row.key.split("/"))):
            connection.execute(delete(survey_states).where(*same))
        elif encode_json(kept := _without(row.value, is_theirs)) != encode_json(row.value):
            connection.execute(update(survey_states).where(*same).values(value=kept))
        else:
            continue
        counts[survey_states.name] += 1


def _without(value: Any, is_theirs: Callable[[str], bool]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _without(inner, is_theirs)
            for key, inner in value.items()
            if not is_theirs(str(key)) and not (isinstance(inner, str) and is_theirs(inner))
        }
    if isinstance(value, list):
        return [
            _without(inner, is_theirs)
            for inner in value
            if not (isinstance(inner, str) and is_theirs(inner))
        ]
    return value


def _erase_files(connection: Connection, ids: Collection[int], counts: Counter[str]) -> None:
    columns = [
        column
        for table in metadata.sorted_tables
        for column in table.c
        if any(reference.column is files.c.id for reference in column.foreign_keys)
    ]
    for own in sorted(ids):
        users = (select(column).where(column == own).limit(1) for column in columns)
        if all(connection.execute(query).first() is None for query in users):
            counts[files.name] += connection.execute(
                delete(files).where(files.c.id == own)
            ).rowcount
