"""What is to be settled. In: decisions, typed or in a table. Out: open cases, settled captions.

Two people who differ, a source that changed since, a part that was lost, a caption that was given
up: somebody accepts an answer, types a third text, keeps what stands, or drops the meme. Every
decision is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memeloc.correct.checks import CaptionWarning
from memeloc.correct.model import Comment
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption
from memeloc.sheets import write_sheet_table
from memeloc.store.records import DROP, DROP_ALL, CaseRecord, Decision, Kind
from memeloc.tables import read_table
from memeloc.workspace.correcting.checking import settled_warnings
from memeloc.workspace.correcting.settling import Rule
from memeloc.workspace.part import Part

_COLUMNS = (
    *("case", "meme", "language", "round", "why", "source", "now", "answers", "comments so far"),
    *("take", "text", "comment"),
)


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """An answer of a case, by its number; its text is empty when nothing was typed."""

    answer: int
    person: str
    status: str
    text: str
    comment: str


@dataclass(frozen=True, slots=True)
class Case:
    """Something to settle, by its number; the answer that opened it is the first.

    `reason` and `message` say why, in short and as a sentence; `source` and `now` are the source
    caption and the caption as they stand, their parts joined by ` // `.
    """

    case: int
    meme_id: str
    language: str
    round: int
    reason: str
    message: str
    source: str
    now: str | None
    answers: Sequence[CaseAnswer]
    comments: Sequence[Comment]
    decision: str


@dataclass(frozen=True, slots=True)
class SettleResult:
    """How many decisions were taken, and warnings about the texts that they settle on, which are
    checked as all texts are (`memeloc.correct.checks`)."""

    settled: int
    warnings: Sequence[CaptionWarning]


class Cases(Part):
    """What people differ on, or could not do, and the decisions about it."""

    def open(self, language: str | None = None, *, kind: Kind | None = None) -> list[Case]:
        """What waits to be settled, oldest first; of one language or kind of texts, or all."""
        tag = None if language is None else self._workspace.locale(language).tag
        return [_case(record) for record in self._store.cases.find(tag, kind=kind)]

    def count(self, language: str | None = None) -> int:
        """How many are open, in one language or all."""
        tag = None if language is None else self._workspace.locale(language).tag
        counts = self._store.cases.open_counts().items()
        return sum(count for (_, own, _), count in counts if tag in (None, own))

    def find(self, case: int) -> Case:
        """A case by its number, open or decided.

        Raises:
            InputError: there is no such case.
        """
        for record in self._store.cases.find(decided=None, ids=[case]):
            return _case(record)
        raise InputError(f"There is no case {case}; `memeloc correct settle` lists them.")

    def decide(
        self,
        case: int,
        *,
        person: str,
        accept: int | None = None,
        text: str | None = None,
        drop: Literal["", "drop", "drop all"] = "",
        comment: str = "",
    ) -> SettleResult:
        """Settle a case: accept an answer, type a text, drop the meme in this language or in all,
        or (none of them) keep the caption as it is.

        A later decision supersedes; the same one again changes nothing. `case` and `accept` are
        numbers, as `open` gives them; the parts of `text` are joined by ` // `.

        Raises:
            InputError: there is no such case, or the answer is not one of it.
        """
        parts = None if text is None else Caption.parse(text).parts
        return self._decide([Decision(case, accept, parts, drop, comment)], person)

    def write(self, path: Path, language: str | None = None) -> tuple[Path, int]:
        """Write the open cases to a table to decide in; return where, and how many there are.

        A row a case; the column `take` is for an answer's number, `keep`, `drop` or `drop all`,
        `text` for another text, `comment` for why.
        """
        rows = (
            (
                str(case.case),
                case.meme_id,
                case.language,
                str(case.round),
                case.message or case.reason,
                case.source,
                case.now or "",
                "\n".join(
                    f"{each.answer} {each.person}: {each.text or each.status}"
                    for each in case.answers
                ),
                "\n".join(f"{each.who}: {each.comment}" for each in case.comments),
                *("", "", ""),
            )
            for case in self.open(language)
        )
        return write_sheet_table(path, _COLUMNS, rows, suffix=".csv")

    def decide_from(self, path: Path, *, person: str) -> SettleResult:
        """Take the decisions of a table that `write` made, all or none, and check the texts they
        settle on.

        Raises:
            InputError: a row is wrong; nothing is stored then.
        """
        table = read_table(path, ["case"])
        if not {"take", "text"} & set(table.columns):
            raise InputError("has no columns case, and take or text", file=path, row=1)
        decisions = []
        for row in table.rows:
            text, take = row["text"].strip(), row["take"].strip()
            if not take and not text:
                continue
            case = row["case"].strip()
            if not case.isdecimal():
                raise InputError("is not a case's number", file=path, row=row.number, column="case")
            try:
                way = _decision(take, text)
            except InputError as error:
                raise InputError(error.message, file=path, row=row.number, column="take") from error
            comment = row["comment"].strip()
            decisions.append(Decision(int(case), **way, comment=comment, row=row.number))
        try:
            return self._decide(decisions, person)
        except InputError as error:
            typed = {each.row for each in decisions if each.parts is not None}
            column = "text" if error.row in typed else "take"
            raise InputError(error.message, file=path, row=error.row, column=column) from error

    def prefer(
        self, rule: str, *, person: str, language: str | None = None, comment: str = ""
    ) -> SettleResult:
        """Settle by rule the open cases that it decides; the rule stands with each decision.

        `rule` is `person:NAME`, `round:N` or `majority`; see settling.py.

        Raises:
            InputError: it is no rule.
        """
        parsed = Rule.parse(rule)
        tag = None if language is None else self._workspace.locale(language).tag
        why = f"rule {parsed}; {comment}" if comment else f"rule {parsed}"
        decisions = [
            Decision(record.id, accept=answer.id, comment=why)
            for record in self._store.cases.find(tag)
            if (answer := parsed.choose(record)) is not None
        ]
        return self._decide(decisions, person)

    def _decide(self, decisions: Sequence[Decision], person: str) -> SettleResult:
        # A decision without a text makes no version.
        ids = self._store.cases.decide_all(decisions, person=person)
        versions = self._store.captions.versions([each for each in ids if each is not None])
        return SettleResult(len(ids), settled_warnings(self._workspace, versions))


def _decision(take: str, text: str) -> dict[str, Any]:
    """What a row says as arguments of `Decision`; a text goes before what is to be taken."""
    if text:
        return {"parts": Caption.parse(text).parts}
    if take.isdecimal():
        return {"accept": int(take)}
    word = " ".join(take.casefold().split())
    if word not in ("keep", DROP, DROP_ALL):
        raise InputError(
            f"{take[:40]!r} is neither an answer's number nor keep, {DROP} or {DROP_ALL}"
        )
    return {} if word == "keep" else {"drop": word}


def _case(record: CaseRecord) -> Case:
    others = [other for other in record.others if other.id != record.correction.id]
    return Case(
        record.id,
        record.meme_id,
        record.language,
        record.round,
        record.reason,
        record.message,
        SEPARATOR.join(record.source.parts),
        SEPARATOR.join(record.current.parts) if record.current else None,
        [
            CaseAnswer(
                answer.id,
                answer.person,
                answer.status,
                SEPARATOR.join(answer.parts or answer.typed) if any(answer.typed) else "",
                answer.comment,
            )
            for answer in (record.correction, *others)
        ],
        record.comments,
        record.decision,
    )
