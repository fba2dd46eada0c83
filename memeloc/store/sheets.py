"""Sheets for correctors. In: a language, a round and a person. Out: captions for a sheet."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memeloc.store import sheets_out
from memeloc.store.database import Database
from memeloc.store.records import Kind, SentText, SheetRecord, ToCorrect
from memeloc.store.sheets_out import Only


class Sheets:
    """The sheets that went out, and what they showed."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def to_correct(
        self,
        tag: str,
        round_: int,
        person: str = "",
        *,
        only: Only = "new",
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
    ) -> list[ToCorrect]:
        """The captions of a round for a sheet, in the memes' order; see `Only`.

        The text to be corrected is what the rounds before have left: two people of one round get
        the same, and round 2 gets the result of round 1.
        """
        with self.database.read() as connection:
            return list(
                sheets_out.items_to_correct(connection, tag, round_, person, only, meme_ids, kind)
            )

    def add(self, sheet: SheetRecord, items: Sequence[tuple[str, int, int]]) -> bool:
        """Store which versions a sheet shows; False when the sheet is there already.

        Args:
            sheet: what it is.
            items: meme id, source version's id and base version's id, in the sheet's order.
        """
        with self.database.write() as connection:
            return sheets_out.record_sheet(connection, sheet, items)

    def find(self, tag: str | None = None, kind: Kind | None = None) -> list[SheetRecord]:
        """The sheets that went out, oldest first; all, or those of a language or kind."""
        with self.database.read() as connection:
            return sheets_out.find_sheets(connection, tag, kind=kind)

    def texts(self, sheet_id: str) -> dict[str, SentText]:
        """What a sheet showed, by meme, in its order; empty when there is no such sheet."""
        with self.database.read() as connection:
            return sheets_out.sent_texts(connection, sheet_id)
