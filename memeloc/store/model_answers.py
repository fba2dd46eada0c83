"""Language models' answers about memes. In: answers, merges of topics. Out: those that hold.

They stand apart from what people answered: no table has both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, Table, func, select

from memeloc.knowledge.statements import KnowledgeAnswer
from memeloc.label.rounds import RoundLabel
from memeloc.label.scheme import GivenLabel
from memeloc.store import queries
from memeloc.store.queries import Repository, stream
from memeloc.store.tables.items import knowledge_answers, model_labels, topic_merges

_OF_LABELS = {"content": "content_hash"}
_OF_KNOWLEDGE = _OF_LABELS | {"version": "version_language", "value": "fields"}
"""Columns by the field of an answer, where the names differ."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelling: a model that labelled by a taxonomy, when it was asked last, and how."""

    taxonomy: str
    model: str
    prompt: str
    last: datetime
    settings: Mapping[str, Any]


class _Answers(Repository):
    """Answers in a table, of a record whose fields are its columns but for some names."""

    table: Table
    record: type[Any]
    names: Mapping[str, str]

    def _add(self, answers: Sequence[Any], **values: Any) -> int:
        """Store answers, all or none; return how many there are."""
        rows = [queries.values_of(answer, **self.names) for answer in answers]
        for row in rows:
            del row["created_at"]
            row |= {name: convert(row[name]) for name, convert in values.items()}
        with self.database.write(relaxed=True) as connection:
            return queries.add_rows(connection, self.table, rows)

    def _query(
        self, wanted: Mapping[str, str | None], items: Sequence[str] | None = None
    ) -> Select[Any]:
        query = select(*queries.columns_of(self.table, self.record, **self.names))
        if items is not None:
            query = query.where(self.table.c.item.in_(items))
        query = queries.equal(query, {self.table.c[name]: each for name, each in wanted.items()})
        return query.order_by(self.table.c.number)


class ModelLabels(_Answers):
    """Models' answers in rounds of labelling."""

    table, record, names = model_labels, RoundLabel, _OF_LABELS

    def add(self, labels: Sequence[RoundLabel]) -> int:
        return self._add(
            labels,
            seed=lambda seed: -1 if seed is None else seed,  # settings say what was sent
            labels=lambda topics: [[each.category, each.subcategory] for each in topics],
        )

    def find(self, *, items: Sequence[str] | None = None, **wanted: str | None) -> list[RoundLabel]:
        """Return the newest answer about each item, content and round, oldest first; of at most 500
        `items`, and these values of `taxonomy`, `model`, `prompt` and `question`, None is any."""
        newest: dict[tuple[object, ...], RoundLabel] = {}
        with self.database.read() as connection:
            for row in stream(connection, self._query(wanted, items)):
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
        """Return which models labelled by which taxonomies and prompts, the one asked last last."""
        columns = model_labels.c
        last = select(func.max(columns.number)).where(columns.question == "label")
        last = last.group_by(*columns["taxonomy", "model", "prompt"])
        query = select(*queries.columns_of(model_labels, Labelled, last="created_at"))
        query = query.where(columns.number.in_(last)).order_by(columns.number)
        return [Labelled(*row) for row in self.fetch(query)]

    def merge_topics(self, merges: Mapping[str, str], person: str, reason: str = "") -> int:
        """Store what a person decided about topics; return how many decisions are new."""
        about = {"person": person, "reason": reason}
        rows = [{"topic": topic, "topic_into": into, **about} for topic, into in merges.items()]
        compared = ("topic_into", "person")
        with self.database.write() as connection:
            return queries.add_differing(connection, topic_merges, rows, ["topic"], compared)

    def topic_merges(self) -> dict[str, tuple[str, str]]:
        """Return by topic the one that it was merged into last, and who decided it."""
        query = select(topic_merges).order_by(topic_merges.c.number)
        return {row.topic: (row.topic_into, row.person) for row in self.fetch(query)}


class Knowledge(_Answers):
    """Models' answers about the dimensions of memes."""

    table, record, names = knowledge_answers, KnowledgeAnswer, _OF_KNOWLEDGE

    def add(self, answers: Sequence[KnowledgeAnswer]) -> int:
        return self._add(answers)

    def find(
        self, *, items: Sequence[str] | None = None, **wanted: str | None
    ) -> list[KnowledgeAnswer]:
        """Return the newest answer of each key, oldest first; of at most 500 `items`, and these
        values of `step`, `recipe`, `language`, `model` and `prompt`, None is any."""
        with self.database.read() as connection:
            answers = map(_answer, stream(connection, self._query(wanted, items)))
            return list({answer.key: answer for answer in answers}.values())

    def newest(self, **wanted: str | None) -> KnowledgeAnswer | None:
        """Return the answer that was stored last of those that `find` takes; None without any."""
        query = self._query(wanted).order_by(None).order_by(knowledge_answers.c.number.desc())
        return next(map(_answer, self.fetch(query.limit(1))), None)

    def last(self) -> int:
        """Return a number that is another one after each change; 0 where there are no answers."""
        return self.value(select(func.max(knowledge_answers.c.number))) or 0

    def extractions(self) -> list[tuple[str, str]]:
        """Return recipe and model of each extraction, in the order of their first answers."""
        columns = knowledge_answers.c
        names = columns["recipe", "model"]
        query = select(*names).where(columns.step == "extract").group_by(*names)
        return [
            (row.recipe, row.model) for row in self.fetch(query.order_by(func.min(columns.number)))
        ]


def _answer(row: Any) -> KnowledgeAnswer:
    return replace(KnowledgeAnswer(*row), created_at=row.created_at.isoformat())
