"""Corrections. In: a sheet that came back. Out: what became of each answer, versions, cases.

A file of answers is stored in one transaction: all of it or nothing, once. What was typed is stored
as it was typed, whatever becomes of it. Taking a file back adds rows, too: its answers count no
more, and the captions that stood by them go back to what stood before by a new version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, select, update

from memeloc.correct.model import Answer, Sheet
from memeloc.errors import InputError
from memeloc.store.captions import versions
from memeloc.store.captions.answers import find_answers, find_history
from memeloc.store.captions.versions import check_parts, insert_versions
from memeloc.store.queries import Repository, add_row, by_slices, insert_rows, store_file
from memeloc.store.records import ACCEPTING, OPENING, FileRecord, Kind
from memeloc.store.tables.captions import captions, cases, corrections, files, withdrawals

_STORED = (
    *("meme_id", "language", "round", "person", "parts", "typed", "status", "comment", "row"),
    *("outcome", "reason", "message"),
)
"""The fields of an answer that are stored as they are."""
_CASE = ("meme_id", "language", "round", "reason", "message")
_ANSWERS = "answers"
"""The kind of a file of answers."""
_SET_BACK = ("meme_id", "language", "parts", "stage", "round", "person", "translator", "source_id")

Decide = Callable[[Mapping[str, tuple[str, ...]], Mapping[str, Sequence[Answer]]], list[Answer]]
"""Decides what becomes of a file's answers, by the current sources and the earlier answers of
memes; called within the transaction that stores them."""


class Corrections(Repository):
    """What people answered on sheets."""

    def add(
        self,
        file: FileRecord,
        sheet: Sheet,
        decide: Decide,
        also: Collection[str] = (),
        *,
        dry_run: bool = False,
    ) -> list[Answer] | None:
        """Store a file of answers, `FileRecord("answers", name, sha256, rows)`, whole or not at
        all, and once; return them as decided, None when the very same file was stored before.

        `decide` is called within the transaction, so that nothing changes meanwhile; a text that
        cannot be a caption is refused. `also` are ids of memes in the file; those beyond the
        sheet's are looked up too. In a `dry_run` nothing is stored.
        """
        with self.database.read() if dry_run else self.database.write() as connection:
            if _file(connection, file.sha256) is not None:
                return None
            shown = {item.meme_id: item.source for item in sheet.items}
            ids = {*shown, *also}
            earlier = defaultdict[str, list[Answer]](list)
            for answer in find_answers(connection, sheet.language.tag, ids, shown=shown):
                earlier[answer.meme_id].append(answer)
            found = versions.sources_of(connection, ids)
            placed = decide({key: row.parts for key, row in found.items()}, earlier)
            for number, answer in enumerate(placed):
                try:
                    if any(answer.parts):
                        check_parts(answer.parts)
                except InputError as error:
                    refused = replace(answer, outcome="refused", reason="", message=str(error))
                    placed[number] = refused
            if not dry_run:
                file_id = store_file(connection, file)[0]
                kept = [answer for answer in placed if answer.outcome != "refused"]
                _store(connection, file_id, sheet, kept)
        return placed

    def find(
        self,
        tag: str | None = None,
        meme_ids: Collection[str] | None = None,
        kind: Kind | None = None,
    ) -> list[Answer]:
        """Return what people answered, oldest first; standing is as to the current source."""
        with self.database.read() as connection:
            return find_answers(connection, tag, meme_ids, kind=kind)

    def comments(self, tag: str | None = None, kind: Kind | None = None) -> list[Answer]:
        """Return what came with a comment: answers, remarks and decisions, oldest first."""
        with self.database.read() as connection:
            return find_history(connection, tag, kind=kind, commented=True)

    def withdraw(
        self, sha256: str, *, person: str, comment: str = ""
    ) -> tuple[list[Answer], list[str]]:
        """Take a file of answers back, so that none of them counts; the same file can be imported
        again. Return the answers, and the memes whose captions stay as they are, for later work
        stands on top. Raise InputError if no such file was imported, or it was withdrawn."""
        with self.database.write() as connection:
            file = _file(connection, sha256)
            if file is None:
                raise InputError("no file with this content was imported, or it was withdrawn")
            query = select(*corrections.c[(*_STORED, "caption_id")])
            rows = connection.execute(query.where(corrections.c.file_id == file.id))
            stored = [Answer(**row._asdict()) for row in rows]
            about = {"file_id": file.id, "person": person, "comment": comment}
            # The next import of the same content is another file.
            kind = f"{_ANSWERS}, withdrawn {add_row(connection, withdrawals, **about)}"
            connection.execute(update(files).where(files.c.id == file.id).values(kind=kind))
            kept = _set_back(connection, stored, f"withdrawn {file.name}")
        return stored, kept


def _file(connection: Connection, sha256: str) -> Row[Any] | None:
    query = select(files).where(files.c.kind == _ANSWERS, files.c.sha256 == sha256)
    return connection.execute(query).first()


def _set_back(connection: Connection, answers: Sequence[Answer], origin: str) -> list[str]:
    """Add the version that stood before these answers, of each caption that still stands by them;
    return the memes whose captions do not."""
    made = {answer.meme_id: answer for answer in answers if answer.caption_id is not None}
    is_withdrawn = captions.c.id.in_(versions.WITHDRAWN_VERSIONS).label("is_withdrawn")
    query = (
        select(*captions.c[("id", *_SET_BACK, "marks")], is_withdrawn)
        .where(captions.c.language.in_({answer.language for answer in answers}))
        .where(~versions.is_suggestion(captions))
        .order_by(captions.c.version)
    )
    stood = defaultdict[str, list[Any]](list)
    for row in by_slices(connection, query, captions.c.meme_id, made):
        stood[row.meme_id].append(row)
    rows, kept = [], []
    for meme_id, answer in made.items():
        before = [row for row in stood[meme_id] if not row.is_withdrawn]
        if stood[meme_id][-1].id != answer.caption_id and not stood[meme_id][-1].is_withdrawn:
            kept.append(meme_id)
        elif before:
            values = {name: getattr(before[-1], name) for name in (*_SET_BACK, "marks")}
            rows.append(values | {"origin": origin})
    insert_versions(connection, rows)
    return kept


def _store(connection: Connection, file_id: int, sheet: Sheet, answers: Sequence[Answer]) -> None:
    """Store answers with the versions and the cases that they make; no version where a later round
    has superseded the answer already."""
    items, tag = sheet.by_meme, sheet.language.tag
    current = versions.current_of(connection, tag, items)
    later = {key: row for key, row in current.items() if row.round > sheet.round}
    translated = versions.texts_of(connection, {version.source_id for version in later.values()})
    superseded = {
        key
        for key, version in later.items()
        if version.source_id is None or translated[version.source_id] == items[key].source
    }
    accepted = [
        number
        for number, answer in enumerate(answers)
        if answer.outcome in ACCEPTING and answer.meme_id not in superseded
    ]
    texts = [
        {
            "meme_id": answer.meme_id,
            "language": tag,
            "parts": check_parts(answer.parts, answer.meme_id),
            "stage": "corrected",
            "round": answer.round,
            "person": answer.person,
            "origin": f"sheet {sheet.id}",
            "source_id": items[answer.meme_id].source_id,
        }
        for answer in (answers[number] for number in accepted)
    ]
    version_of = dict(zip(accepted, insert_versions(connection, texts), strict=True))
    shared = {"file_id": file_id, "sheet_id": sheet.id}
    rows: list[dict[str, Any]] = [
        {name: getattr(answer, name) for name in _STORED}
        | {**shared, "caption_id": version_of.get(number)}
        for number, answer in enumerate(answers)
    ]
    opened = [
        {name: row[name] for name in _CASE} | {"correction_id": number}
        for row, number in zip(rows, insert_rows(connection, corrections, rows), strict=True)
        if row["outcome"] in OPENING
    ]
    insert_rows(connection, cases, opened)
