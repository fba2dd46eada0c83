"""Erasing people. In: participants' ids. Out: receipts that name nobody, and nothing else of them.

It is the one deletion that the store allows. The database lets go of rows with people in them only
while a row of `erasures` has no counts, which is while a `letting_go` lasts
(`memeloc.store.tables.columns`). Which tables those are, the tables themselves say: every one with
a column `participant`, what refers to its rows, and what is marked as `people`.

A token for each person stays, under a key that is used for nothing else, so that a file that is
imported later does not bring them back. It is made of the id as it is stored, so that it is
recognised in a service's file, which has the id itself, and in a table that was written here.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Table, Text, delete, select, type_coerce, update

from memeloc.errors import InputError
from memeloc.store.queries import Repository, add_row, add_rows
from memeloc.store.surveys.participant_ids import hash_id, secret_key, survey_key
from memeloc.store.tables import metadata
from memeloc.store.tables.captions import files
from memeloc.store.tables.surveys import (
    erased_people,
    erasures,
    rejected_rows,
    survey_results,
    survey_states,
)
from memeloc.store.tables.types import encode_json

if TYPE_CHECKING:
    from memeloc.survey.targets.protocol import Imported

KEY_VARIABLE = "MEMELOC_ERASURE_KEY"
"""The environment variable with the key of the tokens."""

KEY_FILE = "erasure.key"
"""Where a key is stored that was made here."""

_LONG = 20
"""Characters of a hash, or of a service's id: no other text holds one by chance."""

_SHORTEST_ID = 6
"""Characters of an id as its source has it, from which on a target's memory is searched for it."""

_SHORTEST_WORD = 4
"""Characters of a word from which on it is taken for a mention of somebody."""

