"""Corrections. In: a sheet that came back. Out: what became of each answer, versions, cases."""

from __future__ import annotations

from collections.abc import Collection

from memeloc.store import answers_in
from memeloc.store.answers_in import Decide
from memeloc.store.database import Database
from memeloc.store.records import AddedAnswers, CorrectionRecord, FileRecord, Kind, KnownSheet


class Corrections:
    """What people answered on sheets."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def known_sheet(self, sheet_id: str, also: Collection[str] = ()) -> KnownSheet:
        """What placing answers needs to know, for a look without storing (`--dry-run`).

        Raises:
            InputError: there is no such sheet.
        """
        with self.database.read() as connection:
            return answers_in.known_sheet(connection, sheet_id, also)

    def add(
        self, file: FileRecord, sheet_id: str, decide: Decide, also: Collection[str] = ()
    ) -> AddedAnswers:
        """Store a file of answers, whole or not at all, and once.

        Args:
            file: `FileRecord("answers", name, sha256, rows)`.
            sheet_id: the sheet that came back.
            decide: gets what is known and returns what becomes of each answer. It is called within
                the transaction, so that nothing changes meanwhile, and is not called when the very
                same file was stored before.
            also: ids of memes in the file; those beyond the sheet's are looked up too.

        Raises:
            InputError: there is no such sheet, or a placed text cannot be a caption.
        """
        with self.database.write() as connection:
            return answers_in.add_answers(connection, file, sheet_id, also, decide)

    def find(
        self,
        tag: str | None = None,
        meme_ids: Collection[str] | None = None,
        kind: Kind | None = None,
    ) -> list[CorrectionRecord]:
        """What people answered, oldest first; standing is relative to the current source.

        Of one language and kind of texts, or of all.
        """
        with self.database.read() as connection:
            return answers_in.find_corrections(connection, tag, meme_ids, kind=kind)
