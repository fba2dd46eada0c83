"""Cases. In: a language, or what somebody decides. Out: what is to be settled, settled versions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Literal

from sqlalchemy import Connection, func, select

from memeloc.correct.model import Comment
from memeloc.store.captions.corrections import find_corrections
from memeloc.store.captions.deciding import store_decisions
from memeloc.store.captions.history import find_comments
from memeloc.store.captions.states import OPEN_CASES
from memeloc.store.captions.versions import current_of, is_dropped, sources_of
from memeloc.store.queries import Repository, by_slices, equal
from memeloc.store.records import DROP, DROP_ALL, CaseRecord, CorrectionRecord, Decision, Kind
from memeloc.store.tables.captions import cases, decisions, memes


class Cases(Repository):
    """What is left for somebody to settle."""

    def find(
        self,
        tag: str | None = None,
        decided: bool | None = False,
        kind: Kind | None = None,
        ids: Collection[int] | None = None,
    ) -> list[CaseRecord]:
        """Cases, oldest first: open ones, those `decided`, or (None) both.

        Of one language and kind of texts, or of all; all, or those of some `ids`. A decision to
        drop counts as long as the caption is dropped.
        """
        with self.database.read() as connection:
            return _find(connection, tag, decided=decided, kind=kind, ids=ids)

    def open_counts(self) -> Counter[tuple[str, str, int]]:
        """How many cases are open, by the kind of texts, the language and the round."""
        by = (memes.c.kind, cases.c.language, cases.c.round)
        query = (
            OPEN_CASES.with_only_columns(*by, func.count())
            .join(memes, memes.c.id == cases.c.meme_id)
            .where(~is_dropped(cases.c.meme_id, cases.c.language))
            .group_by(*by)
        )
        return Counter({(kind, tag, of): count for kind, tag, of, count in self.fetch(query)})

    def decide(
        self,
        case_id: int,
        *,
        person: str,
        accept: int | None = None,
        parts: Sequence[str] | None = None,
        drop: Literal["", "drop", "drop all"] = "",
        comment: str = "",
    ) -> int | None:
        """Settle a case, see `decide_all`; the id of the version that settles it, None when there
        is no text to settle on."""
        text = None if parts is None else tuple(parts)
        decision = Decision(case_id, accept, text, drop, comment)
        return self.decide_all([decision], person=person)[0]

    def decide_all(self, decided: Sequence[Decision], *, person: str) -> list[int | None]:
        """Settle cases, all of them or (after an error) none; the versions that settle them.

        Keeping makes a version, too: somebody has looked at it and approved. A later decision
        supersedes, and takes dropping back; the same one again changes nothing.

        Raises:
            InputError: there is no such case, or the answer is not one of it; with the decision's
                row.
        """
        with self.database.write() as connection:
            ids = {decision.case for decision in decided}
            records = _find(connection, decided=None, ids=ids)
            known = {record.id: record for record in records}
            return store_decisions(connection, known, decided, person)


def _find(
    connection: Connection,
    language: str | None = None,
    *,
    decided: bool | None,
    kind: Kind | None = None,
    ids: Collection[int] | None = None,
) -> list[CaseRecord]:
    query = select(cases).join(memes, memes.c.id == cases.c.meme_id).order_by(cases.c.id)
    query = equal(query, {memes.c.kind: kind, cases.c.language: language})
    actions = select(decisions.c.case_id, decisions.c.action).order_by(decisions.c.id)
    given_up = select(cases.c.id).where(is_dropped(cases.c.meme_id, cases.c.language))
    dropped = set(connection.execute(given_up).scalars())
    decision_of = {
        case: action
        for case, action in by_slices(connection, actions, decisions.c.case_id, ids)
        if action not in (DROP, DROP_ALL) or case in dropped
    }
    rows = [
        row
        for row in by_slices(connection, query, cases.c.id, ids)
        if decided is None
        or ((row.id in decision_of) == decided and (decided or row.id not in dropped))
    ]
    rows.sort(key=lambda row: row.id)
    meme_ids = {row.meme_id for row in rows}
    sources = sources_of(connection, meme_ids)
    answers = defaultdict[tuple[str, str], list[CorrectionRecord]](list)
    shown = {meme_id: source.parts for meme_id, source in sources.items()}
    for answer in find_corrections(connection, language, meme_ids, shown=shown):
        answers[answer.meme_id, answer.language].append(answer)
    comments = defaultdict[tuple[str, str], list[Comment]](list)
    for comment in find_comments(connection, language, meme_ids):
        comments[comment.meme_id, comment.language].append(comment)
    current = {tag: current_of(connection, tag, meme_ids) for tag in {row.language for row in rows}}
    records = []
    for row in rows:
        values = dict(row._mapping)
        opened_by = values.pop("correction_id")
        related = answers[row.meme_id, row.language]
        records.append(
            CaseRecord(
                **values,
                correction=next(answer for answer in related if answer.id == opened_by),
                answers=tuple(related),
                comments=tuple(comments[row.meme_id, row.language]),
                source=sources[row.meme_id],
                current=current[row.language].get(row.meme_id),
                decision=decision_of.get(row.id, ""),
            )
        )
    return records
