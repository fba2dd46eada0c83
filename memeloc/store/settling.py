"""Cases and decisions. In: a case and what somebody decides. Out: the version it settles on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from sqlalchemy import Connection, insert, select

from memeloc.errors import InputError
from memeloc.placeholders import misplaced
from memeloc.store.answers_in import find_corrections
from memeloc.store.caption_versions import (
    add_versions,
    check_parts,
    current_of,
    now,
    sources_of,
)
from memeloc.store.records import CaseRecord, CorrectionRecord, Kind
from memeloc.store.survey_texts import survey_text_key
from memeloc.store.tables import cases, decisions, memes

NO_TEXT = "no-text"
"""The status of an answer that says that a picture has no text; accepted, it is an empty text."""


def find_cases(
    connection: Connection,
    language: str | None = None,
    *,
    decided: bool | None = False,
    case_id: int | None = None,
    kind: Kind | None = None,
) -> list[CaseRecord]:
    """Cases, oldest first.

    Args:
        connection: a transaction.
        language: only of this one.
        decided: True for settled ones, False for open ones, None for all.
        case_id: only this one.
        kind: only of texts of this kind; None is all.
    """
    query = select(cases).order_by(cases.c.id)
    if kind is not None:
        query = query.join(memes, memes.c.id == cases.c.meme_id).where(memes.c.kind == kind)
    if language is not None:
        query = query.where(cases.c.language == language)
    if case_id is not None:
        query = query.where(cases.c.id == case_id)
    verdicts = {
        row.case_id: row.action
        for row in connection.execute(
            select(decisions.c.case_id, decisions.c.action).order_by(decisions.c.id)
        )
    }
    rows = [
        row
        for row in connection.execute(query)
        if decided is None or (row.id in verdicts) == decided
    ]
    ids = {row.meme_id for row in rows}
    sources = sources_of(connection, ids)
    answers: dict[tuple[str, str], list[CorrectionRecord]] = {}
    for answer in find_corrections(connection, language, ids):
        answers.setdefault((answer.meme_id, answer.language), []).append(answer)
    current = {
        tag: current_of(connection, tag, [row.meme_id for row in rows if row.language == tag])
        for tag in {row.language for row in rows}
    }
    found = []
    for row in rows:
        related = answers[row.meme_id, row.language]
        own = next(answer for answer in related if answer.id == row.correction_id)
        others = tuple(
            answer
            for answer in related
            if answer.standing and answer.round == row.round and answer.person != own.person
        )
        found.append(
            CaseRecord(
                id=row.id,
                meme_id=row.meme_id,
                language=row.language,
                round=row.round,
                reason=row.reason,
                message=row.message,
                created_at=row.created_at,
                correction=own,
                others=others,
                source=sources[row.meme_id],
                current=current[row.language].get(row.meme_id),
                decision=verdicts.get(row.id, ""),
            )
        )
    return found


def decide(
    connection: Connection,
    case_id: int,
    *,
    person: str,
    accept: int | None,
    parts: Sequence[str] | None,
    comment: str,
) -> int | None:
    """Settle a case; the id of the version it settles on, None when there is no text at all.

    Keeping the caption as it is makes a version, too: somebody has looked at it and said so. The
    same decision again changes nothing; another one supersedes it.

    Raises:
        InputError: there is no such case, or no such answer to accept.
    """
    found = find_cases(connection, decided=None, case_id=case_id)
    if not found:
        raise InputError(f"There is no case {case_id}; `memeloc correct settle` lists them.")
    case = found[0]
    text: tuple[str, ...] = ()
    no_text = False
    if accept is not None and parts is not None:
        raise InputError("Either accept an answer or type a text, not both.")
    if accept is not None:
        (answer,) = find_corrections(connection, ids=[accept]) or (None,)
        if (
            answer is None
            or (answer.meme_id, answer.language) != (case.meme_id, case.language)
            or not (answer.parts or answer.status == NO_TEXT)
        ):
            raise InputError(f"The answer {accept} is none with a text for case {case_id}.")
        text, no_text = answer.parts, answer.status == NO_TEXT
    elif parts is not None:
        text = check_parts(parts, case.meme_id)
    action = "accept" if accept is not None else "type" if parts is not None else "keep"
    last = connection.execute(
        select(decisions).where(decisions.c.case_id == case_id).order_by(decisions.c.id.desc())
    ).first()
    if last is not None and (last.action, last.parts, last.person, last.correction_id) == (
        action,
        text,
        person,
        accept,
    ):
        return int(last.caption_id) if last.caption_id is not None else None
    settled = case.current.parts if action == "keep" and case.current is not None else text
    if action != "keep":
        _check_placeholders(case, settled)
    version = _settled(connection, case, settled, person) if settled or no_text else None
    row: dict[str, Any] = {
        "case_id": case_id,
        "action": action,
        "correction_id": accept,
        "parts": text,
        "person": person,
        "comment": comment,
        "caption_id": version,
        "created_at": now(),
    }
    connection.execute(insert(decisions).values(**row))
    return version


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


def _settled(connection: Connection, case: CaseRecord, text: tuple[str, ...], person: str) -> int:
    """Add the text as the version that settles the case, as a translation of today's source."""
    (added,) = add_versions(
        connection,
        [
            {
                "meme_id": case.meme_id,
                "language": case.language,
                "version": 1 if case.current is None else case.current.version + 1,
                "parts": check_parts(text, case.meme_id) if text else (),
                "stage": "settled",
                "round": case.round,
                "person": person,
                "origin": f"case {case.id}",
                "source_id": case.source.id,
            }
        ],
    )
    return added
