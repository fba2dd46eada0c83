"""The workspace's data as tables. In: a table's name. Out: a pandas frame or a file.

`captions` is the wide table that `memeloc render` and `memeloc import` read: a row a meme, a column
a language, the current captions. `history` is long: a row for every version. The others are long,
too. Rows come one by one, so that a table of any size takes the same memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, Connection, Float, Integer, Select, func, select

from memeloc.errors import InputError
from memeloc.model import SEPARATOR
from memeloc.store import memory
from memeloc.store.caption_versions import is_active, is_current
from memeloc.store.database import Database
from memeloc.store.tables.captions import (
    captions,
    cases,
    corrections,
    decisions,
    files,
    memes,
    sheet_items,
    sheets,
)
from memeloc.store.tables.types import Moment, Parts
from memeloc.tables.writing import Column, Kind

if TYPE_CHECKING:
    import pandas as pd

_FETCHED = 1000
"""Rows fetched at a time."""


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table for export: its columns, and its rows once, while the transaction lasts."""

    columns: tuple[Column, ...]
    rows: Iterator[tuple[Any, ...]]


class Exports:
    """Captions, history and all the rest as tables; TABLES names them."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def frame(self, table_name: str, tags: Sequence[str] = ()) -> pd.DataFrame:
        """A table as a pandas frame.

        Args:
            table_name: one of TABLES.
            tags: languages that `captions` begins with, in this order.

        Raises:
            InputError: there is no such table.
        """
        import pandas as pd

        with self.database.read() as connection:
            table = _open(connection, table_name, tags)
            frame = pd.DataFrame.from_records(
                list(table.rows), columns=[column.name for column in table.columns]
            )
        for column in table.columns:
            if column.kind == "time":
                frame[column.name] = pd.to_datetime(frame[column.name], utc=True)
            elif column.kind == "integer":
                frame[column.name] = frame[column.name].astype("Int64")
        return frame

    def write(self, table_name: str, path: Path, tags: Sequence[str] = ()) -> int:
        """Write a table to a .csv, .jsonl or .parquet file; how many rows it has.

        Raises:
            InputError: there is no such table, or the file cannot be written.
        """
        from memeloc.tables import write_table

        with self.database.read() as connection:
            table = _open(connection, table_name, tags)
            return write_table(path, table.columns, table.rows)


def _open(connection: Connection, name: str, tags: Sequence[str]) -> ExportTable:
    if name == "captions":
        return _captions(connection, tags)
    if name == "memory":
        return _memory(connection)
    if name not in TABLES:
        raise InputError(f"There is no table {name[:40]!r}; there are {', '.join(TABLES)}.")
    query = _QUERIES[name]()
    columns = tuple(Column(each.name, _kind(each.type)) for each in query.selected_columns)
    readers = [_reader(each) for each in query.selected_columns]
    rows = (
        tuple(
            cell if reader is None else reader(cell)
            for reader, cell in zip(readers, row, strict=True)
        )
        for row in _stream(connection, query)
    )
    return ExportTable(columns, rows)


def _kind(column_type: Any) -> Kind:
    kinds: dict[type, Kind] = {
        Boolean: "truth",
        Integer: "integer",
        Float: "number",
        Moment: "time",
    }
    return next((kind for base, kind in kinds.items() if isinstance(column_type, base)), "text")


def _reader(column: Any) -> Callable[[Any], Any] | None:
    if not isinstance(column.type, Parts):
        return None
    separator = "; " if column.name == "marks" else SEPARATOR
    return lambda parts: separator.join(parts or ())


def _stream(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    return iter(connection.execution_options(yield_per=_FETCHED).execute(query))


def _captions(connection: Connection, tags: Sequence[str]) -> ExportTable:
    there = set(
        connection.execute(
            select(captions.c.language)
            .join(memes, memes.c.id == captions.c.meme_id)
            .where(is_active())
            .distinct()
        ).scalars()
    )
    order = [tag for tag in dict.fromkeys((*tags, *sorted(there))) if tag in there]
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

    return ExportTable(tuple(Column(name) for name in ("meme_id", "template", *order)), rows())


def _memory(connection: Connection) -> ExportTable:
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


def _history() -> Select[Any]:
    c = captions.c
    return (
        select(
            c.id.label("caption_id"),
            c.meme_id,
            memes.c.kind,
            c.language,
            c.version,
            is_current(captions).label("current"),
            c.parts.label("text"),
            c.stage,
            c.round,
            c.person,
            c.origin,
            c.translator,
            c.source_id,
            c.marks,
            c.characters,
            c.cost,
            c.currency,
            c.created_at,
        )
        .join(memes, memes.c.id == c.meme_id)
        .order_by(memes.c.number, c.language, c.version)
    )


def _memes() -> Select[Any]:
    c = memes.c
    return (
        select(
            c.id.label("meme_id"),
            c.template,
            c.source_language,
            files.c.name.label("file"),
            c.item_id.label("item"),
            is_active().label("active"),
            c.created_at,
        )
        .outerjoin(files, files.c.id == c.file_id)
        .where(c.kind == "caption")
        .order_by(c.number)
    )


def _corrections() -> Select[Any]:
    c = corrections.c
    return (
        select(
            c.id.label("correction_id"),
            c.meme_id,
            c.language,
            c.round,
            c.person,
            c.status,
            c.parts.label("text"),
            c.typed,
            c.comment,
            c.outcome,
            c.reason,
            c.message,
            c.caption_id,
            c.sheet_id.label("sheet"),
            files.c.name.label("file"),
            c.row,
            c.created_at,
        )
        .join(files, files.c.id == c.file_id)
        .order_by(c.id)
    )


def _cases() -> Select[Any]:
    c, d = cases.c, decisions.c
    last = select(d.case_id, func.max(d.id).label("id")).group_by(d.case_id).subquery()
    return (
        select(
            c.id.label("case_id"),
            c.meme_id,
            c.language,
            c.round,
            c.reason,
            c.message,
            c.correction_id,
            c.created_at,
            d.action.is_(None).label("open"),
            d.action.label("decision"),
            d.parts.label("text"),
            d.person,
            d.comment,
            d.created_at.label("decided_at"),
        )
        .outerjoin(last, last.c.case_id == c.id)
        .outerjoin(decisions, d.id == last.c.id)
        .order_by(c.id)
    )


def _sheets() -> Select[Any]:
    c = sheets.c
    size = select(func.count()).select_from(sheet_items).where(sheet_items.c.sheet_id == c.id)
    return select(
        c.id.label("sheet"),
        c.language,
        c.round,
        c.person,
        c.format,
        c.name.label("file"),
        size.scalar_subquery().label("captions"),
        c.created_at,
    ).order_by(c.created_at, c.id)


def _files() -> Select[Any]:
    c = files.c
    return select(c.kind, c.name.label("file"), c.sha256, c.rows, c.created_at).order_by(c.id)


_QUERIES: dict[str, Callable[[], Select[Any]]] = {
    "history": _history,
    "memes": _memes,
    "corrections": _corrections,
    "cases": _cases,
    "sheets": _sheets,
    "files": _files,
}

TABLES = ("captions", "history", "memes", "corrections", "cases", "memory", "sheets", "files")
"""What can be exported."""
