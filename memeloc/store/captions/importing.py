"""A captions table becomes captions. In: checked rows. Out: versions added for what has changed.

The same table again adds nothing. A cell is new text only where it differs from what was imported
last, from what the caption is now, and from all that machines and correctors have made of it: so
a table that was imported, or exported, earlier does not undo what people have corrected since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, or_, select, update

from memeloc.errors import InputError
from memeloc.store.captions.versions import (
    MACHINE,
    add_memes,
    add_versions,
    current_of,
    is_current,
    is_dropped,
    is_outdated_text,
    is_suggestion,
)
from memeloc.store.queries import add_row, by_slices, is_newest
from memeloc.store.records import ImportRecord, Translations
from memeloc.store.tables.captions import captions, events, memes

if TYPE_CHECKING:
    from memeloc.captions import CaptionRow


def made_by(state: Translations, by: str, stage: str = "imported") -> dict[str, Any]:
    """Return how a version came to be of which a table says that it is a person's or a machine's.

    `by` is the person, or the translator, which is called `machine` where nobody names it; `stage`
    is that of what people brought.
    """
    if state == "machine":
        return {"stage": "translated", "translator": by or "machine"}
    return {"stage": stage, "person": by}


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """Stores rows of a table in one transaction, and adds to `record`.

    `made` says how the captions that translate the source came to be, see `made_by`.
    """

    connection: Connection
    tags: Mapping[str, str]
    source: str
    file_id: int
    origin: str
    made: Mapping[str, Any]
    record: ImportRecord

    def store(self, rows: list[CaptionRow]) -> None:
        """Store the rows, the source captions first."""
        source = self.source
        stored = self._add_memes(rows)
        rows = [row for row in rows if row.meme_id in stored]
        texts = {row.meme_id: row.source.parts for row in rows if row.source}
        mended = self._add(source, texts, {})
        current = current_of(self.connection, source, [row.meme_id for row in rows])
        sources = {meme_id: version.id for meme_id, version in current.items()}
        for column, tag in self.tags.items():
            if tag != source:
                cells = {row.meme_id: row.captions.get(column) for row in rows}
                texts = {meme_id: cell.parts for meme_id, cell in cells.items() if cell}
                self._add(tag, texts, sources)
        query = (
            select(captions.c.language, func.count())
            .where(is_current(captions), is_outdated_text(captions))
            .where(~is_dropped(captions.c.meme_id, captions.c.language))
            .group_by(captions.c.language)
        )
        for tag, count in by_slices(self.connection, query, captions.c.meme_id, mended):
            self.record.outdated[tag] += count

    def _add_memes(self, rows: list[CaptionRow]) -> set[str]:
        """Add the new memes of these rows; the ids of those that are stored now.

        A row whose source caption is missing brings no new meme: its cells have nothing to be
        translations of, and the reader has reported it.
        """
        query = select(memes.c.id, memes.c.template, memes.c.source_language)
        ids = [row.meme_id for row in rows]
        stored = {row.id: row for row in by_slices(self.connection, query, memes.c.id, ids)}
        new = {}
        for row in rows:
            meme = stored.get(row.meme_id)
            if meme is None:
                if row.source is not None:
                    new[row.meme_id] = {
                        "template": row.template,
                        "source_language": self.source,
                        "file_id": self.file_id,
                    }
                continue
            if meme.source_language != self.source:
                raise InputError(
                    f"The meme {row.meme_id!r} is here with a source caption in "
                    f"{meme.source_language}, not in {self.source}; give it another id.",
                    file=self.origin,
                    row=row.row,
                )
            if meme.template != row.template:
                change = update(memes).where(memes.c.id == row.meme_id)
                self.connection.execute(change.values(template=row.template))
                detail = f"{meme.template} -> {row.template}, by {self.origin}"
                kind = "template exchanged"
                add_row(self.connection, events, kind=kind, subject=row.meme_id, detail=detail)
        self.record.memes += len(add_memes(self.connection, new))
        return stored.keys() | new.keys()

    def _add(
        self, tag: str, cells: dict[str, tuple[str, ...]], sources: dict[str, int]
    ) -> set[str]:
        """Add the cells of a language that are new text; the memes whose caption that changes."""
        current = current_of(self.connection, tag, cells)
        last = is_newest(captions, ("meme_id", "language", "stage"), "version")
        query = select(captions.c.meme_id, captions.c.parts).where(
            captions.c.language == tag,
            captions.c.stage.not_in(("collected", "shipped")),
            ~is_suggestion(captions),
            or_(captions.c.stage != "imported", last),
        )
        differing = [key for key in cells if key in current and current[key].parts != cells[key]]
        known = set(map(tuple, by_slices(self.connection, query, captions.c.meme_id, differing)))
        known |= {(meme_id, version.parts) for meme_id, version in current.items()}
        made = made_by("given", "") if tag == self.source else self.made
        rows = {}
        for meme_id, parts in cells.items():
            version, source = current.get(meme_id), sources.get(meme_id)
            is_new = (meme_id, parts) not in known
            if version and version.stage not in MACHINE and made["stage"] in MACHINE:
                stands = version.source_id in (None, source)
                # The very text that was imported as given stays given, and that is said.
                if stands and (is_new or (version.stage, version.parts) == ("imported", parts)):
                    self.record.kept[tag] += 1
                    continue
            if not is_new:
                self.record.unchanged += 1
                continue
            rows[meme_id] = {"parts": parts, "source_id": source}
            counter = self.record.changed if version else self.record.added
            counter[tag] += 1
        add_versions(self.connection, rows, language=tag, origin=self.origin, **made)
        return rows.keys() & current.keys()
