"""People's answers. In: sheets that came back. Out: what became of each answer, histories.

An answer is its person's until she gives another in the same round, or until the file that it came
in is withdrawn. A history also has what people remarked without answering, and what was decided
about cases.

A file of answers is stored in one transaction: all of it or nothing, once. What was typed is stored
as it was typed, whatever becomes of it. Taking a file back adds rows, too: its answers count no
more, and the captions that stood by them go back to what stood before by a new version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, func, select, update

from memeloc.correct.model import Answer, Sheet
from memeloc.correct.placing import same_person
from memeloc.errors import InputError
from memeloc.store import queries
from memeloc.store.captions import versions
from memeloc.store.captions.versions import WITHDRAWN, check_parts, insert_versions, is_current
from memeloc.store.queries import Repository, by_slices, equal, insert_rows, two_columns
from memeloc.store.records import (
    ACCEPTING,
    DROPPING,
    OPENING,
    STANDING,
    SUPERSEDING,
    FileRecord,
    Kind,
)
from memeloc.store.tables import captions as tables
from memeloc.store.tables.captions import (
    captions,
    cases,
    corrections,
    decisions,
    files,
    memes,
    withdrawals,
)

_NAMES = (
    *("id", "meme_id", "language", "round", "person", "status", "parts", "typed", "comment", "row"),
    *("caption_id", "outcome", "reason", "message"),
)
"""The fields of an `Answer` that are columns of `corrections`."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_STORED = (
    *("meme_id", "language", "round", "person", "parts", "typed", "status", "comment", "row"),
    *("outcome", "reason", "message"),
)
"""The fields of an answer that are stored as they are."""
_CASE = ("meme_id", "language", "round", "reason", "message")
_ANSWERS = "answers"
"""The kind of a file of answers."""
_SET_BACK = ("meme_id", "language", "parts", "stage", "round", "person", "translator", "source_id")

Decide = Callable[[Mapping[str, tuple[str, ...]], Mapping[str, Sequence[Answer]]], list[Answer]]
"""Decides what becomes of a file's answers, by the current sources and the earlier answers of
memes; called within the transaction that stores them."""


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
        is_hers = step.person == person or same_person(step.person, person)
        if step.round < round_ or is_hers or not step.decides:
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


class Corrections(Repository):
    """People's answers on sheets."""

    def add(
        self,
        file: FileRecord,
        sheet: Sheet,
        decide: Decide,
        also: Collection[str] = (),
        *,
        dry_run: bool = False,
    ) -> list[Answer] | None:
        """Store a file of answers, `FileRecord("answers", name, sha256, rows)`, whole or not at
        all, and once; return them as decided, None when the very same file was stored before.

        `decide` is called within the transaction, so that nothing changes meanwhile; a text that
        cannot be a caption is refused. `also` are ids of memes in the file; those beyond the
        sheet's are looked up too. In a `dry_run` nothing is stored.
        """
        with self.database.read() if dry_run else self.database.write() as connection:
            if _file(connection, file.sha256) is not None:
                return None
            shown = {item.meme_id: item.source for item in sheet.items}
            ids = {*shown, *also}
            earlier = defaultdict[str, list[Answer]](list)
            for answer in find_answers(connection, sheet.language.tag, ids, shown=shown):
                earlier[answer.meme_id].append(answer)
            found = versions.sources_of(connection, ids)
            placed = decide({key: row.parts for key, row in found.items()}, earlier)
            for number, answer in enumerate(placed):
                try:
                    if any(answer.parts):
                        check_parts(answer.parts)
                except InputError as error:
                    refused = replace(answer, outcome="refused", reason="", message=str(error))
                    placed[number] = refused
            if not dry_run:
                file_id = queries.store_file(connection, file)[0]
                stored = [answer for answer in placed if answer.outcome != "refused"]
                _store(connection, file_id, sheet, stored)
        return placed

    def find(self, tag: str | None = None) -> list[Answer]:
        """Return what people answered, oldest first; standing is as to the current source."""
        with self.database.read() as connection:
            return find_answers(connection, tag)

    def comments(self, tag: str | None = None, kind: Kind | None = None) -> list[Answer]:
        """Return what came with a comment: answers, remarks and decisions, oldest first."""
        with self.database.read() as connection:
            return find_history(connection, tag, kind=kind, commented=True)

    def withdraw(
        self, sha256: str, *, person: str, comment: str = ""
    ) -> tuple[list[Answer], list[str]]:
        """Take a file of answers back, so that none of them counts; the same file can be imported
        again. Return the answers, and the memes whose captions stay as they are, for later work
        stands on top. Raise InputError if no such file was imported, or it was withdrawn."""
        with self.database.write() as connection:
            file = _file(connection, sha256)
            if file is None:
                raise InputError("no file with this content was imported, or it was withdrawn")
            query = select(*corrections.c[(*_STORED, "caption_id")])
            rows = connection.execute(query.where(corrections.c.file_id == file.id))
            stored = [Answer(**row._asdict()) for row in rows]
            about = {"file_id": file.id, "person": person, "comment": comment}
            # The next import of the same content is another file.
            kind = f"{_ANSWERS}, withdrawn {queries.add_row(connection, withdrawals, **about)}"
            connection.execute(update(files).where(files.c.id == file.id).values(kind=kind))
            unchanged = _set_back(connection, stored, f"withdrawn {file.name}")
        return stored, unchanged


