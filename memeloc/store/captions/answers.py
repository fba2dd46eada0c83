"""What people answered. In: a transaction. Out: answers, as they stand, in a row and compared.

An answer is its person's until she gives another in the same round, or until the file that it came
in is withdrawn. A history also has what people remarked without answering, and what was decided
about cases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select

from memeloc.correct.model import Answer
from memeloc.correct.placing import same_person
from memeloc.store.captions import versions
from memeloc.store.captions.versions import WITHDRAWN, is_current
from memeloc.store.queries import Repository, by_slices, equal, two_columns
from memeloc.store.records import DROPPING, STANDING, SUPERSEDING, Kind
from memeloc.store.tables import captions as tables
from memeloc.store.tables.captions import captions, cases, corrections, decisions, memes

_NAMES = (
    *("id", "meme_id", "language", "round", "person", "status", "parts", "typed", "comment", "row"),
    *("caption_id", "outcome", "reason", "message"),
)
"""The fields of an `Answer` that are columns of `corrections`."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)


def find_answers(
    connection: Connection,
    language: str | None = None,
    meme_ids: Collection[str] | None = None,
    *,
    shown: Mapping[str, tuple[str, ...]] | None = None,
    kind: Kind | None = None,
) -> list[Answer]:
    """Return stored answers, oldest first; of a language, some memes and a kind, None is all. An
    answer is standing that is to the source text in `shown`, by meme; None is the current one."""
    base, items, sheets = captions.alias(), tables.sheet_items, tables.sheets
    was_shown = (items.c[name] == corrections.c[name] for name in ("sheet_id", "meme_id"))
    query: Select[Any] = (
        select(
            *corrections.c[_NAMES],
            corrections.c.sheet_id.label("sheet"),
            corrections.c.created_at.label("created"),
            sheets.c.created_at.label("sheet_created"),
            base.c.parts.label("base"),
            captions.c.parts.label("shown"),
        )
        .join(sheets, sheets.c.id == corrections.c.sheet_id)
        .outerjoin(items, and_(*was_shown))
        .outerjoin(captions, captions.c.id == items.c.source_id)
        .outerjoin(base, base.c.id == items.c.base_id)
        .join(memes, memes.c.id == corrections.c.meme_id)
        .where(corrections.c.file_id.not_in(WITHDRAWN))
    )
    query = equal(query, {memes.c.kind: kind, corrections.c.language: language})
    rows = [*by_slices(connection, query, corrections.c.meme_id, meme_ids)]
    rows.sort(key=lambda row: row.id)
    if shown is None:
        sources = versions.sources_of(connection, {row.meme_id for row in rows})
        shown = {meme_id: source.parts for meme_id, source in sources.items()}
    last = {
        (row.meme_id, row.language, row.round, row.person): row.id
        for row in rows
        if row.outcome in SUPERSEDING and row.shown == shown.get(row.meme_id)
    }
    standing = {*last.values()}
    answers = []
    for row in rows:
        values = row._asdict() | {"base": row.base or (), "standing": row.id in standing}
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
            *cases.c["meme_id", "language", "round"],
            *decisions.c["person", "comment", "action"],
            captions.c.parts,
            decisions.c.created_at.label("created"),
        )
        .join(cases, cases.c.id == decisions.c.case_id)
        .join(memes, memes.c.id == cases.c.meme_id)
        .outerjoin(captions, captions.c.id == decisions.c.caption_id)
    )
    query = equal(query, {memes.c.kind: kind, cases.c.language: language})
    if answers is None:
        answers = find_answers(connection, language, meme_ids, kind=kind)
    found = [each for each in answers if each.comment or each.outcome in SUPERSEDING]
    for row in by_slices(connection, query, cases.c.meme_id, meme_ids):
        values = row._asdict() | {"parts": row.parts or ()}
        status = "dropped" if values.pop("action") in DROPPING else "settled"
        found.append(Answer(**values, status=status))
    found.sort(key=lambda answer: answer.created or _EARLIEST)
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
    shown = defaultdict[str, list[Answer]](list)
    for step in find_history(connection, language, meme_ids, kind=kind):
        own = step.person == person or same_person(step.person, person)
        if step.round < round_ or own or not step.decides:
            shown[step.meme_id].append(step)
    query = select(*captions.c["meme_id", "translator", "parts", "created_at"])
    query = query.where(captions.c.language == language, is_current(captions, 1))
    for meme_id, translator, parts, created in connection.execute(query) if shown else ():
        if meme_id in shown:
            about = {"person": translator, "parts": parts, "created": created}
            shown[meme_id].insert(0, Answer(meme_id=meme_id, status="", **about))
    return shown


