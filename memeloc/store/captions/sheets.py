"""Sheets for correctors. In: a language, a round and a person. Out: captions for a sheet.

The text to be corrected is what the rounds before have left: for round 1 the newest of what was
imported or translated, for round 2 the newest of round 1 and so on. Where a person's text was there
when the source changed, it is that text. So two people of one round get the same text, whoever
hands in first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, and_, select

from memeloc.correct.model import Sheet, SheetItem
from memeloc.correct.placing import same_person
from memeloc.errors import InputError
from memeloc.model import Locale
from memeloc.store.captions import versions
from memeloc.store.captions.corrections import find_answers, history_before
from memeloc.store.captions.states import OPEN_CASES
from memeloc.store.captions.versions import by_meme, is_current, is_outdated
from memeloc.store.queries import Repository, add_row, add_rows, equal, two_columns
from memeloc.store.records import SUPERSEDING, CaptionVersion, Kind
from memeloc.store.tables.captions import captions, cases, memes, sheet_items, sheets

Only = Literal["all", "new", "unclaimed", "changed", "open"]
"""Which captions a sheet is for.

`all` that are ready for the round; `new`: those that the person (or, without a person, anybody) has
not answered in it; `unclaimed`: those of `new` that are on nobody else's sheet of that round;
`changed`: those of `new` that were answered, or written by a person, before their source changed;
`open`: those with an open case.
"""

SHEETS_IN_ORDER = [*sheets.c["language", "round", "person", "created_at", "name", "id"]]
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
    ) -> list[SheetItem]:
        """Return the captions of a round for a sheet, in the memes' order; see `Only`.

        A caption is ready for round 1 when there is any translation of its current source or a
        person's of an earlier one (a transcript when it was read), for a later one when the round
        before has answered it and nothing about it waits to be settled. Raise InputError if one of
        `meme_ids` is not there.
        """
        with self.database.read() as connection:

            def found(condition: ColumnElement[bool]) -> dict[str, CaptionVersion]:
                query = versions.versions_query(condition, kind)
                return by_meme(connection.execute(query.where(captions.c.language == tag)))

            sources = by_meme(connection.execute(versions.source_query(kind)))
            bases = found(is_current(captions, round_))
            for meme_id, text in found(versions.is_outdated_text(captions)).items():
                if meme_id not in bases or text.id > bases[meme_id].id:
                    bases[meme_id] = text
            outdated = found(and_(versions.is_outdated_text(captions), is_current(captions)))
            suggestions = found(and_(versions.is_suggestion(captions), ~is_outdated(captions)))
            texts = {source.id: source.parts for source in sources.values()}
            older = {base.source_id for base in bases.values()} - texts.keys()
            texts |= versions.texts_of(connection, older)
            templates = two_columns(connection.execute(select(*memes.c["id", "template"])))
            shown = {meme_id: source.parts for meme_id, source in sources.items()}
            answers = find_answers(connection, tag, shown=shown, kind=kind)
            query = OPEN_CASES.with_only_columns(cases.c.meme_id).where(cases.c.language == tag)
            waiting = {*connection.scalars(query)}
            claimed = _holders(connection, tag, round_, person) if only == "unclaimed" else {}
            history = history_before(connection, tag, round_, person, kind, meme_ids)
        for meme_id in meme_ids or ():
            if meme_id not in templates:
                what = "text" if kind == "survey" else "meme"
                raise InputError(f"The workspace has no {what} {meme_id[:80]!r}.")
        superseding = [row for row in answers if row.outcome in SUPERSEDING]
        of_person = [
            row for row in superseding if row.round == round_ and person in ("", row.person)
        ]
        answered = [row for row in superseding if row.standing and row.outcome != "skipped"]
        # Without a person, who left a caption to somebody else has not answered it.
        done = {
            row.meme_id
            for row in of_person
            if row.standing and (person or row.outcome != "skipped")
        }
        new = sources.keys() - (done - outdated.keys())
        changed = {row.meme_id for row in of_person} | outdated.keys()
        wanted: dict[Only, set[str]] = {
            "all": {*sources},
            "new": new,
            "unclaimed": new - claimed.keys(),
            "changed": changed & new,
            "open": waiting,
        }
        asked = wanted[only] & (wanted[only] if meme_ids is None else {*meme_ids})
        ready = {row.meme_id for row in answered if row.round == round_ - 1}
        ready -= set() if only == "open" else waiting
        own_rounds = defaultdict[str, set[int]](set)
        for row in answered:
            if row.round != round_ and same_person(row.person, person):
                own_rounds[row.meme_id].add(row.round)
        items = []
        for meme_id, source in sources.items():
            base = bases.get(meme_id)
            if base is None or meme_id not in asked or (round_ > 1 and meme_id not in ready):
                continue
            before = source.parts if base.source_id is None else texts[base.source_id]
            suggestion = suggestions.get(meme_id) if before != source.parts else None
            can_stand = before == source.parts or (
                base.stage not in versions.MACHINE and len(base.parts) == len(source.parts)
            )
            if suggestion and not can_stand:
                base, suggestion, can_stand = suggestion, base, True
            if not can_stand or (source.language == tag) != (kind == "transcript"):
                continue
            items.append(
                SheetItem(
                    meme_id=meme_id,
                    source=source.parts,
                    base=base.parts,
                    source_id=source.id,
                    base_id=base.id,
                    template=templates[meme_id],
                    marks=base.marks,
                    before=before if before != source.parts else (),
                    suggestion=suggestion.parts if suggestion else (),
                    history=tuple(history.get(meme_id, ())),
                    open_case=meme_id in waiting,
                    own_rounds=tuple(sorted(own_rounds[meme_id])),
                )
            )
        return items

    def holders(self, tag: str, round_: int) -> dict[str, str]:
        """Return who has each meme on a sheet of a round, the last of several people."""
        with self.database.read() as connection:
            return _holders(connection, tag, round_)

    def add(self, sheet: Sheet, *, unclaimed: bool = False) -> bool:
        """Store a sheet and which versions it shows; False when it is there already. Raise
        InputError if it is to be `unclaimed`, and somebody else has got one of its memes in that
        round meanwhile."""
        with self.database.write() as connection:
            if connection.execute(select(sheets.c.id).where(sheets.c.id == sheet.id)).first():
                return False
            if unclaimed:
                claimed = _holders(connection, sheet.language.tag, sheet.round, sheet.person)
                if twice := [item.meme_id for item in sheet.items if item.meme_id in claimed]:
                    raise InputError(
                        f"{len(twice):,} of these captions, such as {twice[0]!r}, have gone out to "
                        "somebody else in the meantime; export the sheet again."
                    )
            names = ("id", "kind", "round", "person", "format", "name")
            add_row(
                connection,
                sheets,
                language=sheet.language.tag,
                source_language=sheet.source_language.tag,
                created_at=sheet.created,
                **{name: getattr(sheet, name) for name in names},
            )
            shown = ("meme_id", "source_id", "base_id")
            rows = [
                {"sheet_id": sheet.id, "position": position}
                | {name: getattr(item, name) for name in shown}
                for position, item in enumerate(sheet.items)
            ]
            add_rows(connection, sheet_items, rows)
        return True

    def find(self, locale: Callable[[str], Locale], *, sheet_id: str | None = None) -> list[Sheet]:
        """Return the sheets that went out, of an id or all, with what they
        showed; `locale` gives a language by its tag."""
        source, base = captions.alias(), captions.alias()
        shown: Select[Any] = (
            select(
                *sheet_items.c["sheet_id", "meme_id", "source_id", "base_id"],
                source.c.parts.label("source"),
                base.c.parts.label("base"),
            )
            .join(source, source.c.id == sheet_items.c.source_id)
            .join(base, base.c.id == sheet_items.c.base_id)
            .order_by(sheet_items.c.sheet_id, sheet_items.c.position)
        )
        query = equal(select(sheets).order_by(*SHEETS_IN_ORDER), {sheets.c.id: sheet_id})
        items = defaultdict[str, list[SheetItem]](list)
        with self.database.read() as connection:
            rows = [row._asdict() for row in connection.execute(query)]
            for row in connection.execute(equal(shown, {sheet_items.c.sheet_id: sheet_id})):
                values = row._asdict()
                items[values.pop("sheet_id")].append(SheetItem(**values))
        found = []
        for values in rows:
            values |= {name: locale(values[name]) for name in ("language", "source_language")}
            created, items_of_sheet = values.pop("created_at"), tuple(items[values["id"]])
            found.append(Sheet(**values, created=created, items=items_of_sheet))
        return found


def _holders(
    connection: Connection, language: str, round_: int, but: str | None = None
) -> dict[str, str]:
    """Return who has each meme on a sheet of a round, `but` for one person."""
    query = (
        select(sheet_items.c.meme_id, sheets.c.person)
        .join(sheets, sheets.c.id == sheet_items.c.sheet_id)
        .where(sheets.c.language == language, sheets.c.round == round_)
        .order_by(sheets.c.created_at)
    )
    return {
        meme_id: person
        for meme_id, person in connection.execute(query)
        if but is None or not (person == but or same_person(person, but))
    }
