"""What was computed once. In: features of pictures, answers of models. Out: no need to do it again.

A feature has the name of its method and version; an answer has the hash of all that was asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import select

from memeloc.store.database import Database, by_slices, now, two_columns, upsert
from memeloc.store.tables.items import features, model_answers


class Computed:
    """What was computed of pictures, and what language models answered."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.model_answers = ModelAnswers(database)

    def features(self, name: str, shas: Collection[str]) -> dict[str, Any]:
        """What was computed of some pictures under a name, by SHA-256."""
        query = select(features.c.picture, features.c.value).where(features.c.name == name)
        with self.database.read() as connection:
            return two_columns(by_slices(connection, query, features.c.picture, shas))

    def add_features(self, name: str, values: Mapping[str, Any]) -> None:
        """Store what was computed of pictures, by SHA-256; what is there already stays.

        Args:
            name: of the method and its version, such as `phash-1`.
            values: JSON values.
        """
        rows = [
            {"name": name, "picture": sha, "value": value, "created_at": now()}
            for sha, value in values.items()
        ]
        with self.database.write(relaxed=True) as connection:
            upsert(connection, features, rows, ["name", "picture"])


class ModelAnswers:
    """What language models answered: a cache for their client."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def get(self, key: str) -> str | None:
        """The answer to the question with this hash, if it was asked before."""
        query = select(model_answers.c.value).where(model_answers.c.key == key)
        with self.database.read() as connection:
            return connection.execute(query).scalar()

    def put(self, key: str, value: str) -> None:
        """Keep an answer; a newer one to the same takes its place."""
        row = {"key": key, "value": value, "created_at": now()}
        with self.database.write(relaxed=True) as connection:
            upsert(connection, model_answers, [row], ["key"], replace="value")
