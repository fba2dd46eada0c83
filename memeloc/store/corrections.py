"""Corrections. In: a sheet that came back. Out: what became of each answer, versions, cases.

A file of answers is stored in one transaction: all of it or nothing, once. What was typed is stored
as it was typed, whatever becomes of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, Row, insert, select

from memeloc.correct.placing import KnownMeme, PlacedAnswer
from memeloc.errors import InputError
from memeloc.store.caption_versions import (
    add_versions,
    check_parts,
    current_of,
    sources_of,
    texts_of,
)
from memeloc.store.database import Database, by_slices, now
from memeloc.store.files import store_file
from memeloc.store.records import (
    ACCEPTING,
    STANDING,
    AddedAnswers,
    CaptionVersion,
    CorrectionRecord,
    FileRecord,
    Kind,
    KnownSheet,
)
from memeloc.store.sheets import find_sheets, sent_texts
from memeloc.store.tables import captions, cases, corrections, memes, sheet_items, sheets

Decide = Callable[[KnownSheet], Sequence[PlacedAnswer]]
"""Decides what becomes of a file's answers; called within the transaction that stores them."""


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
            return _known_sheet(connection, sheet_id, also)

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
            file_id, seen = store_file(connection, file)
            stored = replace(file, id=file_id)
            if seen:
                return AddedAnswers(stored, True, (), Counter(), ())
            sheet = _known_sheet(connection, sheet_id, also)
            placed = list(decide(sheet))
            current: dict[str, CaptionVersion | None] = dict.fromkeys(sheet.memes)
            current |= current_of(connection, sheet.sheet.language, sheet.memes)
            opened: list[int] = []
            for answer in placed:
                if answer.outcome != "refused":
                    opened += _store(connection, file_id, sheet, answer, current)
        outcomes = Counter[str](answer.outcome for answer in placed)
        return AddedAnswers(stored, False, placed, outcomes, tuple(opened))

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
            return find_corrections(connection, tag, meme_ids, kind=kind)


def _known_sheet(connection: Connection, sheet_id: str, also: Collection[str]) -> KnownSheet:
    matches = find_sheets(connection, sheet_id=sheet_id)
    if not matches:
        raise InputError(f"There is no sheet {sheet_id[:60]!r} in this workspace.")
    sheet = matches[0]
    items = sent_texts(connection, sheet_id)
    ids = list(dict.fromkeys((*items, *also)))
    sources = sources_of(connection, ids)
    shown = {meme_id: item.source.parts for meme_id, item in items.items()}
    answers: dict[str, list[CorrectionRecord]] = {}
    for answer in find_corrections(connection, sheet.language, ids, shown=shown):
        answers.setdefault(answer.meme_id, []).append(answer)
    known_memes = {
        meme_id: KnownMeme(source.parts, answers.get(meme_id, ()))
        for meme_id, source in sources.items()
    }
    return KnownSheet(sheet, items, known_memes)


def _store(
    connection: Connection,
    file_id: int,
    sheet: KnownSheet,
    answer: PlacedAnswer,
    current: dict[str, CaptionVersion | None],
) -> list[int]:
    """Store one answer; the id of the case it opened, if it opened one."""
    version = None
    if answer.outcome in ACCEPTING:
        version = _accept(connection, sheet, answer, current)
    shared = {
        "meme_id": answer.meme_id,
        "language": sheet.sheet.language,
        "round": answer.round,
        "reason": answer.reason,
        "message": answer.message,
        "created_at": now(),
    }
    statement = insert(corrections).values(
        file_id=file_id,
        row=answer.row,
        sheet_id=sheet.sheet.id,
        person=answer.person,
        parts=answer.parts,
        typed=answer.typed,
        status=answer.status,
        comment=answer.comment,
        outcome=answer.outcome,
        caption_id=version,
        **shared,
    )
    correction = connection.execute(statement.returning(corrections.c.id)).scalar_one()
    if answer.outcome != "case":
        return []
    statement = insert(cases).values(correction_id=correction, **shared)
    return [connection.execute(statement.returning(cases.c.id)).scalar_one()]


def _accept(
    connection: Connection,
    sheet: KnownSheet,
    answer: PlacedAnswer,
    current: dict[str, CaptionVersion | None],
) -> int | None:
    """Add an answer's text as a version; None when a later round has superseded it already.

    Current versions that were looked up before are used once: an answer makes a newer one.
    """
    language, meme_id = sheet.sheet.language, answer.meme_id
    source = sheet.items[meme_id].source
    if meme_id in current:
        version = current.pop(meme_id)
    else:
        version = current_of(connection, language, [meme_id]).get(meme_id)
    if version is not None and version.round > answer.round:
        translated = texts_of(connection, [version.source_id])
        if version.source_id is None or translated[version.source_id] == source.parts:
            return None
    row = {
        "meme_id": meme_id,
        "language": language,
        "parts": check_parts(answer.parts, meme_id),
        "stage": "corrected",
        "round": answer.round,
        "person": answer.person,
        "origin": f"sheet {sheet.sheet.id}",
        "source_id": source.id,
    }
    return add_versions(connection, [row], {meme_id: version} if version else {})[0]


def find_corrections(
    connection: Connection,
    language: str | None = None,
    meme_ids: Collection[str] | None = None,
    *,
    shown: Mapping[str, tuple[str, ...]] | None = None,
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
    query = (
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
        .order_by(corrections.c.id)
    )
    if kind is not None:
        query = query.where(memes.c.kind == kind)
    if language is not None:
        query = query.where(corrections.c.language == language)
    if ids is not None:
        query = query.where(corrections.c.id.in_(list(ids)))
    if meme_ids is None:
        rows = list(connection.execute(query))
    else:
        rows = list(by_slices(connection, query, corrections.c.meme_id, meme_ids))
        rows.sort(key=lambda row: row.id)
    if shown is None:
        sources = sources_of(connection, {row.meme_id for row in rows})
        shown = {meme_id: source.parts for meme_id, source in sources.items()}
    last = {
        (row.meme_id, row.language, row.round, row.person): row.id
        for row in rows
        if row.outcome in STANDING and row.shown == shown.get(row.meme_id)
    }
    return [
        _record(row, last.get((row.meme_id, row.language, row.round, row.person)) == row.id)
        for row in rows
    ]


def _record(row: Row[tuple[object, ...]], standing: bool) -> CorrectionRecord:
    values = dict(row._mapping)
    del values["shown"]
    return CorrectionRecord(**values, standing=standing)