def _file(connection: Connection, sha256: str) -> Row[Any] | None:
    query = select(files).where(files.c.kind == _ANSWERS, files.c.sha256 == sha256)
    return connection.execute(query).first()


def _set_back(connection: Connection, answers: Sequence[Answer], origin: str) -> list[str]:
    """Add the version that stood before these answers, of each caption that still stands by them;
    return the memes whose captions do not."""
    made = {answer.meme_id: answer for answer in answers if answer.caption_id is not None}
    is_withdrawn = captions.c.id.in_(versions.WITHDRAWN_VERSIONS).label("is_withdrawn")
    query = (
        select(*captions.c[("id", *_SET_BACK, "marks")], is_withdrawn)
        .where(captions.c.language.in_({answer.language for answer in answers}))
        .where(~versions.is_suggestion(captions))
        .order_by(captions.c.version)
    )
    stood = defaultdict[str, list[Any]](list)
    for row in by_slices(connection, query, captions.c.meme_id, made):
        stood[row.meme_id].append(row)
    rows, unchanged = [], []
    for meme_id, answer in made.items():
        before = [row for row in stood[meme_id] if not row.is_withdrawn]
        if stood[meme_id][-1].id != answer.caption_id and not stood[meme_id][-1].is_withdrawn:
            unchanged.append(meme_id)
        elif before:
            values = {name: getattr(before[-1], name) for name in (*_SET_BACK, "marks")}
            rows.append(values | {"origin": origin})
    insert_versions(connection, rows)
    return unchanged


def _store(connection: Connection, file_id: int, sheet: Sheet, answers: Sequence[Answer]) -> None:
    """Store answers with the versions and the cases that they make; no version where a later round
    has superseded the answer already."""
    items, tag = sheet.by_meme, sheet.language.tag
    current = versions.current_of(connection, tag, items)
    later = {key: row for key, row in current.items() if row.round > sheet.round}
    translated = versions.texts_of(connection, {version.source_id for version in later.values()})
    superseded = {
        key
        for key, version in later.items()
        if version.source_id is None or translated[version.source_id] == items[key].source
    }
    accepted = [
        number
        for number, answer in enumerate(answers)
        if answer.outcome in ACCEPTING and answer.meme_id not in superseded
    ]
    texts = [
        {
            "meme_id": answer.meme_id,
            "language": tag,
            "parts": check_parts(answer.parts, answer.meme_id),
            "stage": "corrected",
            "round": answer.round,
            "person": answer.person,
            "origin": f"sheet {sheet.id}",
            "source_id": items[answer.meme_id].source_id,
        }
        for answer in (answers[number] for number in accepted)
    ]
    version_of = dict(zip(accepted, insert_versions(connection, texts), strict=True))
    shared = {"file_id": file_id, "sheet_id": sheet.id}
    rows: list[dict[str, Any]] = [
        {name: getattr(answer, name) for name in _STORED}
        | {**shared, "caption_id": version_of.get(number)}
        for number, answer in enumerate(answers)
    ]
    opened = [
        {name: row[name] for name in _CASE} | {"correction_id": number}
        for row, number in zip(rows, insert_rows(connection, corrections, rows), strict=True)
        if row["outcome"] in OPENING
    ]
    insert_rows(connection, cases, opened)
