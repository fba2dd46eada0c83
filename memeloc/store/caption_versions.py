"""The versions of captions. In: a transaction. Out: current versions, and new ones added.

The current caption of a meme and language is the one with the highest version; a new one is added
under the writers' lock, and the database holds that no version is there twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, insert, or_, select

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store.database import by_slices, now, two_columns
from memeloc.store.records import CaptionVersion, Kind
from memeloc.store.tables.captions import captions, memes
from memeloc.store.tables.items import selection_items, selections

VERSION_COLUMNS = tuple(captions.c[field.name] for field in fields(CaptionVersion))


def check_parts(parts: Sequence[str], meme_id: str = "") -> tuple[str, ...]:
    """The parts without white space around them, as every caption is stored.

    Raises:
        InputError: a part has ` // ` in it, or all are empty.
    """
    clean = tuple(part.strip() for part in parts)
    where = f"The caption of {meme_id}: " if meme_id else ""
    if not any(clean):
        raise InputError(f"{where}It is empty.")
    if len(clean) > 1 or "//" in clean[0]:
        for part in clean:
            if Caption.parse(part).parts != (part,):
                raise InputError(
                    f"{where}A part holds '//' between spaces, which is what stands between parts; "
                    f"write it without spaces: {part[:60]!r}"
                )
    return clean


def version_of(row: Row[Any]) -> CaptionVersion:
    """A row of VERSION_COLUMNS as a record."""
    return CaptionVersion(*tuple(row))


def is_current(version: Any) -> ColumnElement[bool]:
    """A condition on captions, or an alias of it: that there is no later version.

    Versions of a meme and language go up by one, so it takes one look into the index.
    """
    later = captions.alias()
    return ~(
        select(later.c.id)
        .where(
            later.c.meme_id == version.c.meme_id,
            later.c.language == version.c.language,
            later.c.version == version.c.version + 1,
        )
        .exists()
    )


def is_active(kind: Kind = "caption") -> ColumnElement[bool]:
    """A condition on memes: those of a kind, without what the newest selection has set aside.

    A meme that came from a captions table always is; one that was selected from collected items is
    as long as the newest selection has its item.
    """
    if kind != "caption":
        return memes.c.kind == kind
    newest = select(func.max(selections.c.id)).scalar_subquery()
    chosen = (
        select(selection_items.c.item_id)
        .where(
            selection_items.c.selection_id == newest,
            selection_items.c.item_id == memes.c.item_id,
        )
        .exists()
    )
    return and_(memes.c.kind == kind, or_(memes.c.item_id.is_(None), chosen))


def current_query(
    language: str | None = None, *, below_round: int | None = None, kind: Kind = "caption"
) -> Select[Any]:
    """Current versions in the order of the memes; below a round, as they were before it."""
    query = (
        select(*VERSION_COLUMNS)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(is_active(kind))
        .order_by(memes.c.number, captions.c.language)
    )
    if below_round is None:
        query = query.where(is_current(captions))
    else:
        earlier = captions.alias()
        top = select(func.max(earlier.c.version)).where(
            earlier.c.meme_id == captions.c.meme_id,
            earlier.c.language == captions.c.language,
            earlier.c.round < below_round,
        )
        query = query.where(captions.c.version == top.scalar_subquery())
    return query if language is None else query.where(captions.c.language == language)


def current_of(
    connection: Connection,
    language: str,
    meme_ids: Collection[str],
    *,
    below_round: int | None = None,
) -> dict[str, CaptionVersion]:
    """The current versions of some memes in a language, by meme; below a round, as before it."""
    earlier = captions.alias()
    top = select(func.max(earlier.c.version)).where(
        earlier.c.language == language, earlier.c.meme_id == captions.c.meme_id
    )
    if below_round is not None:
        top = top.where(earlier.c.round < below_round)
    query = select(*VERSION_COLUMNS).where(
        captions.c.language == language, captions.c.version == top.scalar_subquery()
    )
    rows = by_slices(connection, query, captions.c.meme_id, meme_ids)
    return {row.meme_id: version_of(row) for row in rows}


def sources_of(connection: Connection, meme_ids: Collection[str]) -> dict[str, CaptionVersion]:
    """The current source captions of some memes, by meme; of a transcript, what was read."""
    groups: dict[tuple[str, bool], list[str]] = {}
    query = select(memes.c.id, memes.c.source_language, memes.c.kind)
    for meme_id, language, kind in by_slices(connection, query, memes.c.id, meme_ids):
        groups.setdefault((language, kind == "transcript"), []).append(meme_id)
    sources: dict[str, CaptionVersion] = {}
    for (language, read), ids in groups.items():
        sources |= current_of(connection, language, ids, below_round=1 if read else None)
    return sources


def texts_of(connection: Connection, ids: Iterable[int | None]) -> dict[int, tuple[str, ...]]:
    """The parts of some versions, by id."""
    query = select(captions.c.id, captions.c.parts)
    wanted = [version for version in ids if version is not None]
    return two_columns(by_slices(connection, query, captions.c.id, wanted))


def add_memes(connection: Connection, rows: Sequence[dict[str, Any]]) -> set[str]:
    """Add the memes rows whose ids are not there; those ids.

    Each row has id, template and source_language; the rest has defaults.
    """
    query = select(memes.c.id)
    there = {
        row.id for row in by_slices(connection, query, memes.c.id, [row["id"] for row in rows])
    }
    start = {"kind": "caption", "item_id": None, "file_id": None, "created_at": now()}
    fresh = [{**start, **row} for row in rows if row["id"] not in there]
    if fresh:
        connection.execute(insert(memes), fresh)
    return {row["id"] for row in fresh}


def source_query(kind: Kind = "caption") -> Select[Any]:
    """The current source captions of all memes of a kind; of transcripts, what was read."""
    query = current_query(kind=kind, below_round=1 if kind == "transcript" else None)
    return query.where(captions.c.language == memes.c.source_language)


def add_versions(
    connection: Connection,
    rows: Sequence[dict[str, Any]],
    current: Mapping[str, CaptionVersion],
) -> list[int]:
    """Add captions rows and return their ids, in order.

    Args:
        connection: a transaction.
        rows: each has meme_id, language, parts and stage; the rest has defaults.
        current: the current versions of that language, by meme, which they supersede.
    """
    if not rows:
        return []
    start: dict[str, Any] = {
        "round": 0,
        "person": "",
        "origin": "",
        "translator": "",
        "source_id": None,
        "marks": (),
        "characters": 0,
        "cost": 0.0,
        "currency": "",
        "created_at": now(),
    }
    statement = insert(captions).returning(captions.c.id, sort_by_parameter_order=True)
    values = [{**start, "version": _next(current.get(row["meme_id"])), **row} for row in rows]
    return list(connection.execute(statement, values).scalars())


def _next(current: CaptionVersion | None) -> int:
    return 1 if current is None else current.version + 1
