"""Sheets for correctors. In: a language, a round and a person. Out: captions for a sheet.

The text to be corrected is what the rounds before have left: for round 1 the newest of what was
imported or translated, for round 2 the newest of round 1 and so on. So two people of one round get
the same text, whoever hands in first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Literal

from sqlalchemy import Connection, select

from memeloc.correct.placing import SentItem, SentSheet
from memeloc.errors import InputError
from memeloc.store.caption_versions import by_meme, current_query, source_query, texts_of
from memeloc.store.database import Repository, add_row, add_rows, columns_of, two_columns
from memeloc.store.records import STANDING, CaptionVersion, Kind, SheetRecord, ToCorrect
from memeloc.store.tables.captions import (
    captions,
    cases,
    corrections,
    decisions,
    memes,
    sheet_items,
    sheets,
)

Only = Literal["all", "new", "changed", "open"]
"""Which captions a sheet is for.

`all` that are ready for the round; `new`: those that the person (or, without a person, anybody) has
not answered in it; `changed`: those of `new` that were answered before their source changed;
`open`: those with an open case.
"""


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
    ) -> list[ToCorrect]:
        """The captions of a round for a sheet, in the memes' order; see `Only`.

        A caption is ready for round 1 when there is any translation of its current source (a
        transcript when it was read), for a later one when the round before has answered it and
        nothing about it waits to be settled.
        """
        with self.database.read() as connection:
            sources = by_meme(connection.execute(source_query(kind)))
            query = current_query(tag, below_round=round_, kind=kind)
            bases = by_meme(connection.execute(query))
            templates = two_columns(connection.execute(select(memes.c.id, memes.c.template)))
            answers = _Answers(connection, tag, round_, person, sources)
            waiting = _open_case_memes(connection, tag)
            texts = texts_of(connection, [base.source_id for base in bases.values()])
        wanted = sources if meme_ids is None else set(meme_ids)
        items = []
        for meme_id, source in sources.items():
            base = bases.get(meme_id)
            if base is None or (source.language == tag) != (kind == "transcript"):
                continue
            if meme_id not in wanted:
                continue
            if base.source_id is not None and texts[base.source_id] != source.parts:
                continue
            has_case, done = meme_id in waiting, meme_id in answers.own
            if round_ > 1 and (meme_id not in answers.before or (has_case and only != "open")):
                continue
            is_wanted = {
                "all": True,
                "new": not done,
                "changed": not done and meme_id in answers.own_of_any_source,
                "open": has_case,
            }[only]
            if is_wanted:
                people = answers.people[meme_id]
                items.append(ToCorrect(meme_id, templates[meme_id], source, base, people, has_case))
        return items

    def add(self, sheet: SheetRecord, items: Sequence[tuple[str, int, int]]) -> bool:
        """Store which versions a sheet shows; False when the sheet is there already.

        Args:
            sheet: what it is.
            items: meme id, source version's id and base version's id, in the sheet's order.
        """
        if not sheet.id.isalnum() or len(sheet.id) > 40:
            raise InputError(f"A sheet's id is 1 to 40 letters and digits, not {sheet.id[:60]!r}.")
        with self.database.write() as connection:
            if find_sheets(connection, sheet_id=sheet.id):
                return False
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
        """The sheets that went out, oldest first; all, or those of a language or kind."""
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


class _Answers:
    """What was answered of the current sources.

    Attributes:
        people: how many have answered a meme in this round.
        own: the memes that the person (without one, anybody) has answered in it.
        own_of_any_source: the same, of whatever source text.
        before: the memes that were answered in the round before.
    """

    def __init__(
        self,
        connection: Connection,
        language: str,
        round_: int,
        person: str,
        sources: Mapping[str, CaptionVersion],
    ) -> None:
        self.people: Counter[str] = Counter()
        self.own: set[str] = set()
        self.own_of_any_source: set[str] = set()
        self.before: set[str] = set()
        shown = captions.alias()
        query = (
            select(corrections.c.meme_id, corrections.c.round, corrections.c.person, shown.c.parts)
            .join(
                sheet_items,
                (sheet_items.c.sheet_id == corrections.c.sheet_id)
                & (sheet_items.c.meme_id == corrections.c.meme_id),
            )
            .join(shown, shown.c.id == sheet_items.c.source_id)
            .where(
                corrections.c.language == language,
                corrections.c.outcome.in_(STANDING),
                corrections.c.round.in_((round_, round_ - 1)),
            )
            .distinct()
        )
        for meme_id, of_round, who, parts in connection.execute(query):
            current = meme_id in sources and sources[meme_id].parts == parts
            if of_round != round_:
                if current:
                    self.before.add(meme_id)
                continue
            if current:
                self.people[meme_id] += 1
            if not person or who == person:
                self.own_of_any_source.add(meme_id)
                if current:
                    self.own.add(meme_id)


def _open_case_memes(connection: Connection, language: str) -> set[str]:
    query = (
        select(cases.c.meme_id)
        .outerjoin(decisions, decisions.c.case_id == cases.c.id)
        .where(cases.c.language == language, decisions.c.id.is_(None))
    )
    return set(connection.execute(query).scalars())


def find_sheets(
    connection: Connection,
    language: str | None = None,
    kind: Kind | None = None,
    sheet_id: str | None = None,
) -> list[SheetRecord]:
    """The sheets of a language and kind, or of all, oldest first; or the one of an id."""
    query = select(*columns_of(sheets, SheetRecord, created="created_at"))
    wanted = {sheets.c.kind: kind, sheets.c.language: language, sheets.c.id: sheet_id}
    query = query.where(*(each == value for each, value in wanted.items() if value is not None))
    rows = connection.execute(query.order_by(sheets.c.created_at, sheets.c.id))
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
