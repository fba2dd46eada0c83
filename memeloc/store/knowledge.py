"""What models found in memes. In: `KnowledgeAnswer`s. Out: those that hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import Select, func, select

from memeloc.knowledge.answers import KnowledgeAnswer
from memeloc.store.queries import Repository, add_rows, columns_of, equal, stream, values_of
from memeloc.store.tables.items import knowledge_answers

_NAMES = {"content": "content_hash", "version": "version_language", "value": "fields"}
"""Columns by the field of an answer, where the names differ."""
_KEYS = knowledge_answers.c


class Knowledge(Repository):
    """What models answered about the dimensions of memes."""

    def add(self, answers: Sequence[KnowledgeAnswer]) -> int:
        """Store answers, all or none; how many there are."""
        rows = [values_of(answer, **_NAMES) for answer in answers]
        for row in rows:
            del row["created_at"]
        with self.database.write(relaxed=True) as connection:
            return add_rows(connection, knowledge_answers, rows)

    def find(
        self, *, items: Sequence[str] | None = None, **wanted: str | None
    ) -> list[KnowledgeAnswer]:
        """The newest answer of each key, oldest first.

        Args:
            items: at most 500; None is all.
            wanted: values of `step`, `recipe`, `language`, `model` and `prompt`; None is any.
        """
        query = _query(wanted)
        if items is not None:
            query = query.where(_KEYS.item.in_(items))
        answers = self._answers(query.order_by(_KEYS.number))
        return list({answer.key: answer for answer in answers}.values())

    def newest(self, **wanted: str | None) -> KnowledgeAnswer | None:
        """The answer that was stored last of those that `find` takes; None where there is none."""
        query = _query(wanted).order_by(_KEYS.number.desc()).limit(1)
        return next(self._answers(query), None)

    def last(self) -> int:
        """A number that is another one after each change; 0 where there are no answers."""
        return int(self.fetch(select(func.coalesce(func.max(_KEYS.number), 0)))[0][0])

    def extractions(self) -> list[tuple[str, str]]:
        """Recipe and model of each extraction, in the order of their first answers."""
        query = select(_KEYS.recipe, _KEYS.model).where(_KEYS.step == "extract")
        query = query.group_by(_KEYS.recipe, _KEYS.model).order_by(func.min(_KEYS.number))
        return [(row.recipe, row.model) for row in self.fetch(query)]

    def _answers(self, query: Select[tuple[object, ...]]) -> Iterator[KnowledgeAnswer]:
        with self.database.read() as connection:
            for row in stream(connection, query):
                yield replace(KnowledgeAnswer(*row), created_at=row.created_at.isoformat())


def _query(wanted: dict[str, str | None]) -> Select[tuple[object, ...]]:
    query = select(*columns_of(knowledge_answers, KnowledgeAnswer, **_NAMES))
    return equal(query, {_KEYS[name]: value for name, value in wanted.items()})
