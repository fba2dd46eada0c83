"""Work on translations under way. In: captions, a program's token. Out: claims, booked failures.

Two programs that translate one workspace share the work by claims: a program asks only for captions
that it has claimed, and a claim lapses when it is not renewed, so that a killed program keeps none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, select, tuple_, update

from memeloc.store.captions.versions import newest_numbers
from memeloc.store.queries import Repository, add_row, add_rows
from memeloc.store.tables.captions import translation_claims as claims
from memeloc.store.tables.captions import translation_failures as failures
from memeloc.store.tables.types import now
from memeloc.translate import ClaimState, TranslationFailure

CaptionKey = tuple[str, str]
"""A caption by its meme and its language."""


class Translations(Repository):
    """Who translates what, and what translations cost that failed."""

    def claim(
        self, expected: Mapping[CaptionKey, int | None], token: str, seconds: float
    ) -> dict[CaptionKey, ClaimState]:
        """Claim some hundred captions at the most for a program; what became of each.

        Args:
            expected: each caption's highest version as the program knows it, None for a
                caption that is not there; one that has another by now is done.
            seconds: how long the claims hold if they are not renewed.
        """
        present = now()
        states: dict[CaptionKey, ClaimState] = {}
        with self.database.write(relaxed=True) as connection:
            connection.execute(delete(claims).where(claims.c.held_until <= present))
            query = select(claims.c.meme_id, claims.c.language).where(claims.c.token != token)
            held = {tuple(row) for row in connection.execute(query.where(_are(expected)))}
            for language in dict.fromkeys(language for _, language in expected):
                own = {meme_id for meme_id, tag in expected if tag == language}
                newest = newest_numbers(connection, language, own)
                for meme_id in own:
                    key = (meme_id, language)
                    is_done = newest.get(meme_id) != expected[key]
                    states[key] = "done" if is_done else "held" if key in held else "claimed"
            mine = [key for key, state in states.items() if state == "claimed"]
            until = present + timedelta(seconds=seconds)
            connection.execute(delete(claims).where(_are(mine)))
            rows = [
                {"meme_id": meme_id, "language": tag, "token": token, "held_until": until}
                for meme_id, tag in mine
            ]
            add_rows(connection, claims, rows)
        return states

    def renew(self, token: str, seconds: float) -> None:
        """Let a program's claims hold so many seconds from now."""
        until = now() + timedelta(seconds=seconds)
        with self.database.write(relaxed=True) as connection:
            own = update(claims).where(claims.c.token == token)
            connection.execute(own.values(held_until=until))

    def release(self, token: str, keys: Collection[CaptionKey] | None = None) -> None:
        """Give up a program's claims on some captions, or (None) all."""
        own = delete(claims).where(claims.c.token == token)
        with self.database.write(relaxed=True) as connection:
            connection.execute(own if keys is None else own.where(_are(keys)))

    def tokens(self) -> set[str]:
        """The tokens of all programs that have claims."""
        return {row.token for row in self.fetch(select(claims.c.token).distinct())}

    def add_failure(self, failure: TranslationFailure, translator: str, currency: str) -> None:
        """Book what a translation cost that failed, and why it did."""
        names = ("meme_id", "language", "characters", "cost")
        row = {name: getattr(failure, name) for name in names}
        row |= {"translator": translator, "message": str(failure.error), "currency": currency}
        with self.database.write(relaxed=True) as connection:
            add_row(connection, failures, **row)


def _are(keys: Collection[CaptionKey]) -> ColumnElement[bool]:
    return tuple_(claims.c.meme_id, claims.c.language).in_(list(keys))
