"""A captions table becomes captions. In: checked rows. Out: versions added for what has changed.

The same table again adds nothing. A cell is new text only where it differs both from what was
imported last and from what the caption is now: so a table that is imported a second time does not
undo what people have corrected since, and neither does a table that was exported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import Connection, insert, select, update

from memeloc.captions import CaptionRow
from memeloc.errors import InputError
from memeloc.store.caption_versions import (
    add_versions,
    current_of,
    now,
    two_columns,
)
from memeloc.store.database import Database
from memeloc.store.records import FileRecord, ImportSummary
from memeloc.store.storing_files import store_file
from memeloc.store.tables import captions, events, memes

BATCH = 500
"""Rows of a table that are stored in one transaction."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The language columns of a table: name of the column to tag, and the source's tag."""

    tags: dict[str, str]
    source: str


def store_rows(
    database: Database,
    rows: Iterable[CaptionRow],
    columns: Columns,
    file: FileRecord,
    summary: ImportSummary,
    on_batch: Callable[[int], None] | None = None,
) -> None:
    """Store a table's rows, some hundred a transaction.

    Args:
        database: where to.
        rows: in the table's order.
        columns: its languages.
        file: the table; it is stored with the first rows.
        summary: is added to.
        on_batch: is told how many more rows are stored.
    """
    several = iter(rows)
    while batch := list(islice(several, BATCH)):
        counts = ImportSummary()
        with database.write() as connection:
            file_id, _ = store_file(connection, file)
            _Batch(connection, columns, file_id, file.name, counts).store(batch)
        # Only now is it so: a transaction that fails has stored nothing.
        summary.memes += counts.memes
        summary.unchanged += counts.unchanged
        summary.added += counts.added
        summary.changed += counts.changed
        if on_batch is not None:
            on_batch(len(batch))


class _Batch:
    """Some rows, and what is there of them already."""

    def __init__(
        self,
        connection: Connection,
        columns: Columns,
        file_id: int,
        origin: str,
        summary: ImportSummary,
    ) -> None:
        self._connection = connection
        self._columns = columns
        self._file_id = file_id
        self._origin = origin
        self._summary = summary

    def store(self, rows: list[CaptionRow]) -> None:
        """Store the rows, the source captions first."""
        source = self._columns.source
        there = self._add_memes(rows)
        rows = [row for row in rows if row.meme_id in there]
        texts = {row.meme_id: row.source.parts for row in rows if row.source is not None}
        self._add(source, texts, {})
        ids = [row.meme_id for row in rows]
        current = current_of(self._connection, source, ids)
        sources = {meme_id: version.id for meme_id, version in current.items()}
        for column, tag in self._columns.tags.items():
            if tag != source:
                cells = {
                    row.meme_id: row.captions[column].parts
                    for row in rows
                    if column in row.captions
                }
                self._add(tag, cells, sources)

    def _add_memes(self, rows: list[CaptionRow]) -> set[str]:
        """Add the new memes of these rows; the ids of those that are there now.

        A row whose source caption is missing brings no new meme: its cells have nothing to be
        translations of, and the reader has told so.
        """
        query = select(memes.c.id, memes.c.template, memes.c.source_language).where(
            memes.c.id.in_([row.meme_id for row in rows])
        )
        found = {row.id: row for row in self._connection.execute(query)}
        moment = now()
        fresh = [
            {
                "id": row.meme_id,
                "template": row.template,
                "source_language": self._columns.source,
                "file_id": self._file_id,
                "created_at": moment,
            }
            for row in rows
            if row.meme_id not in found and row.source is not None
        ]
        if fresh:
            self._connection.execute(insert(memes), fresh)
        self._summary.memes += len(fresh)
        for row in rows:
            known = found.get(row.meme_id)
            if known is None:
                continue
            if known.source_language != self._columns.source:
                raise InputError(
                    f"The meme {row.meme_id!r} is here with a source caption in "
                    f"{known.source_language}, not in {self._columns.source}; give it another id.",
                    file=self._origin,
                    row=row.row,
                )
            if known.template != row.template:
                self._exchange_template(row, known.template)
        return set(found) | {str(meme["id"]) for meme in fresh}

    def _exchange_template(self, row: CaptionRow, before: str) -> None:
        self._connection.execute(
            update(memes).where(memes.c.id == row.meme_id).values(template=row.template)
        )
        self._connection.execute(
            insert(events).values(
                kind="template exchanged",
                subject=row.meme_id,
                detail=f"{before} -> {row.template}, by {self._origin}",
                created_at=now(),
            )
        )

    def _add(self, tag: str, cells: dict[str, tuple[str, ...]], sources: dict[str, int]) -> None:
        """Add the cells of a language that are new text."""
        there = current_of(self._connection, tag, cells)
        differing = [
            meme_id
            for meme_id, parts in cells.items()
            if meme_id in there and there[meme_id].parts != parts
        ]
        imported = self._last_imported(tag, differing)
        rows: list[dict[str, Any]] = []
        for meme_id, parts in cells.items():
            current = there.get(meme_id)
            if current is not None and parts in (current.parts, imported.get(meme_id)):
                self._summary.unchanged += 1
                continue
            rows.append(
                {
                    "meme_id": meme_id,
                    "language": tag,
                    "version": 1 if current is None else current.version + 1,
                    "parts": parts,
                    "stage": "imported",
                    "origin": self._origin,
                    "source_id": sources.get(meme_id),
                }
            )
            counter = self._summary.added if current is None else self._summary.changed
            counter[tag] += 1
        add_versions(self._connection, rows)

    def _last_imported(self, tag: str, meme_ids: list[str]) -> dict[str, tuple[str, ...]]:
        """What was imported last for some memes."""
        if not meme_ids:
            return {}
        query = (
            select(captions.c.meme_id, captions.c.parts)
            .where(
                captions.c.language == tag,
                captions.c.stage == "imported",
                captions.c.meme_id.in_(meme_ids),
            )
            .order_by(captions.c.version)
        )
        return two_columns(self._connection, query)
