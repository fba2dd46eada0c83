"""Cases and decisions. In: a case and what somebody decides. Out: the version it settles on."""

from __future__ import annotations

from collections.abc import Sequence

from memeloc.store import settling
from memeloc.store.database import Database
from memeloc.store.records import CaseRecord, Kind


class Cases:
    """What is left for somebody to settle."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(
        self, tag: str | None = None, decided: bool | None = False, kind: Kind | None = None
    ) -> list[CaseRecord]:
        """Cases, oldest first: open ones, those `decided`, or (None) both.

        Of one language and kind of texts, or of all.
        """
        with self.database.read() as connection:
            return settling.find_cases(connection, tag, decided=decided, kind=kind)

    def decide(
        self,
        case_id: int,
        *,
        person: str,
        accept: int | None = None,
        parts: Sequence[str] | None = None,
        comment: str = "",
    ) -> int | None:
        """Settle a case: accept an answer, type a text, or (neither) keep the caption as it is.

        Returns the id of the version that settles it, None when there is no text to settle on. A
        later decision supersedes; the same one again changes nothing.

        Raises:
            InputError: there is no such case, or the answer is not one of it.
        """
        with self.database.write() as connection:
            return settling.decide(
                connection, case_id, person=person, accept=accept, parts=parts, comment=comment
            )
