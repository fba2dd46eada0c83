"""Erasing people. In: participants' ids. Out: receipts that name nobody, and nothing else of them.

It is the one deletion that the store allows. The database lets go of rows with people in them only
while a row of `erasures` has no counts, which is while a `letting_go` lasts
(`memeloc.store.tables.types`). Which rows are somebody's, the tables themselves say: those of a
column `participant`, and those that refer to them; after that all that mentions the person.

A token for each person stays, under a key that is used for nothing else, so that a file that is
imported later does not bring them back. It is made of the id as it is stored, so that it is
recognised in a service's file, which has the id itself, and in a table that was written here.
"""

from __future__ import annotations

import gzip
import hmac
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    Text,
    delete,
    literal,
    select,
    type_coerce,
    update,
)

from memeloc.errors import InputError
from memeloc.store.queries import Repository, add_row, add_rows
from memeloc.store.surveys.participant_ids import ERASURE_KEY, SURVEY_KEY, hash_id, plain_number
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

_LONG = 20
"""Characters of a hash, or of a service's id: no other text holds one by chance."""

_SHORTEST_ID = 6
"""Characters of an id as its source has it, from which on a target's memory is searched for it."""

_SHORTEST_WORD = 4
"""Characters of a word from which on it is taken for a mention of somebody."""

_HEX = set("0123456789abcdef")

NOTHING_COMPUTED: Mapping[str, Any] = {"check": {"judged": [], "set_aside": []}, "labels": []}
"""What stands, until it is computed anew, for the results of surveys that somebody was in."""

Hashed = Callable[[str], str]
"""As of `hash_id`, with the workspace's key."""


class Erasures(Repository):
    def erase(self, people: Collection[str]) -> dict[str, Any]:
        """Erase people, by ids as their source has them or as they are stored, from every table of
        every survey, and whatever was computed of them; return how many `people` were asked for,
        from which `surveys`, and the `counts` of rows by table.

        Raise InputError if there is no key, or another one than that of earlier erasures;
        WorkspaceError if another program has the database open, so that what was deleted may be
        readable in the file until the same is done again.
        """
        hashed = partial(hash_id, SURVEY_KEY.read(self.root))
        hashes = {participant: hashed(participant) for participant in people}
        # What is given as a hash is one already.
        stored = {
            plain if len(plain) == len(each) and _HEX.issuperset(plain) else each
            for plain, each in hashes.items()
        }
        with self.database.write() as connection:
            key = _erasure_key(self.root, _tokens(connection))
            with letting_go(connection) as counts:
                counts["people"] = len(hashes)
                names = _erase_rows(connection, {*hashes, *hashes.values()}, hashed, counts)
                rows = [{"token": _token(key, each)} for each in sorted({"", *stored})]
                add_rows(connection, erased_people, rows, ["token"])
        self.database.scrub([each.name for each in tables_of_people()])
        del counts["people"]
        return {"people": len(hashes), "surveys": names, "counts": dict(sorted((+counts).items()))}

    def receipts(self) -> list[Mapping[str, int]]:
        query = select(erasures.c.counts).order_by(erasures.c.number)
        return [counts for (counts,) in self.fetch(query)]

    def everybody(self) -> set[str]:
        """Return the ids, as they are stored, of all whom the tables of people name."""
        with self.database.read() as connection:
            return _everybody(connection)

    def recogniser(self) -> Callable[[str], bool]:
        """Return a test whether a text is the id of somebody who was erased; raise InputError if
        the key is missing."""
        with self.database.read() as connection:
            tokens = _tokens(connection)
        if not tokens:
            return lambda text: False
        return _recogniser(tokens, self.root, partial(hash_id, SURVEY_KEY.read(self.root)))


def erase_again(connection: Connection, root: Path | None) -> Mapping[str, int]:
    """Erase whom a dump from before their erasure has brought back; return the rows by table; raise
    InputError if one of the keys is missing, or another one."""
    tokens = _tokens(connection)
    key = _erasure_key(root, tokens)
    people = {who for who in _everybody(connection) if _token(key, who) in tokens}
    if not people:
        return {}
    with letting_go(connection) as counts:
        _erase_rows(connection, people, partial(hash_id, SURVEY_KEY.read(root)), counts)
    return dict(sorted((+counts).items()))


