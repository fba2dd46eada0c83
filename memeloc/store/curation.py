"""Verdicts of filters and people, and selections. In: their records. Out: the newest.

Everything is kept; what is the same as the newest adds nothing. A judgement is bound to what was
seen (`memeloc.items.content_hash`): when the picture or text of an item is another, what was judged
of the one before counts no more, until the item has that content again.

The newest selection holds: a meme whose item it has is active, a meme of an earlier one is left
out with all that was done for it, and comes back when it is chosen again. Finished memes that are
selected become no memes to translate: they are memes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, Table, func, select

from memeloc.curate.verdict import PAIR, Judgement, Pair, Verdict, content_of
from memeloc.items import OWN_NAME, TRANSLATIONS, Item, ItemKind
from memeloc.store import queries
from memeloc.store.captions.versions import (
    add_memes,
    add_versions,
    check_parts,
    current_of,
    made_by,
)
from memeloc.store.items import Items, contents_of
from memeloc.store.queries import add_differing, add_row, add_rows, by_slices, equal, two_columns
from memeloc.store.records import FileRecord
from memeloc.store.tables import items as tables
from memeloc.store.tables.captions import memes
from memeloc.store.tables.types import encode_json

RESTORED = "restored"
"""In the settings of a selection that took another back: the number of the one that holds again."""

_NAMES = {"item": "item_id", "content": "content_hash"}
"""Columns by the field of a verdict, pair or judgement, where the names differ."""

_Record = TypeVar("_Record", Verdict, Pair, Judgement)


@dataclass(frozen=True, slots=True)
class Selection:
    """The items chosen, by which settings; its `funnel` has how many came in and went out of each
    stage, and why. `items` are in the order in which they were collected, `pictures` those of them
    that are finished memes; `new`, how many memes were not there before, is filled only as it is
    stored."""

    id: int
    settings: Mapping[str, Any]
    funnel: Sequence[Mapping[str, Any]]
    items: tuple[str, ...]
    pictures: tuple[str, ...] = ()
    new: int = 0


class Curation(queries.Repository):
    def verdicts(self, filter: str | None = None) -> dict[str, dict[str, Verdict]]:
        """Return the newest verdicts on items as they are now, by item and filter."""
        by_item = defaultdict[str, dict[str, Verdict]](dict)
        wanted = equal(_NEWEST_VERDICTS, {tables.verdicts.c.filter: filter})
        for verdict in self._current(wanted, Verdict):
            by_item[verdict.item][verdict.filter] = verdict
        return dict(by_item)

    def topics(self) -> dict[str, dict[str, str]]:
        """Return the `topic` and `category` of items: of several the first whose keywords match the
        name (multi3hate 3.1)."""
        return {
            item: topics[0]
            for item, by_filter in self.verdicts("topics").items()
            if (topics := by_filter["topics"].evidence.get("topics"))
        }

    def earlier_verdicts(self, item: str) -> list[Verdict]:
        """Return the newest verdicts on an item as it was before, oldest first."""
        wanted = _NEWEST_VERDICTS.where(tables.verdicts.c.item_id == item)
        return self._current(wanted, Verdict, earlier=True)

    def add_verdicts(self, new: Sequence[Verdict]) -> int:
        """Store what filters returned; return how many differ from the newest."""
        compared = ("verdict", "score", "reason", "evidence", "settings")
        with self.database.write() as connection:
            return add_differing(
                connection, tables.verdicts, _rows(connection, new), _OF_VERDICT, compared
            )

    def pairs(self) -> list[Pair]:
        """Return the pairs of the newest search, in the order of their ids.
        Those of which an item is another by now are left out: they are to be searched for again."""
        found = self._current(_NEWEST_PAIRS, Pair)
        return sorted(found, key=lambda pair: pair.ids)

    def pair_settings(self) -> dict[str, Any] | None:
        """Return the settings of the newest search for duplicates; None when there was none."""
        settings: dict[str, Any] | None = self.value(_NEWEST_SEARCH)
        return settings

    def add_pairs(self, new: Iterable[Pair], settings: Mapping[str, Any] | None = None) -> int:
        """Store all that one search for duplicates found, in place of the last search; return the
        search's number, that of the last one when it found the very same."""
        values, found = dict(settings or {}), sorted(new, key=lambda pair: pair.ids)
        with self.database.write() as connection:
            rows = _rows(connection, found)
            last = connection.execute(_NEWEST_SEARCH).first()
            before = [row._asdict() for row in connection.execute(_NEWEST_PAIRS)]
            before.sort(key=lambda row: (row["first"], row["second"]))
            if last and encode_json([last.settings, before]) == encode_json([values, rows]):
                return int(last.id)
            number: int = add_row(connection, tables.pair_sets, settings=values)
            add_rows(connection, tables.pairs, [{**row, "set_id": number} for row in rows])
        return number

    def judgements(self, question: str | None = None, *, earlier: bool = False) -> list[Judgement]:
        """Return what each person answered last of each subject and question, oldest first; of one
        question or all; `earlier` is also about items as they were before."""
        query = equal(_NEWEST_JUDGEMENTS, {tables.judgements.c.question: question})
        if earlier:
            return [Judgement(*row) for row in self.fetch(query)]
        return self._current(query, Judgement)

    def add_judgements(self, file: FileRecord, new: Sequence[Judgement]) -> int:
        """Store a file of judgements, whole or not at all, and once; return how many are new."""
        with self.database.write() as connection:
            file_id, seen = queries.store_file(connection, file)
            if seen:
                return 0
            rows = [{**row, "file_id": file_id} for row in _rows(connection, new)]
            compared = ("answer", "comment")
            return add_differing(connection, tables.judgements, rows, _OF_JUDGEMENT, compared)

    def selection(self) -> Selection | None:
        with self.database.read() as connection:
            return _newest_selection(connection)

    def add_selection(
        self,
        settings: Mapping[str, Any],
        funnel: Sequence[Mapping[str, Any]],
        ids: Collection[str],
        source: str = "en",
        kinds: Collection[ItemKind] = ("caption", "picture"),
    ) -> Selection:
        """Make memes of collected captions that can be memes, and store the selection.

        `settings`, JSON values, are what the items were chosen by, of `kinds`: what is selected of
        another kind stays so; `funnel` says how. Memes of an earlier selection that are not chosen
        now are left out, not deleted. Translations that came with a caption are its meme's, unless
        the meme has one in that language.
        """
        items = Items(self.root, self.database)
        chosen = [item for kind in kinds for item in items.find(kind, ids)]
        captions = {item.id: item for item in chosen if item.kind == "caption"}
        parents = {item.parent for item in captions.values()}
        templates = items.find("template", parents)
        template_of = {each.id: each.details.get(OWN_NAME, each.id) for each in templates}
        selected = [*captions, *(item.id for item in chosen if item.kind == "picture")]
        with self.database.write() as connection:
            named = _named(connection, captions)
            new_memes = {
                meme_id: {
                    "template": template_of.get(item.parent, item.parent),
                    "source_language": source,
                    "item_id": item.id,
                }
                for meme_id, item in named.items()
            }
            added = add_memes(connection, new_memes)
            texts = {
                meme_id: {"parts": check_parts(item.parts, meme_id), "origin": item.origin.source}
                for meme_id, item in named.items()
                if meme_id in added
            }
            add_versions(connection, texts, language=source, stage="collected")
            _add_translations(connection, named, source)
            stages = [*funnel]
            last = _newest_selection(connection)
            if last:
                others = [each for each in last.funnel if each.get("kind", "caption") not in kinds]
                stages = [*others, *stages]
                kind_of = dict.fromkeys(last.items, "caption")
                kind_of |= dict.fromkeys(last.pictures, "picture")
                selected += [item for item, kind in kind_of.items() if kind not in kinds]
                before = (last.settings, last.funnel, sorted(last.items))
                if encode_json(before) == encode_json((settings, stages, sorted({*selected}))):
                    return replace(last, new=len(added))
            _store_selection(connection, settings, stages, selected)
            stored = _newest_selection(connection)
            assert stored is not None
            return replace(stored, new=len(added))

    def take_back_selection(self) -> bool:
        """Let the selection before the newest hold again, as a new row; return whether there was a
        newest. Before the first one nothing was selected. Taken back again, the one before that
        holds."""
        with self.database.write() as connection:
            last = _newest_selection(connection)
            if last is None:
                return False
            columns = tables.selections.c
            query = select(tables.selections).order_by(columns.id.desc())
            rows = connection.execute(
                query.where(columns.id < last.settings.get(RESTORED, last.id))
            )
            row = next((row for row in rows if RESTORED not in row.settings), None)
            before = row.id if row else 0
            settings, funnel = (row.settings, row.funnel) if row else ({}, [])
            members = tables.selection_items.c
            query = select(members.item_id).where(members.selection_id == before)
            ids = connection.scalars(query).all()
            _store_selection(connection, {**settings, RESTORED: before}, funnel, ids)
        return True

    def _current(
        self, query: Select[Any], record: type[_Record], *, earlier: bool = False
    ) -> list[_Record]:
        """Return the records of a query that are about items as they are now, or were before."""
        with self.database.read() as connection:
            rows = [record(*row) for row in connection.execute(query)]
            contents = contents_of(connection, None if rows else ())
        return [
            row
            for row in rows
            if earlier != (row.content in (_content(row, of) for of in contents))
        ]


