"""Erasing people. In: participants' ids. Out: receipts that name nobody, and nothing else of them.

It is the one deletion that the store allows. The database lets go of rows with people in them only
while a row of `erasures` has no counts, which is while the transaction of `Erasures.erase` lasts
(`memeloc.store.tables.columns.guards`). Which tables those are, the tables themselves say: every
one with a column `participant`, what refers to its rows, and what is marked as `people`.

A token for each person stays, under a key that is used for nothing else, so that a file that is
imported later does not bring them back. It is made of the id as it is stored, so that it is
recognised in a service's file, which has the id itself, and in a table that was written here.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from memeloc.errors import InputError
from memeloc.store.queries import Repository, add_rows
from memeloc.store.surveys.erasing import erase_rows, letting_go, tables_of_people
from memeloc.store.surveys.participant_ids import hash_id, secret_key, survey_key
from memeloc.store.tables.surveys import erased_people, erasures

if TYPE_CHECKING:
    from memeloc.survey.targets.protocol import Imported

KEY_VARIABLE = "MEMELOC_ERASURE_KEY"
"""The environment variable with the key of the tokens."""

KEY_FILE = "erasure.key"
"""Where a key is stored that was made here."""

_SHORTEST = 4
"""Characters of a word from which on it is taken for a mention of somebody."""

_HEX = set("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased: how many people were asked for, from which surveys, and how many rows.

    `counts` are by table, with `answers`.
    """

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
        stored = {*hashes, *hashes.values()}
        with self.database.write() as connection:
            tokens_key = self._key(connection)
            with letting_go(connection) as counts:
                counts["people"] = len(hashes)
                names = erase_rows(connection, stored, key, counts)
                tokens = {"", *(_stored_id(plain, hashed) for plain, hashed in hashes.items())}
                rows = [{"token": _token(tokens_key, each)} for each in sorted(tokens)]
                add_rows(connection, erased_people, rows, ["token"])
        self.database.scrub([each.name for each in tables_of_people()])
        del counts["people"]
        return Erasure(len(hashes), names, dict(sorted((+counts).items())))

    def receipts(self) -> list[Mapping[str, int]]:
        query = select(erasures.c.counts).order_by(erasures.c.number)
        return [counts for (counts,) in self.fetch(query)]

    def everybody(self) -> set[str]:
        """The ids, as they are stored, of all whom the tables of people name."""
        queries = [
            select(table.c.participant).distinct()
            for table in tables_of_people()
            if "participant" in table.c
        ]
        return {row[0] for query in queries for row in self.fetch(query)} - {"", None}

    def recogniser(self) -> Callable[[str], bool]:
        """A test whether a text is the id of somebody who was erased, see `without_erased`.

        Raises:
            InputError: as of `erasure_key`.
        """
        with self.database.read() as connection:
            tokens = set(connection.execute(select(erased_people)).scalars())
        if not tokens:
            return lambda text: False
        return _recogniser(tokens, self.root, partial(hash_id, survey_key(self.root)))

    def _key(self, connection: Connection) -> bytes:
        return erasure_key(self.root, set(connection.execute(select(erased_people)).scalars()))


def erasure_key(root: Path | None, tokens: Collection[str]) -> bytes:
    """The key of tokens, which has to be that of those that are there.

    Raises:
        InputError: it is missing, or another one.
    """
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
    """Erase whom a dump from before their erasure has brought back; rows by table.

    Raises:
        InputError: as of `erasure_key`, or the key that participants are hashed with is missing.
    """
    tokens = set(connection.execute(select(erased_people)).scalars())
    key = erasure_key(root, tokens)
    people = {
        participant
        for table in tables_of_people()
        if "participant" in table.c
        for participant in connection.execute(select(table.c.participant).distinct()).scalars()
        if participant and _token(key, participant) in tokens
    }
    if not people:
        return {}
    with letting_go(connection) as counts:
        erase_rows(connection, people, survey_key(root), counts)
    return dict(sorted((+counts).items()))


def without_erased(
    connection: Connection,
    root: Path | None,
    files: Sequence[Imported],
    hashed: Callable[[str], str],
) -> list[Imported]:
    """What files held, without people who were erased, and without rows that mention them.

    Raises:
        InputError: as of `erasure_key`.
    """
    tokens = set(connection.execute(select(erased_people)).scalars())
    if not tokens:
        return list(files)
    erased = _recogniser(tokens, root, hashed)

    def mentions(value: Any) -> bool:
        return any(erased(text) for text in _texts(value) if len(text) >= _SHORTEST)

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


def _recogniser(
    tokens: Collection[str], root: Path | None, hashed: Callable[[str], str]
) -> Callable[[str], bool]:
    """A test whether an id, as its source has it or as it is stored, has a token."""
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


def _stored_id(plain: str, hashed: str) -> str:
    """The id as it is stored; what is given as a hash is one already."""
    return plain if len(plain) == len(hashed) and _HEX.issuperset(plain) else hashed


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value.strip()
        yield from (word.strip("'\"“”()[]{}<>,;:.") for word in value.split())
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(str(key))
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(int(value) if value == value // 1 else value)
