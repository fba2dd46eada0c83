"""Collected items. In: what sources found. Out: items, a version for each time one differed.

An item is known by its source, dataset, kind and key, so collecting again finds it again: the same
adds nothing, what differs is a new version, and the newest holds. `fetched` alone makes no version.
A dataset is a folder that keeps its name from one collection to the next; a name belongs to one
folder, unless somebody says that it has moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, Select, and_, func, select

from memeloc import items as model
from memeloc.errors import InputError
from memeloc.items import Found, Item, ItemKind, Refusal, hash_of, key_hash, seen_hash
from memeloc.store import pictures as files
from memeloc.store.captions.transcripts import TranscriptTexts, transcript_texts
from memeloc.store.captions.versions import is_selected
from memeloc.store.queries import (
    Repository,
    add_differing,
    add_rows,
    as_stored,
    by_slices,
    columns_of,
    equal,
    is_newest,
    two_columns,
    values_of,
)
from memeloc.store.tables.captions import memes
from memeloc.store.tables.items import (
    datasets,
    item_datasets,
    item_versions,
    items,
    pictures,
    refusals,
)

_KINDS: dict[type[Found], ItemKind] = {
    model.FoundTemplate: "template",
    model.FoundCaption: "caption",
    model.FoundPicture: "picture",
}
_COMPARED = ("name", "parent_hash", "parts", "language", "content", "picture", "url", "terms")
"""The columns of item_versions of which one differs in a new version."""
_IS_NEWEST = is_newest(item_versions, ["item_id"], "version")
_LONGEST_NAME = 200  # characters; it names folders too, which take 255 bytes


class Items(Repository):
    """The items of a workspace, and their pictures in images/."""

    def add(self, found: Sequence[Found]) -> tuple[Counter[str], list[Refusal]]:
        """Store what a source found, in one transaction; pictures go to images/. Return how many
        are `new`, `changed` and `unchanged`, and a refusal for each picture that is not one, or too
        large.

        What is there already adds nothing, what differs becomes a new version; of one item several
        times, the last holds. Raise InputError if the workspace has no folder for pictures.
        """
        rows: dict[str, tuple[Found, dict[str, Any]]] = {}
        stored: dict[str, tuple[dict[str, Any], bytes]] = {}
        refused: list[Refusal] = []
        for each in found:
            content = None if isinstance(each, model.FoundCaption) else each.picture
            origin, sha256 = each.origin, None
            if content is not None:
                try:
                    picture = files.describe(self.folder, content)
                    stored[sha256 := picture["sha256"]] = picture, content
                except InputError as error:
                    where, reason = origin.url or origin.key, "not a usable picture"
                    refused.append(Refusal(origin.source, where, reason, error.message))
                    if isinstance(each, model.FoundPicture):
                        continue
            key = key_hash(origin.source, _KINDS[type(each)], origin.key, origin.dataset)
            rows[key] = each, _columns(each, sha256)
        with self.database.write() as connection:
            for sha256, (picture, content) in stored.items():
                files.write_picture(self.folder, sha256, picture["format"], content)
            add_rows(connection, pictures, [row for row, _ in stored.values()], ["sha256"])
            counts = _add(connection, rows)
            _add_refusals(connection, refused, found[0].origin.dataset if found else "")
        return counts, refused

    def remove_unnamed_pictures(self) -> int:
        """Delete files of pictures that a run has left which was killed; return how many."""
        if self.root is None:
            return 0
        with self.database.write() as connection:
            named = set(connection.scalars(select(pictures.c.sha256)))
            return files.remove_unnamed(self.root, named)

    def add_refusals(self, refused: Sequence[Refusal], dataset: str = "") -> int:
        """Store what was not taken, of a dataset; return how many were not there yet."""
        with self.database.write() as connection:
            return _add_refusals(connection, refused, dataset)

    def refusals(self) -> list[Refusal]:
        """Return what was not taken, in the order in which it was met."""
        query = select(*columns_of(refusals, Refusal)).order_by(refusals.c.id)
        return [Refusal(*row) for row in self.fetch(query)]

    def find(
        self,
        kind: ItemKind | None = None,
        ids: Collection[str] | None = None,
        source: str | None = None,
        dataset: str | None = None,
    ) -> Iterator[Item]:
        """Yield items as they are now, in the order in which they came. The text of a picture is
        its transcript when a person has seen that, else what its source says, else what was read.
        """
        label = func.coalesce(item_datasets.c.dataset, "").label("dataset")
        query = (
            _current(
                *items.c["kind", "source", "key"],
                *item_versions.c[("item_id", "fetched_at", *_COMPARED)],
                *pictures.c["format", "width", "height", "size"],
                label,
            )
            .outerjoin(item_datasets, item_datasets.c.item_id == items.c.id)
            .outerjoin(pictures, pictures.c.sha256 == item_versions.c.picture)
            .order_by(items.c.number)
        )
        query = equal(query, {items.c.kind: kind, items.c.source: source, label.element: dataset})
        with self.database.read() as connection:
            texts = transcript_texts(connection)
            connection = connection.execution_options(yield_per=1000)
            for row in by_slices(connection, query, items.c.id, ids):
                yield _item(row, self.root, texts)

    def picture_files(self, hashes: Collection[str]) -> dict[str, Path]:
        """Return where pictures stand, by their SHA-256; those of earlier versions, too."""
        query = select(*pictures.c["sha256", "format"])
        with self.database.read() as connection:
            rows = by_slices(connection, query, pictures.c.sha256, hashes)
            return {sha256: files.picture_file(self.folder, sha256, kind) for sha256, kind in rows}

    def contents(self, ids: Collection[str] | None = None) -> dict[str, str]:
        """Return the `content_hash` of items as they are now, by id."""
        with self.database.read() as connection:
            return contents_of(connection, ids).whole

    def count(self) -> dict[tuple[str, str], int]:
        """Return how many items there are, by source and kind."""
        names = items.c["source", "kind"]
        query = select(*names, func.count()).group_by(*names).order_by(func.min(items.c.number))
        return {(source, kind): count for source, kind, count in self.fetch(query)}

    def kinds(self) -> dict[str, ItemKind]:
        return two_columns(self.fetch(select(*items.c["id", "kind"])))

    def count_unread(self) -> int:
        """Return how many finished memes have no text from the source or a reader."""
        read = select(memes.c.item_id).where(is_selected("transcript"))
        query = (
            select(func.count())
            .join_from(items, item_versions, item_versions.c.item_id == items.c.id)
            .where(_IS_NEWEST, items.c.kind == "picture", items.c.id.not_in(read))
            .where(item_versions.c.parts.in_([(), ("",)]))
        )
        return int(self.value(query))


class Datasets(Repository):
    def roots(self, source: str) -> dict[str, str]:
        """Return the folder that each dataset of a source was last collected from, by its name;
        relative to the workspace where it lies in it, with slashes."""
        query = select(*datasets.c["name", "root"]).order_by(datasets.c.id)
        query = query.where(is_newest(datasets, ("source", "name")))
        return two_columns(self.fetch(query.where(datasets.c.source == source)))

    def name_for(self, source: str, name: str, root: Path | None, chosen: str = "") -> str:
        """Return the name of a dataset: the one that was chosen, its folder's, or else `name`.
        Raise InputError if nobody chose one, and `name` is that of another folder; or what was
        chosen is no name."""
        if chosen:
            if not chosen.strip() or not chosen.isprintable() or len(chosen) > _LONGEST_NAME:
                raise InputError(f"a dataset's name has 1 to {_LONGEST_NAME} characters")
            return chosen.strip()
        where, roots = self._place(root), self.roots(source)
        if root is not None and where in roots.values():
            return next(key for key in reversed(roots) if roots[key] == where)
        if roots.get(name, where) != where:
            raise InputError(
                f"The dataset {name!r} of the source {source} was collected from {roots[name]}, "
                f"and this is {where}. Name it: `--dataset {name}` where it is the same one that "
                "has moved, and another name where it is another one."
            )
        return name

    def enter(self, source: str, name: str, root: Path | None) -> None:
        """Store where a dataset is, unless that is known."""
        row = {"source": source, "name": name, "root": self._place(root)}
        with self.database.write() as connection:
            add_differing(connection, datasets, [row], ("source", "name"), ["root"])

    def _place(self, root: Path | None) -> str:
        if root is None:
            return ""
        top = self.root.resolve() if self.root else None
        inside = top is not None and root.is_relative_to(top)
        return (root.relative_to(top) if inside and top else root).as_posix()


def _add(connection: Connection, rows: Mapping[str, tuple[Found, dict[str, Any]]]) -> Counter[str]:
    """Store items, by the hash of their key; see `Items.add`."""
    ids: dict[str, str] = {}
    for table, id_ in ((items, items.c.id), (item_datasets, item_datasets.c.item_id)):
        query = select(table.c.key_hash, id_)
        ids |= two_columns(by_slices(connection, query, table.c.key_hash, rows))
    newest = select(*item_versions.c[("item_id", "version", *_COMPARED)]).where(_IS_NEWEST)
    found = by_slices(connection, newest, item_versions.c.item_id, ids.values())
    current = {row.item_id: row for row in found}
    new: list[dict[str, Any]] = []
    named: list[dict[str, Any]] = []
    versions: list[dict[str, Any]] = []
    for hash_, (each, columns) in rows.items():
        before = current.get(ids.get(hash_))
        if before is not None:
            # A picture that cannot be had today was there yesterday.
            columns["picture"] = columns["picture"] or before.picture
            if all(getattr(before, name) == columns[name] for name in _COMPARED):
                continue
            item, version = before.item_id, before.version + 1
        else:
            origin, kind = each.origin, _KINDS[type(each)]
            label = " ".join(each.parts) if isinstance(each, model.FoundCaption) else each.name
            item = model.item_id(origin.source, kind, origin.key, label, origin.dataset)
            version = 1
            about = {"source": origin.source, "kind": kind, "key": origin.key}
            new.append({"id": item, "key_hash": hash_, **about})
            if origin.dataset:
                named.append({"item_id": item, "dataset": origin.dataset, "key_hash": hash_})
        versions.append({"item_id": item, "version": version, **columns})
    for table, added in ((items, new), (item_datasets, named), (item_versions, versions)):
        add_rows(connection, table, added)
    changed, unchanged = len(versions) - len(new), len(rows) - len(versions)
    return Counter(new=len(new), changed=changed, unchanged=unchanged)


def _columns(found: Found, picture: str | None) -> dict[str, Any]:
    """Return an item as columns of item_versions; `content` is what has no column of its own."""
    values, origin = asdict(found), found.origin
    del values["origin"]
    values.pop("picture", None)
    parent, key = "", values.pop("template", "")
    if key:
        parent = key_hash(origin.source, "template", key, origin.dataset)
    row = {
        "name": values.pop("name", ""),
        "parent_hash": parent,
        "parts": values.pop("parts", ()),
        "language": values.pop("language", ""),
        "content": values,
        "picture": picture,
        "url": origin.url,
        "terms": origin.terms,
        "fetched_at": origin.fetched,
    }
    return as_stored(item_versions, row)


def _add_refusals(connection: Connection, refused: Sequence[Refusal], dataset: str) -> int:
    within = (dataset,) if dataset else ()
    rows = [
        {**values_of(each), "hash": hash_of(each.source, each.url, each.reason, *within)}
        for each in refused
    ]
    return add_rows(connection, refusals, rows, ["hash"])


@cache
def _adapter() -> TypeAdapter[Item]:
    return TypeAdapter(Item)


def _item(row: Row[Any], root: Path | None, texts: TranscriptTexts) -> Item:
    values = {
        **row.content,
        "id": row.item_id,
        "kind": row.kind,
        "origin": model.Origin(
            row.source, row.key, row.url, row.terms, row.fetched_at, row.dataset
        ),
        "name": row.name,
        "parent": row.parent,
        "parts": _parts_of(row, texts),
        "language": row.language,
        "picture": row.picture or "",
        "template_picture": row.template_picture or "",
        "path": files.picture_file(root, row.picture, row.format) if root and row.picture else None,
        "width": row.width or 0,
        "height": row.height or 0,
        "size": row.size or 0,
    }
    return _adapter().validate_python(values)


class Contents(NamedTuple):
    """Hashes of items as they are now, by id: `content_hash`, and `picture_hash` of their pictures
    alone."""

    whole: dict[str, str]
    pictures: dict[str, str]


def contents_of(connection: Connection, ids: Collection[str] | None = None) -> Contents:
    query = _current(*item_versions.c["item_id", "parts", "picture"])
    texts = transcript_texts(connection)
    contents = Contents({}, {})
    for row in by_slices(connection, query, items.c.id, ids):
        picture = row.picture or row.template_picture or ""
        contents.whole[row.item_id] = seen_hash(picture, _parts_of(row, texts))
        contents.pictures[row.item_id] = seen_hash(picture, None)
    return contents


def _current(*columns: Any) -> Select[Any]:
    """Return the query of items and their newest versions: these columns, and the id (`parent`) and
    picture of their templates."""
    named, templates = item_datasets.alias("named_templates"), items.alias("templates")
    versions = item_versions.alias("template_versions")
    template = func.coalesce(templates.c.id, named.c.item_id, "")
    is_template = and_(versions.c.item_id == template, is_newest(versions, ["item_id"], "version"))
    return (
        select(*columns, template.label("parent"), versions.c.picture.label("template_picture"))
        .join_from(items, item_versions, item_versions.c.item_id == items.c.id)
        .outerjoin(templates, templates.c.key_hash == item_versions.c.parent_hash)
        .outerjoin(named, named.c.key_hash == item_versions.c.parent_hash)
        .outerjoin(versions, is_template)
        .where(_IS_NEWEST)
    )


def _parts_of(row: Row[Any], texts: TranscriptTexts) -> tuple[str, ...]:
    """Return the text that an item has: of a picture, what a person made of what was read in it."""
    by_person, transcript = texts.get((row.item_id, row.picture), (False, ()))
    if row.parts and not by_person:
        parts: tuple[str, ...] = row.parts
        return parts
    # A part that was taken for text and is none stays in the transcript, empty.
    return tuple(part for part in transcript if part)
