"""Computed figures, and spending. In: features, answers, costs. Out: the same, sums.

A feature has the name of its method and version; an answer has the hash of all that was asked.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import bindparam, func, select

from memeloc.store.queries import Repository, add_rows, by_slices, stream, two_columns
from memeloc.store.records import Spent
from memeloc.store.tables.captions import captions, translation_failures
from memeloc.store.tables.items import features, model_answers

_ANSWER = select(model_answers.c.value).where(model_answers.c.hash == bindparam("key"))
"""Made once: of many thousand questions, making the query takes longer than answering it."""


class Computed(Repository):
    """Figures computed of pictures; and, as a cache for their client, models' answers."""

    def features(self, name: str, shas: Collection[str]) -> dict[str, Any]:
        """Return what was computed of some pictures under a name, by SHA-256."""
        query = select(*features.c["sha256", "value"]).where(features.c.name == name)
        with self.database.read() as connection:
            return two_columns(by_slices(connection, query, features.c.sha256, shas))

    def add_features(self, name: str, values: Mapping[str, Any]) -> None:
        """Store what was computed of pictures, JSON values by SHA-256; what is there already stays.
        The name is of the method and its version, such as `phash-1`."""
        rows = [{"name": name, "sha256": sha, "value": value} for sha, value in values.items()]
        with self.database.write(relaxed=True) as connection:
            add_rows(connection, features, rows, ["name", "sha256"])

    def get(self, key: str) -> str | None:
        with self.database.read() as connection:
            return connection.execute(_ANSWER, {"key": key}).scalar()

    def put(self, key: str, value: str) -> None:
        """Keep an answer; a newer one to the same takes its place."""
        row = {"hash": key, "value": value}
        with self.database.write(relaxed=True) as connection:
            add_rows(connection, model_answers, [row], ["hash"], replace="value")


class Spending(Repository):
    """The cost of translators and language models over all runs."""

    def find(self) -> list[Spent]:
        """Return what was spent, by translator or model and currency; the dearest of a currency
        first. Translations that were replaced since count, and those that failed as far as they are
        stored; an answer of a language model counts once, however often it was used."""
        costs, texts = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        with self.database.read() as connection:
            for table in (captions, translation_failures):
                names = table.c["translator", "currency"]
                query = select(*names, func.sum(table.c.cost), func.count()).group_by(*names)
                for *key, cost, count in connection.execute(query.where(table.c.cost > 0)):
                    costs[*key] += cost
                    texts[*key] += count
            for (value,) in stream(connection, select(model_answers.c.value)):
                try:
                    answer = json.loads(value)
                    name, currency, cost = (answer[key] for key in ("model", "currency", "cost"))
                except (ValueError, TypeError, KeyError):
                    continue  # an answer from before its cost was kept
                if cost:
                    costs[name, currency] += cost
                    texts[name, currency] += 1
        spent = [Spent(*key, round(cost, 6), texts[key]) for key, cost in costs.items()]
        return sorted(spent, key=lambda each: (each.currency, -each.cost, each.name))
