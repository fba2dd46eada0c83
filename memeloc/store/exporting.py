"""The workspace's data as tables. In: a transaction and a table's name. Out: columns and rows.

`captions` is the wide table that `memeloc render` and `memeloc import` read: a row a meme, a column
a language, the current captions. `history` is long: a row for every version. The others are long,
too. Rows come one by one, so that a table of any size takes the same memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Select, func, select

from memeloc.errors import InputError
from memeloc.model import SEPARATOR
from memeloc.store import memory
from memeloc.store import tables as schema
from memeloc.store.caption_versions import is_active, is_current
from memeloc.store.tables import captions, cases, corrections, decisions, files, memes
from memeloc.tables import Column, Kind

_FETCHED = 1000
"""Rows fetched at a time."""


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table on its way out: its columns, and its rows once."""

    columns: tuple[Column, ...]
    rows: Iterator[tuple[Any, ...]]


def export_table(connection: Connection, name: str, languages: Sequence[str]) -> ExportTable:
    """Open a table for reading; its rows are read while the transaction lasts.

    Args:
        connection: a transaction.
        name: one of TABLES.
        languages: tags in the order in which `captions` and `memory` have them.

    Raises:
        InputError: there is no such table.
    """
    if name not in TABLES:
        raise InputError(f"There is no table {name[:40]!r}; there are {', '.join(TABLES)}.")
    return TABLES[name](connection, languages)


def _captions(connection: Connection, languages: Sequence[str]) -> ExportTable:
    there = set(
        connection.execute(
            select(captions.c.language)
            .join(memes, memes.c.id == captions.c.meme_id)
            .where(is_active())
            .distinct()
        ).scalars()
    )
    order = [tag for tag in dict.fromkeys((*languages, *sorted(there))) if tag in there]
    query = (
        select(memes.c.id, memes.c.template, captions.c.language, captions.c.parts)
        .join(captions, captions.c.meme_id == memes.c.id)
        .where(is_current(captions), is_active())
        .order_by(memes.c.number)
    )

    def rows() -> Iterator[tuple[Any, ...]]:
        for (meme_id, template), group in groupby(
            _stream(connection, query), key=lambda row: (row.id, row.template)
        ):
            cells = {row.language: SEPARATOR.join(row.parts) for row in group}
            yield meme_id, template, *(cells.get(tag) for tag in order)

    names = ("meme_id", "template", *order)
    return ExportTable(tuple(Column(name) for name in names), rows())


def _history(connection: Connection, languages: Sequence[str]) -> ExportTable:
    query = (
        select(captions, memes.c.kind, is_current(captions).label("current"))
        .join(memes, memes.c.id == captions.c.meme_id)
        .order_by(memes.c.number, captions.c.language, captions.c.version)
    )
    return _table(
        connection,
        query,
        {
            "caption_id": ("integer", lambda row: row.id),
            "meme_id": ("text", lambda row: row.meme_id),
            "kind": ("text", lambda row: row.kind),
            "language": ("text", lambda row: row.language),
            "version": ("integer", lambda row: row.version),
            "current": ("truth", lambda row: row.current),
            "text": ("text", lambda row: SEPARATOR.join(row.parts)),
            "stage": ("text", lambda row: row.stage),
            "round": ("integer", lambda row: row.round),
            "person": ("text", lambda row: row.person),
            "origin": ("text", lambda row: row.origin),
            "translator": ("text", lambda row: row.translator),
            "source_id": ("integer", lambda row: row.source_id),
            "marks": ("text", lambda row: "; ".join(row.marks)),
            "characters": ("integer", lambda row: row.characters),
            "cost": ("number", lambda row: row.cost),
            "currency": ("text", lambda row: row.currency),
            "created_at": ("time", lambda row: row.created_at),
        },
    )


def _memes(connection: Connection, languages: Sequence[str]) -> ExportTable:
    query = (
        select(memes, files.c.name.label("file"), is_active().label("active"))
        .outerjoin(files, files.c.id == memes.c.file_id)
        .where(memes.c.kind == "caption")
        .order_by(memes.c.number)
    )
    return _table(
        connection,
        query,
        {
            "meme_id": ("text", lambda row: row.id),
            "template": ("text", lambda row: row.template),
            "source_language": ("text", lambda row: row.source_language),
            "file": ("text", lambda row: row.file),
            "item": ("text", lambda row: row.item_id),
            "active": ("truth", lambda row: row.active),
            "created_at": ("time", lambda row: row.created_at),
        },
    )


