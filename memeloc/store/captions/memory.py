"""The translation memory. In: what people accepted here, and units from files. Out: pairs of texts.

What was corrected, settled or imported in this workspace is memory as it stands in captions: the
newest version of each source text, unless it is dropped or waits to be settled: what one person
wrote and another has given up is no advice. Only what comes from outside has a table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, literal, select

from memeloc.store.captions.states import is_disputed
from memeloc.store.captions.versions import is_dropped
from memeloc.store.queries import Repository, add_rows, is_newest, store_file, values_of
from memeloc.store.records import FileRecord, Kind
from memeloc.store.tables.captions import captions, memes, memory_units
from memeloc.store.tables.types import encode_json, now

if TYPE_CHECKING:
    from memeloc.translate.memory import MemoryUnit

PEOPLE = ("imported", "corrected", "settled")
"""Stages of texts that people wrote."""


class Memory(Repository):
    def find(self, source_tag: str, tag: str, kind: Kind = "caption") -> list[MemoryUnit]:
        """Return what came from files, and what people accepted of texts of a kind, in a pair of
        languages, oldest first."""
        with self.database.read() as connection:
            return list(find_units(connection, source_tag, tag, kind))

    def add(self, units: Sequence[MemoryUnit], file: FileRecord | None = None) -> int:
        """Add units from outside (TMX); return how many were new. A pair of texts is kept once."""
        with self.database.write() as connection:
            file_id = store_file(connection, file)[0] if file is not None else None
            rows = []
            for unit in units:
                row = values_of(unit, source="original", target="translation")
                del row["meme_id"]
                texts = (encode_json(unit.source), encode_json(unit.target))
                whole = "\n".join((unit.source_language, unit.language, *texts)).encode()
                row |= {"hash": hashlib.sha256(whole).hexdigest(), "file_id": file_id}
                rows.append(row | {"created_at": unit.created_at or now()})
            return add_rows(connection, memory_units, rows, ["hash"])


def pairs(connection: Connection) -> list[tuple[str, str]]:
    """Return the pairs of languages, source and target, that there is memory for, sorted."""
    source, query = _own("caption")
    inside = query.with_only_columns(source.c.language, captions.c.language)
    outside = select(*memory_units.c["source_language", "language"])
    rows = [row for each in (inside, outside) for row in connection.execute(each.distinct())]
    return sorted({(row[0], row[1]) for row in rows})


def find_units(
    connection: Connection, source_language: str, language: str, kind: Kind = "caption"
) -> Iterator[MemoryUnit]:
    """Yield the units of a pair of languages, those from files first, then the oldest of a kind."""
    from memeloc.translate.memory import MemoryUnit

    tags, columns = (source_language, language), memory_units.c
    texts = columns["original", "translation", "origin", "person"]
    from_files = (
        select(*texts, literal(""), columns.created_at)
        .where(columns.source_language == source_language, columns.language == language)
        .order_by(columns.id)
    )
    source, query = _own(kind)
    of_pair = query.where(
        is_newest(captions, ("source_id", "meme_id", "language")),
        source.c.language == source_language,
        captions.c.language == language,
        ~is_dropped(captions.c.meme_id, captions.c.language),
        ~is_disputed(),
    ).order_by(captions.c.id)
    for each in (from_files, of_pair):
        for row in connection.execute(each):
            yield MemoryUnit(*tags, *row)


def _own(kind: Kind) -> tuple[Any, Select[Any]]:
    """Return an alias of the sources, and the query of what people wrote for them."""
    source = captions.alias()
    names = ("parts", "stage", "person", "meme_id", "created_at")
    query = select(source.c.parts, *captions.c[names])
    query = query.join(source, source.c.id == captions.c.source_id)
    query = query.join(memes, memes.c.id == captions.c.meme_id)
    return source, query.where(memes.c.kind == kind, captions.c.stage.in_(PEOPLE))
