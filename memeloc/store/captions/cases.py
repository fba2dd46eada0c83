"""Cases. In: a language, or what somebody decides. Out: what is to be settled, settled versions.

What is there is read once, each decision is looked at beside it and beside those before it, and
the rows are written together; so that ten thousand decisions take seconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from sqlalchemy import Connection, func, select

from memeloc.correct.model import Answer, Case
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption
from memeloc.placeholders import misplaced
from memeloc.store.captions.answers import find_answers, find_history
from memeloc.store.captions.drops import drop_row, dropped_pairs
from memeloc.store.captions.states import OPEN_CASES
from memeloc.store.captions.versions import (
    ALL_LANGUAGES,
    check_parts,
    current_of,
    insert_versions,
    is_dropped,
    sources_of,
)
from memeloc.store.queries import Repository, add_rows, by_slices, equal
from memeloc.store.records import DROP, DROP_ALL, Kind
from memeloc.store.surveys.survey_texts import survey_text_key
from memeloc.store.tables.captions import cases, decisions, drops, memes

NO_TEXT = "no-text"
"""The status of an answer that a picture has no text; accepted, it is an empty text."""
ANSWERED_AGAIN = "answered again"
"""Stands for the decision of a case that nobody decided: who opened it has answered otherwise."""

_SAME = ("action", "parts", "person", "correction_id")
"""What two decisions of a case have in common that say the same."""


class Cases(Repository):
    """What is left for somebody to settle."""

    def find(
        self,
        tag: str | None = None,
        decided: bool | None = False,
        kind: Kind | None = None,
        ids: Collection[int] | None = None,
    ) -> list[Case]:
        """Return cases, oldest first: open ones, those `decided`, or (None) both.

        Of one language and kind of texts, or of all; all, or those of some `ids`. A decision to
        drop counts as long as the caption is dropped.
        """
        with self.database.read() as connection:
            return _find(connection, tag, decided=decided, kind=kind, ids=ids)

    def open_counts(self) -> Counter[tuple[str, str, int]]:
        """Return how many cases are open, by the kind of texts, the language and the round."""
        by = (memes.c.kind, cases.c.language, cases.c.round)
        query = (
            OPEN_CASES.with_only_columns(*by, func.count())
            .join(memes, memes.c.id == cases.c.meme_id)
            .where(~is_dropped(cases.c.meme_id, cases.c.language))
            .group_by(*by)
        )
        return Counter({(kind, tag, of): count for kind, tag, of, count in self.fetch(query)})

    def decide(self, decided: Sequence[Mapping[str, Any]], *, person: str) -> list[int | None]:
        """Settle cases, all of them or (after an error) none; return the versions that settle them,
        None where there is no text to settle on.

        Keeping makes a version, too: somebody has looked at it and approved. A later decision
        supersedes, and takes dropping back; the same one again changes nothing.

        Args:
            decided: each has `case`, a number, and one of `accept` (an answer's number), `parts`
                (another text) and `drop` (`drop`, or `drop all`), or none of them (the caption
                stays); it may have a `comment`, and the `row` of the table that it is from.

        Raises:
            InputError: there is no such case, or the answer is not one of it; with the row.
        """
        with self.database.write() as connection:
            records = _find(connection, decided=None, ids={row["case"] for row in decided})
            deciding = _Deciding(connection, {case.id: case for case in records}, person)
            for row in decided:
                try:
                    deciding.add(**row)
                except InputError as error:
                    raise InputError(error.message, row=row.get("row")) from error
            return deciding.store(connection)


def _find(
    connection: Connection,
    language: str | None = None,
    *,
    decided: bool | None,
    kind: Kind | None = None,
    ids: Collection[int] | None = None,
) -> list[Case]:
    query = select(cases).join(memes, memes.c.id == cases.c.meme_id).order_by(cases.c.id)
    query = equal(query, {memes.c.kind: kind, cases.c.language: language})
    given_up = select(cases.c.id).where(is_dropped(cases.c.meme_id, cases.c.language))
    dropped = set(connection.execute(given_up).scalars())
    waiting = set(connection.execute(OPEN_CASES.with_only_columns(cases.c.id)).scalars()) - dropped
    actions = select(decisions.c.case_id, decisions.c.action).order_by(decisions.c.id)
    decision_of = {
        case: action
        for case, action in by_slices(connection, actions, decisions.c.case_id, ids)
        if action not in (DROP, DROP_ALL) or case in dropped
    }
    rows = [
        row
        for row in by_slices(connection, query, cases.c.id, ids)
        if decided is None or (row.id in (decision_of if decided else waiting))
    ]
    rows.sort(key=lambda row: row.id)
    meme_ids = {row.meme_id for row in rows}
    sources = sources_of(connection, meme_ids)
    shown = {meme_id: source.parts for meme_id, source in sources.items()}
    answers, comments = _by_caption(), _by_caption()
    stored = find_answers(connection, language, meme_ids, shown=shown)
    for answer in stored:
        answers[answer.meme_id, answer.language].append(answer)
    for comment in find_history(connection, language, meme_ids, commented=True, answers=stored):
        comments[comment.meme_id, comment.language].append(comment)
    current = {tag: current_of(connection, tag, meme_ids) for tag in {row.language for row in rows}}
    found = []
    for row in rows:
        now, closed = current[row.language].get(row.meme_id), row.id not in waiting | dropped
        opening = row.correction_id
        own = sorted(answers[row.meme_id, row.language], key=lambda each: each.id != opening)
        found.append(
            Case(
                **{name: row._mapping[name] for name in ("id", "meme_id", "language", "round")},
                reason=row.reason,
                message=row.message,
                source=sources[row.meme_id].parts,
                source_id=sources[row.meme_id].id,
                now=now.parts if now else None,
                answers=tuple(own),
                comments=tuple(comments[row.meme_id, row.language]),
                decision=decision_of.get(row.id, ANSWERED_AGAIN if closed else ""),
            )
        )
    return found


def _by_caption() -> defaultdict[tuple[str, str], list[Answer]]:
    return defaultdict(list)


class _Deciding:
    """What is known of some cases, and the rows that decisions about them make.

    A new row of `decisions` has the place of its version among `versions` under "version".
    """

    def __init__(self, connection: Connection, known: Mapping[int, Case], person: str) -> None:
        self.cases, self.person = known, person
        self.dropped = dropped_pairs(connection, {case.meme_id for case in known.values()})
        query = select(decisions).order_by(decisions.c.id)
        self.last: dict[int, Mapping[str, Any]] = {
            row.case_id: dict(row._mapping)
            for row in by_slices(connection, query, decisions.c.case_id, known)
            if row.action not in (DROP, DROP_ALL)
            or _pair(known[row.case_id], row.action) in self.dropped
        }
        self.current = {(each.meme_id, each.language): each.now or () for each in known.values()}
        self.versions: list[dict[str, Any]] = []
        self.decisions: list[dict[str, Any]] = []
        self.drops: list[dict[str, str]] = []
        self.settled: list[Mapping[str, Any]] = []

    def add(
        self,
        case: int,
        accept: int | None = None,
        parts: Sequence[str] | None = None,
        drop: str = "",
        comment: str = "",
        row: int | None = None,
    ) -> None:
        """Take a decision, of a table's `row`."""
        if case not in self.cases:
            raise InputError(f"There is no case {case}; `memeloc correct settle` lists them.")
        if (accept is not None) + (parts is not None) + bool(drop) > 1:
            raise InputError("Accept an answer, type a text, or drop the meme: one of them.")
        about = self.cases[case]
        text, no_text = _text(about, accept, parts)
        action = "accept" if accept is not None else "type" if parts is not None else drop or "keep"
        decided: dict[str, Any] = {
            "case_id": case,
            "action": action,
            "correction_id": accept,
            "parts": text,
            "person": self.person,
            "comment": comment,
        }
        last = self.last.get(case)
        if last is not None and all(decided[name] == last[name] for name in _SAME):
            if comment in ("", last["comment"]):
                self.settled.append(last)
                return
            decided |= {name: last[name] for name in ("caption_id", "version") if name in last}
        else:
            self._drop(about, drop, "" if last is None else last["action"], comment)
            if action == "keep":
                text = self.current[about.meme_id, about.language]
            if text or no_text:
                decided["version"] = len(self.versions)
                self._settle(about, text)
        self.last[case] = decided
        self.decisions.append(decided)
        self.settled.append(decided)

    def store(self, connection: Connection) -> list[int | None]:
        """Store what was decided; return the versions that settle it, a decision each."""
        added = insert_versions(connection, self.versions)

        def version(row: Mapping[str, Any]) -> int | None:
            return added[row["version"]] if "version" in row else row.get("caption_id")

        settled = [version(row) for row in self.settled]
        for row in self.decisions:
            row["caption_id"] = version(row)
            row.pop("version", None)
        add_rows(connection, decisions, self.decisions)
        add_rows(connection, drops, self.drops)
        return settled

    def _drop(self, case: Case, drop: str, last: str, comment: str) -> None:
        """Drop the meme, or take back that the last decision dropped it."""
        if drop and survey_text_key(case.meme_id):
            raise InputError("A survey cannot do without a text; keep it or type another.")
        for action in {drop, last} & {DROP, DROP_ALL}:
            pair, dropped = _pair(case, action), action == drop
            if (pair in self.dropped) != dropped:
                self.dropped ^= {pair}
                about = {"person": self.person, "comment": comment}
                self.drops.append(drop_row(*pair, dropped=dropped, **about))

    def _settle(self, case: Case, text: tuple[str, ...]) -> None:
        parts = check_parts(text, case.meme_id) if text else ()
        self.current[case.meme_id, case.language] = parts
        self.versions.append(
            {
                "meme_id": case.meme_id,
                "language": case.language,
                "parts": parts,
                "stage": "settled",
                "round": case.round,
                "person": self.person,
                "origin": f"case {case.id}",
                "source_id": case.source_id,
            }
        )


def _pair(case: Case, action: str) -> tuple[str, str]:
    """Return the meme and language that dropping a case drops."""
    return case.meme_id, ALL_LANGUAGES if action == DROP_ALL else case.language


def _text(
    case: Case, accept: int | None, typed: Sequence[str] | None
) -> tuple[tuple[str, ...], bool]:
    """Return the text that a decision brings, and whether it is that there is none.

    The text of a survey keeps its placeholders, see `memeloc.placeholders`.
    """
    text: tuple[str, ...] = ()
    no_text = False
    if accept is not None:
        answer = next((each for each in case.answers if each.id == accept), None)
        if answer is None or not (answer.parts or answer.status == NO_TEXT):
            raise InputError(f"The answer {accept} is not one with a text for case {case.id}.")
        text, no_text = answer.parts, answer.status == NO_TEXT
    elif typed is not None:
        parts = Caption.parse(SEPARATOR.join(typed), len(case.source)).parts
        text = check_parts(parts, case.meme_id)
    for source, part in zip_longest(case.source, text, fillvalue=""):
        if text and survey_text_key(case.meme_id) and (wrong := misplaced(source, part)):
            raise InputError(
                f"This text cannot settle case {case.id}: {wrong}. Type it with the placeholders "
                f"of {SEPARATOR.join(case.source)}"
            )
    return text, no_text
