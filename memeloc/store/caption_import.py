"""A captions table becomes captions. In: checked rows. Out: versions added for what has changed.

The same table again adds nothing. A cell is new text only where it differs both from what was
imported last and from what the caption is now: so a table that is imported a second time does not
undo what people have corrected since, and neither does a table that was exported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select, update

from memeloc.errors import InputError
from memeloc.store.caption_versions import add_memes, add_versions, current_of
from memeloc.store.database import by_slices, now, two_columns
from memeloc.store.records import ImportSummary
from memeloc.store.tables.captions import captions, events, memes

if TYPE_CHECKING:
    from memeloc.captions import CaptionRow


@dataclass(frozen=True, slots=True)
class Columns:
    """The language columns of a table: name of the column to tag, and the source's tag."""

    tags: dict[str, str]
    source: str


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """Some rows of a table, stored in one transaction.

    Attributes:
        file_id, origin: the table's id and name.
        summary: is added to.
    """

    connection: Connection
    columns: Columns
    file_id: int
    origin: str
    summary: ImportSummary

    def store(self, rows: list[CaptionRow]) -> None:
        """Store the rows, the source captions first."""
        source = self.columns.source
        there = self._add_memes(rows)
        rows = [row for row in rows if row.meme_id in there]
        texts = {row.meme_id: row.source.parts for row in rows if row.source is not None}
        self._add(source, texts, {})
        current = current_of(self.connection, source, [row.meme_id for row in rows])
        sources = {meme_id: version.id for meme_id, version in current.items()}
        for column, tag in self.columns.tags.items():
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
        translations of, and the reader has reported it.
        """
        query = select(memes.c.id, memes.c.template, memes.c.source_language)
        ids = [row.meme_id for row in rows]
        there = {row.id: row for row in by_slices(self.connection, query, memes.c.id, ids)}
        for row in rows:
            meme = there.get(row.meme_id)
            if meme is None:
                continue
            if meme.source_language != self.columns.source:
                raise InputError(
                    f"The meme {row.meme_id!r} is here with a source caption in "
                    f"{meme.source_language}, not in {self.columns.source}; give it another id.",
                    file=self.origin,
                    row=row.row,
                )
            if meme.template != row.template:
                self._exchange_template(row, meme.template)
        fresh = [
            {
                "id": row.meme_id,
                "template": row.template,
                "source_language": self.columns.source,
                "file_id": self.file_id,
            }
            for row in rows
            if row.meme_id not in there and row.source is not None
        ]
        added = add_memes(self.connection, fresh)
        self.summary.memes += len(added)
        return there.keys() | added

    def _exchange_template(self, row: CaptionRow, before: str) -> None:
        self.connection.execute(
            update(memes).where(memes.c.id == row.meme_id).values(template=row.template)
        )
        self.connection.execute(
            insert(events).values(
                kind="template exchanged",
                subject=row.meme_id,
                detail=f"{before} -> {row.template}, by {self.origin}",
                created_at=now(),
            )
        )

    def _add(self, tag: str, cells: dict[str, tuple[str, ...]], sources: dict[str, int]) -> None:
        """Add the cells of a language that are new text."""
        there = current_of(self.connection, tag, cells)
        imported = self._last_imported(
            tag, [key for key, parts in cells.items() if key in there and there[key].parts != parts]
        )
        rows: list[dict[str, Any]] = []
        for meme_id, parts in cells.items():
            current = there.get(meme_id)
            if current is not None and parts in (current.parts, imported.get(meme_id)):
                self.summary.unchanged += 1
                continue
            rows.append(
                {
                    "meme_id": meme_id,
                    "language": tag,
                    "parts": parts,
                    "stage": "imported",
                    "origin": self.origin,
                    "source_id": sources.get(meme_id),
                }
            )
            counter = self.summary.added if current is None else self.summary.changed
            counter[tag] += 1
        add_versions(self.connection, rows, there)

    def _last_imported(self, tag: str, meme_ids: list[str]) -> dict[str, tuple[str, ...]]:
        """What was imported last for some memes."""
        query = (
            select(captions.c.meme_id, captions.c.parts)
            .where(captions.c.language == tag, captions.c.stage == "imported")
            .order_by(captions.c.version)
        )
        return two_columns(by_slices(self.connection, query, captions.c.meme_id, meme_ids))
