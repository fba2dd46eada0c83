"""Translations beside those stored. In: failures. Out: their cost; the last version's number."""

from __future__ import annotations

from sqlalchemy import func, select

from memeloc.store.queries import Repository, add_row
from memeloc.store.tables.captions import captions
from memeloc.store.tables.captions import translation_failures as failures
from memeloc.translate import TranslationFailure


class Translations(Repository):
    """What translations cost that failed, and the last of those that did not."""

    def last(self) -> int:
        """Return the number of the last version of any caption; another one says that some came."""
        return self.fetch(select(func.max(captions.c.id)))[0][0] or 0

    def add_failure(self, failure: TranslationFailure, translator: str, currency: str) -> None:
        """Book what a translation cost that failed, and why it did."""
        names = ("meme_id", "language", "characters", "cost")
        row = {name: getattr(failure, name) for name in names}
        row |= {"translator": translator, "message": str(failure.error), "currency": currency}
        with self.database.write(relaxed=True) as connection:
            add_row(connection, failures, **row)
