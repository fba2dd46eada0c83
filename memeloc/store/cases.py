"""Cases and decisions. In: a case and what somebody decides. Out: the version it settles on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal

from sqlalchemy import Connection, select

from memeloc.errors import InputError
from memeloc.placeholders import misplaced
from memeloc.store.caption_versions import (
    ALL_LANGUAGES,
    add_versions,
    check_parts,
    current_of,
    is_dropped,
    sources_of,
)
from memeloc.store.corrections import find_corrections
from memeloc.store.drops import add_drops
from memeloc.store.queries import Repository, add_row, equal, two_columns
from memeloc.store.records import CaseRecord, CorrectionRecord, Kind
from memeloc.store.survey_texts import survey_text_key
from memeloc.store.tables.captions import cases, decisions, memes

DROP, DROP_ALL = "drop", "drop all"
"""Decisions that give the meme up: in the case's language, or in all of them."""

NO_TEXT = "no-text"
"""The status of an answer that a picture has no text; accepted, it is an empty text."""


class Cases(Repository):
    """What is left for somebody to settle."""

    def find(
        self, tag: str | None = None, decided: bool | None = False, kind: Kind | None = None
    ) -> list[CaseRecord]:
        """Cases, oldest first: open ones, those `decided`, or (None) both.

        Of one language and kind of texts, or of all.
        """
        with self.database.read() as connection:
            return _find(connection, tag, decided=decided, kind=kind)

    def decide(
        self,
        case_id: int,
        *,
        person: str,
        accept: int | None = None,
        parts: Sequence[str] | None = None,
        drop: Literal["", "drop", "drop all"] = "",
        comment: str = "",
    ) -> int | None:
        """Settle a case: accept an answer, type a text, drop the meme in this language or in all,
        or (none of them) keep the caption as it is.

        Keeping makes a version, too: somebody has looked at it and approved. A later decision
        supersedes, and takes dropping back; the same one again changes nothing. Returns the id of
        the version that settles it, None when there is no text to settle on.

        Raises:
            InputError: there is no such case, or the answer is not one of it.
        """
        if (accept is not None) + (parts is not None) + bool(drop) > 1:
            raise InputError("Accept an answer, type a text, or drop the meme: one of them.")
        action = "accept" if accept is not None else "type" if parts is not None else drop or "keep"
        with self.database.write() as connection:
            case = next(iter(_find(connection, decided=None, case_id=case_id)), None)
            if case is None:
                raise InputError(
                    f"There is no case {case_id}; `memeloc correct settle` lists them."
                )
            text: tuple[str, ...] = ()
            no_text = False
            if accept is not None:
                answer = _answer_of(connection, case, accept)
                text, no_text = answer.parts, answer.status == NO_TEXT
            elif parts is not None:
                text = check_parts(parts, case.meme_id)
            query = select(decisions).where(decisions.c.case_id == case_id)
            last = connection.execute(query.order_by(decisions.c.id.desc())).first()
            decision = {"action": action, "parts": text, "person": person, "correction_id": accept}
            if last is not None and decision.items() <= dict(last._mapping).items():
                return None if last.caption_id is None else int(last.caption_id)
            if drop and survey_text_key(case.meme_id):
                raise InputError("A survey cannot do without a text; keep it or type another.")
            for done in {drop, last.action if last is not None else ""} & {DROP, DROP_ALL}:
                languages = [ALL_LANGUAGES if done == DROP_ALL else case.language]
                add_drops(
                    connection,
                    [case.meme_id],
                    languages,
                    dropped=done == drop,
                    person=person,
                    comment=comment,
                )
            if action in ("accept", "type"):
                _check_placeholders(case, text)
            elif action == "keep" and case.current is not None:
                text = case.current.parts
            version = _settle(connection, case, text, person) if text or no_text else None
            decision |= {"case_id": case_id, "comment": comment, "caption_id": version}
            add_row(connection, decisions, **decision)
        return version


def _find(
    connection: Connection,
    language: str | None = None,
    *,
    decided: bool | None,
    case_id: int | None = None,
    kind: Kind | None = None,
) -> list[CaseRecord]:
    query = select(cases).join(memes, memes.c.id == cases.c.meme_id).order_by(cases.c.id)
    query = equal(query, {memes.c.kind: kind, cases.c.language: language, cases.c.id: case_id})
    actions = select(decisions.c.case_id, decisions.c.action).order_by(decisions.c.id)
    decision_of = two_columns(connection.execute(actions))
    given_up = select(cases.c.id).where(is_dropped(cases.c.meme_id, cases.c.language))
    dropped = set(connection.execute(given_up).scalars())
    rows = [
        row
        for row in connection.execute(query)
        if decided is None or (row.id in decision_of) == decided
        if decided is not False or row.id not in dropped
    ]
    ids = {row.meme_id for row in rows}
    sources = sources_of(connection, ids)
    answers: dict[tuple[str, str], list[CorrectionRecord]] = {}
    for answer in find_corrections(connection, language, ids):
        answers.setdefault((answer.meme_id, answer.language), []).append(answer)
    current = {tag: current_of(connection, tag, ids) for tag in {row.language for row in rows}}
    records = []
    for row in rows:
        values = dict(row._mapping)
        opened_by = values.pop("correction_id")
        related = answers[row.meme_id, row.language]
        own = next(answer for answer in related if answer.id == opened_by)
        others = tuple(
            answer
            for answer in related
            if answer.standing and answer.round == row.round and answer.person != own.person
        )
        records.append(
            CaseRecord(
                **values,
                correction=own,
                others=others,
                source=sources[row.meme_id],
                current=current[row.language].get(row.meme_id),
                decision=decision_of.get(row.id, ""),
            )
        )
    return records


def _answer_of(connection: Connection, case: CaseRecord, correction_id: int) -> CorrectionRecord:
    for answer in find_corrections(connection, case.language, [case.meme_id]):
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


def _settle(connection: Connection, case: CaseRecord, text: tuple[str, ...], person: str) -> int:
    row = {
        "language": case.language,
        "parts": check_parts(text, case.meme_id) if text else (),
        "stage": "settled",
        "round": case.round,
        "person": person,
        "origin": f"case {case.id}",
        "source_id": case.source.id,
    }
    current = {} if case.current is None else {case.meme_id: case.current}
    return add_versions(connection, {case.meme_id: row}, current)[0]
