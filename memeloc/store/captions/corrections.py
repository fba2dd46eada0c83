"""Corrections. In: a sheet that came back. Out: what became of each answer, versions, cases.

A file of answers is stored in one transaction: all of it or nothing, once. What was typed is stored
as it was typed, whatever becomes of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import Connection, select

from memeloc.correct.model import Comment
from memeloc.correct.placing import KnownMeme, PlacedAnswer
from memeloc.errors import InputError
from memeloc.store.captions.history import find_comments
from memeloc.store.captions.sheets import WAS_SHOWN, find_sheets, sent_sheet
from memeloc.store.captions.versions import (
    check_parts,
    current_of,
    insert_versions,
    sources_of,
    texts_of,
)
from memeloc.store.files import find_file, store_file
from memeloc.store.queries import Repository, by_slices, equal, insert_rows, two_columns
from memeloc.store.records import (
    ACCEPTING,
    OPENING,
    STANDING,
    AddedAnswers,
    CorrectionRecord,
    FileRecord,
    Kind,
    KnownSheet,
)
from memeloc.store.tables.captions import captions, cases, corrections, memes, sheet_items, sheets

_ANSWER = [field.name for field in fields(PlacedAnswer)]
_CASE = ("meme_id", "language", "round", "reason", "message")

Decide = Callable[[KnownSheet], Sequence[PlacedAnswer]]
"""Decides what becomes of a file's answers; called within the transaction that stores them."""


class Corrections(Repository):
    """What people answered on sheets."""

    def add(
        self,
        file: FileRecord,
        sheet_id: str,
        decide: Decide,
        also: Collection[str] = (),
        *,
        dry_run: bool = False,
    ) -> AddedAnswers:
        """Store a file of answers, whole or not at all, and once.

        Args:
            file: `FileRecord("answers", name, sha256, rows)`.
            decide: gets what is known and returns what becomes of each answer. It is called within
                the transaction, so that nothing changes meanwhile, and is not called when the very
                same file was stored before. A text that cannot be a caption is refused.
            also: ids of memes in the file; those beyond the sheet's are looked up too.
            dry_run: decide, and store nothing.

        Raises:
            InputError: there is no such sheet.
        """
        opened: Sequence[int] = ()
        with self.database.read() if dry_run else self.database.write() as connection:
            stored = find_file(connection, file.kind, file.sha256)
            if stored is not None:
                return AddedAnswers(stored, True, (), Counter(), ())
            sheet = _known_sheet(connection, sheet_id, also)
            placed = [_storable(answer) for answer in decide(sheet)]
            if not dry_run:
                file = replace(file, id=store_file(connection, file)[0])
                kept = [answer for answer in placed if answer.outcome != "refused"]
                opened = _store(connection, file.id, sheet, kept)
        outcomes = Counter[str](answer.outcome for answer in placed)
        return AddedAnswers(file, False, placed, outcomes, tuple(opened))

    def find(
        self,
        tag: str | None = None,
        meme_ids: Collection[str] | None = None,
        kind: Kind | None = None,
    ) -> list[CorrectionRecord]:
        """What people answered, oldest first; standing is relative to the current source."""
        with self.database.read() as connection:
            return find_corrections(connection, tag, meme_ids, kind=kind)

    def comments(self, tag: str | None = None, kind: Kind | None = None) -> list[Comment]:
        """Comments on captions, with answers, without and about cases, oldest first."""
        with self.database.read() as connection:
            return find_comments(connection, tag, kind=kind)


def _known_sheet(connection: Connection, sheet_id: str, also: Collection[str]) -> KnownSheet:
    records = find_sheets(connection, sheet_id=sheet_id)
    if not records:
        raise InputError(f"There is no sheet {sheet_id[:60]!r} in this workspace.")
    sheet = sent_sheet(connection, records[0])
    ids = {*sheet.items, *also}
    shown = {meme_id: item.source for meme_id, item in sheet.items.items()}
    answers = defaultdict[str, list[CorrectionRecord]](list)
    for answer in find_corrections(connection, sheet.language, ids, shown=shown):
        answers[answer.meme_id].append(answer)
    sources = sources_of(connection, ids).items()
    return KnownSheet(sheet, {key: KnownMeme(row.parts, answers[key]) for key, row in sources})


