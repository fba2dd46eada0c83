"""What comes back from people. In: placed answers. Out: corrections, versions, cases.

A file of answers is stored in one transaction: all of it or nothing, once. What was typed is stored
as it was typed, whatever becomes of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select

from memeloc.errors import InputError
from memeloc.store.caption_versions import (
    add_versions,
    check_parts,
    current_of,
    now,
    slices,
    sources_of,
)
from memeloc.store.records import (
    ACCEPTING,
    STANDING,
    AddedAnswers,
    CaptionVersion,
    CorrectionRecord,
    FileRecord,
    Kind,
    KnownMeme,
    KnownSheet,
    PlacedAnswer,
)
from memeloc.store.sheets_out import find_sheets, sent_texts
from memeloc.store.storing_files import store_file
from memeloc.store.tables import captions, cases, corrections, memes, sheet_items, sheets

Decide = Callable[[KnownSheet], Sequence[PlacedAnswer]]
"""Decides what becomes of a file's answers; called within the transaction that stores them."""


def known_sheet(connection: Connection, sheet_id: str, also: Collection[str] = ()) -> KnownSheet:
    """What is known of a sheet, its memes, and the memes in `also`.

    Raises:
        InputError: there is no such sheet.
    """
    found = find_sheets(connection, None, sheet_id)
    if not found:
        raise InputError(f"There is no sheet {sheet_id[:60]!r} in this workspace.")
    sheet = found[0]
    items = sent_texts(connection, sheet_id)
    ids = list(dict.fromkeys((*items, *also)))
    sources = sources_of(connection, ids)
    current = current_of(connection, sheet.language, ids)
    shown = {meme_id: item.source.parts for meme_id, item in items.items()}
    answers: dict[str, list[CorrectionRecord]] = {}
    for answer in find_corrections(connection, sheet.language, ids, shown=shown):
        answers.setdefault(answer.meme_id, []).append(answer)
    known = {
        meme_id: KnownMeme(source, current.get(meme_id), tuple(answers.get(meme_id, ())))
        for meme_id, source in sources.items()
    }
    return KnownSheet(sheet, items, known)


def add_answers(
    connection: Connection, file: FileRecord, sheet_id: str, also: Collection[str], decide: Decide
) -> AddedAnswers:
    """Store a file of answers, unless the very same file was stored before."""
    file_id, seen = store_file(connection, file)
    stored = replace(file, id=file_id)
    if seen:
        return AddedAnswers(stored, True, (), Counter(), ())
    known = known_sheet(connection, sheet_id, also)
    placed = list(decide(known))
    outcomes = Counter(answer.outcome for answer in placed)
    opened = []
    stored_memes: set[str] = set()
    for answer in placed:
        if answer.outcome != "refused":
            # What is known is current, but for a meme that this file has answered before.
            again = answer.meme_id in stored_memes
            stored_memes.add(answer.meme_id)
            opened += _store(connection, file_id, known, answer, again=again)
    return AddedAnswers(stored, False, placed, outcomes, tuple(opened))


def _store(
    connection: Connection,
    file_id: int,
    known: KnownSheet,
    answer: PlacedAnswer,
    *,
    again: bool,
) -> list[int]:
    """Store one answer; the id of the case it opened, if it opened one."""
    language, moment = known.sheet.language, now()
    version = None
    if answer.outcome in ACCEPTING:
        version = _accept(connection, known, answer, again=again)
    row = {
        "file_id": file_id,
        "row": answer.row,
        "sheet_id": known.sheet.id,
        "meme_id": answer.meme_id,
        "language": language,
        "round": answer.round,
        "person": answer.person,
        "parts": answer.parts,
        "typed": answer.typed,
        "status": answer.status,
        "comment": answer.comment,
        "outcome": answer.outcome,
        "reason": answer.reason,
        "message": answer.message,
        "caption_id": version,
        "created_at": moment,
    }
    correction = connection.execute(
        insert(corrections).values(**row).returning(corrections.c.id)
    ).scalar_one()
    if answer.outcome != "case":
        return []
    case = {
        "meme_id": answer.meme_id,
        "language": language,
        "round": answer.round,
        "reason": answer.reason,
        "message": answer.message,
        "correction_id": correction,
        "created_at": moment,
    }
    return [connection.execute(insert(cases).values(**case).returning(cases.c.id)).scalar_one()]