_OF_VERDICT = ("item_id", "filter", "content_hash")
_OF_JUDGEMENT = ("question", "subject", "person", "content_hash")


def _newest(table: Table, record: type[Any], same: Sequence[str]) -> Select[Any]:
    query = select(*queries.columns_of(table, record, **_NAMES)).order_by(table.c.id)
    return query.where(queries.is_newest(table, same))


_NEWEST_VERDICTS = _newest(tables.verdicts, Verdict, _OF_VERDICT)
_NEWEST_JUDGEMENTS = _newest(tables.judgements, Judgement, _OF_JUDGEMENT)
_NEWEST_SEARCH = select(*tables.pair_sets.c["settings", "id"]).order_by(
    tables.pair_sets.c.id.desc()
)
_NEWEST_PAIRS = select(*queries.columns_of(tables.pairs, Pair, **_NAMES)).where(
    tables.pairs.c.set_id == select(func.max(tables.pair_sets.c.id)).scalar_subquery()
)


def _content(record: Verdict | Pair | Judgement, contents: Mapping[str, str]) -> str:
    if isinstance(record, Verdict):
        return record.content_of(contents)
    return content_of(record.subject.split(PAIR), contents)


def _rows(
    connection: Connection, records: Sequence[Verdict | Pair | Judgement]
) -> list[dict[str, Any]]:
    """Return the rows of records; those that do not say what they are about are of items now."""
    contents = contents_of(connection, () if all(row.content for row in records) else None).whole
    return [
        queries.values_of(row, **_NAMES) | {"content_hash": row.content or _content(row, contents)}
        for row in records
    ]


