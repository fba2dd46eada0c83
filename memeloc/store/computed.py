"""What was computed once. In: features of pictures, answers of models. Out: no need to do it again.

A feature has the name of its method and version; an answer has the hash of all that was asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite

from memeloc.store.caption_versions import SLICE, now, two_columns
from memeloc.store.database import Database
from memeloc.store.item_tables import features, model_answers


class Computed:
    """What was computed of pictures, and what language models answered."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.model_answers = ModelAnswers(database)

    def features(self, name: str, shas: Collection[str]) -> dict[str, Any]:
        """What was computed of some pictures under a name, by SHA-256."""
        with self.database.read() as connection:
            return find_features(connection, name, shas)

    def add_features(self, name: str, values: Mapping[str, Any]) -> None:
        """Store what was computed of pictures, by SHA-256; what is there already stays.

        Args:
            name: of the method and its version, such as `phash-1`.
            values: JSON values.
        """
        with self.database.write(relaxed=True) as connection:
            add_features(connection, name, values)


class ModelAnswers:
    """What language models answered: a cache for their client."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def get(self, key: str) -> str | None:
        """The answer to the question with this hash, if it was asked before."""
        with self.database.read() as connection:
            return find_model_answer(connection, key)

    def put(self, key: str, value: str) -> None:
        """Keep an answer; a newer one to the same takes its place."""
        with self.database.write(relaxed=True) as connection:
            add_model_answer(connection, key, value)


def find_features(connection: Connection, name: str, shas: Collection[str]) -> dict[str, Any]:
    """What was computed of some pictures, by SHA-256; None for all."""
    found: dict[str, Any] = {}
    wanted = list(dict.fromkeys(shas))
    for start in range(0, len(wanted), SLICE):
        query = select(features.c.picture, features.c.value).where(
            features.c.name == name, features.c.picture.in_(wanted[start : start + SLICE])
        )
        found.update(two_columns(connection, query))
    return found


def add_features(connection: Connection, name: str, values: Mapping[str, Any]) -> None:
    """Store what was computed; what is there already stays."""
    if values:
        add = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        rows = [
            {"name": name, "picture": sha, "value": value, "created_at": now()}
            for sha, value in values.items()
        ]
        connection.execute(
            add(features).on_conflict_do_nothing(index_elements=["name", "picture"]), rows
        )


def find_model_answer(connection: Connection, key: str) -> str | None:
    """What a language model answered before, if it was asked the very same."""
    query = select(model_answers.c.value).where(model_answers.c.key == key)
    return connection.execute(query).scalar()


def add_model_answer(connection: Connection, key: str, value: str) -> None:
    """Keep what a language model answered; a newer answer to the same takes its place."""
    add = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = add(model_answers).values(key=key, value=value, created_at=now())
    connection.execute(
        statement.on_conflict_do_update(index_elements=["key"], set_={"value": value})
    )
