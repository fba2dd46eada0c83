"""What people answered. In: a transaction. Out: answers, as they stand and one after the other.

An answer is its person's until she gives another in the same round, or until the file that it came
in is withdrawn. A history also has what people remarked without answering, and what was decided
about cases.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select

from memeloc.correct.model import Answer
from memeloc.correct.placing import same_person
from memeloc.store.captions.versions import WITHDRAWN, is_current, sources_of
from memeloc.store.queries import by_slices, equal
from memeloc.store.records import DROP, DROP_ALL, SUPERSEDING, Kind
from memeloc.store.tables.captions import (
    captions,
    cases,
    corrections,
    decisions,
    memes,
    sheet_items,
    sheets,
)

_ANSWER = [
    *(corrections.c[name] for name in ("id", "meme_id", "language", "round", "person", "status")),
    *(corrections.c[name] for name in ("parts", "typed", "comment", "row", "caption_id")),
    *(corrections.c[name] for name in ("outcome", "reason", "message")),
    corrections.c.sheet_id.label("sheet"),
    corrections.c.created_at.label("created"),
]
"""The columns of an `Answer`, by the names of its fields."""

_WAS_SHOWN = (sheet_items.c.sheet_id == corrections.c.sheet_id) & (
    sheet_items.c.meme_id == corrections.c.meme_id
)
"""Joins a correction with what its sheet showed."""


def is_counted(answer: Any) -> ColumnElement[bool]:
    """Return a condition on corrections, or an alias: that its file has not been withdrawn."""
    condition: ColumnElement[bool] = answer.c.file_id.not_in(WITHDRAWN)
    return condition


def find_answers(
    connection: Connection,
    language: str | None = None,
    meme_ids: Collection[str] | None = None,
    *,
    shown: Mapping[str, tuple[str, ...]] | None = None,
    kind: Kind | None = None,
) -> list[Answer]:
    """Return stored answers, oldest first; of a language, some memes and a kind, None is all.

    An answer is standing that is to the source text in `shown`, by meme; None is the current one.
    """
    base = captions.alias()
    query: Select[Any] = (
        select(
            *_ANSWER,
            sheets.c.created_at.label("sheet_created"),
            base.c.parts.label("base"),
            captions.c.parts.label("shown"),
        )
        .join(sheets, sheets.c.id == corrections.c.sheet_id)
        .outerjoin(sheet_items, _WAS_SHOWN)
        .outerjoin(captions, captions.c.id == sheet_items.c.source_id)
        .outerjoin(base, base.c.id == sheet_items.c.base_id)
        .join(memes, memes.c.id == corrections.c.meme_id)
        .where(is_counted(corrections))
        .order_by(corrections.c.id)
    )
    query = equal(query, {memes.c.kind: kind, corrections.c.language: language})
    rows = list(by_slices(connection, query, corrections.c.meme_id, meme_ids))
    rows.sort(key=lambda row: row.id)
    if shown is None:
        sources = sources_of(connection, {row.meme_id for row in rows})
        shown = {meme_id: source.parts for meme_id, source in sources.items()}
    last = {
        (row.meme_id, row.language, row.round, row.person): row
        for row in rows
        if row.outcome in SUPERSEDING and row.shown == shown.get(row.meme_id)
    }
    standing = {row.id for row in last.values()}
    answers = []
    for row in rows:
        values = dict(row._mapping) | {"base": row.base or (), "standing": row.id in standing}
        del values["shown"]
        answers.append(Answer(**values))
    return answers


def find_history(
    connection: Connection,
    language: str | None = None,
    meme_ids: Collection[str] | None = None,
    *,
    kind: Kind | None = None,
    commented: bool = False,
    answers: Sequence[Answer] | None = None,
) -> list[Answer]:
    """Return what became of the captions of a language, some memes and a kind (None is all), oldest
    first; only what has a comment, if `commented`. `answers` are those of them, if they are known.

    An answer that brought nothing new is in it where it has a comment. What one person says twice
    in a row is in it once: the same sheet saved again, a rule that decided two cases of a caption.
    """
    query: Select[Any] = (
        select(
            *(cases.c[name] for name in ("meme_id", "language", "round")),
            *(decisions.c[name] for name in ("person", "action", "comment")),
            captions.c.parts,
            decisions.c.created_at.label("created"),
        )
        .select_from(decisions)
        .join(cases, cases.c.id == decisions.c.case_id)
        .join(memes, memes.c.id == cases.c.meme_id)
        .outerjoin(captions, captions.c.id == decisions.c.caption_id)
    )
    query = equal(query, {memes.c.kind: kind, cases.c.language: language})
    if answers is None:
        answers = find_answers(connection, language, meme_ids, kind=kind)
    found = [each for each in answers if each.comment or each.outcome in SUPERSEDING]
    for row in by_slices(connection, query, cases.c.meme_id, meme_ids):
        values = dict(row._mapping)
        status = "dropped" if values.pop("action") in (DROP, DROP_ALL) else "settled"
        found.append(Answer(**values | {"status": status, "parts": row.parts or ()}))
    found.sort(key=lambda answer: (answer.created is not None, answer.created))
    last: dict[tuple[str, str, int, str], tuple[object, ...]] = {}
    history = []
    for step in found:
        who = (step.meme_id, step.language, step.round, step.person)
        words = (step.parts, step.status, step.comment)
        if last.get(who) != words and (step.comment or not commented):
            history.append(step)
        last[who] = words
    return history


def history_before(
    connection: Connection,
    language: str,
    round_: int,
    person: str,
    kind: Kind,
    meme_ids: Collection[str] | None = None,
) -> dict[str, list[Answer]]:
    """Return what a person who gets a sheet of a round is shown of each caption, oldest first.

    What rounds before have brought, her own answers, comments without an answer, and decisions; of
    the answers of others in the same round nothing, for who corrects beside them is not to know
    them. The machine's text, or what was imported, is the first where anything follows.
    """
    shown: dict[str, list[Answer]] = {}
    for step in find_history(connection, language, meme_ids, kind=kind):
        own = step.person == person or same_person(step.person, person)
        if step.round < round_ or own or not step.decides:
            shown.setdefault(step.meme_id, []).append(step)
    if shown:
        columns = (captions.c[name] for name in ("meme_id", "translator", "parts", "created_at"))
        query = select(*columns).where(captions.c.language == language, is_current(captions, 1))
        for meme_id, translator, parts, created in connection.execute(query):
            if meme_id in shown:
                first = Answer(
                    meme_id=meme_id, status="", person=translator, parts=parts, created=created
                )
                shown[meme_id].insert(0, first)
    return shown