def _newest_selection(connection: Connection) -> Selection | None:
    query = select(tables.selections).order_by(tables.selections.c.id.desc())
    row = connection.execute(query).first()
    if row is None or row.settings.get(RESTORED) == 0:
        return None
    members, items = tables.selection_items.c, tables.items.c
    query = select(items.id, items.kind).join(tables.selection_items, items.id == members.item_id)
    query = query.where(members.selection_id == row.id).order_by(items.number)
    kinds = two_columns(connection.execute(query))
    pictures = tuple(item for item, kind in kinds.items() if kind == "picture")
    return Selection(row.id, row.settings, row.funnel, tuple(kinds), pictures)


def _store_selection(
    connection: Connection,
    settings: Mapping[str, Any],
    funnel: Sequence[Mapping[str, Any]],
    ids: Iterable[str],
) -> int:
    values = {"settings": dict(settings), "funnel": list(funnel)}
    number: int = add_row(connection, tables.selections, **values)
    members = [{"selection_id": number, "item_id": key} for key in ids]
    add_rows(connection, tables.selection_items, members)
    return number


def _named(connection: Connection, captions: Mapping[str, Item]) -> dict[str, Item]:
    """Return collected captions by the ids of their memes, old or new: the name that a caption
    brought, else its item's id, as where another meme has that name."""
    query = select(*memes.c["item_id", "id"])
    existing = two_columns(by_slices(connection, query, memes.c.item_id, captions))
    wanted = {item.details.get(OWN_NAME, key) for key, item in captions.items()}
    query = select(memes.c.id)
    taken = {row.id for row in by_slices(connection, query, memes.c.id, wanted)}
    named: dict[str, Item] = {}
    for key, item in captions.items():
        name = item.details.get(OWN_NAME, key)
        named[existing.get(key, key if name in taken or name in named else name)] = item
    return named


def _add_translations(connection: Connection, captions: Mapping[str, Item], language: str) -> None:
    """Add what captions came with in other languages, where their memes have nothing yet."""
    by_tag = defaultdict[str, dict[str, Mapping[str, Any]]](dict)
    for key, item in captions.items():
        for tag, translation in item.details.get(TRANSLATIONS, {}).items():
            by_tag[tag][key] = translation
    sources = current_of(connection, language, {*captions} if by_tag else ())
    for tag, translations in by_tag.items():
        existing = current_of(connection, tag, translations)
        rows = {
            key: {
                "parts": check_parts(translation["parts"], key),
                "source_id": sources[key].id,
                "origin": captions[key].origin.source,
                **made_by(translation["state"], translation["by"], "collected"),
            }
            for key, translation in translations.items()
            # A translation of another text than the meme has is none of it.
            if key not in existing and sources[key].parts == check_parts(captions[key].parts, key)
        }
        add_versions(connection, rows, language=tag)