def _storable(answer: PlacedAnswer) -> PlacedAnswer:
    """The answer, refused when its text cannot be a caption."""
    try:
        if answer.parts:
            check_parts(answer.parts)
    except InputError as error:
        return replace(answer, outcome="refused", reason="", message=str(error))
    return answer


def _store(
    connection: Connection, file_id: int, known: KnownSheet, answers: Sequence[PlacedAnswer]
) -> list[int]:
    """Store answers with the versions and the cases that they make; the cases' ids."""
    sheet = known.sheet
    versions = _versions(connection, known, answers)
    made = iter(insert_versions(connection, [row for row in versions if row]))
    shared = {"file_id": file_id, "sheet_id": sheet.id, "language": sheet.language}
    rows = [
        {name: getattr(answer, name) for name in _ANSWER}
        | {**shared, "caption_id": next(made) if version else None}
        for answer, version in zip(answers, versions, strict=True)
    ]
    opened = [
        {name: row[name] for name in _CASE} | {"correction_id": number}
        for row, number in zip(rows, insert_rows(connection, corrections, rows), strict=True)
        if row["outcome"] in OPENING
    ]
    return insert_rows(connection, cases, opened)


def _versions(
    connection: Connection, known: KnownSheet, answers: Sequence[PlacedAnswer]
) -> list[dict[str, Any]]:
    """The version that each answer makes; empty where it makes none, as where a later round has
    superseded it already."""
    sheet = known.sheet
    current = current_of(connection, sheet.language, known.memes)
    later = {
        key: current[key]
        for key in sheet.items
        if key in current and current[key].round > sheet.round
    }
    translated = texts_of(connection, {version.source_id for version in later.values()})
    superseded = {
        key
        for key, version in later.items()
        if version.source_id is None or translated[version.source_id] == sheet.items[key].source
    }
    query = select(sheet_items.c.meme_id, sheet_items.c.source_id)
    sources = two_columns(connection.execute(query.where(sheet_items.c.sheet_id == sheet.id)))
    rows: list[dict[str, Any]] = []
    for answer in answers:
        key = answer.meme_id
        if answer.outcome not in ACCEPTING or key in superseded:
            rows.append({})
            continue
        rows.append(
            {
                "meme_id": key,
                "language": sheet.language,
                "parts": check_parts(answer.parts, key),
                "stage": "corrected",
                "round": answer.round,
                "person": answer.person,
                "origin": f"sheet {sheet.id}",
                "source_id": sources[key],
            }
        )
    return rows


def find_corrections(
    connection: Connection,
    language: str | None = None,
    meme_ids: Collection[str] | None = None,
    *,
    shown: Mapping[str, tuple[str, ...]] | None = None,
    kind: Kind | None = None,
) -> list[CorrectionRecord]:
    """Stored answers, oldest first; of a language, some memes and a kind, None is all.

    An answer is standing that is to the source text in `shown`, by meme; None is the current one.
    """
    query = (
        select(
            corrections, sheets.c.created_at.label("sheet_created"), captions.c.parts.label("shown")
        )
        .join(sheets, sheets.c.id == corrections.c.sheet_id)
        .outerjoin(sheet_items, WAS_SHOWN)
        .outerjoin(captions, captions.c.id == sheet_items.c.source_id)
        .join(memes, memes.c.id == corrections.c.meme_id)
        .order_by(corrections.c.id)
    )
    query = equal(query, {memes.c.kind: kind, corrections.c.language: language})
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
    standing = set(last.values())
    records = []
    for row in rows:
        values = dict(row._mapping)
        del values["shown"]
        records.append(CorrectionRecord(**values, standing=row.id in standing))
    return records
