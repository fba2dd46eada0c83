"""The translation memory. In: what people accepted here, and units from files. Out: pairs of texts.

What was corrected, settled or imported in this workspace is memory as it stands in captions: the
newest version of each source text, unless it is dropped or waits to be settled: what one person
wrote and another has given up is no advice. Only what comes from outside has a table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection, literal, select

from memeloc.store.captions.states import is_disputed
from memeloc.store.captions.versions import is_dropped
from memeloc.store.queries import Repository, add_rows, is_newest, store_file
from memeloc.store.records import FileRecord, Kind
from memeloc.store.tables.captions import captions, memes, memory_units
from memeloc.store.tables.types import encode_json, now

if TYPE_CHECKING:
    from memeloc.translate.memory import MemoryUnit

PEOPLE = ("imported", "corrected", "settled")
"""Stages of texts that people wrote."""


class Memory(Repository):
    """The translation memory of a workspace."""

    def find(self, source_tag: str, tag: str, kind: Kind = "caption") -> list[MemoryUnit]:
        """Return the translation memory of a pair of languages, oldest first: later ones are newer.

        It has what came from files, and what people accepted of texts of a kind.
        """
        with self.database.read() as connection:
            return list(find_units(connection, source_tag, tag, kind))

    def add(self, units: Sequence[MemoryUnit], file: FileRecord | None = None) -> int:
        """Add units from outside (TMX); how many were new. A pair of texts is kept once."""
        with self.database.write() as connection:
            file_id = store_file(connection, file)[0] if file is not None else None
            names = ("source_language", "language", "origin", "person")
            rows = [
                {name: getattr(unit, name) for name in names}
                | {"hash": _hash(unit), "original": unit.source, "translation": unit.target}
                | {"file_id": file_id, "created_at": unit.created_at or now()}
                for unit in units
            ]
            return add_rows(connection, memory_units, rows, ["hash"])


def pairs(connection: Connection) -> list[tuple[str, str]]:
    """Return the pairs of languages, source and target, that there is memory for, sorted."""
    source = captions.alias()
    inside = (
        select(source.c.language, captions.c.language)
        .join(source, source.c.id == captions.c.source_id)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(memes.c.kind == "caption", captions.c.stage.in_(PEOPLE))
        .distinct()
    )
    outside = select(memory_units.c.source_language, memory_units.c.language).distinct()
    rows = [*connection.execute(inside), *connection.execute(outside)]
    return sorted({(row[0], row[1]) for row in rows})


def find_units(
    connection: Connection, source_language: str, language: str, kind: Kind = "caption"
) -> Iterator[MemoryUnit]:
    """Yield the units of a pair of languages, those from files first, then the oldest of a kind."""
    from memeloc.translate.memory import MemoryUnit

    tags, c = (source_language, language), memory_units.c
    from_files = (
        select(c.original, c.translation, c.origin, c.person, literal(""), c.created_at)
        .where(c.source_language == source_language, c.language == language)
        .order_by(c.id)
    )
    source = captions.alias()
    own = (
        select(
            source.c.parts,
            captions.c.parts,
            captions.c.stage,
            captions.c.person,
            captions.c.meme_id,
            captions.c.created_at,
        )
        .join(source, source.c.id == captions.c.source_id)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(
            is_newest(captions, ("source_id", "meme_id", "language"), "id"),
            memes.c.kind == kind,
            captions.c.language == language,
            captions.c.stage.in_(PEOPLE),
            source.c.language == source_language,
            ~is_dropped(captions.c.meme_id, captions.c.language),
            ~is_disputed(),
        )
        .order_by(captions.c.id)
    )
    for query in (from_files, own):
        for row in connection.execute(query):
            yield MemoryUnit(*tags, *row)


def _hash(unit: MemoryUnit) -> str:
    texts = (encode_json(unit.source), encode_json(unit.target))
    whole = "\n".join((unit.source_language, unit.language, *texts))
    return hashlib.sha256(whole.encode()).hexdigest()
