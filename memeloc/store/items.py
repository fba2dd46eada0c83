"""What was collected. In: what sources found. Out: items, a version for each time one differed.

An item is known by its source, dataset, kind and key, so collecting again finds it again: the same
adds nothing, what differs is a new version, and the newest holds. `fetched` alone makes no version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, func, select

from memeloc.errors import InputError
from memeloc.items import (
    Found,
    FoundCaption,
    FoundPicture,
    FoundTemplate,
    Item,
    ItemKind,
    Origin,
    Refusal,
    Year,
    hash_of,
    item_id,
    key_hash,
    seen_hash,
)
from memeloc.model import Bar, TextBox, TextStyle
from memeloc.store.captions.transcripts import TranscriptTexts, transcript_texts
from memeloc.store.captions.versions import is_selected
from memeloc.store.pictures import describe, picture_file, remove_unnamed, write_picture
from memeloc.store.queries import (
    Repository,
    add_rows,
    by_slices,
    columns_of,
    equal,
    is_newest,
    two_columns,
    values_of,
)
from memeloc.store.tables.captions import memes
from memeloc.store.tables.items import item_datasets, item_versions, items, pictures, refusals
from memeloc.store.tables.types import decode_json, encode_json, safe_text

_FETCHED = 1000
"""Rows fetched at a time."""


class Items(Repository):
    """The items of a workspace, and their pictures in images/."""

    def add(self, found: Sequence[Found]) -> tuple[Counter[str], list[Refusal]]:
        """Store what a source found, in one transaction; pictures go to images/.

        What is there already adds nothing, what differs becomes a new version; of one item several
        times, the last holds. A picture that is not one, or too large, is left out.

        Returns how many are `new`, `changed` and `unchanged`, and a refusal for each of those.

        Raises:
            InputError: the workspace has no folder for pictures.
        """
        rows: dict[str, tuple[Found, dict[str, Any]]] = {}
        stored: dict[str, tuple[dict[str, Any], bytes]] = {}
        refused: list[Refusal] = []
        for each in found:
            content = None if isinstance(each, FoundCaption) else each.picture
            sha256 = None
            if content is not None:
                try:
                    picture = describe(self.folder, content)
                except InputError as error:
                    where = each.origin.url or each.origin.key
                    row = (each.origin.source, where, "not a usable picture", error.message)
                    refused.append(Refusal(*row))
                    if _KINDS[type(each)] == "picture":
                        continue
                else:
                    stored[sha256 := picture["sha256"]] = picture, content
            origin = each.origin
            key = key_hash(origin.source, _KINDS[type(each)], origin.key, origin.dataset)
            rows[key] = each, _columns(each, sha256)
        with self.database.write() as connection:
            for sha256, (picture, content) in stored.items():
                write_picture(self.folder, sha256, picture["format"], content)
            add_rows(connection, pictures, [row for row, _ in stored.values()], ["sha256"])
            counts = _add(connection, rows)
            _add_refusals(connection, refused, found[0].origin.dataset if found else "")
        return counts, refused

    def remove_unnamed_pictures(self) -> int:
        """Delete files of pictures that a run has left which was killed; how many."""
        if self.root is None:
            return 0
        with self.database.write() as connection:
            return remove_unnamed(self.root, set(connection.scalars(select(pictures.c.sha256))))

    def add_refusals(self, refused: Sequence[Refusal], dataset: str = "") -> int:
        """Store what was not taken, of a dataset; how many were not there yet."""
        with self.database.write() as connection:
            return _add_refusals(connection, refused, dataset)

    def refusals(self) -> list[Refusal]:
        """What was not taken, in the order in which it was met."""
        query = select(*columns_of(refusals, Refusal)).order_by(refusals.c.id)
        return [Refusal(*row) for row in self.fetch(query)]

    def find(
        self,
        kind: ItemKind | None = None,
        ids: Collection[str] | None = None,
        source: str | None = None,
        dataset: str | None = None,
    ) -> Iterator[Item]:
        """Items as they are now, in the order in which they came, one by one.

        The text of a picture is its transcript when a person has seen that, else what its source
        says, else what was read.
        """
        query = equal(_items_query(), {items.c.kind: kind, items.c.source: source})
        query = equal(query, {func.coalesce(item_datasets.c.dataset, ""): dataset})
        with self.database.read() as connection:
            texts = transcript_texts(connection)
            connection = connection.execution_options(yield_per=_FETCHED)
            for row in by_slices(connection, query, items.c.id, ids):
                yield _item(row, self.root, texts)

    def picture_files(self, hashes: Collection[str]) -> dict[str, Path]:
        """Where pictures stand, by their SHA-256; those of earlier versions are there, too."""
        query = select(pictures.c.sha256, pictures.c.format)
        with self.database.read() as connection:
            rows = by_slices(connection, query, pictures.c.sha256, hashes)
            return {sha256: picture_file(self.folder, sha256, kind) for sha256, kind in rows}

    def contents(self, ids: Collection[str] | None = None) -> dict[str, str]:
        """The `content_hash` of items as they are now, by id."""
        with self.database.read() as connection:
            return contents_of(connection, ids).whole

    def count(self) -> dict[tuple[str, str], int]:
        """How many items there are, by source and kind."""
        query = (
            select(items.c.source, items.c.kind, func.count())
            .group_by(items.c.source, items.c.kind)
            .order_by(func.min(items.c.number))
        )
        return {(source, kind): count for source, kind, count in self.fetch(query)}

    def kinds(self) -> dict[str, ItemKind]:
        """The kind of each item, by id."""
        return two_columns(self.fetch(select(items.c.id, items.c.kind)))

    def count_unread(self) -> int:
        """How many finished memes have no text: neither the source nor a reader gives one."""
        read = select(memes.c.item_id).where(is_selected("transcript"))
        query = (
            select(func.count())
            .select_from(items)
            .join(item_versions, item_versions.c.item_id == items.c.id)
            .where(_IS_NEWEST, items.c.kind == "picture", items.c.id.not_in(read))
            .where(item_versions.c.parts.in_([(), ("",)]))
        )
        return int(self.fetch(query)[0][0])


_KINDS: dict[type[Found], ItemKind] = {
    FoundTemplate: "template",
    FoundCaption: "caption",
    FoundPicture: "picture",
}


def _add(connection: Connection, rows: Mapping[str, tuple[Found, dict[str, Any]]]) -> Counter[str]:
    """Store items, by the hash of their key; see `Items.add`."""
    ids: dict[str, str] = {}
    for table, id_ in ((items, items.c.id), (item_datasets, item_datasets.c.item_id)):
        query = select(table.c.key_hash, id_)
        ids |= two_columns(by_slices(connection, query, table.c.key_hash, rows))
    versions_query = select(item_versions).where(_IS_NEWEST)
    newest = by_slices(connection, versions_query, item_versions.c.item_id, ids.values())
    current = {row.item_id: row for row in newest}
    new: list[dict[str, Any]] = []
    named: list[dict[str, Any]] = []
    versions: list[dict[str, Any]] = []
    for hash_, (found, columns) in rows.items():
        before = current.get(ids.get(hash_))
        if before is not None:
            # A picture that cannot be had today was there yesterday.
            columns["picture"] = columns["picture"] or before.picture
            if all(getattr(before, name) == columns[name] for name in _COMPARED):
                continue
            item, version = before.item_id, before.version + 1
        else:
            origin, kind = found.origin, _KINDS[type(found)]
            label = " ".join(found.parts) if isinstance(found, FoundCaption) else found.name
            item, version = item_id(origin.source, kind, origin.key, label, origin.dataset), 1
            row = {"id": item, "source": origin.source, "kind": kind, "key": origin.key}
            new.append({**row, "key_hash": hash_})
            if origin.dataset:
                named.append({"item_id": item, "dataset": origin.dataset, "key_hash": hash_})
        versions.append({"item_id": item, "version": version, **columns})
    add_rows(connection, items, new)
    add_rows(connection, item_datasets, named)
    add_rows(connection, item_versions, versions)
    changed, unchanged = len(versions) - len(new), len(rows) - len(versions)
    return Counter(new=len(new), changed=changed, unchanged=unchanged)


_COMPARED = ("name", "parent_hash", "parts", "language", "content", "picture", "url", "terms")


def _columns(found: Found, picture: str | None) -> dict[str, Any]:
    """An item as columns of item_versions, as they come back from the database."""
    values = asdict(found)
    for name in ("origin", "picture"):
        values.pop(name, None)
    parent, origin = values.pop("template", ""), found.origin
    return {
        "name": safe_text(values.pop("name", "")),
        "parent_hash": key_hash(origin.source, "template", parent, origin.dataset)
        if parent
        else "",
        "parts": tuple(values.pop("parts", ())),
        "language": values.pop("language", ""),
        "content": decode_json(encode_json(values)),
        "picture": picture,
        "url": safe_text(found.origin.url),
        "terms": safe_text(found.origin.terms),
        "fetched_at": found.origin.fetched,
    }


_IS_NEWEST = is_newest(item_versions, ["item_id"], "version")


def _add_refusals(connection: Connection, refused: Sequence[Refusal], dataset: str) -> int:
    within = (dataset,) if dataset else ()
    rows = [
        {**values_of(each), "hash": hash_of(each.source, each.url, each.reason, *within)}
        for each in refused
    ]
    return add_rows(connection, refusals, rows, ["hash"])


def _items_query() -> Select[Any]:
    query = select(
        *(items.c[name] for name in ("id", "kind", "source", "key")),
        item_versions,
        func.coalesce(item_datasets.c.dataset, "").label("dataset"),
        *(pictures.c[name] for name in ("format", "width", "height", "size")),
    )
    return (
        _with_template(query)
        .outerjoin(item_datasets, item_datasets.c.item_id == items.c.id)
        .outerjoin(pictures, pictures.c.sha256 == item_versions.c.picture)
        .order_by(items.c.number)
    )


def _item(row: Row[Any], root: Path | None, texts: TranscriptTexts) -> Item:
    content = dict(row.content)
    year = content.pop("year", None)
    return Item(
        id=row.item_id,
        kind=row.kind,
        origin=Origin(row.source, row.key, row.url, row.terms, row.fetched_at, row.dataset),
        name=row.name,
        parent=row.parent,
        parts=_parts_of(row, texts),
        language=row.language,
        year=Year(**year) if year else None,
        keywords=tuple(content.pop("keywords", ())),
        boxes=tuple(
            TextBox(
                **{
                    **box,
                    "style": TextStyle(**box["style"]),
                    "bar": Bar(**box["bar"]) if box.get("bar") else None,
                }
            )
            for box in content.pop("boxes", ())
        ),
        picture=row.picture or "",
        template_picture=row.template_picture or "",
        path=picture_file(root, row.picture, row.format) if root and row.picture else None,
        width=row.width or 0,
        height=row.height or 0,
        size=row.size or 0,
        **content,
    )


class Contents(NamedTuple):
    """What items are now, by id: `content_hash`, and `picture_hash` of their pictures alone."""

    whole: dict[str, str]
    pictures: dict[str, str]


def contents_of(connection: Connection, ids: Collection[str] | None = None) -> Contents:
    """What items are now."""
    query = _with_template(
        select(items.c.id.label("item_id"), item_versions.c.parts, item_versions.c.picture)
    )
    texts = transcript_texts(connection)
    contents = Contents({}, {})
    for row in by_slices(connection, query, items.c.id, ids):
        picture = row.picture or row.template_picture or ""
        contents.whole[row.item_id] = seen_hash(picture, _parts_of(row, texts))
        contents.pictures[row.item_id] = seen_hash(picture, None)
    return contents


def _with_template(query: Select[Any]) -> Select[Any]:
    """A query of items and their newest versions, with the id and picture of their templates."""
    named, templates = item_datasets.alias("named_templates"), items.alias("templates")
    versions = item_versions.alias("template_versions")
    template = func.coalesce(templates.c.id, named.c.item_id, "")
    return (
        query.add_columns(template.label("parent"), versions.c.picture.label("template_picture"))
        .select_from(items)
        .join(item_versions, item_versions.c.item_id == items.c.id)
        .outerjoin(templates, templates.c.key_hash == item_versions.c.parent_hash)
        .outerjoin(named, named.c.key_hash == item_versions.c.parent_hash)
        .outerjoin(
            versions,
            and_(versions.c.item_id == template, is_newest(versions, ["item_id"], "version")),
        )
        .where(_IS_NEWEST)
    )


def _parts_of(row: Row[Any], texts: TranscriptTexts) -> tuple[str, ...]:
    """The text that an item has: of a picture, what a person made of what was read in it."""
    by_person, transcript = texts.get((row.item_id, row.picture), (False, ()))
    parts: tuple[str, ...] = row.parts
    if parts and not by_person:
        return parts
    # A part that was taken for text and is none stays in the transcript, empty.
    return tuple(part for part in transcript if part)
