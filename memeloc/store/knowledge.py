"""What models found in memes. In: `KnowledgeAnswer`s. Out: those that hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from sqlalchemy import Row, func, select

from memeloc.knowledge.answers import KnowledgeAnswer, Step
from memeloc.store.queries import Repository, add_rows, equal, stream
from memeloc.store.tables.labelling import knowledge_answers

_COLUMNS = {"content": "content_hash", "version": "version_language", "value": "fields"}
"""Columns by the attribute of an answer, where the names differ."""


class Knowledge(Repository):
    """What models answered about the dimensions of memes."""

    def add(self, answers: Sequence[KnowledgeAnswer]) -> int:
        """Store answers, all or none; how many there are."""
        rows = [
            {
                _COLUMNS.get(field.name, field.name): getattr(answer, field.name)
                for field in fields(answer)
                if field.name != "created_at"
            }
            for answer in answers
        ]
        with self.database.write(relaxed=True) as connection:
            return add_rows(connection, knowledge_answers, rows)

    def find(
        self,
        *,
        step: Step | None = None,
        recipe: str | None = None,
        language: str | None = None,
        model: str | None = None,
        prompt: str | None = None,
        items: Sequence[str] | None = None,
    ) -> list[KnowledgeAnswer]:
        """The newest answer of each key, oldest first; None is any. Of at most 500 items."""
        wanted = {"step": step, "recipe": recipe, "language": language}
        wanted |= {"model": model, "prompt": prompt}
        return list({answer.key: answer for answer in self._stream(wanted, items)}.values())

    def newest(
        self, *, step: Step, recipe: str | None = None, model: str | None = None
    ) -> KnowledgeAnswer | None:
        """The answer of a step that was stored last; None where there is none."""
        columns = knowledge_answers.c
        wanted = {columns.step: step, columns.recipe: recipe, columns.model: model}
        query = equal(select(knowledge_answers), wanted).order_by(columns.number.desc()).limit(1)
        with self.database.read() as connection:
            row = connection.execute(query).first()
        return None if row is None else _answer(row)

    def last(self) -> int:
        """A number that is another one after each change; 0 where there are no answers."""
        with self.database.read() as connection:
            number = connection.execute(select(func.max(knowledge_answers.c.number))).scalar()
        return number or 0

    def extractions(self) -> list[tuple[str, str]]:
        """Recipe and model of each extraction, in the order of their first answers."""
        columns = knowledge_answers.c
        query = (
            select(columns.recipe, columns.model)
            .where(columns.step == "extract")
            .group_by(columns.recipe, columns.model)
            .order_by(func.min(columns.number))
        )
        return [(row.recipe, row.model) for row in self.fetch(query)]

    def _stream(
        self, wanted: dict[str, str | None], items: Sequence[str] | None
    ) -> Iterator[KnowledgeAnswer]:
        columns = knowledge_answers.c
        query = equal(
            select(knowledge_answers), {columns[name]: value for name, value in wanted.items()}
        )
        if items is not None:
            query = query.where(columns.item.in_(items))
        with self.database.read() as connection:
            for row in stream(connection, query.order_by(columns.number)):
                yield _answer(row)


def _answer(row: Row[tuple[object, ...]]) -> KnowledgeAnswer:
    return KnowledgeAnswer(
        item=row.item,
        content=row.content_hash,
        version=row.version_language,
        step=row.step,
        dimension=row.dimension,
        recipe=row.recipe,
        language=row.language,
        model=row.model,
        prompt=row.prompt,
        status=row.status,
        value=row.fields,
        answer=row.answer,
        settings=row.settings,
        cost=row.cost,
        currency=row.currency,
        created_at=row.created_at.isoformat(),
    )
