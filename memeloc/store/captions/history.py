"""Earlier answers and comments. In: a transaction. Out: steps and comments, oldest first.

Of what people answered, what they remarked without answering, and what was decided about cases.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, or_, select

from memeloc.correct.model import Comment, Step
from memeloc.correct.placing import same_person
from memeloc.store.captions.versions import is_current
from memeloc.store.queries import by_slices, equal
from memeloc.store.records import DROP, DROP_ALL, STANDING, Kind
from memeloc.store.tables.captions import captions, cases, corrections, decisions, memes

_DECIDED = dict.fromkeys(("accept", "type", "keep"), "settled") | dict.fromkeys(
    (DROP, DROP_ALL), "dropped"
)
"""The status of a step by the action of a decision."""


class CaptionStep(NamedTuple):
    """A step of a meme's caption in a language."""

    meme_id: str
    language: str
    step: Step


def find_steps(
    connection: Connection,
    language: str | None = None,
    meme_ids: Collection[str] | None = None,
    *,
    kind: Kind | None = None,
    commented: bool = False,
) -> list[CaptionStep]:
    """Steps of a language, some memes and a kind (None is all), those with a comment if
    `commented`.

    An answer that brought nothing new is a step where it has a comment. What one person says twice
    in a row is one step: the same sheet saved again, a rule that decided two cases of a caption.
    """
    own = corrections.c
    answers: Select[Any] = select(
        own.meme_id, own.language, own.round, own.person, own.parts, own.status, own.comment,
        own.created_at
    ).where(or_(own.comment != "", own.outcome.in_(STANDING)))  # fmt: skip
    settled: Select[Any] = (
        select(
            cases.c.meme_id, cases.c.language, cases.c.round, decisions.c.person, captions.c.parts,
            decisions.c.action, decisions.c.comment, decisions.c.created_at
        )
        .select_from(decisions)
        .join(cases, cases.c.id == decisions.c.case_id)
        .outerjoin(captions, captions.c.id == decisions.c.caption_id)
    )  # fmt: skip
    steps: list[CaptionStep] = []
    for query, table, comment in (
        (answers, corrections, own.comment),
        (settled, cases, decisions.c.comment),
    ):
        query = equal(query, {table.c.language: language})
        if kind is not None:
            query = query.join(memes, memes.c.id == table.c.meme_id).where(memes.c.kind == kind)
        if commented:
            query = query.where(comment != "")
        steps += _steps(connection, query, table.c.meme_id, meme_ids)
    steps.sort(key=lambda row: row.step.created)
    last: dict[tuple[str, str, int, str], tuple[object, ...]] = {}
    kept = []
    for row in steps:
        step = row.step
        who = (row.meme_id, row.language, step.round, step.person)
        words = (step.parts, step.status, step.comment)
        if last.get(who) != words:
            kept.append(row)
        last[who] = words
    return kept


def find_comments(
    connection: Connection,
    language: str | None = None,
    meme_ids: Collection[str] | None = None,
    kind: Kind | None = None,
) -> list[Comment]:
    """Comments on captions, of a language, some memes and a kind; None is all."""
    return [
        Comment(meme_id, tag, step.round, step.person, step.status, step.comment, step.created)
        for meme_id, tag, step in find_steps(
            connection, language, meme_ids, kind=kind, commented=True
        )
    ]


def steps_before(
    connection: Connection,
    language: str,
    round_: int,
    person: str,
    kind: Kind,
    meme_ids: Collection[str] | None = None,
) -> dict[str, list[Step]]:
    """What a person who gets a sheet of a round is shown of each caption, oldest first.

    What rounds before have brought, her own answers, comments without an answer, and decisions; of
    the answers of others in the same round nothing, for who corrects beside them is not to know
    them. The machine's text, or what was imported, is the first where anything follows.
    """
    shown: dict[str, list[Step]] = {}
    for meme_id, _, step in find_steps(connection, language, meme_ids, kind=kind):
        own = step.person == person or same_person(step.person, person)
        if step.round < round_ or own or not step.decides:
            shown.setdefault(meme_id, []).append(step)
    if shown:
        columns = (captions.c[name] for name in ("meme_id", "translator", "parts", "created_at"))
        query = select(*columns).where(captions.c.language == language, is_current(captions, 1))
        for meme_id, translator, parts, created in connection.execute(query):
            if meme_id in shown:
                shown[meme_id].insert(0, Step(0, translator, parts, "", "", created))
    return shown


def _steps(
    connection: Connection,
    query: Select[Any],
    column: ColumnElement[str],
    meme_ids: Collection[str] | None,
) -> Iterator[CaptionStep]:
    for meme_id, language, round_, person, parts, status, comment, created in by_slices(
        connection, query, column, meme_ids
    ):
        status = _DECIDED.get(status, status)
        step = Step(round_, person, parts or (), status, comment, created)
        yield CaptionStep(meme_id, language, step)