def _accept(
    connection: Connection, known: KnownSheet, answer: PlacedAnswer, *, again: bool
) -> int | None:
    """Add an answer's text as a version; None when a later round has passed over it already."""
    language, meme_id = known.sheet.language, answer.meme_id
    source = known.items[meme_id].source
    current = known.memes[meme_id].current
    if again:
        current = current_of(connection, language, [meme_id]).get(meme_id)
    if current is not None and current.round > answer.round and _same(connection, current, source):
        return None
    (added,) = add_versions(
        connection,
        [
            {
                "meme_id": meme_id,
                "language": language,
                "version": 1 if current is None else current.version + 1,
                "parts": check_parts(answer.parts, meme_id),
                "stage": "corrected",
                "round": answer.round,
                "person": answer.person,
                "origin": f"sheet {known.sheet.id}",
                "source_id": source.id,
            }
        ],
    )
    return added


def _same(connection: Connection, version: CaptionVersion, source: CaptionVersion) -> bool:
    """Whether a version translates this source's text."""
    if version.source_id in (None, source.id):
        return True
    text = select(captions.c.parts).where(captions.c.id == version.source_id)
    return connection.execute(text).scalar() == source.parts


def find_corrections(
    connection: Connection,
    language: str | None = None,
    meme_ids: Collection[str] | None = None,
    *,
    shown: dict[str, tuple[str, ...]] | None = None,
    ids: Collection[int] | None = None,
    kind: Kind | None = None,
) -> list[CorrectionRecord]:
    """Stored answers, oldest first.

    Args:
        connection: a transaction.
        language: only of this one.
        meme_ids: only of these.
        shown: the source text, by meme, to which an answer must be to be standing; None is the
            current one.
        ids: only these corrections.
        kind: only of texts of this kind; None is all.
    """
    query = _corrections_query()
    if kind is not None:
        query = query.where(memes.c.kind == kind)
    if language is not None:
        query = query.where(corrections.c.language == language)
    if ids is not None:
        query = query.where(corrections.c.id.in_(list(ids)))
    rows: list[Row[Any]] = []
    if meme_ids is None:
        rows = list(connection.execute(query.order_by(corrections.c.id)))
    else:
        for some in slices(meme_ids):
            rows += connection.execute(query.where(corrections.c.meme_id.in_(some)))
        rows.sort(key=lambda row: row.id)
    if shown is None:
        sources = sources_of(connection, {row.meme_id for row in rows})
        shown = {meme_id: source.parts for meme_id, source in sources.items()}
    last: dict[tuple[str, str, int, str], int] = {}
    for row in rows:
        if row.outcome in STANDING and row.shown == shown.get(row.meme_id):
            last[row.meme_id, row.language, row.round, row.person] = row.id
    return [
        _record(row, last.get((row.meme_id, row.language, row.round, row.person)) == row.id)
        for row in rows
    ]


def _corrections_query() -> Select[Any]:
    return (
        select(
            corrections,
            sheets.c.created_at.label("sheet_created"),
            captions.c.parts.label("shown"),
        )
        .join(sheets, sheets.c.id == corrections.c.sheet_id)
        .outerjoin(
            sheet_items,
            (sheet_items.c.sheet_id == corrections.c.sheet_id)
            & (sheet_items.c.meme_id == corrections.c.meme_id),
        )
        .outerjoin(captions, captions.c.id == sheet_items.c.source_id)
        .join(memes, memes.c.id == corrections.c.meme_id)
    )


def _record(row: Row[Any], standing: bool) -> CorrectionRecord:
    return CorrectionRecord(
        id=row.id,
        file_id=row.file_id,
        row=row.row,
        sheet_id=row.sheet_id,
        meme_id=row.meme_id,
        language=row.language,
        round=row.round,
        person=row.person,
        parts=row.parts,
        typed=row.typed,
        status=row.status,
        comment=row.comment,
        outcome=row.outcome,
        reason=row.reason,
        message=row.message,
        caption_id=row.caption_id,
        sheet_created=row.sheet_created,
        created_at=row.created_at,
        standing=standing,
    )