_HEX = set("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Erasure:
    """How many people were asked for, from which surveys, and how many rows went, by table."""

    people: int
    surveys: tuple[str, ...]
    counts: Mapping[str, int]


class Erasures(Repository):
    def erase(self, people: Collection[str]) -> Erasure:
        """Erase people from every table of every survey, and whatever was computed of them.

        Args:
            people: ids as their source has them, or as they are stored.

        Raises:
            InputError: there is no key, or another one than that of earlier erasures.
            WorkspaceError: another program has the database open, so that what was deleted may be
                readable in the file until the same is done again.
        """
        key = survey_key(self.root)
        hashes = {participant: hash_id(key, participant) for participant in people}
        # What is given as a hash is one already.
        stored = {
            plain if len(plain) == len(hashed) and _HEX.issuperset(plain) else hashed
            for plain, hashed in hashes.items()
        }
        with self.database.write() as connection:
            tokens_key = erasure_key(self.root, _tokens(connection))
            with letting_go(connection) as counts:
                counts["people"] = len(hashes)
                names = _erase_rows(connection, {*hashes, *hashes.values()}, key, counts)
                rows = [{"token": _token(tokens_key, each)} for each in sorted({"", *stored})]
                add_rows(connection, erased_people, rows, ["token"])
        self.database.scrub([each.name for each in tables_of_people()])
        del counts["people"]
        return Erasure(len(hashes), names, dict(sorted((+counts).items())))

    def receipts(self) -> list[Mapping[str, int]]:
        query = select(erasures.c.counts).order_by(erasures.c.number)
        return [counts for (counts,) in self.fetch(query)]

    def everybody(self) -> set[str]:
        """Return the ids, as they are stored, of all whom the tables of people name."""
        with self.database.read() as connection:
            return _everybody(connection)

    def recogniser(self) -> Callable[[str], bool]:
        """Return a test whether a text is the id of somebody who was erased; raise InputError as of
        `erasure_key`."""
        with self.database.read() as connection:
            tokens = _tokens(connection)
        if not tokens:
            return lambda text: False
        return _recogniser(tokens, self.root, partial(hash_id, survey_key(self.root)))


def erasure_key(root: Path | None, tokens: Collection[str]) -> bytes:
    """Return the key of tokens, which has to be that of those that are there; raise InputError if
    it is missing, or another one."""
    missing = (
        f"Tokens of erased people have a key of their own; set {KEY_VARIABLE}, or open the "
        "workspace by its folder."
    )
    key = secret_key(root, KEY_VARIABLE, KEY_FILE, missing)
    if tokens and _token(key, "") not in tokens:
        raise InputError(
            f"The key of erased people is another one than before, so files could bring them "
            f"back. Put {KEY_FILE} back into the workspace, or set {KEY_VARIABLE} as it was."
        )
    return key


def erase_again(connection: Connection, root: Path | None) -> Mapping[str, int]:
    """Erase whom a dump from before their erasure has brought back; return the rows by table; raise
    InputError as of `erasure_key`, or the key that participants are hashed with is missing."""
    tokens = _tokens(connection)
    key = erasure_key(root, tokens)
    people = {who for who in _everybody(connection) if _token(key, who) in tokens}
    if not people:
        return {}
    with letting_go(connection) as counts:
        _erase_rows(connection, people, survey_key(root), counts)
    return dict(sorted((+counts).items()))


def without_erased(
    connection: Connection,
    root: Path | None,
    files: Sequence[Imported],
    hashed: Callable[[str], str],
) -> list[Imported]:
    """Return what files held, without people who were erased and rows that mention them; raise
    InputError as of `erasure_key`."""
    tokens = _tokens(connection)
    if not tokens:
        return list(files)
    erased = _recogniser(tokens, root, hashed)

    def mentions(value: Any) -> bool:
        return any(erased(text) for text in _texts(value) if len(text) >= _SHORTEST_WORD)

    return [
        replace(
            imported,
            submissions=tuple(row for row in imported.submissions if not erased(row.participant)),
            participants=tuple(row for row in imported.participants if not erased(row.participant)),
            rejected=tuple(
                row
                for row in imported.rejected
                if not (erased(row.participant) or mentions(row.message) or mentions(row.content))
            ),
        )
        for imported in files
    ]


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


def _tokens(connection: Connection) -> set[str]:
    return set(connection.execute(select(erased_people)).scalars())


def _everybody(connection: Connection) -> set[str]:
    tables = [table for table in tables_of_people() if "participant" in table.c]
    queries = [select(table.c.participant).distinct() for table in tables]
    return {who for query in queries for who in connection.execute(query).scalars() if who}


def _recogniser(
    tokens: Collection[str], root: Path | None, hashed: Callable[[str], str]
) -> Callable[[str], bool]:
    """Return a test whether an id, as its source has it or as it is stored, has a token."""
    key = erasure_key(root, tokens)
    known: dict[str, bool] = {"": False}

    def erased(participant: str) -> bool:
        if participant not in known:
            forms = (participant, hashed(participant))
            known[participant] = any(_token(key, form) in tokens for form in forms)
        return known[participant]

    return erased


def _token(key: bytes, stored: str) -> str:
    return hmac.digest(key, stored.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts and words of JSON values; numbers as an importer names a person."""
    if isinstance(value, str):
        yield value.strip()
        yield from (word.strip("'\"“”()[]{}<>,;:.") for word in value.split())
    elif isinstance(value, Mapping):
        yield from _texts([*map(str, value), *value.values()])
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(int(value) if value == value // 1 else value)


def _erase_rows(
    connection: Connection, people: set[str], key: bytes, counts: Counter[str]
) -> tuple[str, ...]:
    """Delete all that is of some people, and count it by table; return the surveys they were in.

    Of rejected rows also those that mention a person's hash; of what was computed
    (`survey_results`) all of the surveys that the person was in; of what targets remember, and of
    files that nothing else refers to, the parts.
    """
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
            counts["answers"] += len(row.get("answers") or ())
    for table in of_people:
        _delete(connection, table, table.c.participant.in_(people), counts)

    def is_theirs(text: str) -> bool:
        is_plain = len(text) >= _SHORTEST_ID and (text in people or hash_id(key, text) in mentions)
        return is_plain or any(mention in text for mention in mentions)

    def as_text(table: Table, *columns: str) -> Any:
        """Return all rows of a table, with some columns as they are stored."""
        others = [column for column in table.c if column.name in ("number", "survey", "file_id")]
        texts = [type_coerce(table.c[name], Text).label(name) for name in columns]
        return connection.execute(select(*others, *texts)).all()

    for row in as_text(rejected_rows, "content", "message"):
        if any(mention in row.content or mention in row.message for mention in mentions):
            files_before.add(row.file_id)
            _delete(connection, rejected_rows, rejected_rows.c.number == row.number, counts)
    for row in as_text(survey_results, "result"):
        if row.survey in names or any(mention in row.result for mention in mentions):
            names.add(row.survey)
            _delete(connection, survey_results, survey_results.c.number == row.number, counts)
    _erase_states(connection, is_theirs, counts)
    users = [
        column
        for table in metadata.sorted_tables
        for column in table.c
        if any(reference.column is files.c.id for reference in column.foreign_keys)
    ]
    for file_id in sorted(files_before):
        queries = (select(column).where(column == file_id).limit(1) for column in users)
        if all(connection.execute(query).first() is None for query in queries):
            _delete(connection, files, files.c.id == file_id, counts)
    return tuple(sorted(names))


def _delete(
    connection: Connection, table: Table, condition: ColumnElement[bool], counts: Counter[str]
) -> None:
    """Delete rows of a table, and before them what people's tables have that refers to these."""
    for other in tables_of_people():  # other tables let go of nothing, on PostgreSQL not of none
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

    def without(value: Any) -> Any:
        def kept(inner: Any) -> bool:
            return not (isinstance(inner, str) and is_theirs(inner))

        if isinstance(value, Mapping):
            pairs = value.items()
            return {k: without(v) for k, v in pairs if kept(str(k)) and kept(v)}
        return [without(v) for v in value if kept(v)] if isinstance(value, list) else value

    columns = survey_states.c
    for row in connection.execute(select(survey_states)).all():
        same = (columns.survey == row.survey, columns.target == row.target, columns.key == row.key)
        if any(map(is_theirs, row.key.split("/"))):
            connection.execute(delete(survey_states).where(*same))
        elif encode_json(value := without(row.value)) != encode_json(row.value):
            connection.execute(update(survey_states).where(*same).values(value=value))
        else:
            continue
        counts[survey_states.name] += 1
