"""Sheets for correctors. In: a language, a round and a person. Out: captions for a sheet.

The text to be corrected is what the rounds before have left: for round 1 the newest of what was
imported or translated, for round 2 the newest of round 1 and so on. Where a person's text was there
when the source changed, it is that text. So two people of one round get the same text, whoever
hands in first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Select, and_, select

from memeloc.correct.placing import SentItem, SentSheet, same_person
from memeloc.correct.sharing import Share
from memeloc.errors import InputError
from memeloc.store.captions.history import steps_before
from memeloc.store.captions.states import OPEN_CASES
from memeloc.store.captions.versions import (
    MACHINE,
    current_query,
    is_current,
    is_outdated,
    is_outdated_text,
    is_suggestion,
    source_query,
    texts_of,
    versions_query,
)
from memeloc.store.queries import Repository, add_row, add_rows, columns_of, equal, two_columns
from memeloc.store.records import STANDING, Kind, SheetRecord, SheetText, ToCorrect
from memeloc.store.tables.captions import captions, cases, corrections, memes, sheet_items, sheets

Only = Literal["all", "new", "unclaimed", "changed", "open"]
"""Which captions a sheet is for.

`all` that are ready for the round; `new`: those that the person (or, without a person, anybody) has
not answered in it; `unclaimed`: those of `new` that are on nobody else's sheet of that round;
`changed`: those of `new` that were answered, or written by a person, before their source changed;
`open`: those with an open case.
"""


WAS_SHOWN = (sheet_items.c.sheet_id == corrections.c.sheet_id) & (
    sheet_items.c.meme_id == corrections.c.meme_id
)
"""Joins a correction with what its sheet showed."""

SHEETS_IN_ORDER = [
    sheets.c[name] for name in ("language", "round", "person", "created_at", "name", "id")
]
"""Order in which sheets are listed: ids alone are drawn by chance."""


class Sheets(Repository):
    """The sheets that went out, and what they showed."""

    def to_correct(
        self,
        tag: str,
        round_: int,
        person: str = "",
        *,
        only: Only = "new",
        meme_ids: Collection[str] | None = None,
        kind: Kind = "caption",
        share: Share | None = None,
    ) -> list[ToCorrect]:
        """The captions of a round for a sheet, in the memes' order; see `Only` and `Share`.

        A caption is ready for round 1 when there is any translation of its current source or a
        person's of an earlier one (a transcript when it was read), for a later one when the round
        before has answered it and nothing about it waits to be settled.

        Raises:
            InputError: one of `meme_ids` is not there.
        """
        with self.database.read() as connection:
            sources = _texts(connection, source_query(kind))
            bases = _texts(connection, current_query(tag, below_round=round_, kind=kind))
            templates = two_columns(connection.execute(select(memes.c.id, memes.c.template)))
            answers = _answers(connection, tag, sources)
            waiting = _open_case_memes(connection, tag)
            query = versions_query(is_outdated_text(captions), kind)
            query = query.where(captions.c.language == tag)
            for meme_id, text in _texts(connection, query).items():
                if meme_id not in bases or text.id > bases[meme_id].id:
                    bases[meme_id] = text
            outdated = _texts(connection, query.where(is_current(captions))).keys()
            fresh = and_(is_suggestion(captions), ~is_outdated(captions))
            query = versions_query(fresh, kind).where(captions.c.language == tag)
            suggestions = _texts(connection, query)
            texts = {source.id: source.parts for source in sources.values()}
            older = {base.source_id for base in bases.values()} - texts.keys()
            texts |= texts_of(connection, older)
            claimed = _claimed(connection, tag, round_, person) if only == "unclaimed" else set()
            history = steps_before(connection, tag, round_, person, kind, meme_ids)
        for meme_id in meme_ids or ():
            if meme_id not in templates:
                what = "text" if kind == "survey" else "meme"
                raise InputError(f"The workspace has no {what} {meme_id[:80]!r}.")
        of_round = {row for row in answers if row.round == round_}
        own = {row for row in of_round if person in ("", row.person)}
        done = {row.meme_id for row in own if row.is_current} - outdated
        candidates: dict[Only, Collection[str]] = {
            "all": sources,
            "new": sources.keys() - done,
            "unclaimed": sources.keys() - done - claimed,
            "changed": ({row.meme_id for row in own} | outdated) - done,
            "open": waiting,
        }
        wanted = set(candidates[only])
        if meme_ids is not None:
            wanted &= set(meme_ids)
        if share is not None:
            wanted = set(filter(share.has, wanted))
        ready = {row.meme_id for row in answers if row.round == round_ - 1 and row.is_current}
        if only != "open":
            ready -= waiting
        own_rounds = defaultdict[str, set[int]](set)
        for row in answers - of_round:
            if row.is_current and same_person(row.person, person):
                own_rounds[row.meme_id].add(row.round)
        people = Counter(row.meme_id for row in of_round if row.is_current)
        items = []
        for meme_id, source in sources.items():
            base = bases.get(meme_id)
            if base is None or meme_id not in wanted or (round_ > 1 and meme_id not in ready):
                continue
            before = source.parts if base.source_id is None else texts[base.source_id]
            suggestion = suggestions.get(meme_id) if before != source.parts else None
            can_stand = before == source.parts or (
                base.stage not in MACHINE and len(base.parts) == len(source.parts)
            )
            if suggestion and not can_stand:
                base, suggestion, can_stand = suggestion, base, True
            if not can_stand or (source.language == tag) != (kind == "transcript"):
                continue
            items.append(
                ToCorrect(
                    meme_id=meme_id,
                    template=templates[meme_id],
                    source=source,
                    base=base,
                    answered=people[meme_id],
                    open_case=meme_id in waiting,
                    before=before if before != source.parts else (),
                    suggestion=suggestion.parts if suggestion else (),
                    own_rounds=tuple(sorted(own_rounds.get(meme_id, ()))),
                    history=tuple(history.get(meme_id, ())),
                )
            )
        return items

    def add(
        self, sheet: SheetRecord, items: Sequence[tuple[str, int, int]], *, unclaimed: bool = False
    ) -> bool:
        """Store which versions a sheet shows; False when the sheet is there already.

        Its items are meme id, source version's id and base version's id, in the sheet's order.
        With `unclaimed` they may be on nobody else's sheet of that round.

        Raises:
            InputError: the id is not valid, or somebody else has got one of the memes meanwhile.
        """
        if not sheet.id.isalnum() or len(sheet.id) > 40:
            raise InputError(f"A sheet's id is 1 to 40 letters and digits, not {sheet.id[:60]!r}.")
        with self.database.write() as connection:
            if find_sheets(connection, sheet_id=sheet.id):
                return False
            if unclaimed:
                claimed = _claimed(connection, sheet.language, sheet.round, sheet.person)
                if twice := [item[0] for item in items if item[0] in claimed]:
                    raise InputError(
                        f"{len(twice):,} of these captions, such as {twice[0]!r}, have gone out to "
                        "somebody else in the meantime; export the sheet again."
                    )
            values = asdict(sheet)
            add_row(connection, sheets, created_at=values.pop("created"), **values)
            names = ("sheet_id", "position", "meme_id", "source_id", "base_id")
            rows = [
                dict(zip(names, (sheet.id, position, *item), strict=True))
                for position, item in enumerate(items)
            ]
            add_rows(connection, sheet_items, rows)
        return True

    def find(self, tag: str | None = None, kind: Kind | None = None) -> list[SheetRecord]:
        """Return the sheets that went out, of a language or kind or all, in their order."""
        with self.database.read() as connection:
            return find_sheets(connection, tag, kind)

    def texts(self, sheet_id: str) -> dict[str, SentItem]:
        """What a sheet showed, by meme, in its order; empty when there is no such sheet."""
        with self.database.read() as connection:
            return sent_items(connection, sheet_id)

    def sent(self, sheet_id: str = "") -> dict[str, SentSheet]:
        """The sheet of an id, with what it showed; all sheets when there is none of that id."""
        with self.database.read() as connection:
            records = find_sheets(connection, sheet_id=sheet_id) or find_sheets(connection)
            return {record.id: sent_sheet(connection, record) for record in records}


def _texts(connection: Connection, query: Select[Any]) -> dict[str, SheetText]:
    """What sheets need of the versions of a query, by meme."""
    columns = (captions.c[name] for name in SheetText._fields)
    texts = map(SheetText._make, connection.execute(query.with_only_columns(*columns)))
    return {text.meme_id: text for text in texts}


class _Answer(NamedTuple):
    """Who answered a meme in which round; whether of its current source."""

    meme_id: str
    round: int
    person: str
    is_current: bool


def _answers(
    connection: Connection, language: str, sources: Mapping[str, SheetText]
) -> set[_Answer]:
    query = (
        select(corrections.c.meme_id, corrections.c.round, corrections.c.person, captions.c.parts)
        .join(sheet_items, WAS_SHOWN)
        .join(captions, captions.c.id == sheet_items.c.source_id)
        .where(corrections.c.language == language, corrections.c.outcome.in_(STANDING))
    )
    return {
        _Answer(meme_id, of_round, person, sources[meme_id].parts == parts)
        for meme_id, of_round, person, parts in connection.execute(query)
        if meme_id in sources
    }


def _claimed(connection: Connection, language: str, round_: int, person: str) -> set[str]:
    """The memes that are on another person's sheet of a round."""
    query = (
        select(sheet_items.c.meme_id)
        .join(sheets, sheets.c.id == sheet_items.c.sheet_id)
        .where(sheets.c.language == language, sheets.c.round == round_)
    )
    names = select(sheets.c.person).where(sheets.c.language == language, sheets.c.round == round_)
    own = [name for name in connection.execute(names).scalars() if same_person(name, person)]
    return set(connection.execute(query.where(sheets.c.person.not_in([person, *own]))).scalars())


