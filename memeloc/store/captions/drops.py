"""Captions that were dropped. In: memes, languages, who and why. Out: what is dropped now.

A dropped caption is left out of everything that goes out; nothing of it is deleted. A meme is
dropped in a language, or in all of them; the newest row of a meme and language holds, so dropping
is taken back by one more row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select

from memeloc.errors import InputError
from memeloc.store.captions.versions import ALL_LANGUAGES, is_newest_drop
from memeloc.store.queries import Repository, add_rows, by_slices, columns_of
from memeloc.store.records import DropRecord
from memeloc.store.tables.captions import drops, memes


class Drops(Repository):
    """What people gave up, and took back."""

    def add(
        self,
        meme_ids: Collection[str],
        languages: Sequence[str] = (ALL_LANGUAGES,),
        *,
        dropped: bool,
        person: str,
        comment: str,
    ) -> int:
        """Drop memes in some languages, or take that back; how many pairs of them changed.

        Raises:
            InputError: there is no such meme.
        """
        with self.database.write() as connection:
            query = select(memes.c.id).where(memes.c.kind == "caption")
            there = {row.id for row in by_slices(connection, query, memes.c.id, meme_ids)}
            for meme_id in meme_ids:
                if meme_id not in there:
                    raise InputError(f"The workspace has no meme {meme_id[:80]!r}.")
            now = dropped_pairs(connection, meme_ids)
            rows = [
                drop_row(meme_id, language, dropped=dropped, person=person, comment=comment)
                for meme_id in meme_ids
                for language in languages
                if ((meme_id, language) in now) != dropped
            ]
            return add_rows(connection, drops, rows)

    def find(self) -> list[DropRecord]:
        """What is dropped now, oldest first."""
        query = select(*columns_of(drops, DropRecord)).where(is_newest_drop(drops))
        rows = self.fetch(query.where(drops.c.action == "drop").order_by(drops.c.id))
        return [DropRecord(*row) for row in rows]


def dropped_pairs(connection: Connection, meme_ids: Collection[str]) -> set[tuple[str, str]]:
    """Which of these memes are dropped now, each with the language; empty is all."""
    query = select(drops.c.meme_id, drops.c.language).where(is_newest_drop(drops))
    query = query.where(drops.c.action == "drop")
    return {(row[0], row[1]) for row in by_slices(connection, query, drops.c.meme_id, meme_ids)}


def drop_row(
    meme_id: str, language: str, *, dropped: bool, person: str, comment: str
) -> dict[str, str]:
    """A row of `drops` that drops a meme in a language (empty is all), or takes that back."""
    action = "drop" if dropped else "take back"
    return {
        "meme_id": meme_id,
        "language": language,
        "action": action,
        "person": person,
        "comment": comment,
    }
