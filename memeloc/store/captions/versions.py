"""The versions of captions. In: a transaction. Out: current versions, and new ones added.

The current caption of a meme and language is the one with the highest version, suggestions apart:
what a machine writes after a person stands beside the person's text, and never in its place. A
version is added under the writers' lock, and the database holds that none is there twice.

Functions that begin with `is_` return conditions, on `captions` or an alias of it where they take a
`version`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, or_, select, tuple_

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store import queries
from memeloc.store.queries import by_slices, is_newest, two_columns
from memeloc.store.records import CaptionVersion, Kind, Translations
from memeloc.store.tables.captions import captions, corrections, drops, memes, withdrawals
from memeloc.store.tables.items import item_versions, selection_items, selections

ALL_LANGUAGES = ""
"""The language of a row of `drops` that is about all of a meme's languages."""

MACHINE = ("translated", "read")
"""Stages of what a machine wrote; all others are texts of people."""

VERSION_COLUMNS = queries.columns_of(captions, CaptionVersion)

WITHDRAWN = select(withdrawals.c.file_id)
"""The files of answers that were taken back."""
WITHDRAWN_VERSIONS = select(corrections.c.caption_id).where(
    corrections.c.file_id.in_(WITHDRAWN), corrections.c.caption_id.is_not(None)
)
"""The versions that their answers made."""

_NEWEST_NUMBERS = select(captions.c.meme_id, func.max(captions.c.version)).group_by(
    captions.c.meme_id
)
_DEFAULTS = {
    **dict.fromkeys(("person", "origin", "translator", "currency"), ""),
    **{"round": 0, "marks": (), "characters": 0, "cost": 0.0, "provenance": None},
}


_built_once = lru_cache(maxsize=64)
"""Keeps conditions: to build one, with its aliases, takes longer than to ask it of some memes.
Those of aliases, which are new in each query, drop out again."""


def check_parts(parts: Sequence[str], meme_id: str = "") -> tuple[str, ...]:
    """Return the parts without white space around them, as every caption is stored. Raise
    InputError if a part has ` // ` in it, or all are empty."""
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


def made_by(state: Translations, by: str, stage: str = "imported") -> dict[str, Any]:
    """Return how a version came to be of which a table says that it is a person's or a machine's:
    `by` is the person (`stage` is then that of what people brought) or the translator, called
    `machine` where nobody names it."""
    if state == "machine":
        return {"stage": "translated", "translator": by or "machine"}
    return {"stage": stage, "person": by}


@_built_once
def is_current(version: Any, below_round: int | None = None) -> ColumnElement[bool]:
    """It is no suggestion, and no later one is a caption (of a round below `below_round`)."""
    later = captions.alias()
    newer = exists().where(*_same(later, version), later.c.version > version.c.version)
    newer = newer.where(~is_suggestion(later))
    if below_round is None:
        return and_(~is_suggestion(version), ~newer)
    newer = newer.where(later.c.round < below_round)
    return and_(version.c.round < below_round, ~is_suggestion(version), ~newer)


@_built_once
def is_suggestion(version: Any) -> ColumnElement[bool]:
    """Return the condition that a machine wrote it, after a person whose text was not withdrawn."""
    text = captions.alias()
    before = exists().where(*_same(text, version), text.c.version < version.c.version)
    by_person = before.where(text.c.stage.not_in(MACHINE), text.c.id.not_in(WITHDRAWN_VERSIONS))
    return and_(version.c.stage.in_(MACHINE), by_person)


@_built_once
def is_outdated(version: Any) -> ColumnElement[bool]:
    """Return the condition that its source has another text now. A transcript's source is what was
    read, which is never read anew once a person has answered."""
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
    """Return the condition that a person wrote it, for another source."""
    return and_(version.c.stage.not_in(MACHINE), is_outdated(version))


@_built_once
def is_source(version: Any) -> ColumnElement[bool]:
    """It is its meme's current source caption; of a transcript, what was read."""
    is_read = memes.c.kind == "transcript"
    newest = or_(and_(is_read, is_current(version, 1)), and_(~is_read, is_current(version)))
    return and_(version.c.language == memes.c.source_language, newest)


def _same(version: Any, other: Any) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return version.c.meme_id == other.c.meme_id, version.c.language == other.c.language


def is_newest_drop(row: Any) -> ColumnElement[bool]:
    """No later row of `drops` (or an alias) has its meme and language."""
    return is_newest(row, ("meme_id", "language"))


@_built_once
def is_dropped(meme_id: Any, language: Any = None) -> ColumnElement[bool]:
    """Return the condition that the meme is dropped in all languages, or in this one."""
    # Lists that do not depend on the row are made once; a look for each row takes twice the time.
    row = drops.alias()
    query = select(row.c.meme_id, row.c.language).where(row.c.action == "drop", is_newest_drop(row))
    in_all = query.with_only_columns(row.c.meme_id).where(row.c.language == ALL_LANGUAGES)
    here = meme_id.in_(in_all)
    return here if language is None else or_(here, tuple_(meme_id, language).in_(query))


