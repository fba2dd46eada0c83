"""Captions. In: rows of a captions table, translations. Out: versions, and what lacks one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from sqlalchemy import select

from memeloc.captions import CaptionRow
from memeloc.model import Caption
from memeloc.store import caption_versions, counting, importing
from memeloc.store.database import Database
from memeloc.store.importing import Columns
from memeloc.store.records import (
    CaptionVersion,
    FileRecord,
    ImportSummary,
    Kind,
    LanguageStatus,
    Need,
    ToTranslate,
)
from memeloc.store.tables import memes


class Captions:
    """Every version of every caption of a workspace."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def import_rows(
        self,
        rows: Iterable[CaptionRow],
        columns: Columns,
        file: FileRecord,
        summary: ImportSummary,
        on_batch: Callable[[int], None] | None = None,
    ) -> None:
        """Store a table's rows, some hundred a transaction; the same table again adds nothing.

        Args:
            rows: in the table's order.
            columns: its language columns, and the source's tag.
            file: `FileRecord("captions", name, sha256, rows)`; it is stored with the first rows.
            summary: is added to.
            on_batch: gets how many more rows are stored.
        """
        importing.store_rows(self.database, rows, columns, file, summary, on_batch)

    def current(
        self, tag: str, meme_ids: Collection[str] | None = None, kind: Kind = "caption"
    ) -> dict[str, CaptionVersion]:
        """The current captions of a language, by meme, in the memes' order."""
        with self.database.read() as connection:
            if meme_ids is not None:
                return caption_versions.current_of(connection, tag, meme_ids)
            rows = connection.execute(caption_versions.current_query(tag, kind=kind))
            return {row.meme_id: caption_versions.version_of(row) for row in rows}

    def to_translate(
        self,
        tag: str,
        only: Need | None = None,
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
    ) -> list[ToTranslate]:
        """Captions that have no translation (`new`), or one of an earlier source (`changed`)."""
        with self.database.read() as connection:
            return list(caption_versions.to_translate(connection, tag, only, meme_ids, kind))

    def add_translation(
        self,
        meme_id: str,
        tag: str,
        caption: Caption,
        *,
        source_id: int,
        translator: str,
        marks: Sequence[str] = (),
        characters: int = 0,
        cost: float = 0.0,
        currency: str = "",
        replace: bool = False,
    ) -> int | None:
        """Store one machine translation as it comes, and return its version's id.

        Returns None, and stores nothing, when the caption has a translation of the same source
        already (a second run, another process), or one that a person wrote. So a run can be killed
        and repeated.

        Args:
            meme_id, tag, caption: what was translated into what.
            source_id: `ToTranslate.source.id`, the version that was translated.
            translator: its name.
            marks: what a corrector should know.
            characters, cost, currency: what was billed.
            replace: supersede another machine translation of the same source.

        Raises:
            InputError: the caption is empty or a part has ` // ` in it.
        """
        with self.database.write(relaxed=True) as connection:
            return caption_versions.add_translation(
                connection,
                meme_id,
                tag,
                caption.parts,
                source_id=source_id,
                translator=translator,
                marks=marks,
                characters=characters,
                cost=cost,
                currency=currency,
                replace=replace,
            )

    def templates(self) -> dict[str, str]:
        """The template's name of each meme, in the memes' order."""
        query = (
            select(memes.c.id, memes.c.template)
            .where(caption_versions.is_active())
            .order_by(memes.c.number)
        )
        with self.database.read() as connection:
            return caption_versions.two_columns(connection, query)

    def count(self, kind: Kind = "caption") -> int:
        """How many memes there are, or texts of another kind."""
        with self.database.read() as connection:
            return counting.count_memes(connection, kind)

    def status(self, tags: Sequence[str], kind: Kind = "caption") -> list[LanguageStatus]:
        """How far each language is: the source first, then `tags`, then what else is there."""
        with self.database.read() as connection:
            return counting.count_languages(connection, tags, kind)
