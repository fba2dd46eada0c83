"""Progress of the work. In: a transaction. Out: counts by language, sheets and surveys; events.

The database counts; no caption is fetched. What leaves no trace of its own in other tables, such as
that pictures were rendered, is an event: noted when it was done, the newest of a kind and subject
counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import and_, case, func, select

from memeloc.store.captions import versions
from memeloc.store.captions.states import GIVEN, OPEN_CASES, states_query
from memeloc.store.captions.versions import is_active, is_current, is_dropped, is_outdated
from memeloc.store.queries import Repository, add_rows, is_newest, two_columns
from memeloc.store.records import ROUNDS, Kind
from memeloc.store.tables import captions as tables
from memeloc.store.tables.captions import captions, cases, corrections, drops, events, memes
from memeloc.store.tables.surveys import label_decisions, submissions, survey_results
from memeloc.store.tables.types import decode_json, encode_json

BEGINNING = datetime.min.replace(tzinfo=UTC)
"""The time of what was never done."""


class Progress(Repository):
    """Counts of a workspace's captions and surveys, done and still open."""

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
        query = select(*events.c["subject", "created_at", "detail"]).order_by(events.c.id)
        query = query.where(events.c.kind == kind, is_newest(events, ("kind", "subject")))
        return {subject: (at, decode_json(detail)) for subject, at, detail in self.fetch(query)}

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
        of_language = (
            states_query(kind, rounds)
            .where(is_active(kind))
            .order_by(None)
            .add_columns(
                captions.c.stage,
                captions.c.source_id.is_(None).label("is_source"),
                case((is_outdated(captions), 1), else_=0).label("outdated"),
            )
            .subquery()
        )
        groups = of_language.c["language", "stage", "round", "state", "is_source", "outdated"]
        query = select(*groups, func.count().label("number")).group_by(*groups)
        memes_in = select(func.count()).select_from(memes).where(is_active(kind))
        # Memes that are dropped in a language and not in all, and cases that wait, by language.
        gone = select(drops.c.language, func.count()).join(memes, memes.c.id == drops.c.meme_id)
        gone = gone.where(drops.c.action == "drop", versions.is_newest_drop(drops), is_active(kind))
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
        counts = []
        for tag in dict.fromkeys((*sources, *tags, *others)):
            rows = [row for row in found if row.language == tag and row.state != "dropped"]
            changed = [row for row in rows if row.outdated]
            stages = _counted((row, _of_round(row.stage, row)) for row in rows if not row.outdated)
            states = _counted(
                (row, _of_round("corrected", row) if row.state == "corrected" else row.state)
                for row in rows
            )
            done = {row for row in rows if row.state == "given"}
            done |= {row for row in rows if row.state == "accepted" and row.round >= rounds}
            ready = _counted(
                (row, 1 if row.stage in versions.MACHINE or row.outdated else row.round + 1)
                for row in rows
                if row not in done
                and row.state != "disputed"
                and not (row.outdated and row.stage in versions.MACHINE)
            )
            of_people = (row for row in changed if row.stage not in versions.MACHINE)
            missing = total - sum(row.number for row in rows) - dropped[tag]
            counts.append(
                {
                    "language": tag,
                    "source": tag in sources,
                    "missing": missing,
                    "changed_source": sum(row.number for row in changed),
                    "stages": stages,
                    "states": dict(
                        sorted((Counter(states) + Counter(dropped=dropped[tag])).items())
                    ),
                    "to_settle": to_settle[tag],
                    "dropped": dropped[tag],
                    "outdated": sum(row.number for row in of_people),
                    "done": sum(row.number for row in done),
                    "ready": ready,
                }
            )
        return counts

    def unanswered(self, kind: Kind = "caption", *, by_person: bool = False) -> list[Any]:
        """Return what is out on sheets and not answered: rows of language, round, `memes` and how
        many of them are `given`; or `by_person`, with person and the newest file. A caption that
        went through a sheet's round by another sheet waits for nobody, nor does one whose source
        has changed since."""
        sheets, items = tables.sheets, tables.sheet_items
        source = captions.alias("shown_source")
        answered = sa.exists().where(
            corrections.c.sheet_id == sheets.c.id,
            corrections.c.meme_id == captions.c.meme_id,
            corrections.c.file_id.not_in(versions.WITHDRAWN),
        )
        groups = sheets.c[("language", "round", "person") if by_person else ("language", "round")]
        source_memes = case((captions.c.stage.in_(GIVEN), captions.c.meme_id))
        of_sheet = and_(
            captions.c.meme_id == items.c.meme_id, captions.c.language == sheets.c.language
        )
        query = (
            select(
                *groups,
                func.max(sheets.c.name).label("file"),
                func.count(sa.distinct(captions.c.meme_id)).label("memes"),
                func.count(sa.distinct(source_memes)).label("given"),
            )
            .join(items, items.c.sheet_id == sheets.c.id)
            .join(source, source.c.id == items.c.source_id)
            .join(captions, of_sheet)
            .join(memes, memes.c.id == captions.c.meme_id)
            .where(is_active(kind), ~is_dropped(captions.c.meme_id, captions.c.language))
            .where(is_current(captions), is_current(source), ~answered)
            .where((sheets.c.round > captions.c.round) | is_outdated(captions))
            .group_by(*groups)
            .order_by(*groups)
        )
        return self.fetch(query)

    def rendered(self, newest: Mapping[str, int]) -> dict[str, tuple[int, int]]:
        """Count the current captions of each language: those up to the version `newest` has of the
        language, which pictures of an earlier run show, and those after it."""
        limit = case(newest, value=captions.c.language, else_=0) if newest else 0
        later = func.sum(case((captions.c.id > limit, 1), else_=0))
        query = versions.current_query().with_only_columns(captions.c.language, func.count(), later)
        rows = self.fetch(query.order_by(None).group_by(captions.c.language))
        return {tag: (count - after, after) for tag, count, after in rows}

    def submissions(self, survey: str) -> Counter[str]:
        """Count the people whose answers came whole, by sheet."""
        columns = submissions.c
        who = case((columns.participant == "", columns.id), else_=columns.participant)
        query = select(columns.sheet, func.count(sa.distinct(who))).group_by(columns.sheet)
        query = query.where(columns.survey == survey, columns.status == "complete")
        return Counter(two_columns(self.fetch(query)))

    def newest(self, survey: str) -> dict[str, datetime]:
        """Return when a survey's newest submission, labels and decision were stored."""
        tables = {"submission": submissions, "decision": label_decisions, "labels": survey_results}
        newest = {}
        for name, table in tables.items():
            query = select(func.max(table.c.created_at)).where(table.c.survey == survey)
            if name == "labels":
                query = query.where(table.c.kind == "labels")
            newest[name] = self.value(query) or BEGINNING
        return newest


def _of_round(name: str, row: Any) -> str:
    return f"{name} {row.round}" if row.round else name


def _counted(rows: Iterable[tuple[Any, Any]]) -> dict[Any, int]:
    """Return the sum of the rows' numbers by what stands beside each, sorted."""
    counts = Counter[Any]()
    for row, name in rows:
        counts[name] += row.number
    return dict(sorted(counts.items()))