@_built_once
def is_active(kind: Kind = "caption") -> ColumnElement[bool]:
    """Select the memes of `is_selected`, without those dropped in all languages."""
    selected = is_selected(kind)
    return and_(selected, ~is_dropped(memes.c.id)) if kind == "caption" else selected


def is_selected(kind: Kind = "caption") -> ColumnElement[bool]:
    """Select the memes of a kind, without those that the newest selection left out. A meme of a
    captions table never is; one that was selected from collected items is not as long as the newest
    selection has its item; a transcript as long as its item has the picture it was read in."""
    condition = memes.c.kind == kind
    if kind == "transcript":
        of_picture = exists().where(
            item_versions.c.item_id == memes.c.item_id,
            item_versions.c.picture == memes.c.picture,
            is_newest(item_versions, ["item_id"], "version"),
        )
        return and_(condition, of_picture)
    if kind == "caption":
        chosen = exists().where(
            selection_items.c.selection_id == select(func.max(selections.c.id)).scalar_subquery(),
            selection_items.c.item_id == memes.c.item_id,
        )
        return and_(condition, or_(memes.c.item_id.is_(None), chosen))
    return condition


@cache  # to build it takes longer than to ask it of one meme
def current_query(
    language: str | None = None, *, below_round: int | None = None, kind: Kind | None = "caption"
) -> Select[Any]:
    """Return the query of current versions; below a round, as they were before it."""
    query = versions_query(is_current(captions, below_round), kind)
    return queries.equal(query, {captions.c.language: language})


@cache
def source_query(kind: Kind | None = "caption") -> Select[Any]:
    """Return the query of the current source captions of all memes of a kind."""
    return versions_query(is_source(captions), kind)


def versions_query(condition: ColumnElement[bool], kind: Kind | None) -> Select[Any]:
    """Return the query of versions that meet a condition, in the order of the memes, oldest first;
    of a kind, without what the newest selection has left out or was dropped; None is all."""
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
    """Return rows of VERSION_COLUMNS as records, by meme."""
    return {row.meme_id: CaptionVersion(*row) for row in rows}


def current_of(
    connection: Connection, language: str, meme_ids: Collection[str]
) -> dict[str, CaptionVersion]:
    """Return the current versions of some memes in a language, by meme."""
    query = current_query(language, kind=None)
    return by_meme(by_slices(connection, query, captions.c.meme_id, meme_ids))


def sources_of(connection: Connection, meme_ids: Collection[str]) -> dict[str, CaptionVersion]:
    """Return the current source captions of some memes, by meme; of a transcript, what was read."""
    return by_meme(by_slices(connection, source_query(None), captions.c.meme_id, meme_ids))


def texts_of(connection: Connection, ids: Iterable[int | None]) -> dict[int, tuple[str, ...]]:
    """Return the parts of some versions, by id."""
    query = select(captions.c.id, captions.c.parts)
    return two_columns(by_slices(connection, query, captions.c.id, {*ids} - {None}))


def add_memes(
    connection: Connection, rows: Mapping[str, Mapping[str, Any]], kind: Kind = "caption"
) -> set[str]:
    """Add the memes whose ids are not there; return those ids. Each row, by id, has a
    source_language, and may have a template, item_id or file_id."""
    existing = {row.id for row in by_slices(connection, select(memes.c.id), memes.c.id, rows)}
    new = rows.keys() - existing
    about = {"template": "", "kind": kind}
    queries.add_rows(
        connection, memes, [{**about, "id": key, **row} for key, row in rows.items() if key in new]
    )
    return new


def add_versions(
    connection: Connection, rows: Mapping[str, Mapping[str, Any]], **shared: Any
) -> list[int]:
    """Insert rows of `captions`, by meme, with further columns that are the same in all, as
    `insert_versions` does."""
    values = [{"meme_id": meme_id, **shared, **row} for meme_id, row in rows.items()]
    return insert_versions(connection, values)


def insert_versions(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows of `captions`, which get the next numbers of versions; return their ids, in
    order. All but meme_id, language, parts and stage have defaults."""
    meme_ids = [row["meme_id"] for row in rows]
    numbers = {}
    for tag in {row["language"] for row in rows}:
        query = _NEWEST_NUMBERS.where(captions.c.language == tag)
        numbers[tag] = two_columns(by_slices(connection, query, captions.c.meme_id, meme_ids))
    values = []
    for row in rows:
        of_language = numbers[row["language"]]
        version = of_language[row["meme_id"]] = of_language.get(row["meme_id"], 0) + 1
        values.append(_DEFAULTS | {"version": version, **row})
    return queries.insert_rows(connection, captions, values)
