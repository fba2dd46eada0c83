"""What was computed once. In: features of pictures, answers of models. Out: no need to do it again.

A feature has the name of its method and version; an answer has the hash of all that was asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import bindparam, select

from memeloc.store.queries import Repository, add_rows, by_slices, two_columns
from memeloc.store.tables.items import features, model_answers

_ANSWER = select(model_answers.c.value).where(model_answers.c.hash == bindparam("key"))
"""Made once: of many thousand questions, making the query takes longer than answering it."""


class Computed(Repository):
    """What was computed of pictures; and, as a cache for their client, what models answered."""

    def features(self, name: str, shas: Collection[str]) -> dict[str, Any]:
        """What was computed of some pictures under a name, by SHA-256."""
        query = select(features.c.sha256, features.c.value).where(features.c.name == name)
        with self.database.read() as connection:
            return two_columns(by_slices(connection, query, features.c.sha256, shas))

    def add_features(self, name: str, values: Mapping[str, Any]) -> None:
        """Store what was computed of pictures, JSON values by SHA-256; what is there already stays.

        The name is of the method and its version, such as `phash-1`.
        """
        rows = [{"name": name, "sha256": sha, "value": value} for sha, value in values.items()]
        with self.database.write(relaxed=True) as connection:
            add_rows(connection, features, rows, ["name", "sha256"])

    def get(self, key: str) -> str | None:
        """The answer to the question with this hash, if it was asked before."""
        with self.database.read() as connection:
            return connection.execute(_ANSWER, {"key": key}).scalar()

    def put(self, key: str, value: str) -> None:
        """Keep an answer; a newer one to the same takes its place."""
        row = {"hash": key, "value": value}
        with self.database.write(relaxed=True) as connection:
            add_rows(connection, model_answers, [row], ["hash"], replace="value")
