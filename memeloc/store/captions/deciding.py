"""Deciding cases. In: a transaction, cases and decisions. Out: their rows, settled versions, drops.

What is there is read once, each decision is looked at beside it and beside those before it, and
the rows are written together; so that ten thousand decisions take seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from sqlalchemy import Connection, select

from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption
from memeloc.placeholders import misplaced
from memeloc.store.captions.drops import drop_row, dropped_pairs
from memeloc.store.captions.versions import ALL_LANGUAGES, check_parts, insert_versions
from memeloc.store.queries import add_rows, by_slices
from memeloc.store.records import DROP, DROP_ALL, CaseRecord, CorrectionRecord, Decision
from memeloc.store.surveys.survey_texts import survey_text_key
from memeloc.store.tables.captions import decisions, drops

NO_TEXT = "no-text"
"""The status of an answer that a picture has no text; accepted, it is an empty text."""

_SAME = ("action", "parts", "person", "correction_id")
"""What two decisions of a case have in common that say the same."""


def store_decisions(
    connection: Connection,
    cases: Mapping[int, CaseRecord],
    decided: Sequence[Decision],
    person: str,
) -> list[int | None]:
    """Store decisions about `cases`, by id; the ids of the versions that settle them.

    Raises:
        InputError: there is no such case, or the answer is not one of it; with the decision's row.
    """
    deciding = _Deciding(connection, cases, person)
    for decision in decided:
        try:
            deciding.add(decision)
        except InputError as error:
            raise InputError(error.message, row=decision.row) from error
    return deciding.store(connection)


class _Deciding:
    """What is known of some cases, and the rows that decisions about them make.

    A new row of `decisions` has the place of its version among `versions` under "version".
    """

    def __init__(
        self, connection: Connection, cases: Mapping[int, CaseRecord], person: str
    ) -> None:
        self.cases = cases
        self.person = person
        meme_ids = {case.meme_id for case in cases.values()}
        self.dropped = dropped_pairs(connection, meme_ids)
        query = select(decisions).order_by(decisions.c.id)
        rows = by_slices(connection, query, decisions.c.case_id, cases)
        self.last: dict[int, Mapping[str, Any]] = {
            row.case_id: dict(row._mapping)
            for row in rows
            if row.action not in (DROP, DROP_ALL)
            or self._pair(row.case_id, row.action) in self.dropped
        }
        self.current: dict[tuple[str, str], tuple[str, ...]] = {
            (case.meme_id, case.language): case.current.parts
            for case in cases.values()
            if case.current is not None
        }
        self.versions: list[dict[str, Any]] = []
        self.decisions: list[dict[str, Any]] = []
        self.drops: list[dict[str, str]] = []
        self.settled: list[Mapping[str, Any]] = []

    def add(self, decision: Decision) -> None:
        case = self.cases.get(decision.case)
        if case is None:
            raise InputError(
                f"There is no case {decision.case}; `memeloc correct settle` lists them."
            )
        ways = (decision.accept is not None) + (decision.parts is not None) + bool(decision.drop)
        if ways > 1:
            raise InputError("Accept an answer, type a text, or drop the meme: one of them.")
        text, no_text = _text(case, decision)
        row: dict[str, Any] = {
            "case_id": case.id,
            "action": decision.action,
            "correction_id": decision.accept,
            "parts": text,
            "person": self.person,
            "comment": decision.comment,
        }
        last = self.last.get(case.id)
        if last is not None and all(row[name] == last[name] for name in _SAME):
            if decision.comment in ("", last["comment"]):
                self.settled.append(last)
                return
            row |= {name: last[name] for name in ("caption_id", "version") if name in last}
        else:
            self._drop(case, decision, "" if last is None else last["action"])
            if decision.action == "keep":
                text = self.current.get((case.meme_id, case.language), ())
            if text or no_text:
                row["version"] = len(self.versions)
                self._settle(case, text)
        self.last[case.id] = row
        self.decisions.append(row)
        self.settled.append(row)

    def store(self, connection: Connection) -> list[int | None]:
        added = insert_versions(connection, self.versions)

        def version(row: Mapping[str, Any]) -> int | None:
            return added[row["version"]] if "version" in row else row.get("caption_id")

        settled = [version(row) for row in self.settled]
        for row in self.decisions:
            row["caption_id"] = version(row)
            row.pop("version", None)
        add_rows(connection, decisions, self.decisions)
        add_rows(connection, drops, self.drops)
        return settled

    def _drop(self, case: CaseRecord, decision: Decision, last: str) -> None:
        """Drop the meme, or take back that the last decision dropped it."""
        if decision.drop and survey_text_key(case.meme_id):
            raise InputError("A survey cannot do without a text; keep it or type another.")
        for action in {decision.drop, last} & {DROP, DROP_ALL}:
            pair = self._pair(case.id, action)
            dropped = action == decision.drop
            if (pair in self.dropped) != dropped:
                self.dropped ^= {pair}
                about = {"person": self.person, "comment": decision.comment}
                self.drops.append(drop_row(*pair, dropped=dropped, **about))

    def _pair(self, case_id: int, action: str) -> tuple[str, str]:
        """The meme and language that dropping a case drops."""
        case = self.cases[case_id]
        return case.meme_id, ALL_LANGUAGES if action == DROP_ALL else case.language

    def _settle(self, case: CaseRecord, text: tuple[str, ...]) -> None:
        parts = check_parts(text, case.meme_id) if text else ()
        self.current[case.meme_id, case.language] = parts
        self.versions.append(
            {
                "meme_id": case.meme_id,
                "language": case.language,
                "parts": parts,
                "stage": "settled",
                "round": case.round,
                "person": self.person,
                "origin": f"case {case.id}",
                "source_id": case.source.id,
            }
        )


def _text(case: CaseRecord, decision: Decision) -> tuple[tuple[str, ...], bool]:
    """The text that a decision brings, and whether it is that there is none."""
    if decision.accept is not None:
        answer = _answer_of(case, decision.accept)
        text, no_text = answer.parts, answer.status == NO_TEXT
    elif decision.parts is not None:
        parts = Caption.parse(SEPARATOR.join(decision.parts), len(case.source.parts)).parts
        text, no_text = check_parts(parts, case.meme_id), False
    else:
        return (), False
    _check_placeholders(case, text)
    return text, no_text


def _answer_of(case: CaseRecord, correction_id: int) -> CorrectionRecord:
    for answer in case.answers:
        if answer.id == correction_id and (answer.parts or answer.status == NO_TEXT):
            return answer
    raise InputError(f"The answer {correction_id} is not one with a text for case {case.id}.")


def _check_placeholders(case: CaseRecord, text: tuple[str, ...]) -> None:
    """The text of a survey keeps its placeholders; see `memeloc.placeholders`."""
    if not survey_text_key(case.meme_id):
        return
    for source, part in zip_longest(case.source.parts, text, fillvalue=""):
        if wrong := misplaced(source, part):
            raise InputError(
                f"This text cannot settle case {case.id}: {wrong}. Type it with the placeholders "
                f"of {case.source.caption}"
            )
