"""The translation memory. In: what people accepted here, and units from files. Out: pairs of texts.

What was corrected, settled or imported in this workspace is memory as it stands in captions: the
newest version of each source text. Only what comes from outside has a table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from memeloc.store.database import Database, now, upsert
from memeloc.store.files import store_file
from memeloc.store.records import FileRecord, Kind
from memeloc.store.tables.captions import captions, memes, memory_units
from memeloc.store.tables.types import encode_json

if TYPE_CHECKING:
    from memeloc.translate.memory import MemoryUnit

PEOPLE = ("imported", "corrected", "settled")
"""Stages of texts that people wrote."""


class Memory:
    """The translation memory of a workspace."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, source_tag: str, tag: str, kind: Kind = "caption") -> list[MemoryUnit]:
        """The translation memory of a pair of languages, oldest first: later ones are newer.

        It has what came from files, and what people accepted of texts of a kind.
        """
        with self.database.read() as connection:
            return list(find_units(connection, source_tag, tag, kind))

    def add(self, units: Sequence[MemoryUnit], file: FileRecord | None = None) -> int:
        """Add units from outside (TMX); how many were new. A pair of texts is kept once."""
        with self.database.write() as connection:
            file_id = store_file(connection, file)[0] if file is not None else None
            rows = [
                {
                    "key": _key(unit),
                    "source_language": unit.source_language,
                    "language": unit.language,
                    "source": unit.source,
                    "target": unit.target,
                    "origin": unit.origin,
                    "person": unit.person,
                    "file_id": file_id,
                    "created_at": unit.created_at or now(),
                }
                for unit in units
            ]
            return upsert(connection, memory_units, rows, ["key"])


def pairs(connection: Connection) -> list[tuple[str, str]]:
    """The pairs of languages, source and target, that there is memory for, sorted."""
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
    """The units of a pair of languages, those from files first, then the oldest of a kind."""
    from memeloc.translate.memory import MemoryUnit

    query = (
        select(memory_units)
        .where(
            memory_units.c.source_language == source_language,
            memory_units.c.language == language,
        )
        .order_by(memory_units.c.id)
    )
    for row in connection.execute(query):
        yield MemoryUnit(
            source_language,
            language,
            row.source,
            row.target,
            row.origin,
            row.person,
            "",
            row.created_at,
        )
    source = captions.alias()
    top = (
        select(func.max(captions.c.id).label("id"))
        .where(captions.c.language == language, captions.c.source_id.is_not(None))
        .group_by(captions.c.meme_id, captions.c.source_id)
        .subquery()
    )
    own = (
        select(captions, source.c.parts.label("source"))
        .join(top, top.c.id == captions.c.id)
        .join(source, source.c.id == captions.c.source_id)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(
            memes.c.kind == kind,
            captions.c.stage.in_(PEOPLE),
            source.c.language == source_language,
        )
        .order_by(captions.c.id)
    )
    for row in connection.execute(own):
        yield MemoryUnit(
            source_language,
            language,
            row.source,
            row.parts,
            row.stage,
            row.person,
            row.meme_id,
            row.created_at,
        )


def _key(unit: MemoryUnit) -> str:
    whole = "\n".join(
        (
            unit.source_language,
            unit.language,
            encode_json(unit.source),
            encode_json(unit.target),
        )
    )
    return hashlib.sha256(whole.encode()).hexdigest()
