"""Labels of language models. In: answers of rounds, merges of topics. Out: those that hold.

They stand apart from what people answered: no table has both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from memeloc.label.rounds import RoundLabel
from memeloc.label.scheme import GivenLabel
from memeloc.store.queries import Repository, add_rows, columns_of, equal, stream, values_of
from memeloc.store.tables.items import model_labels, topic_merges
from memeloc.store.tables.types import safe_text


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelling: a model that labelled by a taxonomy, when it was asked last, and how."""

    taxonomy: str
    model: str
    prompt: str
    last: datetime
    settings: Mapping[str, Any]


_KEYS = model_labels.c


class ModelLabels(Repository):
    """What models answered in rounds of labelling."""

    def add(self, labels: Sequence[RoundLabel]) -> int:
        """Store answers, all or none; how many there are."""
        rows = [
            {
                **values_of(label, content="content_hash"),
                "seed": -1 if label.seed is None else label.seed,  # settings say what was sent
                "labels": [[each.category, each.subcategory] for each in label.labels],
            }
            for label in labels
        ]
        for row in rows:
            del row["created_at"]
        with self.database.write(relaxed=True) as connection:
            return add_rows(connection, model_labels, rows)

    def find(self, **wanted: str | None) -> list[RoundLabel]:
        """The newest answer about each item, content and round, oldest first.

        Args:
            wanted: values of `taxonomy`, `model`, `prompt` and `question`; None is any.
        """
        query = select(*columns_of(model_labels, RoundLabel, content="content_hash"))
        query = equal(query, {_KEYS[name]: value for name, value in wanted.items()})
        newest: dict[tuple[object, ...], RoundLabel] = {}
        with self.database.read() as connection:
            for row in stream(connection, query.order_by(_KEYS.number)):
                label = replace(
                    RoundLabel(*row),
                    seed=row.settings.get("sent", {"seed": row.seed}).get("seed"),
                    labels=tuple(GivenLabel(*pair) for pair in row.labels),
                    topics=tuple(row.topics),
                    created_at=row.created_at.isoformat(),
                )
                newest[label.taxonomy, label.model, *label.key] = label
        return list(newest.values())

    def labellings(self) -> list[Labelled]:
        """Which models labelled by which taxonomies and prompts; the one asked last comes last."""
        last = select(func.max(_KEYS.number)).where(_KEYS.question == "label")
        last = last.group_by(_KEYS.taxonomy, _KEYS.model, _KEYS.prompt)
        query = select(*columns_of(model_labels, Labelled, last="created_at"))
        query = query.where(_KEYS.number.in_(last)).order_by(_KEYS.number)
        return [Labelled(*row) for row in self.fetch(query)]

    def merge_topics(self, merges: Mapping[str, str], person: str, reason: str = "") -> int:
        """Store what a person decided about topics; how many decisions are new."""
        before = self.topic_merges()
        rows = [
            {"topic": topic, "topic_into": into, "person": person, "reason": reason}
            for topic, into in merges.items()
            if before.get(topic) != (into, safe_text(person))
        ]
        with self.database.write() as connection:
            return add_rows(connection, topic_merges, rows)

    def topic_merges(self) -> dict[str, tuple[str, str]]:
        """By topic the one that it was merged into last, and who decided it."""
        query = select(topic_merges).order_by(topic_merges.c.number)
        return {row.topic: (row.topic_into, row.person) for row in self.fetch(query)}
