"""How far the work is. In: a transaction. Out: counts by language, sheets and surveys; events.

The database counts; no caption is fetched. What leaves no trace of its own in other tables, such as
that pictures were rendered, is an event: noted when it was done, the newest of a kind and subject
counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import and_, case, distinct, func, or_, select

from memeloc.store.captions.states import GIVEN, OPEN_CASES, states_query
from memeloc.store.captions.versions import (
    MACHINE,
    WITHDRAWN,
    is_active,
    is_current,
    is_dropped,
    is_newest_drop,
    is_outdated,
)
from memeloc.store.queries import Repository, add_rows, is_newest, two_columns
from memeloc.store.records import ROUNDS, Kind
from memeloc.store.tables.captions import (
    captions,
    cases,
    corrections,
    drops,
    events,
    memes,
    sheet_items,
    sheets,
)
from memeloc.store.tables.surveys import label_decisions, submissions, survey_results
from memeloc.store.tables.types import decode_json, encode_json

BEGINNING = datetime.min.replace(tzinfo=UTC)
"""The time of what was never done."""


class Progress(Repository):
    """What is done of a workspace's captions and surveys, and what is still open."""

    def note(self, kind: str, subjects: Mapping[str, Mapping[str, Any]]) -> None:
        """Note that something was done to subjects, such as that a language was `rendered`, each
        with JSON values."""
        rows = [
            {"kind": kind, "subject": subject, "detail": encode_json(detail)}
            for subject, detail in subjects.items()
        ]
        with self.database.write() as connection:
            add_rows(connection, events, rows)

    def noted(self, kind: str) -> dict[str, tuple[datetime, Mapping[str, Any]]]:
        """Return when something was done last and with which detail, by subject, newest last."""
        query = select(events.c.subject, events.c.created_at, events.c.detail).order_by(events.c.id)
        query = query.where(events.c.kind == kind, is_newest(events, ("kind", "subject"), "id"))
        return {row.subject: (row.created_at, decode_json(row.detail)) for row in self.fetch(query)}

    def languages(
        self, tags: Sequence[str], kind: Kind = "caption", rounds: int = ROUNDS
    ) -> list[dict[str, Any]]:
        """Count the captions of each language: the source's first, then `tags`, even where nothing
        is there yet, then what else is there.

        Each has `language`, whether it is the `source`; how many are `missing` (not translated
        yet), have a `changed_source`, and are `outdated` (those of these that people wrote, which
        stand all the same); the others by stage (`stages`, `corrected 1` and so on with the round);
        all by state (`states`, the same); open cases (`to_settle`); memes that are `dropped` in it
        and not in all; captions that went through all rounds or need none (`done`), and those that
        are `ready` for a sheet, by round.
        """
        rows = states_query(kind, rounds).where(is_active(kind)).order_by(None)
        own = rows.add_columns(
            captions.c.stage,
            captions.c.source_id.is_(None).label("is_source"),
            case((is_outdated(captions), 1), else_=0).label("outdated"),
        ).subquery()
        names = ("language", "stage", "round", "state", "is_source", "outdated")
        groups = [own.c[name] for name in names]
        query = select(*groups, func.count().label("number")).group_by(*groups)
        memes_in = select(func.count()).select_from(memes).where(is_active(kind))
        # Memes that are dropped in a language and not in all, and cases that wait, by language.
        gone = select(drops.c.language, func.count()).join(memes, memes.c.id == drops.c.meme_id)
        gone = gone.where(drops.c.action == "drop", is_newest_drop(drops), is_active(kind))
        waits = OPEN_CASES.with_only_columns(cases.c.language, func.count())
        waits = waits.join(memes, memes.c.id == cases.c.meme_id).where(is_active(kind))
        waits = waits.where(~is_dropped(cases.c.meme_id, cases.c.language))
        with self.database.read() as connection:
            found = connection.execute(query).all()
            total = connection.execute(memes_in).scalar_one()
            dropped = Counter(two_columns(connection.execute(gone.group_by(drops.c.language))))
            to_settle = Counter(two_columns(connection.execute(waits.group_by(cases.c.language))))
        sources = dict.fromkeys(row.language for row in found if row.is_source)
        others = sorted({row.language for row in found if row.state != "dropped"})
        listed = []
        for tag in dict.fromkeys((*sources, *tags, *others)):
            stages, states, numbers, ready = (Counter[Any]() for _ in range(4))
            for row in found:
                if row.language != tag or row.state == "dropped":
                    continue
                is_machine, of_round = row.stage in MACHINE, f" {row.round}" if row.round else ""
                states[row.state + of_round * (row.state == "corrected")] += row.number
                if row.outdated:
                    numbers["changed_source"] += row.number
                    numbers["outdated"] += row.number * (not is_machine)
                else:
                    stages[row.stage + of_round] += row.number
                if row.state == "given" or (row.state == "accepted" and row.round >= rounds):
                    numbers["done"] += row.number
                elif row.state != "disputed" and not (row.outdated and is_machine):
                    ready[1 if is_machine or row.outdated else row.round + 1] += row.number
            missing = total - stages.total() - numbers["changed_source"] - dropped[tag]
            listed.append(
                {
                    "language": tag,
                    "source": tag in sources,
                    "missing": missing,
                    "changed_source": numbers["changed_source"],
                    "stages": dict(sorted(stages.items())),
                    "states": dict(sorted((states + Counter(dropped=dropped[tag])).items())),
                    "to_settle": to_settle[tag],
                    "dropped": dropped[tag],
                    "outdated": numbers["outdated"],
                    "done": numbers["done"],
                    "ready": dict(sorted(ready.items())),
                }
            )
        return listed

    def unanswered(self, kind: Kind = "caption", *, by_person: bool = False) -> list[Any]:
        """Return what is out on sheets and not answered: rows of language, round, `memes` and how
        many of them are `given`; or `by_person`, with person and the newest file.

        A caption that went through a sheet's round by another sheet waits for nobody, nor does one
        whose source has changed since.
        """
        source = captions.alias("shown_source")
        answered = select(corrections.c.id).where(
            corrections.c.sheet_id == sheets.c.id,
            corrections.c.meme_id == captions.c.meme_id,
            corrections.c.file_id.not_in(WITHDRAWN),
        )
        groups = [sheets.c.language, sheets.c.round, *([sheets.c.person] if by_person else [])]
        given = case((captions.c.stage.in_(GIVEN), captions.c.meme_id))
        query = (
            select(
                *groups,
                func.max(sheets.c.name).label("file"),
                func.count(distinct(captions.c.meme_id)).label("memes"),
                func.count(distinct(given)).label("given"),
            )
            .join(sheet_items, sheet_items.c.sheet_id == sheets.c.id)
            .join(source, source.c.id == sheet_items.c.source_id)
            .join(
                captions,
                and_(
                    captions.c.meme_id == sheet_items.c.meme_id,
                    captions.c.language == sheets.c.language,
                ),
            )
            .join(memes, memes.c.id == captions.c.meme_id)
            .where(is_active(kind), ~is_dropped(captions.c.meme_id, captions.c.language))
            .where(is_current(captions), is_current(source), ~answered.exists())
            .where(or_(sheets.c.round > captions.c.round, is_outdated(captions)))
            .group_by(*groups)
            .order_by(*groups)
        )
        return self.fetch(query)

    def rendered(self, newest: Mapping[str, int]) -> dict[str, tuple[int, int]]:
        """Count the current captions of each language: those up to the version `newest` has of the
        language, which pictures of an earlier run show, and those after it."""
        limit = case(newest, value=captions.c.language, else_=0) if newest else 0
        later = case((captions.c.id > limit, 1), else_=0)
        query = (
            select(captions.c.language, func.count().label("all"), func.sum(later).label("later"))
            .join(memes, memes.c.id == captions.c.meme_id)
            .where(is_active(), ~is_dropped(captions.c.meme_id, captions.c.language))
            .where(is_current(captions))
            .group_by(captions.c.language)
        )
        return {tag: (count - after, after) for tag, count, after in self.fetch(query)}

    def newest_version(self) -> int:
        """Return the number of the newest version of any caption."""
        return int(self.fetch(select(func.coalesce(func.max(captions.c.id), 0)))[0][0])

    def submissions(self, survey: str) -> Counter[str]:
        """Count the people whose answers came whole, by sheet."""
        columns = submissions.c
        who = case((columns.participant == "", columns.id), else_=columns.participant)
        query = select(columns.sheet, func.count(distinct(who))).group_by(columns.sheet)
        query = query.where(columns.survey == survey, columns.status == "complete")
        return Counter(two_columns(self.fetch(query)))

    def newest(self, survey: str) -> dict[str, datetime]:
        """Return when a survey's newest submission, labels and decision were stored."""
        times = {
            "submission": submissions.c.created_at,
            "decision": label_decisions.c.created_at,
            "labels": survey_results.c.created_at,
        }
        newest = {}
        for name, time in times.items():
            query = select(func.max(time)).where(time.table.c.survey == survey)
            if time.table is survey_results:
                query = query.where(survey_results.c.kind == "labels")
            newest[name] = self.fetch(query)[0][0] or BEGINNING
        return newest
