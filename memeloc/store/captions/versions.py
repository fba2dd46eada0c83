"""The versions of captions. In: a transaction. Out: current versions, and new ones added.

The current caption of a meme and language is the one with the highest version, suggestions apart:
what a machine writes after a person stands beside the person's text, and never in its place. A
version is added under the writers' lock, and the database holds that none is there twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, or_, select, tuple_

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
from memeloc.store.tables.captions import captions, corrections, drops, memes, withdrawals
from memeloc.store.tables.items import item_versions, selection_items, selections

ALL_LANGUAGES = ""
"""The language of a row of `drops` that is about all of a meme's languages."""

MACHINE = ("translated", "read")
"""Stages of what a machine wrote; all others are texts of people."""

VERSION_COLUMNS = columns_of(captions, CaptionVersion)

WITHDRAWN = select(withdrawals.c.file_id)
"""The files of answers that were taken back."""
WITHDRAWN_VERSIONS = select(corrections.c.caption_id).where(
    corrections.c.file_id.in_(WITHDRAWN), corrections.c.caption_id.is_not(None)
)
"""The versions that their answers made."""

_NEWEST_NUMBERS = select(captions.c.meme_id, func.max(captions.c.version)).group_by(
    captions.c.meme_id
)


def check_parts(parts: Sequence[str], meme_id: str = "") -> tuple[str, ...]:
    """The parts without white space around them, as every caption is stored.

    Raises:
        InputError: a part has ` // ` in it, or all are empty.
    """
    where = f"The caption of {meme_id}: " if meme_id else ""
    clean = []
    for part in parts:
        first, *more = Caption.parse(part).parts
        if more:
            raise InputError(
                f"{where}A part holds '//' between spaces, which is what stands between parts; "
                f"write it without spaces: {part.strip()[:60]!r}"
            )
        clean.append(first)
    if not any(clean):
        raise InputError(f"{where}It is empty.")
    return tuple(clean)


def is_current(version: Any, below_round: int | None = None) -> ColumnElement[bool]:
    """A condition on captions, or an alias of it: that it is no suggestion, and that no later one
    is a caption (of a round below `below_round`)."""
    later = captions.alias()
    newer = exists().where(*_same(later, version), later.c.version > version.c.version)
    newer = newer.where(~is_suggestion(later))
    if below_round is None:
        return and_(~is_suggestion(version), ~newer)
    return and_(
        version.c.round < below_round,
        ~is_suggestion(version),
        ~newer.where(later.c.round < below_round),
    )


def is_suggestion(version: Any) -> ColumnElement[bool]:
    """A condition on captions, or an alias of it: that a machine wrote it, after a person whose
    text was not withdrawn."""
    text = captions.alias()
    return and_(
        version.c.stage.in_(MACHINE),
        exists().where(
            *_same(text, version),
            text.c.version < version.c.version,
            text.c.stage.not_in(MACHINE),
            text.c.id.not_in(WITHDRAWN_VERSIONS),
        ),
    )


def is_outdated(version: Any) -> ColumnElement[bool]:
    """A condition on captions, or an alias of it: that its source has another text now.

    A transcript's source is what was read, which is never read anew once a person has answered.
    """
    old, source = captions.alias(), captions.alias()
    current_source = (
        select(source.c.parts).where(*_same(source, old), is_current(source)).scalar_subquery()
    )
    # Texts are compared only where there is a newer source: it may be back to what it was.
    return exists().where(
        old.c.id == version.c.source_id,
        old.c.language != version.c.language,
        ~is_current(old),
        old.c.parts != current_source,
    )


def is_outdated_text(version: Any) -> ColumnElement[bool]:
    """A condition on captions, or an alias of it: that a person wrote it, for another source."""
    return and_(version.c.stage.not_in(MACHINE), is_outdated(version))


def _same(version: Any, other: Any) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """The conditions that two versions are of one meme and language."""
    return version.c.meme_id == other.c.meme_id, version.c.language == other.c.language


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
    query = versions_query(is_current(captions, below_round), kind)
    return equal(query, {captions.c.language: language})


@cache
def source_query(kind: Kind | None = "caption") -> Select[Any]:
    """The current source captions of all memes of a kind; of transcripts, what was read."""
    is_read = memes.c.kind == "transcript"
    source = or_(and_(is_read, is_current(captions, 1)), and_(~is_read, is_current(captions)))
    return versions_query(source, kind).where(captions.c.language == memes.c.source_language)


def versions_query(condition: ColumnElement[bool], kind: Kind | None) -> Select[Any]:
    """Versions that meet a condition, in the order of the memes, oldest first; of a kind, without
    what the newest selection has left out or was dropped; None is all."""
    query = (
        select(*VERSION_COLUMNS)
        .join(memes, memes.c.id == captions.c.meme_id)
        .where(condition)
        .order_by(memes.c.number, captions.c.language, captions.c.version)
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
    connection: Connection, rows: Mapping[str, Mapping[str, Any]], **shared: Any
) -> list[int]:
    """Insert rows of `captions`, by meme, with further columns that are the same in all; see
    `insert_versions`."""
    values = [{"meme_id": meme_id, **shared, **row} for meme_id, row in rows.items()]
    return insert_versions(connection, values)


def insert_versions(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows of `captions`, which get the next numbers of versions; their ids, in order.

    meme_id, language, parts and stage have no defaults.
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
    numbers = {
        tag: two_columns(
            by_slices(
                connection,
                _NEWEST_NUMBERS.where(captions.c.language == tag),
                captions.c.meme_id,
                [row["meme_id"] for row in rows],
            )
        )
        for tag in {row["language"] for row in rows}
    }
    values = []
    for row in rows:
        of_language = numbers[row["language"]]
        version = of_language[row["meme_id"]] = of_language.get(row["meme_id"], 0) + 1
        values.append(defaults | {"version": version, **row})
    return insert_rows(connection, captions, values)
