"""What was spent over all runs. In: stored costs. Out: sums by translator or model and currency."""

from __future__ import annotations

import json
from collections import Counter

from sqlalchemy import func, select

from memeloc.store.queries import Repository, stream
from memeloc.store.records import Spent
from memeloc.store.tables.captions import captions, translation_failures
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
        costs, texts = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        with self.database.read() as connection:
            for table in (captions, translation_failures):
                names = (table.c.translator, table.c.currency)
                query = select(*names, func.sum(table.c.cost), func.count()).group_by(*names)
                for name, currency, cost, count in connection.execute(
                    query.where(table.c.cost > 0)
                ):
                    costs[name, currency] += cost
                    texts[name, currency] += count
            for (value,) in stream(connection, select(model_answers.c.value)):
                try:
                    answer = json.loads(value)
                    name, currency, cost = (answer[key] for key in ("model", "currency", "cost"))
                except (ValueError, TypeError, KeyError):
                    continue  # an answer from before its cost was kept
                if cost:
                    costs[name, currency] += cost
                    texts[name, currency] += 1
        spent = [Spent(*key, round(cost, _DIGITS), texts[key]) for key, cost in costs.items()]
        return sorted(spent, key=lambda each: (each.currency, -each.cost, each.name))
