"""What was collected. In: what sources found. Out: items, a version for each time one differed.

An item is known by its source, kind and key, so collecting again finds it again: the same adds
nothing, what differs is a new version, and the newest holds. `fetched` alone makes no version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select

from memeloc.items import (
    Found,
    FoundCaption,
    FoundTemplate,
    Item,
    ItemKind,
    Origin,
    Refusal,
    Year,
    item_id,
)
from memeloc.model import TextBox, TextStyle
from memeloc.store.caption_versions import SLICE, now
from memeloc.store.item_tables import encode_json, item_versions, items, pictures, refusals
from memeloc.store.storing_pictures import picture_file
from memeloc.store.tables import Parts, Words

_FETCHED = 1000
"""Rows fetched at a time."""


@dataclass(frozen=True, slots=True)
class AddedItems:
    """What `Workspace.add_found` stored.

    Attributes:
        new, changed, unchanged: how many items.
        refused: pictures that are none, or that are too large.
    """

    new: int
    changed: int
    unchanged: int
    refused: tuple[Refusal, ...] = ()


def kind_of(found: Found) -> ItemKind:
    """The kind of item that something found becomes."""
    if isinstance(found, FoundTemplate):
        return "template"
    return "caption" if isinstance(found, FoundCaption) else "picture"


def _hash(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()


def add_found(
    connection: Connection, several: Sequence[Found], stored: Mapping[int, str]
) -> AddedItems:
    """Store what was found.

    Args:
        connection: a transaction.
        several: in the order of coming; of one item several times, the last holds.
        stored: the SHA-256 of the picture of each, by its position in `several`.
    """
    rows: dict[str, tuple[Found, dict[str, Any]]] = {}
    for position, found in enumerate(several):
        key_hash = _hash(found.origin.source, kind_of(found), found.origin.key)
        rows[key_hash] = found, _columns(found, stored.get(position))
    ids = _known_ids(connection, rows)
    current = _current(connection, ids.values())
    fresh: list[dict[str, Any]] = []
    versions: list[dict[str, Any]] = []
    new = changed = 0
    moment = now()
    for key_hash, (found, columns) in rows.items():
        known = ids.get(key_hash)
        before = current.get(known) if known is not None else None
        if before is not None:
            # A picture that cannot be had today was there yesterday.
            columns["picture"] = columns["picture"] or before.picture
            if _same(before, columns):
                continue
        if known is None:
            known = item_id(found.origin.source, kind_of(found), found.origin.key, _label(found))
            fresh.append(
                {
                    "id": known,
                    "source": found.origin.source,
                    "kind": kind_of(found),
                    "key": found.origin.key,
                    "key_hash": key_hash,
                    "created_at": moment,
                }
            )
            new += 1
        else:
            changed += 1
        version = 1 if before is None else before.version + 1
        versions.append({"item_id": known, "version": version, "created_at": moment, **columns})
    if fresh:
        connection.execute(insert(items), fresh)
    if versions:
        connection.execute(insert(item_versions), versions)
    return AddedItems(new, changed, len(rows) - new - changed)


def _label(found: Found) -> str:
    """What an item's id begins with."""
    if isinstance(found, FoundCaption):
        return " ".join(found.parts)
    return found.name


def _columns(found: Found, picture: str | None) -> dict[str, Any]:
    """An item as columns of item_versions."""
    content: dict[str, Any] = {"details": dict(found.details)}
    if isinstance(found, FoundTemplate):
        content |= {
            "description": found.description,
            "keywords": list(found.keywords),
            "boxes": [asdict(box) for box in found.boxes],
        }
    elif isinstance(found, FoundCaption):
        content |= {"votes": found.votes, "created": found.created}
    else:
        content |= {"labels": dict(found.labels), "created": found.created}
    if not isinstance(found, FoundCaption) and found.year is not None:
        content["year"] = asdict(found.year)
    parent = "" if isinstance(found, FoundTemplate) else found.template
    return {
        "name": "" if isinstance(found, FoundCaption) else found.name,
        "parent_hash": _hash(found.origin.source, "template", parent) if parent else "",
        "parts": () if isinstance(found, FoundTemplate) else found.parts,
        "language": "" if isinstance(found, FoundTemplate) else found.language,
        "content": content,
        "picture": picture,
        "url": found.origin.url,
        "terms": found.origin.terms,
        "fetched_at": found.origin.fetched,
    }


_COMPARED = ("name", "parent_hash", "parts", "language", "picture", "url", "terms")


def _same(before: Row[Any], columns: dict[str, Any]) -> bool:
    """Whether a version says what is known already."""
    if before.content != _as_read(columns["content"]):
        return False
    return all(getattr(before, name) == _as_read(columns[name]) for name in _COMPARED)


def _as_read(value: Any) -> Any:
    """A value as it comes back from the database: JSON knows no tuples."""
    if isinstance(value, dict):
        return json.loads(encode_json(value))
    if isinstance(value, tuple):
        return Parts().process_result_value(Parts().process_bind_param(value, None), None)
    return Words().process_bind_param(value, None)


