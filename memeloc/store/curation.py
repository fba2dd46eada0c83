"""What filters and people judged. In: verdicts, pairs, judgements, selections. Out: the newest.

Everything is kept; what is the same as the newest adds nothing. A judgement is bound to what was
seen (`memeloc.items.content_hash`): when the picture or text of an item is another, what was judged
of the one before counts no more, until the item has that content again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, Select, func, select

from memeloc.curate.duplicates.pairs import PAIR, Pair
from memeloc.curate.review.judgement import Judgement
from memeloc.curate.verdict import Verdict, content_of
from memeloc.items import OWN_NAME, Item, ItemKind
from memeloc.store.files import store_file
from memeloc.store.item_contents import Contents, contents_of
from memeloc.store.items import Items
from memeloc.store.queries import (
    Repository,
    add_row,
    add_rows,
    by_slices,
    columns_of,
    equal,
    is_newest,
)
from memeloc.store.records import FileRecord
from memeloc.store.selections import (
    Selection,
    Unusable,
    count_boxes,
    find_unusable,
    newest_selection,
    store_selection,
    take_back,
)
from memeloc.store.tables.items import judgements, pair_sets, pairs, verdicts
from memeloc.store.tables.types import safe_text, through_json


class Curation(Repository):
    """Verdicts, duplicates, judgements and selections of a workspace."""

    def verdicts(self, filter: str | None = None) -> dict[str, dict[str, Verdict]]:
        """The newest verdicts on items as they are now, by item and filter."""
        by_item: dict[str, dict[str, Verdict]] = {}
        with self.database.read() as connection:
            rows = [Verdict(*row) for row in connection.execute(_newest_verdicts(filter))]
            contents = contents_of(connection, None if rows else ())
        for verdict in rows:
            if _is_current(verdict, contents):
                by_item.setdefault(verdict.item, {})[verdict.filter] = verdict
        return by_item

    def add_verdicts(self, new: Sequence[Verdict]) -> int:
        """Store what filters returned; how many differ from the newest."""
        stored = [
            replace(
                verdict,
                reason=safe_text(verdict.reason),
                evidence=through_json(dict(verdict.evidence)),
            )
            for verdict in new
        ]
        differing: list[dict[str, Any]] = []
        with self.database.write() as connection:
            ids = [verdict.item for verdict in stored]
            rows = by_slices(connection, _newest_verdicts(None), verdicts.c.item_id, ids)
            current = {_about(verdict): verdict for verdict in (Verdict(*row) for row in rows)}
            unbound = any(not verdict.content for verdict in stored)
            contents = contents_of(connection, None if unbound else ()).whole
            for verdict in stored:
                content = verdict.content or verdict.content_of(contents)
                bound = replace(verdict, content=content)
                if current.get(_about(bound)) != bound:
                    current[_about(bound)] = bound
                    values = _columns(bound)
                    differing.append({**values, "item_id": values.pop("item")})
            return add_rows(connection, verdicts, differing)

    def earlier_verdicts(self, item: str) -> list[Verdict]:
        """The newest verdicts on an item as it was before, oldest first."""
        query = _newest_verdicts(None).where(verdicts.c.item_id == item)
        with self.database.read() as connection:
            rows = [Verdict(*row) for row in connection.execute(query)]
            contents = contents_of(connection, None if rows else ())
        return [verdict for verdict in rows if not _is_current(verdict, contents)]

    def pairs(self, stage: str | None = None) -> list[Pair]:
        """The pairs of the newest search, all or of one stage, in the order of their ids.

        Those of which an item is another by now are left out: they are to be searched for again.
        """
        with self.database.read() as connection:
            rows = [pair for pair in _newest_pairs(connection) if stage in (None, pair.stage)]
            contents = contents_of(connection, None if rows else ()).whole
        return [pair for pair in rows if pair.content == _content_of(pair.subject, contents)]

    def pair_settings(self) -> dict[str, Any] | None:
        """The settings of the newest search for duplicates; None when there was none."""
        query = select(pair_sets.c.settings).order_by(pair_sets.c.id.desc()).limit(1)
        rows = self.fetch(query)
        return dict(rows[0].settings) if rows else None

    def add_pairs(self, new: Iterable[Pair], settings: Mapping[str, Any] | None = None) -> int:
        """Store all that one search for duplicates found; it takes the place of the last search.

        Returns the number of the search; that of the last one when it found the very same.
        """
        values = through_json(dict(settings or {}))
        ordered = sorted(
            (replace(pair, scores=through_json(dict(pair.scores))) for pair in new), key=_ids
        )
        with self.database.write() as connection:
            unbound = any(not pair.content for pair in ordered)
            contents = contents_of(connection, None if unbound else ()).whole
            rows = [
                _columns(replace(pair, content=pair.content or _content_of(pair.subject, contents)))
                for pair in ordered
            ]
            last = connection.execute(select(pair_sets).order_by(pair_sets.c.id.desc())).first()
            if last and last.settings == values and rows == _rows_of_newest(connection):
                return int(last.id)
            number: int = add_row(connection, pair_sets, settings=values)
            add_rows(connection, pairs, [{**row, "set_id": number} for row in rows])
        return number

    def judgements(self, question: str | None = None, *, earlier: bool = False) -> list[Judgement]:
        """What each person answered last of each subject and question, oldest first.

        Args:
            question: only answers to this one.
            earlier: also what was answered about items as they were before.
        """
        with self.database.read() as connection:
            rows = _newest_judgements(connection, question)
            if earlier or not rows:
                return rows
            contents = contents_of(connection).whole
        return [row for row in rows if row.content == _content_of(row.subject, contents)]

    def add_judgements(self, file: FileRecord, new: Sequence[Judgement]) -> int:
        """Store a file of judgements, whole or not at all, and once; how many are new.

        The file is `FileRecord("judgements", name, sha256, rows)`.
        """
        differing: list[dict[str, Any]] = []
        with self.database.write() as connection:
            file_id, seen = store_file(connection, file)
            if seen:
                return 0
            current = {_key(row): _answer(row) for row in _newest_judgements(connection, None)}
            contents = contents_of(connection).whole
            for row in new:
                bound = replace(row, content=row.content or _content_of(row.subject, contents))
                if current.get(_key(bound)) != _answer(bound):
                    current[_key(bound)] = _answer(bound)
                    differing.append({**_columns(bound), "file_id": file_id})
            return add_rows(connection, judgements, differing)

    def unusable(self, ids: Collection[str], *, write: bool = True) -> dict[str, Unusable]:
        """Which of some captions can be no memes, and why.

        Writes the folders of their templates, without `write` only for the time that it takes.
        """
        return self._unusable(self._items(ids, ["caption"]), write)

    def add_selection(
        self,
        settings: Mapping[str, Any],
        funnel: Sequence[Mapping[str, Any]],
        ids: Collection[str],
        source: str = "en",
        kinds: Collection[ItemKind] = ("caption", "picture"),
    ) -> Selection:
        """Make memes of collected captions, and template folders of what they are written on.

        Memes of an earlier selection that are not chosen now are left out, not deleted.

        Args:
            settings: JSON values: what the items were chosen by; `funnel` says how.
            ids: of captions and finished memes.
            source: tag of the new memes' source language.
            kinds: what was chosen from; what is selected of another kind stays so.
        """
        chosen = self._items(ids, kinds)
        captions = [item for item in chosen if item.kind == "caption"]
        unusable = self._unusable(captions)
        templates = self._templates(captions)
        names = {each.id: each.details[OWN_NAME] for each in templates if OWN_NAME in each.details}
        with self.database.write() as connection:
            return store_selection(
                connection, settings, funnel, chosen, unusable, source, kinds, names
            )

    def take_back_selection(self) -> bool:
        """Let the selection before the newest hold again; whether there was one to take back."""
        with self.database.write() as connection:
            return take_back(connection)

    def _templates(self, captions: Sequence[Item]) -> list[Item]:
        names = list(dict.fromkeys(item.parent for item in captions if item.parent))
        return list(Items(self.root, self.database).find("template", names))

    def _items(self, ids: Collection[str], kinds: Collection[ItemKind]) -> list[Item]:
        found = Items(self.root, self.database)
        return [item for kind in kinds for item in found.find(kind, ids)]

    def _unusable(self, captions: Sequence[Item], write: bool = True) -> dict[str, Unusable]:
        if not captions:
            return {}
        templates = self._templates(captions)
        folder = self.folder / "templates"
        with TemporaryDirectory() as scratch:
            write_to = None if write else Path(scratch)
            return find_unusable(captions, *count_boxes(folder, templates, write_to=write_to))

    def selection(self) -> Selection | None:
        """The newest selection, None when nothing was selected yet."""
        with self.database.read() as connection:
            return newest_selection(connection)


_ids = attrgetter("first", "second")
_key = attrgetter("subject", "question", "person", "content")
_answer = attrgetter("answer", "comment")
_about = attrgetter("item", "filter", "content")


def _content_of(subject: str, contents: Mapping[str, str]) -> str:
    return content_of(subject.split(PAIR), contents)


def _is_current(verdict: Verdict, contents: Contents) -> bool:
    return verdict.content in (verdict.content_of(each) for each in contents)


def _columns(record: Verdict | Pair | Judgement) -> dict[str, Any]:
    """The fields of a record as columns."""
    values = asdict(record)
    values["content_hash"] = values.pop("content")
    return values


def _newest_verdicts(filter_: str | None) -> Select[Any]:
    names = {"item": "item_id", "content": "content_hash"}
    query = select(*columns_of(verdicts, Verdict, **names)).order_by(verdicts.c.id)
    query = query.where(is_newest(verdicts, ("item_id", "filter", "content_hash"), "id"))
    return equal(query, {verdicts.c.filter: filter_})


def _newest_pairs(connection: Connection) -> list[Pair]:
    newest = select(func.max(pair_sets.c.id)).scalar_subquery()
    query = select(*columns_of(pairs, Pair, content="content_hash"))
    query = query.where(pairs.c.set_id == newest)
    return sorted((Pair(*row) for row in connection.execute(query)), key=_ids)


def _rows_of_newest(connection: Connection) -> list[dict[str, Any]]:
    return [_columns(pair) for pair in _newest_pairs(connection)]


def _newest_judgements(connection: Connection, question: str | None) -> list[Judgement]:
    query = select(*columns_of(judgements, Judgement, content="content_hash"))
    same = ("question", "subject", "person", "content_hash")
    query = query.where(is_newest(judgements, same, "id")).order_by(judgements.c.id)
    rows = connection.execute(equal(query, {judgements.c.question: question}))
    return [Judgement(*row) for row in rows]
