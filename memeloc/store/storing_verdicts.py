"""What filters and people said of items. In: verdicts, pairs, judgements. Out: the newest of each.

Everything is kept; what is said again as it stands adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, func, insert, select

from memeloc.curate.judgement import Judgement
from memeloc.curate.pairs import Pair
from memeloc.curate.verdict import Verdict
from memeloc.store.caption_versions import now, slices
from memeloc.store.item_tables import Json, judgements, pair_sets, pairs, verdicts
from memeloc.store.records import FileRecord
from memeloc.store.storing_files import store_file
from memeloc.store.tables import Words


def find_verdicts(
    connection: Connection, filter_: str | None = None, ids: Sequence[str] | None = None
) -> dict[str, dict[str, Verdict]]:
    """The newest verdict of each item and filter, by item and filter; of all, or of some items."""
    if ids is not None:
        some: dict[str, dict[str, Verdict]] = {}
        for slice_ in slices(ids):
            some |= _find(connection, filter_, slice_)
        return some
    return _find(connection, filter_, None)


def _find(
    connection: Connection, filter_: str | None, ids: list[str] | None
) -> dict[str, dict[str, Verdict]]:
    newest = select(func.max(verdicts.c.id).label("id")).group_by(
        verdicts.c.item_id, verdicts.c.filter
    )
    if filter_ is not None:
        newest = newest.where(verdicts.c.filter == filter_)
    if ids is not None:
        newest = newest.where(verdicts.c.item_id.in_(ids))
    last = newest.subquery()
    found: dict[str, dict[str, Verdict]] = {}
    query = select(verdicts).join(last, last.c.id == verdicts.c.id).order_by(verdicts.c.id)
    for row in connection.execute(query):
        found.setdefault(row.item_id, {})[row.filter] = Verdict(
            row.item_id,
            row.filter,
            row.verdict,
            row.score,
            row.reason,
            row.evidence,
            row.settings,
        )
    return found


def add_verdicts(connection: Connection, several: Sequence[Verdict]) -> int:
    """Store verdicts; how many say something new."""
    asked: dict[str, list[str]] = {}
    for one in several:
        asked.setdefault(one.filter, []).append(one.item)
    current = {name: find_verdicts(connection, name, ids) for name, ids in asked.items()}
    fresh: list[dict[str, Any]] = []
    for one in several:
        known = current[one.filter].get(one.item, {}).get(one.filter)
        if known is not None and asdict(known) == _plain(one):
            continue
        row = _plain(one)
        row["item_id"] = row.pop("item")
        fresh.append({**row, "created_at": now()})
        current[one.filter].setdefault(one.item, {})[one.filter] = one
    if fresh:
        connection.execute(insert(verdicts), fresh)
    return len(fresh)


def _plain(one: Verdict) -> dict[str, Any]:
    """A verdict as it comes back: its evidence through JSON."""
    row = asdict(one)
    row["evidence"] = _through_json(dict(one.evidence))
    row["reason"] = Words().process_bind_param(one.reason, None)
    return row


def _through_json(value: Any) -> Any:
    return Json().process_result_value(Json().process_bind_param(value, None), None)


def add_pairs(connection: Connection, several: Iterable[Pair], settings: Any) -> int:
    """Store what one search for duplicates found; the number of the search.

    The same as the newest search adds nothing.
    """
    rows = [
        {**asdict(one), "scores": _through_json(dict(one.scores))}
        for one in sorted(several, key=lambda one: (one.first, one.second))
    ]
    last = connection.execute(select(pair_sets).order_by(pair_sets.c.id.desc())).first()
    if last is not None and last.settings == _through_json(settings):
        there = [
            {**asdict(one), "scores": dict(one.scores)} for one in find_pairs(connection, None)
        ]
        if there == rows:
            return int(last.id)
    number = connection.execute(
        insert(pair_sets).values(settings=settings, created_at=now()).returning(pair_sets.c.id)
    ).scalar_one()
    if rows:
        connection.execute(insert(pairs), [{**row, "set_id": number} for row in rows])
    return int(number)


def find_pairs(connection: Connection, stage: str | None) -> list[Pair]:
    """The pairs of the newest search, in the order of their items."""
    newest = select(func.max(pair_sets.c.id)).scalar_subquery()
    query = select(pairs).where(pairs.c.set_id == newest)
    if stage is not None:
        query = query.where(pairs.c.stage == stage)
    return sorted(
        (
            Pair(row.first, row.second, row.stage, row.outcome, row.scores, row.reason)
            for row in connection.execute(query)
        ),
        key=lambda one: (one.first, one.second),
    )


def add_judgements(connection: Connection, file: FileRecord, several: Sequence[Judgement]) -> int:
    """Store a file of judgements, once; how many say something new."""
    file_id, seen = store_file(connection, file)
    if seen:
        return 0
    current = {
        (one.subject, one.question, one.person): (one.answer, one.comment)
        for one in find_judgements(connection, None)
    }
    fresh: list[dict[str, Any]] = []
    for one in several:
        key, said = (one.subject, one.question, one.person), (one.answer, one.comment)
        if current.get(key) != said:
            current[key] = said
            fresh.append({**asdict(one), "file_id": file_id, "created_at": now()})
    if fresh:
        connection.execute(insert(judgements), fresh)
    return len(fresh)


def find_judgements(connection: Connection, question: str | None) -> list[Judgement]:
    """What each person said last of each subject and question, oldest first."""
    newest = select(func.max(judgements.c.id).label("id")).group_by(
        judgements.c.subject, judgements.c.question, judgements.c.person
    )
    if question is not None:
        newest = newest.where(judgements.c.question == question)
    last = newest.subquery()
    query = select(judgements).join(last, last.c.id == judgements.c.id).order_by(judgements.c.id)
    return [
        Judgement(row.subject, row.question, row.person, row.answer, row.comment, row.row)
        for row in connection.execute(query)
    ]