def _known_ids(connection: Connection, hashes: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    wanted = list(hashes)
    for start in range(0, len(wanted), SLICE):
        query = select(items.c.key_hash, items.c.id).where(
            items.c.key_hash.in_(wanted[start : start + SLICE])
        )
        found.update((row.key_hash, row.id) for row in connection.execute(query))
    return found


def _current(connection: Connection, ids: Iterable[str]) -> dict[str, Row[Any]]:
    found: dict[str, Row[Any]] = {}
    wanted = list(ids)
    for start in range(0, len(wanted), SLICE):
        query = select(item_versions).where(
            item_versions.c.item_id.in_(wanted[start : start + SLICE]), _is_newest()
        )
        found.update((row.item_id, row) for row in connection.execute(query))
    return found


def _is_newest() -> Any:
    later = item_versions.alias()
    return ~(
        select(later.c.id)
        .where(
            later.c.item_id == item_versions.c.item_id,
            later.c.version == item_versions.c.version + 1,
        )
        .exists()
    )


def add_refusals(connection: Connection, several: Sequence[Refusal]) -> int:
    """Store what was not taken; how many were not known yet."""
    rows = {_hash(one.source, one.url, one.reason): one for one in several}
    known: set[str] = set()
    wanted = list(rows)
    for start in range(0, len(wanted), SLICE):
        query = select(refusals.c.hash).where(refusals.c.hash.in_(wanted[start : start + SLICE]))
        known.update(connection.execute(query).scalars())
    fresh = [
        {**asdict(one), "reason": one.reason[:100], "hash": key, "created_at": now()}
        for key, one in rows.items()
        if key not in known
    ]
    if fresh:
        connection.execute(insert(refusals), fresh)
    return len(fresh)


def find_refusals(connection: Connection) -> list[Refusal]:
    """What was not taken, in the order in which it was met."""
    query = select(refusals).order_by(refusals.c.id)
    return [
        Refusal(row.source, row.url, row.reason, row.sentence) for row in connection.execute(query)
    ]


def count_items(connection: Connection) -> dict[tuple[str, str], int]:
    """How many items there are, by source and kind."""
    query = (
        select(items.c.source, items.c.kind, func.count())
        .group_by(items.c.source, items.c.kind)
        .order_by(func.min(items.c.number))
    )
    return {(row[0], row[1]): row[2] for row in connection.execute(query)}


def _items_query() -> Select[Any]:
    parents = items.alias("parents")
    return (
        select(
            items.c.id,
            items.c.kind,
            items.c.source,
            items.c.key,
            item_versions,
            parents.c.id.label("parent"),
            pictures.c.format,
            pictures.c.width,
            pictures.c.height,
            pictures.c.size,
        )
        .join(item_versions, item_versions.c.item_id == items.c.id)
        .outerjoin(parents, parents.c.key_hash == item_versions.c.parent_hash)
        .outerjoin(pictures, pictures.c.sha256 == item_versions.c.picture)
        .where(_is_newest())
        .order_by(items.c.number)
    )


def find_items(
    connection: Connection,
    root: Path | None,
    texts: Mapping[str, tuple[bool, tuple[str, ...]]],
    *,
    kind: ItemKind | None = None,
    ids: Collection[str] | None = None,
    source: str | None = None,
) -> Iterator[Item]:
    """Items as they are now, in the order in which they came.

    Args:
        connection: a transaction.
        root: the workspace's folder, for the pictures' paths.
        texts: transcripts by item: whether a person has seen it, and its parts.
        kind, source: only of this one.
        ids: only these.
    """
    query = _items_query()
    if kind is not None:
        query = query.where(items.c.kind == kind)
    if source is not None:
        query = query.where(items.c.source == source)
    if ids is None:
        streamed = connection.execution_options(yield_per=_FETCHED).execute(query)
        for row in streamed:
            yield _item(row, root, texts)
        return
    wanted = list(ids)
    rows: list[Row[Any]] = []
    for start in range(0, len(wanted), SLICE):
        rows += connection.execute(query.where(items.c.id.in_(wanted[start : start + SLICE])))
    for row in rows:
        yield _item(row, root, texts)


def _item(
    row: Row[Any], root: Path | None, texts: Mapping[str, tuple[bool, tuple[str, ...]]]
) -> Item:
    content = row.content
    parts: tuple[str, ...] = row.parts
    by_person, transcript = texts.get(row.item_id, (False, ()))
    if by_person or not parts:
        parts = transcript or parts
    year = content.get("year")
    path = None
    if root is not None and row.picture:
        path = picture_file(root, row.picture, row.format)
    return Item(
        id=row.item_id,
        kind=row.kind,
        origin=Origin(row.source, row.key, row.url, row.terms, row.fetched_at),
        name=row.name,
        parent=row.parent or "",
        parts=parts,
        language=row.language,
        votes=content.get("votes"),
        year=Year(**year) if year else None,
        created=content.get("created", ""),
        description=content.get("description", ""),
        keywords=tuple(content.get("keywords", ())),
        boxes=tuple(_box(box) for box in content.get("boxes", ())),
        picture=row.picture or "",
        path=path,
        width=row.width or 0,
        height=row.height or 0,
        size=row.size or 0,
        labels=content.get("labels", {}),
        details=content.get("details", {}),
    )


def _box(values: Mapping[str, Any]) -> TextBox:
    return TextBox(**{**values, "style": TextStyle(**values["style"])})
