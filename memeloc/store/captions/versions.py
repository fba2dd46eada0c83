"""The versions of captions. In: a transaction. Out: current versions, and new ones added.

The current caption of a meme and language is the one with the highest version; a new one is added
under the writers' lock, and the database holds that no version is there twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, tuple_

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store.queries import (
    add_rows,
    by_slices,
    columns_of,
    equal,
    insert_rows,
    is_newest,
    two_columns,
)
from memeloc.store.records import CaptionVersion, Kind
from memeloc.store.tables.captions import captions, drops, memes
from memeloc.store.tables.items import item_versions, selection_items, selections

ALL_LANGUAGES = ""
"""The language of a row of `drops` that is about all of a meme's languages."""

VERSION_COLUMNS = columns_of(captions, CaptionVersion)


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


def is_current(version: Any, below_round: int | None = None) -> ColumnElement[bool]:
    """A condition on captions, or an alias of it: that there is no later version (of a round below
    `below_round`)."""
    earlier = () if below_round is None else ("round", below_round)
    newest = is_newest(version, ("meme_id", "language"), "version", below=earlier)
    return newest if below_round is None else and_(version.c.round < below_round, newest)


def is_newest_drop(row: Any) -> ColumnElement[bool]:
    """A condition on `drops`, or an alias of it: that no later row has its meme and language."""
    return is_newest(row, ("meme_id", "language"), "id")


def is_dropped(meme_id: Any, language: Any = None) -> ColumnElement[bool]:
    """A condition on a meme's id: that it is dropped in all languages, or in this one."""
    # Lists that do not depend on the row are made once; a look for each row takes twice the time.
    row = drops.alias()
    query = select(row.c.meme_id, row.c.language).where(row.c.action == "drop", is_newest_drop(row))
    in_all = query.with_only_columns(row.c.meme_id).where(row.c.language == ALL_LANGUAGES)
    here = meme_id.in_(in_all)
    return here if language is None else or_(here, tuple_(meme_id, language).in_(query))


def is_active(kind: Kind = "caption") -> ColumnElement[bool]:
    """A condition on memes: those of `is_selected`, without what is dropped in all languages."""
    selected = is_selected(kind)
    return and_(selected, ~is_dropped(memes.c.id)) if kind == "caption" else selected


def is_selected(kind: Kind = "caption") -> ColumnElement[bool]:
    """A condition on memes: those of a kind, without what the newest selection has left out.

    A meme that came from a captions table never is left out; one that was selected from collected
    items is not as long as the newest selection has its item; a transcript is not as long as its
    item has the picture that it was read in.
    """
    if kind == "transcript":
        has_picture = (
            select(item_versions.c.id)
            .where(
                item_versions.c.item_id == memes.c.item_id,
                item_versions.c.picture == memes.c.picture,
                is_newest(item_versions, ["item_id"], "version"),
            )
            .exists()
        )
        return and_(memes.c.kind == kind, has_picture)
    if kind != "caption":
        return memes.c.kind == kind
    newest = select(func.max(selections.c.id)).scalar_subquery()
    chosen = (
        select(selection_items.c.item_id)
        .where(
            selection_items.c.selection_id == newest, selection_items.c.item_id == memes.c.item_id
        )
        .exists()
    )
    return and_(memes.c.kind == kind, or_(memes.c.item_id.is_(None), chosen))


@cache  # to build it takes longer than to ask it of one meme
def current_query(
    language: str | None = None, *, below_round: int | None = None, kind: Kind | None = "caption"
) -> Select[Any]:
    """Current versions in the order of the memes; below a round, as they were before it.

    Of a kind, without what the newest selection has left out or was dropped; None is all.
    """
    query = _versions_query(is_current(captions, below_round), kind)
    return equal(query, {captions.c.language: language})


@cache
def source_query(kind: Kind | None = "caption") -> Select[Any]:
    """The current source captions of all memes of a kind; of transcripts, what was read."""
    is_read = memes.c.kind == "transcript"
    source = or_(and_(is_read, is_current(captions, 1)), and_(~is_read, is_current(captions)))
    return _versions_query(source, kind).where(captions.c.language == memes.c.source_language)


def _versions_query(condition: ColumnElement[bool], kind: Kind | None) -> Select[Any]:
    query = (
        select(*VERSION_COLUMNS)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(condition)
        .order_by(memes.c.number, captions.c.language)
    )
    if kind is None:
        return query
    return query.where(is_active(kind), ~is_dropped(captions.c.meme_id, captions.c.language))


def by_meme(rows: Iterable[Any]) -> dict[str, CaptionVersion]:
    """Rows of VERSION_COLUMNS as records, by meme."""
    return {row.meme_id: CaptionVersion(*row) for row in rows}


def current_of(
    connection: Connection, language: str, meme_ids: Collection[str]
) -> dict[str, CaptionVersion]:
    """The current versions of some memes in a language, by meme."""
    query = current_query(language, kind=None)
    return by_meme(by_slices(connection, query, captions.c.meme_id, meme_ids))


def sources_of(connection: Connection, meme_ids: Collection[str]) -> dict[str, CaptionVersion]:
    """The current source captions of some memes, by meme; of a transcript, what was read."""
    return by_meme(by_slices(connection, source_query(None), captions.c.meme_id, meme_ids))


def texts_of(connection: Connection, ids: Iterable[int | None]) -> dict[int, tuple[str, ...]]:
    """The parts of some versions, by id."""
    query = select(captions.c.id, captions.c.parts)
    wanted = [version for version in ids if version is not None]
    return two_columns(by_slices(connection, query, captions.c.id, wanted))


def add_memes(
    connection: Connection, rows: Mapping[str, Mapping[str, Any]], kind: Kind = "caption"
) -> set[str]:
    """Add the memes whose ids are not there; those ids.

    Each row, by id, has a source_language, and may have a template, item_id or file_id.
    """
    there = {row.id for row in by_slices(connection, select(memes.c.id), memes.c.id, rows)}
    new = [
        {"template": "", "id": key, "kind": kind, **row}
        for key, row in rows.items()
        if key not in there
    ]
    add_rows(connection, memes, new)
    return rows.keys() - there


def add_versions(
    connection: Connection,
    rows: Mapping[str, Mapping[str, Any]],
    current: Mapping[str, CaptionVersion],
    **shared: Any,
) -> list[int]:
    """Add a version of some captions; their ids, in order.

    Args:
        rows: by meme; columns of `captions`, of which parts, language and stage have no defaults.
        current: the current versions of that language, by meme, which they supersede.
        shared: columns that are the same in all.
    """
    values = []
    for meme_id, row in rows.items():
        version = current[meme_id].version + 1 if meme_id in current else 1
        values.append({"meme_id": meme_id, "version": version, **shared, **row})
    return insert_versions(connection, values)


def insert_versions(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows of `captions`, whose versions are new; their ids, in order.

    meme_id, language, version, parts and stage have no defaults.
    """
    defaults: dict[str, Any] = {
        "round": 0,
        "person": "",
        "origin": "",
        "translator": "",
        "marks": (),
        "characters": 0,
        "cost": 0.0,
        "currency": "",
        "provenance": None,
    }
    return insert_rows(connection, captions, [defaults | dict(row) for row in rows])
