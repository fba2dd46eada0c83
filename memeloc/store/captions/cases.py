"""Cases. In: a language, or what somebody decides. Out: what is to be settled, settled versions.

What is there is read once, each decision is looked at beside it and beside those before it, and
the rows are written together; so that ten thousand decisions take seconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from sqlalchemy import Connection, and_, func, select

from memeloc.correct.model import Answer, Case
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption
from memeloc.placeholders import misplaced
from memeloc.store.captions import versions
from memeloc.store.captions.captions import drop_row, dropped_pairs
from memeloc.store.captions.corrections import find_answers, find_history
from memeloc.store.captions.states import OPEN_CASES
from memeloc.store.queries import Repository, add_rows, by_slices, equal
from memeloc.store.records import DROP_ALL, DROPPING, Kind
from memeloc.store.surveys.survey_texts import survey_text_key
from memeloc.store.tables.captions import cases, decisions, drops, memes

NO_TEXT = "no-text"
"""The status of an answer that a picture has no text; accepted, it is an empty text."""
ANSWERED_AGAIN = "answered again"
"""Stands for the decision of a case that nobody decided: who opened it has answered otherwise."""

_SAME = ("action", "parts", "person", "correction_id")
"""What two decisions of a case have in common that say the same."""
_FIELDS = ("id", "meme_id", "language", "round", "reason", "message")
"""The fields of a `Case` that are columns of `cases`."""
_IS_DROPPED = versions.is_dropped(cases.c.meme_id, cases.c.language)


class Cases(Repository):
    """Captions that are left for somebody to settle."""

    def find(
        self,
        tag: str | None = None,
        decided: bool | None = False,
        kind: Kind | None = None,
        ids: Collection[int] | None = None,
    ) -> list[Case]:
        """Return cases, oldest first: open ones, those `decided`, or (None) both; of one language
        and kind of texts and some `ids`, or all. A decision to drop counts as long as the caption
        is dropped."""
        with self.database.read() as connection:
            return _find(connection, tag, decided=decided, kind=kind, ids=ids)

    def open_counts(self) -> Counter[tuple[str, str, int]]:
        """Return how many cases are open, by the kind of texts, the language and the round."""
        by = (memes.c.kind, cases.c.language, cases.c.round)
        query = OPEN_CASES.with_only_columns(*by, func.count()).where(~_IS_DROPPED)
        query = query.join(memes, memes.c.id == cases.c.meme_id).group_by(*by)
        return Counter({(kind, tag, of): count for kind, tag, of, count in self.fetch(query)})

    def decide(self, decided: Sequence[Mapping[str, Any]], *, person: str) -> list[int | None]:
        """Settle cases, all of them or (after an error) none; return the versions that settle them,
        None where there is no text to settle on.

        Each has `case`, a number, and one of `accept` (an answer's number), `parts` (another text)
        and `drop` (`drop`, or `drop all`), or none of them (the caption stays); it may have a
        `comment`, and the `row` of the table that it is from, which an InputError names. Keeping
        makes a version, too: somebody has looked at it and approved. A later decision supersedes,
        and takes dropping back; the same one again changes nothing.
        """
        with self.database.write() as connection:
            cases = _find(connection, decided=None, ids={each["case"] for each in decided})
            deciding = _Deciding(connection, {case.id: case for case in cases}, person)
            for each in decided:
                try:
                    deciding.add(**each)
                except InputError as error:
                    raise InputError(error.message, row=each.get("row")) from error
            texts = versions.insert_versions(connection, deciding.texts)
            for row in deciding.rows:
                row["caption_id"] = texts[row["text"]] if "text" in row else row["caption_id"]
            names = {*decisions.c.keys()} - {"id", "created_at"}
            rows = [{name: row[name] for name in names} for row in deciding.rows]
            add_rows(connection, decisions, rows)
            add_rows(connection, drops, deciding.drops)
        return [row["caption_id"] for row in deciding.settled]


def _find(
    connection: Connection,
    language: str | None = None,
    *,
    decided: bool | None,
    kind: Kind | None = None,
    ids: Collection[int] | None = None,
) -> list[Case]:
    is_open = and_(cases.c.id.in_(OPEN_CASES.with_only_columns(cases.c.id)), ~_IS_DROPPED)
    query = select(cases, _IS_DROPPED.label("is_dropped"), is_open.label("is_open"))
    query = query.join(memes, memes.c.id == cases.c.meme_id)
    query = equal(query, {memes.c.kind: kind, cases.c.language: language})
    found = {row.id: row for row in by_slices(connection, query, cases.c.id, ids)}
    actions = select(*decisions.c["case_id", "action"]).order_by(decisions.c.id)
    decision_of = {
        number: action
        for number, action in by_slices(connection, actions, decisions.c.case_id, ids)
        if number in found and (action not in DROPPING or found[number].is_dropped)
    }
    if decided is not None:
        wanted = decision_of.keys() if decided else {id for id in found if found[id].is_open}
        found = {number: row for number, row in found.items() if number in wanted}
    meme_ids = {row.meme_id for row in found.values()}
    sources = versions.sources_of(connection, meme_ids)
    shown = {meme_id: source.parts for meme_id, source in sources.items()}
    stored = find_answers(connection, language, meme_ids, shown=shown)
    histories = find_history(connection, language, meme_ids, commented=True, answers=stored)
    answers, comments = (defaultdict[tuple[str, str], list[Answer]](list) for _ in range(2))
    for of_caption, steps in ((answers, stored), (comments, histories)):
        for step in steps:
            of_caption[step.meme_id, step.language].append(step)
    current = {
        (meme_id, tag): version.parts
        for tag in {row.language for row in found.values()}
        for meme_id, version in versions.current_of(connection, tag, meme_ids).items()
    }
    records = []
    for number, row in sorted(found.items()):
        caption = (row.meme_id, row.language)
        source = sources[row.meme_id]
        closed = "" if row.is_open or row.is_dropped else ANSWERED_AGAIN
        opened_first = sorted(answers[caption], key=lambda each: each.id != row.correction_id)
        records.append(
            Case(
                **{name: getattr(row, name) for name in _FIELDS},
                source=source.parts,
                source_id=source.id,
                now=current.get(caption),
                answers=tuple(opened_first),
                comments=tuple(comments[caption]),
                decision=decision_of.get(number, closed),
            )
        )
    return records


class _Deciding:
    """Data of some cases, and the rows that decisions about them make; a new row of
    `decisions` has under "text" the place of its version among `texts`."""

    def __init__(self, connection: Connection, cases: Mapping[int, Case], person: str) -> None:
        self.cases, self.person = cases, person
        self.dropped = dropped_pairs(connection, {case.meme_id for case in cases.values()})
        self.current = {(case.meme_id, case.language): case.now or () for case in cases.values()}
        query = select(decisions).order_by(decisions.c.id)
        self.last = {
            row.case_id: row._asdict()
            for row in by_slices(connection, query, decisions.c.case_id, cases)
            if row.action not in DROPPING or _pair(cases[row.case_id], row.action) in self.dropped
        }
        self.texts: list[dict[str, Any]] = []
        self.rows: list[dict[str, Any]] = []
        self.drops: list[dict[str, str]] = []
        self.settled: list[dict[str, Any]] = []

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
        about, last = self.cases[case], self.last.get(case, {})
        text, no_text = _text(about, accept, parts)
        action = "accept" if accept is not None else "type" if parts is not None else drop or "keep"
        decided: dict[str, Any] = {"case_id": case, "action": action, "parts": text}
        decided |= {"correction_id": accept, "person": self.person, "comment": comment}
        if last and all(decided[name] == last[name] for name in _SAME):
            if comment in ("", last["comment"]):
                self.settled.append(last)
                return
            decided = last | decided
        else:
            self._drop(about, drop, last.get("action", ""), comment)
            caption = (about.meme_id, about.language)
            text = self.current[caption] if action == "keep" else text
            decided["caption_id"] = None
            if text or no_text:
                decided["text"] = len(self.texts)
                self.current[caption] = versions.check_parts(text, about.meme_id) if text else ()
                version = {"meme_id": about.meme_id, "language": about.language}
                version |= {"stage": "settled", "origin": f"case {case}", "person": self.person}
                settled = {"parts": self.current[caption], "round": about.round}
                self.texts.append({**version, **settled, "source_id": about.source_id})
        self.last[case] = decided
        self.rows.append(decided)
        self.settled.append(decided)

    def _drop(self, case: Case, drop: str, last: str, comment: str) -> None:
        """Drop the meme, or take back that the last decision dropped it."""
        if drop and survey_text_key(case.meme_id):
            raise InputError("A survey cannot do without a text; keep it or type another.")
        for action in {drop, last} & {*DROPPING}:
            pair, dropped = _pair(case, action), action == drop
            if (pair in self.dropped) != dropped:
                self.dropped ^= {pair}
                about = {"person": self.person, "comment": comment}
                self.drops.append(drop_row(*pair, dropped=dropped, **about))


def _pair(case: Case, action: str) -> tuple[str, str]:
    """Return the meme and language that dropping a case drops."""
    return case.meme_id, versions.ALL_LANGUAGES if action == DROP_ALL else case.language


def _text(
    case: Case, accept: int | None, typed: Sequence[str] | None
) -> tuple[tuple[str, ...], bool]:
    """Return the text that a decision brings, and whether it is that there is none. That of a
    survey keeps its placeholders, see `memeloc.placeholders`."""
    text: tuple[str, ...] = ()
    no_text = False
    if accept is not None:
        answer = next((each for each in case.answers if each.id == accept), None)
        if answer is None or not (answer.parts or answer.status == NO_TEXT):
            raise InputError(f"The answer {accept} is not one with a text for case {case.id}.")
        text, no_text = answer.parts, answer.status == NO_TEXT
    elif typed is not None:
        parts = Caption.parse(SEPARATOR.join(typed), len(case.source)).parts
        text = versions.check_parts(parts, case.meme_id)
    for source, part in zip_longest(case.source, text, fillvalue=""):
        if text and survey_text_key(case.meme_id) and (wrong := misplaced(source, part)):
            raise InputError(
                f"This text cannot settle case {case.id}: {wrong}. Type it with the placeholders "
                f"of {SEPARATOR.join(case.source)}"
            )
    return text, no_text
