"""The versions of captions. In: a transaction. Out: current versions, and new ones added.

The current caption of a meme and language is the one with the highest version; a new one is added
under the writers' lock, and the database holds that no version is there twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, insert, or_, select

from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.store.item_tables import selection_items, selections
from memeloc.store.records import CaptionVersion, Kind, Need, ToTranslate
from memeloc.store.tables import captions, memes

SLICE = 500
"""Ids asked for at once; SQLite takes 32,766 values in a statement, older ones 999."""

VERSION_COLUMNS = tuple(
    captions.c[name]
    for name in (
        "id",
        "meme_id",
        "language",
        "version",
        "parts",
        "stage",
        "round",
        "person",
        "origin",
        "translator",
        "source_id",
        "marks",
        "created_at",
    )
)


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def slices(ids: Collection[str]) -> Iterator[list[str]]:
    """The ids, `SLICE` at a time."""
    everything = list(ids)
    for start in range(0, len(everything), SLICE):
        yield everything[start : start + SLICE]


def two_columns(connection: Connection, query: Select[Any]) -> dict[Any, Any]:
    """What a query of two columns finds: the second by the first, the last of several."""
    return {row[0]: row[1] for row in connection.execute(query)}


def check_parts(parts: Sequence[str], meme_id: str = "") -> tuple[str, ...]:
    """The parts without white space around them, as every caption is stored.

    Raises:
        InputError: a part could not be told from two, for it has ` // ` in it, or all are empty.
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
    """A row of VERSION_COLUMNS as a noun."""
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
    """The current versions of some memes in a language, by meme."""
    found: dict[str, CaptionVersion] = {}
    for some in slices(meme_ids):
        earlier = captions.alias()
        top = select(func.max(earlier.c.version)).where(
            earlier.c.language == language, earlier.c.meme_id == captions.c.meme_id
        )
        if below_round is not None:
            top = top.where(earlier.c.round < below_round)
        query = select(*VERSION_COLUMNS).where(
            captions.c.meme_id.in_(some),
            captions.c.language == language,
            captions.c.version == top.scalar_subquery(),
        )
        for row in connection.execute(query):
            found[row.meme_id] = version_of(row)
    return found


def sources_of(connection: Connection, meme_ids: Collection[str]) -> dict[str, CaptionVersion]:
    """The current source captions of some memes, by meme; of a transcript, what was read."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for some in slices(meme_ids):
        query = select(memes.c.id, memes.c.source_language, memes.c.kind).where(
            memes.c.id.in_(some)
        )
        for meme_id, language, kind in connection.execute(query):
            groups.setdefault((language, kind == "transcript"), []).append(meme_id)
    found: dict[str, CaptionVersion] = {}
    for (language, read), ids in groups.items():
        found.update(current_of(connection, language, ids, below_round=1 if read else None))
    return found


def source_query(kind: Kind = "caption") -> Select[Any]:
    """The current source captions of all memes of a kind; of transcripts, what was read."""
    query = current_query(kind=kind, below_round=1 if kind == "transcript" else None)
    return query.where(captions.c.language == memes.c.source_language)


def add_versions(connection: Connection, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Add captions rows and return their ids, in order.

    Each row has meme_id, language, version, parts and stage; the rest has defaults.
    """
    if not rows:
        return []
    moment = now()
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
        "created_at": moment,
    }
    statement = insert(captions).returning(captions.c.id, sort_by_parameter_order=True)
    return list(connection.execute(statement, [{**start, **row} for row in rows]).scalars())


def to_translate(
    connection: Connection,
    language: str,
    only: Need | None,
    limit_to: Collection[str] | None,
    kind: Kind = "caption",
) -> Iterator[ToTranslate]:
    """Captions without a translation of their current source, in the order of the memes."""
    source_of = {row.meme_id: version_of(row) for row in connection.execute(source_query(kind))}
    there = {
        row.meme_id: version_of(row)
        for row in connection.execute(current_query(language, kind=kind))
    }
    templates = two_columns(connection, select(memes.c.id, memes.c.template))
    stale = _source_parts(connection, source_of, there)
    wanted = None if limit_to is None else set(limit_to)
    for meme_id, source in source_of.items():
        if source.language == language or (wanted is not None and meme_id not in wanted):
            continue
        current = there.get(meme_id)
        need: Need = "new" if current is None else "changed"
        if current is not None and stale.get(current.id, source.parts) == source.parts:
            continue
        if only is None or only == need:
            yield ToTranslate(meme_id, templates[meme_id], language, need, source, current)


def _source_parts(
    connection: Connection,
    sources: dict[str, CaptionVersion],
    translations: dict[str, CaptionVersion],
) -> dict[int, tuple[str, ...]]:
    """By the id of each translation of an earlier version of its source: that version's text."""
    asked = {
        version.id: version.source_id
        for meme_id, version in translations.items()
        if version.source_id is not None
        and meme_id in sources
        and version.source_id != sources[meme_id].id
    }
    texts: dict[int, tuple[str, ...]] = {}
    ids = list(dict.fromkeys(asked.values()))
    for start in range(0, len(ids), SLICE):
        query = select(captions.c.id, captions.c.parts).where(
            captions.c.id.in_(ids[start : start + SLICE])
        )
        texts.update(two_columns(connection, query))
    return {version: texts[source] for version, source in asked.items()}


def add_translation(
    connection: Connection,
    meme_id: str,
    language: str,
    parts: Sequence[str],
    *,
    source_id: int,
    translator: str,
    marks: Sequence[str],
    characters: int,
    cost: float,
    currency: str,
    replace: bool,
) -> int | None:
    """Store a machine translation unless the caption has one, or a person's, of the same source."""
    clean = check_parts(parts, meme_id)
    current = current_of(connection, language, [meme_id]).get(meme_id)
    if current is not None:
        ids = [source_id, *([current.source_id] if current.source_id is not None else [])]
        query = select(captions.c.id, captions.c.parts).where(captions.c.id.in_(ids))
        texts = two_columns(connection, query)
        same = current.source_id is None or texts[current.source_id] == texts[source_id]
        mine = (current.parts, current.translator) == (clean, translator)
        if same and (current.stage != "translated" or mine or not replace):
            return None
        if not same and current.source_id is not None and current.source_id > source_id:
            return None  # it translates a newer source already
    (added,) = add_versions(
        connection,
        [
            {
                "meme_id": meme_id,
                "language": language,
                "version": 1 if current is None else current.version + 1,
                "parts": clean,
                "stage": "translated",
                "origin": translator,
                "translator": translator,
                "source_id": source_id,
                "marks": tuple(marks),
                "characters": characters,
                "cost": cost,
                "currency": currency,
            }
        ],
    )
    return added
