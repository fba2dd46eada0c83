"""Labels of language models. In: answers of rounds, merges of topics. Out: those that hold.

They stand apart from what people answered: no table has both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from memeloc.label.rounds import RoundLabel
from memeloc.label.scheme import GivenLabel
from memeloc.store.queries import Repository, add_rows, equal, stream
from memeloc.store.tables.labelling import model_labels, topic_merges
from memeloc.store.tables.types import safe_text


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelling: a model that labelled by a taxonomy, and when it was asked last."""

    taxonomy: str
    model: str
    prompt: str
    last: datetime


class ModelLabels(Repository):
    """What models answered in rounds of labelling."""

    def add(self, labels: Sequence[RoundLabel]) -> int:
        """Store answers, all or none; how many there are."""
        rows = [
            {
                "item": label.item,
                "content_hash": label.content,
                "question": label.question,
                "taxonomy": label.taxonomy,
                "model": label.model,
                "prompt": label.prompt,
                "round": label.round,
                "seed": -1 if label.seed is None else label.seed,  # settings say what was sent
                "status": label.status,
                "labels": [[each.category, each.subcategory] for each in label.labels],
                "caption": label.caption,
                "topics": [dict(topic) for topic in label.topics],
                "answer": label.answer,
                "settings": dict(label.settings),
                "cost": label.cost,
                "currency": label.currency,
            }
            for label in labels
        ]
        with self.database.write(relaxed=True) as connection:
            return add_rows(connection, model_labels, rows)

    def find(
        self,
        *,
        taxonomy: str | None = None,
        model: str | None = None,
        prompt: str | None = None,
        question: str | None = None,
    ) -> list[RoundLabel]:
        """The newest answer about each item, content and round, oldest first; None is any."""
        columns = model_labels.c
        wanted = {
            columns.taxonomy: taxonomy,
            columns.model: model,
            columns.prompt: prompt,
            columns.question: question,
        }
        newest: dict[tuple[object, ...], RoundLabel] = {}
        with self.database.read() as connection:
            query = equal(select(model_labels), wanted).order_by(columns.number)
            for row in stream(connection, query):
                label = RoundLabel(
                    row.item,
                    row.content_hash,
                    row.question,
                    row.taxonomy,
                    row.model,
                    row.prompt,
                    row.round,
                    row.settings.get("sent", {"seed": row.seed}).get("seed"),
                    row.status,
                    tuple(GivenLabel(*pair) for pair in row.labels),
                    row.caption,
                    tuple(row.topics),
                    row.answer,
                    row.settings,
                    row.cost,
                    row.currency,
                    row.created_at.isoformat(),
                )
                newest[label.taxonomy, label.model, *label.key] = label
        return list(newest.values())

    def labellings(self) -> list[Labelled]:
        """Which models labelled by which taxonomies and prompts; the one asked last comes last."""
        columns = model_labels.c
        keys = (columns.taxonomy, columns.model, columns.prompt)
        query = select(*keys, func.max(columns.created_at))
        query = query.where(columns.question == "label").group_by(*keys)
        query = query.order_by(func.max(columns.number))
        return [Labelled(*row) for row in self.fetch(query)]

    def newest_settings(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """The settings of the newest answer of each labelling: by taxonomy, model and prompt."""
        columns = model_labels.c
        last = select(func.max(columns.number)).where(columns.question == "label")
        last = last.group_by(columns.taxonomy, columns.model, columns.prompt)
        query = select(columns.taxonomy, columns.model, columns.prompt, columns.settings)
        rows = self.fetch(query.where(columns.number.in_(last)))
        return {(row.taxonomy, row.model, row.prompt): row.settings for row in rows}

    def merge_topics(self, merges: Mapping[str, str], person: str, reason: str = "") -> int:
        """Store what a person decided about topics; how many decisions are new."""
        before = self.topic_merges()
        rows = [
            {
                "topic": topic,
                "topic_into": into,
                "person": person,
                "reason": reason,
            }
            for topic, into in merges.items()
            if before.get(topic) != (into, safe_text(person))
        ]
        with self.database.write() as connection:
            return add_rows(connection, topic_merges, rows)

    def topic_merges(self) -> dict[str, tuple[str, str]]:
        """By topic the one that it was merged into last, and who decided it."""
        query = select(topic_merges).order_by(topic_merges.c.number)
        return {row.topic: (row.topic_into, row.person) for row in self.fetch(query)}