class Comparisons(Repository):
    """Texts of a language and kind beside each other, in the memes' order; of captions one by one,
    so that any number takes the same memory."""

    def languages(self, kind: Kind = "caption") -> list[str]:
        """Return the languages in which anybody has answered, in order."""
        query = select(corrections.c.language).join(memes, memes.c.id == corrections.c.meme_id)
        query = query.where(memes.c.kind == kind).distinct().order_by(corrections.c.language)
        return [row.language for row in self.fetch(query)]

    def standing(self, tag: str, kind: Kind = "caption") -> list[Answer]:
        """Return everybody's last answer of each round to the source as it is now."""
        with self.database.read() as connection:
            numbers = two_columns(connection.execute(select(memes.c.id, memes.c.number)))
            answers = find_answers(connection, tag, kind=kind)
        standing = (each for each in answers if each.standing and each.outcome in STANDING)
        return sorted(standing, key=lambda answer: (numbers[answer.meme_id], answer.id))

    def texts(
        self, tag: str, kind: Kind = "caption", meme_ids: Collection[str] | None = None
    ) -> Iterator[Any]:
        """Yield captions as they stand (`meme_id`, `template`, `source` and `parts`) without what
        is dropped or left out, of some memes or all."""
        source = captions.alias()
        columns = (
            *(memes.c.id.label("meme_id"), memes.c.template),
            *(source.c.parts.label("source"), captions.c.parts),
        )
        is_source = and_(source.c.meme_id == memes.c.id, versions.is_source(source))
        query = _active(tag, kind).with_only_columns(*columns).join(source, is_source)
        return self._stream(query, meme_ids)

    def machine_and_final(self, tag: str, kind: Kind = "caption") -> Iterator[Any]:
        """Yield the newest text that a machine wrote beside the current one (`machine` and
        `final`), where a person accepted, corrected or settled it."""
        machine, earlier = captions.alias(), captions.alias()
        names = ("meme_id", "language")
        newest = (
            select(func.max(earlier.c.version))
            .where(*(earlier.c[name] == captions.c[name] for name in names))
            .where(earlier.c.stage.in_((*versions.MACHINE, "shipped")))
            .where(earlier.c.version < captions.c.version, ~versions.is_suggestion(earlier))
        )
        is_machine = (machine.c[name] == captions.c[name] for name in names)
        query = (
            _active(tag, kind)
            .with_only_columns(
                *(memes.c.id.label("meme_id"), machine.c.parts.label("machine")),
                captions.c.parts.label("final"),
            )
            .join(machine, and_(*is_machine, machine.c.version == newest.scalar_subquery()))
            .where(captions.c.stage.in_(("corrected", "settled")))
        )
        return self._stream(query)

    def _stream(self, query: Select[Any], meme_ids: Collection[str] | None = None) -> Iterator[Any]:
        with self.database.read() as connection:
            query = query.execution_options(yield_per=1000)
            yield from by_slices(connection, query, memes.c.id, meme_ids)


def _active(tag: str, kind: Kind) -> Select[Any]:
    return versions.versions_query(is_current(captions), kind).where(captions.c.language == tag)