def _open_case_memes(connection: Connection, language: str) -> set[str]:
    query = OPEN_CASES.with_only_columns(cases.c.meme_id).where(cases.c.language == language)
    return set(connection.execute(query).scalars())


def find_sheets(
    connection: Connection,
    language: str | None = None,
    kind: Kind | None = None,
    sheet_id: str | None = None,
) -> list[SheetRecord]:
    """Return the sheets of a language, kind or id, or all, in their order."""
    query = select(*columns_of(sheets, SheetRecord, created="created_at"))
    query = equal(query, {sheets.c.kind: kind, sheets.c.language: language, sheets.c.id: sheet_id})
    rows = connection.execute(query.order_by(*SHEETS_IN_ORDER))
    return [SheetRecord(*row) for row in rows]


def sent_sheet(connection: Connection, record: SheetRecord) -> SentSheet:
    """A sheet with what it showed."""
    return SentSheet(
        record.id,
        record.language,
        record.round,
        record.person,
        record.created,
        sent_items(connection, record.id),
        record.kind,
    )


def sent_items(connection: Connection, sheet_id: str) -> dict[str, SentItem]:
    """What a sheet showed, by meme, in the sheet's order."""
    source, base = captions.alias(), captions.alias()
    query = (
        select(sheet_items.c.meme_id, source.c.parts.label("source"), base.c.parts.label("base"))
        .join(source, source.c.id == sheet_items.c.source_id)
        .join(base, base.c.id == sheet_items.c.base_id)
        .where(sheet_items.c.sheet_id == sheet_id)
        .order_by(sheet_items.c.position)
    )
    return {row.meme_id: SentItem(row.source, row.base) for row in connection.execute(query)}