def without_erased(
    connection: Connection, root: Path | None, imports: Sequence[Imported], hashed: Hashed
) -> list[Imported]:
    """Return what files held, without people who were erased and rows that mention them; raise
    InputError if the key of erased people is missing, or another one."""
    tokens = _tokens(connection)
    if not tokens:
        return list(imports)
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
                if not (erased(row.participant) or mentions([row.message, row.content]))
            ),
        )
        for imported in imports
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
    """Return the tables that people are erased from, those that refer to others first."""
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


def _erasure_key(root: Path | None, tokens: Collection[str]) -> bytes:
    key = ERASURE_KEY.read(root)
    if tokens and _token(key, "") not in tokens:
        raise InputError(
            "The key of erased people is another one than before, so files could bring them "
            f"back. Put {ERASURE_KEY.file} back into the workspace, or set {ERASURE_KEY.variable} "
            "as it was."
        )
    return key


def _token(key: bytes, stored: str) -> str:
    return hmac.digest(key, stored.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


def _recogniser(
    tokens: Collection[str], root: Path | None, hashed: Hashed
) -> Callable[[str], bool]:
    """Return a test whether an id, as its source has it or as it is stored, has a token."""
    key = _erasure_key(root, tokens)
    tested: dict[str, bool] = {"": False}

    def erased(participant: str) -> bool:
        if participant not in tested:
            forms = (participant, hashed(participant))
            tested[participant] = any(_token(key, form) in tokens for form in forms)
        return tested[participant]

    return erased


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts and words of JSON values, and numbers."""
    if isinstance(value, str):
        yield value.strip()
        yield from (word.strip("'\"“”()[]{}<>,;:.") for word in value.split())
    elif isinstance(value, Mapping):
        yield from _texts([*map(str, value), *value.values()])
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield plain_number(value)


def _theirs(table: Table, people: Collection[str]) -> ColumnElement[bool] | None:
    """Return which rows of a table are of some people, themselves or by what they refer to."""
    if "participant" in table.c:
        return table.c.participant.in_(people)
    for column in table.c:
        for other in (reference.column for reference in column.foreign_keys):
            if "participant" in other.table.c:
                return column.in_(select(other).where(other.table.c.participant.in_(people)))
    return None


def _erase_rows(
    connection: Connection, people: set[str], hashed: Hashed, counts: Counter[str]
) -> tuple[str, ...]:
    """Delete all that is of some people, and count it by table; return the surveys they were in.

    Of rejected rows also those that mention a person's hash; of what was computed
    (`survey_results`) all of the surveys that the person was in; of what targets remember, and of
    files that nothing else refers to, the parts.
    """
    file_ids: set[int] = set()

    def erase(table: Table, condition: ColumnElement[bool]) -> None:
        if "file_id" in table.c:
            file_ids.update(connection.execute(select(table.c.file_id).where(condition)).scalars())
        counts[table.name] += connection.execute(delete(table).where(condition)).rowcount

    conditions = ((table, _theirs(table, people)) for table in tables_of_people())
    of_people = {table: condition for table, condition in conditions if condition is not None}
    mentions = {participant for participant in people if len(participant) >= _LONG}
    names: set[str] = set()
    for table, condition in of_people.items():
        for row in connection.execute(select(table).where(condition)).mappings():
            ids = (row.get("id"), row.get("submission"))
            mentions |= {each for each in ids if isinstance(each, str) and len(each) >= _LONG}
            names |= {row["survey"]} if "survey" in row else set()
            counts["answers"] += len(row.get("answers") or ())
    for table, condition in of_people.items():
        erase(table, condition)

    def is_mentioned(text: str) -> bool:
        return any(mention in text for mention in mentions)

    def is_theirs(text: str) -> bool:
        is_plain = len(text) >= _SHORTEST_ID and (text in people or hashed(text) in mentions)
        return is_plain or is_mentioned(text)

    for table, columns in ((rejected_rows, "content message"), (survey_results, "result")):
        texts = [type_coerce(table.c[name], Text) for name in columns.split()]
        query = select(table.c.number, table.c.survey, *texts)
        for number, name, *written in connection.execute(query).all():
            is_of_survey = table is survey_results and name in names
            if is_of_survey or any(map(is_mentioned, written)):
                names.add(name)
                if table is rejected_rows:
                    erase(table, table.c.number == number)
    # What was computed goes, by what settings stays: a program may end before it computes anew.
    results = survey_results.c
    of_surveys = results.survey.in_(names)
    newest_last = select(results.survey, results.kind, results.settings).order_by(results.number)
    rows = connection.execute(newest_last.where(of_surveys)).all()
    erase(survey_results, of_surveys)
    for (name, kind), settings in {(row[0], row[1]): row[2] for row in rows}.items():
        values = {"settings": _without(settings, is_theirs), "result": NOTHING_COMPUTED[kind]}
        add_row(connection, survey_results, survey=name, kind=kind, **values)
    _erase_states(connection, is_theirs, counts)
    references = [
        column
        for table in metadata.sorted_tables
        for column in table.c
        if any(reference.column is files.c.id for reference in column.foreign_keys)
    ]
    for file_id in sorted(file_ids):
        uses = (select(literal(1)).where(column == file_id).limit(1) for column in references)
        if all(connection.execute(query).first() is None for query in uses):
            erase(files, files.c.id == file_id)
    return tuple(sorted(names))


def _erase_states(
    connection: Connection, is_theirs: Callable[[str], bool], counts: Counter[str]
) -> None:
    """Take people out of what targets remember: keys, and what is within values."""
    columns = survey_states.c
    for row in connection.execute(select(survey_states)).all():
        same = (columns.survey == row.survey, columns.target == row.target, columns.key == row.key)
        if any(map(is_theirs, row.key.split("/"))):
            connection.execute(delete(survey_states).where(*same))
        elif encode_json(value := _without(row.value, is_theirs)) != encode_json(row.value):
            connection.execute(update(survey_states).where(*same).values(value=value))
        else:
            continue
        counts[survey_states.name] += 1


def _without(value: Any, is_theirs: Callable[[str], bool]) -> Any:
    """Return JSON values without the keys, and the texts within, that are a person's."""

    def stays(inner: Any) -> bool:
        return not (isinstance(inner, str) and is_theirs(inner))

    if isinstance(value, Mapping):
        pairs = value.items()
        return {k: _without(v, is_theirs) for k, v in pairs if stays(str(k)) and stays(v)}
    if isinstance(value, list):
        return [_without(inner, is_theirs) for inner in value if stays(inner)]
    return value


_PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif", ".ttf", ".otf"}
"""Files whose names alone are looked at."""


def files_naming(root: Path, ids: Collection[str]) -> Iterator[Path]:
    """Yield the files of a folder that have an id in their name or in what they hold; shorter ones
    than `_SHORTEST_ID`, which are in any file, only as a whole name."""
    long = [participant for participant in ids if len(participant) >= _SHORTEST_ID]
    forms = [each.encode(code) for each in long for code in ("utf-8", "utf-16-le")]
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        parts = path.relative_to(root).parts
        names = {*parts, *(Path(part).stem for part in parts)}
        is_named = not names.isdisjoint(ids) or any(each in path.name for each in long)
        if is_named or any(form in content for content in _contents(path) for form in forms):
            yield path


def _contents(path: Path) -> Iterator[bytes]:
    """Yield what a file holds, and what is packed in it; what cannot be unpacked is left."""
    packed = [] if path.suffix.lower() in _PICTURES else [path.read_bytes()]
    while packed:
        content = packed.pop()
        yield content
        try:
            if content.startswith(b"\x1f\x8b"):
                packed.append(gzip.decompress(content))
            elif content.startswith(b"PK\x03\x04"):
                with zipfile.ZipFile(BytesIO(content)) as members:
                    packed += [members.read(name) for name in members.namelist()]
        except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error):
            continue
