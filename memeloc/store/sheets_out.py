"""What goes to people. In: a language, a round and a person. Out: captions for a sheet, recorded.

The text to be corrected is what the rounds before have left: for round 1 the newest of what was
imported or translated, for round 2 the newest of round 1 and so on. So two people of one round get
the same text, whoever hands in first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, insert, select

from memeloc.errors import InputError
from memeloc.store.caption_versions import (
    SLICE,
    VERSION_COLUMNS,
    current_query,
    source_query,
    two_columns,
    version_of,
)
from memeloc.store.records import (
    STANDING,
    CaptionVersion,
    Kind,
    SentText,
    SheetRecord,
    ToCorrect,
)
from memeloc.store.tables import (
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


def items_to_correct(
    connection: Connection,
    language: str,
    round_: int,
    person: str,
    only: Only,
    meme_ids: Collection[str] | None,
    kind: Kind = "caption",
) -> Iterator[ToCorrect]:
    """The captions of a round, in the order of the memes.

    A caption is ready for round 1 when there is any translation of its current source (a transcript
    when it was read), for a later one when the round before has answered it and nothing about it
    waits to be settled.
    """
    sources = {row.meme_id: version_of(row) for row in connection.execute(source_query(kind))}
    bases = {
        row.meme_id: version_of(row)
        for row in connection.execute(current_query(language, below_round=round_, kind=kind))
    }
    templates = two_columns(connection, select(memes.c.id, memes.c.template))
    answered, mine, before, ever = _answers(connection, language, round_, person, sources)
    waiting = open_case_memes(connection, language)
    texts = _texts(connection, [base.source_id for base in bases.values()])
    wanted = None if meme_ids is None else set(meme_ids)
    for meme_id, source in sources.items():
        base = bases.get(meme_id)
        if base is None or (source.language == language) != (kind == "transcript"):
            continue
        if wanted is not None and meme_id not in wanted:
            continue
        outdated = base.source_id is not None and texts[base.source_id] != source.parts
        if outdated or (round_ > 1 and meme_id not in before):
            continue
        if round_ > 1 and only != "open" and meme_id in waiting:
            continue
        done = meme_id in mine
        keep = {
            "all": True,
            "new": not done,
            "changed": not done and meme_id in ever,
            "open": meme_id in waiting,
        }[only]
        if keep:
            yield ToCorrect(
                meme_id,
                templates[meme_id],
                source,
                base,
                answered[meme_id],
                meme_id in waiting,
            )


def _answers(
    connection: Connection,
    language: str,
    round_: int,
    person: str,
    sources: Mapping[str, CaptionVersion],
) -> tuple[Counter[str], set[str], set[str], set[str]]:
    """Of the current sources: people who answered in this round, those answered by the person, and
    those answered in the round before; and what the person answered ever, of any source."""
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
    answered: Counter[str] = Counter()
    mine: set[str] = set()
    before: set[str] = set()
    ever: set[str] = set()
    for meme_id, of_round, who, parts in connection.execute(query):
        current = meme_id in sources and sources[meme_id].parts == parts
        if of_round != round_:
            if current:
                before.add(meme_id)
            continue
        if current:
            answered[meme_id] += 1
        if not person or who == person:
            ever.add(meme_id)
            if current:
                mine.add(meme_id)
    return answered, mine, before, ever


def open_case_memes(connection: Connection, language: str) -> set[str]:
    """The memes that have an open case in a language."""
    query = (
        select(cases.c.meme_id)
        .outerjoin(decisions, decisions.c.case_id == cases.c.id)
        .where(cases.c.language == language, decisions.c.id.is_(None))
    )
    return set(connection.execute(query).scalars())


def _texts(connection: Connection, ids: Sequence[int | None]) -> dict[int, tuple[str, ...]]:
    wanted = [key for key in dict.fromkeys(ids) if key is not None]
    texts: dict[int, tuple[str, ...]] = {}
    for start in range(0, len(wanted), SLICE):
        query = select(captions.c.id, captions.c.parts).where(
            captions.c.id.in_(wanted[start : start + SLICE])
        )
        texts.update(two_columns(connection, query))
    return texts


def record_sheet(
    connection: Connection, sheet: SheetRecord, items: Sequence[tuple[str, int, int]]
) -> bool:
    """Store a sheet and the versions it shows; False when it is there already."""
    if not sheet.id.isalnum() or len(sheet.id) > 40:
        raise InputError(f"A sheet's id is 1 to 40 letters and digits, not {sheet.id[:60]!r}.")
    if connection.execute(select(sheets.c.id).where(sheets.c.id == sheet.id)).first():
        return False
    connection.execute(
        insert(sheets).values(
            id=sheet.id,
            kind=sheet.kind,
            language=sheet.language,
            source_language=sheet.source_language,
            round=sheet.round,
            person=sheet.person,
            format=sheet.format,
            name=sheet.name,
            created_at=sheet.created,
        )
    )
    if items:
        connection.execute(
            insert(sheet_items),
            [
                {
                    "sheet_id": sheet.id,
                    "meme_id": meme_id,
                    "position": position,
                    "source_id": source_id,
                    "base_id": base_id,
                }
                for position, (meme_id, source_id, base_id) in enumerate(items)
            ],
        )
    return True


def find_sheets(
    connection: Connection,
    language: str | None,
    sheet_id: str | None = None,
    kind: Kind | None = None,
) -> list[SheetRecord]:
    """The sheets of a language and kind, or of all, oldest first."""
    query = select(sheets).order_by(sheets.c.created_at, sheets.c.id)
    if kind is not None:
        query = query.where(sheets.c.kind == kind)
    if language is not None:
        query = query.where(sheets.c.language == language)
    if sheet_id is not None:
        query = query.where(sheets.c.id == sheet_id)
    return [_record(row) for row in connection.execute(query)]


def sent_texts(connection: Connection, sheet_id: str) -> dict[str, SentText]:
    """What a sheet showed, by meme, in the sheet's order."""
    found: list[dict[str, CaptionVersion]] = []
    for column in (sheet_items.c.source_id, sheet_items.c.base_id):
        query = (
            select(*VERSION_COLUMNS)
            .join(sheet_items, column == captions.c.id)
            .where(sheet_items.c.sheet_id == sheet_id)
            .order_by(sheet_items.c.position)
        )
        found.append({row.meme_id: version_of(row) for row in connection.execute(query)})
    return {meme_id: SentText(source, found[1][meme_id]) for meme_id, source in found[0].items()}


def sheet_sizes(connection: Connection) -> dict[str, int]:
    """How many captions each sheet has."""
    query = select(sheet_items.c.sheet_id, func.count()).group_by(sheet_items.c.sheet_id)
    return two_columns(connection, query)


def _record(row: Row[Any]) -> SheetRecord:
    return SheetRecord(
        id=row.id,
        language=row.language,
        source_language=row.source_language,
        round=row.round,
        person=row.person,
        created=row.created_at,
        format=row.format,
        name=row.name,
        kind=row.kind,
    )
