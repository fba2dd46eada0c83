"""What was spent over all runs. In: stored costs. Out: sums by translator or model and currency."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

from sqlalchemy import Connection, func, select

from memeloc.store.queries import Repository, stream
from memeloc.store.records import Spent
from memeloc.store.tables import metadata
from memeloc.store.tables.items import model_answers

_DIGITS = 6
"""Digits of costs after the point."""


class Spending(Repository):
    """What translators and language models cost."""

    def find(self) -> list[Spent]:
        """What was spent, by translator or model and currency; the dearest of a currency first.

        Translations that were replaced since count, and those that failed as far as they are
        stored. An answer of a language model counts once, however often it was used.
        """
        costs: defaultdict[tuple[str, str], float] = defaultdict(float)
        texts: defaultdict[tuple[str, str], int] = defaultdict(int)
        with self.database.read() as connection:
            for name, currency, cost, count in (*_translations(connection), *_answers(connection)):
                costs[name, currency] += cost
                texts[name, currency] += count
        spent = [
            Spent(name, currency, round(cost, _DIGITS), texts[name, currency])
            for (name, currency), cost in costs.items()
        ]
        return sorted(spent, key=lambda each: (each.currency, -each.cost, each.name))


_Cost = tuple[str, str, float, int]
"""Who was paid, in which currency, how much, and for how many texts."""


def _translations(connection: Connection) -> Iterator[_Cost]:
    """From every table whose rows have a cost."""
    for table in metadata.sorted_tables:
        if not {"translator", "cost", "currency"} <= {*table.c.keys()}:
            continue
        names = (table.c.translator, table.c.currency)
        query = select(*names, func.sum(table.c.cost), func.count()).where(table.c.cost > 0)
        yield from (tuple(row) for row in connection.execute(query.group_by(*names)))


def _answers(connection: Connection) -> Iterator[_Cost]:
    """From the answers of language models, as far as they say what they cost."""
    for (value,) in stream(connection, select(model_answers.c.value)):
        try:
            answer = json.loads(value)
            spent = (answer["model"], answer["currency"], answer["cost"], 1)
        except (ValueError, TypeError, KeyError):
            continue  # an answer from before its cost was kept
        if answer["cost"]:
            yield spent
