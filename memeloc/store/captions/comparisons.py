"""Texts beside each other, one after the other. In: a language. Out: rows, streamed.

What goes over all captions of a language reads them from here: nothing is kept, so memory does not
grow with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from memeloc.correct.model import Answer
from memeloc.store.captions.answers import find_answers
from memeloc.store.captions.versions import is_active, is_current, is_dropped, is_suggestion
from memeloc.store.queries import Repository, by_slices, two_columns
from memeloc.store.records import STANDING, Kind
from memeloc.store.tables.captions import captions, corrections, memes

_BY_MACHINE = ("translated", "read", "shipped")
_BY_PEOPLE = ("corrected", "settled")
_ROWS = 1000
"""That are fetched at once."""


class Comparisons(Repository):
    """Texts of a language and kind, in the memes' order."""

    def languages(self, kind: Kind = "caption") -> list[str]:
        """The languages in which anybody has answered, in order."""
        query = select(corrections.c.language).join(memes, memes.c.id == corrections.c.meme_id)
        query = query.where(memes.c.kind == kind).distinct().order_by(corrections.c.language)
        return [row.language for row in self.fetch(query)]

    def standing(self, tag: str, kind: Kind = "caption") -> list[Answer]:
        """Return everybody's last answer of each round to the source as it is now, in the memes'
        order."""
        with self.database.read() as connection:
            numbers = two_columns(connection.execute(select(memes.c.id, memes.c.number)))
            answers = find_answers(connection, tag, kind=kind)
        standing = (each for each in answers if each.standing and each.outcome in STANDING)
        return sorted(standing, key=lambda answer: (numbers[answer.meme_id], answer.id))

    def texts(
        self, tag: str, kind: Kind = "caption", meme_ids: Collection[str] | None = None
    ) -> Iterator[Any]:
        """Yield captions as they stand (`meme_id`, `template`, `source` and `parts`), without what
        is dropped or left out; all of a kind, or those of some memes."""
        source = captions.alias()
        query = (
            select(
                memes.c.id.label("meme_id"),
                memes.c.template,
                source.c.parts.label("source"),
                captions.c.parts,
            )
            .join(captions, captions.c.meme_id == memes.c.id)
            .join(source, _is_source(source))
            .where(captions.c.language == tag, is_current(captions))
            .where(is_active(kind), ~is_dropped(memes.c.id, captions.c.language))
            .order_by(memes.c.number)
        )
        return self._stream(query, meme_ids)

    def machine_and_final(self, tag: str, kind: Kind = "caption") -> Iterator[Any]:
        """Yield texts of machines beside what people have left of them (`machine` and `final`): the
        newest text that a machine wrote, and the current one, where a person accepted, corrected or
        settled it."""
        machine, earlier = captions.alias(), captions.alias()
        newest = (
            select(func.max(earlier.c.version))
            .where(earlier.c.meme_id == captions.c.meme_id)
            .where(earlier.c.language == captions.c.language)
            .where(earlier.c.stage.in_(_BY_MACHINE), earlier.c.version < captions.c.version)
            .where(~is_suggestion(earlier))
            .scalar_subquery()
        )
        query = (
            select(
                memes.c.id.label("meme_id"),
                machine.c.parts.label("machine"),
                captions.c.parts.label("final"),
            )
            .join(captions, captions.c.meme_id == memes.c.id)
            .join(
                machine,
                and_(
                    machine.c.meme_id == captions.c.meme_id,
                    machine.c.language == captions.c.language,
                    machine.c.version == newest,
                ),
            )
            .where(captions.c.language == tag, is_current(captions))
            .where(captions.c.stage.in_(_BY_PEOPLE))
            .where(is_active(kind), ~is_dropped(memes.c.id, captions.c.language))
            .order_by(memes.c.number)
        )
        return self._stream(query)

    def _stream(self, query: Select[Any], meme_ids: Collection[str] | None = None) -> Iterator[Any]:
        query = query.execution_options(yield_per=_ROWS)
        with self.database.read() as connection:
            yield from by_slices(connection, query, memes.c.id, meme_ids)


def _is_source(version: Any) -> ColumnElement[bool]:
    """A condition on an alias of captions: that it is a meme's source as it is now."""
    newest = or_(
        and_(memes.c.kind != "transcript", is_current(version)),
        and_(memes.c.kind == "transcript", is_current(version, 1)),
    )
    return and_(
        version.c.meme_id == memes.c.id, version.c.language == memes.c.source_language, newest
    )
