"""What filters and people judged. In: verdicts, pairs, judgements, selections. Out: the newest.

Everything is kept; what is the same as the newest adds nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select

from memeloc.curate.duplicates.pairs import Pair
from memeloc.curate.review.judgement import Judgement
from memeloc.curate.verdict import Verdict
from memeloc.store.database import Database, by_slices, now
from memeloc.store.files import store_file
from memeloc.store.items import Items, folder_of
from memeloc.store.records import FileRecord
from memeloc.store.selections import (
    Selection,
    count_boxes,
    newest_selection,
    store_selection,
    write_templates,
)
from memeloc.store.tables.items import judgements, pair_sets, pairs, verdicts
from memeloc.store.tables.types import safe_text, through_json


class Curation:
    """Verdicts, duplicates, judgements and selections of a workspace."""

    def __init__(self, root: Path | None, database: Database) -> None:
        self.root = root
        self.database = database

    def verdicts(self, filter: str | None = None) -> dict[str, dict[str, Verdict]]:
        """The newest verdicts, by item and filter."""
        by_item: dict[str, dict[str, Verdict]] = {}
        with self.database.read() as connection:
            for row in connection.execute(_newest_verdicts(filter)):
                by_item.setdefault(row.item_id, {})[row.filter] = _verdict(row)
        return by_item

    def add_verdicts(self, new: Sequence[Verdict]) -> int:
        """Store what filters returned; how many differ from the newest."""
        fresh: list[dict[str, Any]] = []
        with self.database.write() as connection:
            for name in dict.fromkeys(verdict.filter for verdict in new):
                mine = [_as_stored(verdict) for verdict in new if verdict.filter == name]
                rows = by_slices(
                    connection,
                    _newest_verdicts(name),
                    verdicts.c.item_id,
                    [verdict.item for verdict in mine],
                )
                current = {row.item_id: _verdict(row) for row in rows}
                for verdict in mine:
                    if current.get(verdict.item) != verdict:
                        current[verdict.item] = verdict
                        row = asdict(verdict)
                        fresh.append({**row, "item_id": row.pop("item"), "created_at": now()})
            if fresh:
                connection.execute(insert(verdicts), fresh)
        return len(fresh)

    def pairs(self, stage: str | None = None) -> list[Pair]:
        """The pairs of the newest search, all or of one stage, in the order of their ids."""
        with self.database.read() as connection:
            return _newest_pairs(connection, stage)

    def add_pairs(self, new: Iterable[Pair], settings: Mapping[str, Any] | None = None) -> int:
        """Store all that one search for duplicates found; it takes the place of the last search.

        Args:
            new: the pairs it found.
            settings: what they were found by.

        Returns:
            The number of the search; that of the last one when it found the very same.
        """
        values = through_json(dict(settings or {}))
        found = sorted(
            (replace(pair, scores=through_json(dict(pair.scores))) for pair in new), key=_ids
        )
        with self.database.write() as connection:
            last = connection.execute(select(pair_sets).order_by(pair_sets.c.id.desc())).first()
            same = last is not None and last.settings == values
            if last is not None and same and _newest_pairs(connection, None) == found:
                return int(last.id)
            statement = insert(pair_sets).values(settings=values, created_at=now())
            number = connection.execute(statement.returning(pair_sets.c.id)).scalar_one()
            if found:
                rows = [{**asdict(pair), "set_id": number} for pair in found]
                connection.execute(insert(pairs), rows)
        return int(number)

    def judgements(self, question: str | None = None) -> list[Judgement]:
        """What each person answered last of each subject and question, oldest first."""
        with self.database.read() as connection:
            return _newest_judgements(connection, question)

    def add_judgements(self, file: FileRecord, new: Sequence[Judgement]) -> int:
        """Store a file of judgements, whole or not at all, and once; how many are new.

        Args:
            file: `FileRecord("judgements", name, sha256, rows)`.
            new: what it holds.
        """
        fresh: list[dict[str, Any]] = []
        with self.database.write() as connection:
            file_id, seen = store_file(connection, file)
            if seen:
                return 0
            current = {
                (row.subject, row.question, row.person): (row.answer, row.comment)
                for row in _newest_judgements(connection, None)
            }
            for row in new:
                key, answer = (row.subject, row.question, row.person), (row.answer, row.comment)
                if current.get(key) != answer:
                    current[key] = answer
                    fresh.append({**asdict(row), "file_id": file_id, "created_at": now()})
            if fresh:
                connection.execute(insert(judgements), fresh)
        return len(fresh)

    def add_selection(
        self,
        settings: Mapping[str, Any],
        funnel: Sequence[Mapping[str, Any]],
        ids: Collection[str],
        source: str = "en",
    ) -> Selection:
        """Make memes of collected captions, and template folders of what they are written on.

        Memes of an earlier selection that are not chosen now are set aside, not deleted.

        Args:
            settings, funnel: what they were chosen by, as JSON values.
            ids: of captions.
            source: the tag of the new memes' source language.
        """
        items = Items(self.root, self.database)
        captions = list(items.find("caption", ids))
        names = list(dict.fromkeys(item.parent for item in captions if item.parent))
        folder = folder_of(self.root) / "templates"
        wrong = write_templates(folder, list(items.find("template", names)))
        boxes, broken = count_boxes(folder, names)
        with self.database.write() as connection:
            return store_selection(
                connection, settings, funnel, captions, boxes, {**broken, **wrong}, source
            )

    def selection(self) -> Selection | None:
        """The newest selection, None when nothing was selected yet."""
        with self.database.read() as connection:
            return newest_selection(connection)


def _newest_verdicts(filter_: str | None) -> Select[Any]:
    later = verdicts.alias()
    same = (later.c.item_id == verdicts.c.item_id) & (later.c.filter == verdicts.c.filter)
    newer = select(later.c.id).where(same, later.c.id > verdicts.c.id)
    query = select(verdicts).where(~newer.exists()).order_by(verdicts.c.id)
    return query if filter_ is None else query.where(verdicts.c.filter == filter_)


def _verdict(row: Any) -> Verdict:
    return Verdict(
        row.item_id, row.filter, row.verdict, row.score, row.reason, row.evidence, row.settings
    )


def _as_stored(verdict: Verdict) -> Verdict:
    """A verdict as it comes back from the database."""
    evidence = through_json(dict(verdict.evidence))
    return replace(verdict, reason=safe_text(verdict.reason), evidence=evidence)


def _ids(pair: Pair) -> tuple[str, str]:
    return pair.first, pair.second


def _newest_pairs(connection: Connection, stage: str | None) -> list[Pair]:
    newest = select(func.max(pair_sets.c.id)).scalar_subquery()
    query = select(pairs).where(pairs.c.set_id == newest)
    if stage is not None:
        query = query.where(pairs.c.stage == stage)
    rows = (
        Pair(row.first, row.second, row.stage, row.outcome, row.scores, row.reason)
        for row in connection.execute(query)
    )
    return sorted(rows, key=_ids)


def _newest_judgements(connection: Connection, question: str | None) -> list[Judgement]:
    newest = select(func.max(judgements.c.id)).group_by(
        judgements.c.subject, judgements.c.question, judgements.c.person
    )
    if question is not None:
        newest = newest.where(judgements.c.question == question)
    query = select(judgements).where(judgements.c.id.in_(newest)).order_by(judgements.c.id)
    return [
        Judgement(row.subject, row.question, row.person, row.answer, row.comment, row.row)
        for row in connection.execute(query)
    ]