def _corrections(connection: Connection, languages: Sequence[str]) -> ExportTable:
    query = (
        select(corrections, files.c.name.label("file"))
        .join(files, files.c.id == corrections.c.file_id)
        .order_by(corrections.c.id)
    )
    return _table(
        connection,
        query,
        {
            "correction_id": ("integer", lambda row: row.id),
            "meme_id": ("text", lambda row: row.meme_id),
            "language": ("text", lambda row: row.language),
            "round": ("integer", lambda row: row.round),
            "person": ("text", lambda row: row.person),
            "status": ("text", lambda row: row.status),
            "text": ("text", lambda row: SEPARATOR.join(row.parts)),
            "typed": ("text", lambda row: SEPARATOR.join(row.typed)),
            "comment": ("text", lambda row: row.comment),
            "outcome": ("text", lambda row: row.outcome),
            "reason": ("text", lambda row: row.reason),
            "message": ("text", lambda row: row.message),
            "caption_id": ("integer", lambda row: row.caption_id),
            "sheet": ("text", lambda row: row.sheet_id),
            "file": ("text", lambda row: row.file),
            "row": ("integer", lambda row: row.row),
            "created_at": ("time", lambda row: row.created_at),
        },
    )


def _cases(connection: Connection, languages: Sequence[str]) -> ExportTable:
    last = (
        select(decisions.c.case_id, func.max(decisions.c.id).label("id"))
        .group_by(decisions.c.case_id)
        .subquery()
    )
    query = (
        select(
            cases,
            decisions.c.action,
            decisions.c.parts,
            decisions.c.person,
            decisions.c.comment,
            decisions.c.created_at.label("decided_at"),
        )
        .outerjoin(last, last.c.case_id == cases.c.id)
        .outerjoin(decisions, decisions.c.id == last.c.id)
        .order_by(cases.c.id)
    )
    return _table(
        connection,
        query,
        {
            "case_id": ("integer", lambda row: row.id),
            "meme_id": ("text", lambda row: row.meme_id),
            "language": ("text", lambda row: row.language),
            "round": ("integer", lambda row: row.round),
            "reason": ("text", lambda row: row.reason),
            "message": ("text", lambda row: row.message),
            "correction_id": ("integer", lambda row: row.correction_id),
            "created_at": ("time", lambda row: row.created_at),
            "open": ("truth", lambda row: row.action is None),
            "decision": ("text", lambda row: row.action),
            "text": ("text", lambda row: SEPARATOR.join(row.parts or ())),
            "person": ("text", lambda row: row.person),
            "comment": ("text", lambda row: row.comment),
            "decided_at": ("time", lambda row: row.decided_at),
        },
    )


def _sheets(connection: Connection, languages: Sequence[str]) -> ExportTable:
    size = (
        select(func.count())
        .select_from(schema.sheet_items)
        .where(schema.sheet_items.c.sheet_id == schema.sheets.c.id)
        .scalar_subquery()
    )
    query = select(schema.sheets, size.label("captions")).order_by(
        schema.sheets.c.created_at, schema.sheets.c.id
    )
    return _table(
        connection,
        query,
        {
            "sheet": ("text", lambda row: row.id),
            "language": ("text", lambda row: row.language),
            "round": ("integer", lambda row: row.round),
            "person": ("text", lambda row: row.person),
            "format": ("text", lambda row: row.format),
            "file": ("text", lambda row: row.name),
            "captions": ("integer", lambda row: row.captions),
            "created_at": ("time", lambda row: row.created_at),
        },
    )


def _files(connection: Connection, languages: Sequence[str]) -> ExportTable:
    return _table(
        connection,
        select(files).order_by(files.c.id),
        {
            "kind": ("text", lambda row: row.kind),
            "file": ("text", lambda row: row.name),
            "sha256": ("text", lambda row: row.sha256),
            "rows": ("integer", lambda row: row.rows),
            "created_at": ("time", lambda row: row.created_at),
        },
    )


def _memory(connection: Connection, languages: Sequence[str]) -> ExportTable:
    def rows() -> Iterator[tuple[Any, ...]]:
        for source, target in memory.pairs(connection):
            for unit in memory.find_units(connection, source, target):
                yield (
                    unit.source_language,
                    unit.language,
                    SEPARATOR.join(unit.source),
                    SEPARATOR.join(unit.target),
                    unit.origin,
                    unit.person,
                    unit.meme_id,
                    unit.created_at,
                )

    names = ("source_language", "language", "source", "target", "origin", "person", "meme_id")
    columns = (*(Column(name) for name in names), Column("created_at", "time"))
    return ExportTable(columns, rows())


def _table(
    connection: Connection,
    query: Select[Any],
    cells: dict[str, tuple[Kind, Callable[[Any], Any]]],
) -> ExportTable:
    readers = [reader for _, reader in cells.values()]
    rows = (tuple(reader(row) for reader in readers) for row in _stream(connection, query))
    return ExportTable(tuple(Column(name, kind) for name, (kind, _) in cells.items()), rows)


def _stream(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    return iter(connection.execution_options(yield_per=_FETCHED).execute(query))


TABLES: dict[str, Callable[[Connection, Sequence[str]], ExportTable]] = {
    "captions": _captions,
    "history": _history,
    "memes": _memes,
    "corrections": _corrections,
    "cases": _cases,
    "memory": _memory,
    "sheets": _sheets,
    "files": _files,
}
"""What can be exported, by name."""
