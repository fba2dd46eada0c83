"""Where an answer belongs. In: a sheet that came back and what is known. Out: a placement for each.

Forgiving in form and strict in substance: what a spreadsheet does to a file is the readers' affair;
here an answer is either placed, already known, kept for `settle`, or refused, and each says why.
Nothing is thrown away: all but the refused are stored, whatever their outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from memeloc.correct.model import GIVEN_UP, NO_PART, Answer, SheetAnswers, text_key
from memeloc.errors import InputError
from memeloc.placeholders import misplaced, placeholders

Outcome = Literal["placed", "replaced", "unchanged", "older", "case", "refused"]
"""What becomes of an answer.

`placed`: it is the item's result in its round. `replaced`: so it is, instead of an earlier answer
of the same person. `unchanged`: the same was answered before. `older`: kept, but an answer from a
later sheet of the same person stands. `case`: kept, and left for `settle`. `refused`: it names
something that is not there, or lacks a placeholder without which the text cannot be used.
"""

Reason = Literal[
    "",
    "source changed",
    "part lost",
    "disagreement",
    "older sheet",
    "unknown id",
    "not on the sheet",
    "given up",
    "placeholders",
]


@dataclass(frozen=True, slots=True)
class SentItem:
    """What a sheet carried for one meme: the source and the text to be corrected."""

    source: tuple[str, ...]
    base: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentSheet:
    """A sheet that went out, with captions, transcripts or the texts of surveys (`kind`)."""

    id: str
    language: str
    round: int
    person: str
    created: datetime
    items: Mapping[str, SentItem]
    kind: str = "caption"


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """What somebody answered before.

    Attributes:
        round, person: whose, in which round.
        parts, status: what.
        sheet_created: when the sheet it came on was made, None when unknown.
        standing: whether it is its person's answer of that round still.
    """

    round: int
    person: str
    parts: tuple[str, ...]
    status: str
    sheet_created: datetime | None
    standing: bool = True


@dataclass(frozen=True, slots=True)
class KnownMeme:
    """What is known of one meme in the sheet's language.

    Attributes:
        source: the current source caption's parts.
        answers: all earlier ones, oldest first.
    """

    source: tuple[str, ...]
    answers: Sequence[EarlierAnswer] = field(default=())


@dataclass(frozen=True, slots=True)
class PlacedAnswer:
    """An answer, and what becomes of it.

    Attributes:
        meme_id, status, comment, row: as it was read.
        round, person: whose it is, from the sheet or from the command.
        parts: the text it stands for; empty when it was given up.
        typed: the parts as they were read.
        outcome, reason: see `Outcome` and `Reason`.
        message: a sentence for people; empty when it was simply placed.
    """

    meme_id: str
    round: int
    person: str
    parts: tuple[str, ...]
    typed: tuple[str, ...]
    status: str
    comment: str
    row: int
    outcome: Outcome
    reason: Reason = ""
    message: str = ""


def identify(
    answers: SheetAnswers,
    sheets: Mapping[str, SentSheet],
    *,
    language: str = "",
    round_: int = 0,
    person: str = "",
) -> SentSheet:
    """Find the sheet that came back.

    By its id; when that was lost, by the language, round and person in the file or in the command,
    which has to fit one sheet only.

    Raises:
        InputError: no sheet or several fit, or the file is for another language than was asked.
    """
    sheet = sheets.get(answers.sheet)
    if sheet is None:
        wanted = (
            language or answers.language,
            round_ or answers.round,
            person or answers.person,
        )
        fitting = [
            sent
            for sent in sheets.values()
            if (not wanted[0] or sent.language == wanted[0])
            and (not wanted[1] or sent.round == wanted[1])
            and (not wanted[2] or sent.person == wanted[2])
            and any(answer.meme_id in sent.items for answer in answers.answers)
        ]
        if len(fitting) != 1:
            names = ", ".join(sorted(sheets)) or "none"
            raise InputError(
                f"it is not clear which sheet this is ({'no' if not fitting else len(fitting)} "
                "sheets fit): its id is lost or of another workspace. Name --lang, --round and "
                f"--person. Sheets of this workspace: {names}",
                file=answers.file,
            )
        sheet = fitting[0]
    for stated in (language, answers.language):
        if stated and stated != sheet.language:
            raise InputError(
                f"this is the sheet {sheet.id} for {sheet.language}, not for {stated}",
                file=answers.file,
            )
    return sheet


def place(
    answers: SheetAnswers, sheet: SentSheet, memes: Mapping[str, KnownMeme], *, person: str = ""
) -> list[PlacedAnswer]:
    """Decide what becomes of every answer of a sheet.

    Args:
        answers: the sheet that came back.
        sheet: the one that went out, from `identify`.
        memes: what is known of the memes, by id.
        person: who answered, where that is neither in the file nor in the sheet.
    """
    who = answers.person or sheet.person or person
    return [
        _place(answer, sheet, memes.get(answer.meme_id), who, answers.file)
        for answer in answers.answers
    ]


def _place(
    answer: Answer, sheet: SentSheet, meme: KnownMeme | None, who: str, file: Path
) -> PlacedAnswer:
    def result(
        outcome: Outcome, reason: Reason = "", message: str = "", parts: tuple[str, ...] = ()
    ) -> PlacedAnswer:
        return PlacedAnswer(
            meme_id=answer.meme_id,
            round=sheet.round,
            person=who,
            parts=parts,
            typed=answer.parts,
            status=answer.status,
            comment=answer.comment,
            row=answer.row,
            outcome=outcome,
            reason=reason,
            message=message,
        )

    if meme is None:
        return result("refused", "unknown id", f"there is no meme {answer.meme_id!r} here")
    sent = sheet.items.get(answer.meme_id)
    if sent is None:
        return result(
            "refused", "not on the sheet", f"the sheet {sheet.id} did not have {answer.meme_id!r}"
        )
    if sheet.kind == "transcript":
        answer = _of_transcript(answer, sent)
    parts = _text(answer, sent)
    earlier = [each for each in meme.answers if each.round == sheet.round and each.standing]
    own = next((each for each in reversed(earlier) if each.person == who), None)
    if own is not None and (own.parts, own.status) == (parts, answer.status):
        return result("unchanged", parts=parts)
    lost = _lost(answer, sent, may_go=sheet.kind == "transcript")
    if lost:
        return result("case", "part lost", lost, parts)
    if sheet.kind == "survey":
        wrong = _placeholders(answer, sent, parts, file)
        if wrong is not None:
            return result("refused", "placeholders", str(wrong), parts)
    source_key = answer.source_key or text_key(sent.source)
    if source_key != text_key(meme.source):
        return result(
            "case",
            "source changed",
            f"the source of {answer.meme_id} has changed since the sheet was made; it was "
            f"{' // '.join(sent.source)!r} and is {' // '.join(meme.source)!r}",
            parts,
        )
    if own is not None and own.sheet_created is not None and own.sheet_created > sheet.created:
        return result(
            "older",
            "older sheet",
            f"a later sheet already brought an answer of {who or 'the same person'} to "
            f"{answer.meme_id}; that one stands",
            parts,
        )
    other = next((each for each in reversed(earlier) if each.person != who), None)
    if other is not None and other.parts != parts:
        return result(
            "case",
            "disagreement",
            f"{who or 'this sheet'} and {other.person or 'another person'} differ on "
            f"{answer.meme_id}",
            parts,
        )
    if answer.status in GIVEN_UP:
        done = "read" if sheet.kind == "transcript" else "translated"
        message = f"{answer.meme_id} was not {done}: {answer.status}"
        return result("case", "given up", message, parts)
    return result("replaced" if own is not None else "placed", parts=parts)


def _of_transcript(answer: Answer, sent: SentItem) -> Answer:
    """The answer with parts that are no text taken away; nothing at all is `no-text`."""
    text = sent.base if answer.status == "correct" else answer.parts
    if answer.status not in GIVEN_UP and not any(_kept(part) for part in text):
        return replace(answer, parts=(), status="no-text")
    return replace(answer, parts=tuple(map(_kept, answer.parts)))


def _kept(part: str) -> str:
    return "" if part.strip() == NO_PART else part


def _text(answer: Answer, sent: SentItem) -> tuple[str, ...]:
    """The text an answer stands for: for `correct` what the sheet showed, whatever came back."""
    if answer.status in GIVEN_UP:
        return ()
    if answer.status == "correct":
        return sent.base
    return answer.parts


def _placeholders(
    answer: Answer, sent: SentItem, parts: tuple[str, ...], file: Path
) -> InputError | None:
    """What is wrong with a text's placeholders, and where; None when nothing is."""
    for index, (source, text) in enumerate(zip(sent.source, parts, strict=False)):
        wrong = misplaced(source, text)
        if wrong:
            return InputError(
                f"{wrong}: write {' '.join(placeholders(source)) or 'no braces'} as in the source, "
                "and import the file again",
                file=file,
                row=answer.rows[index] if index < len(answer.rows) else answer.row,
                column="your text",
            )
    return None


def _lost(answer: Answer, sent: SentItem, *, may_go: bool) -> str:
    """What of a caption did not come back; a transcript's parts may go."""
    if answer.status != "corrected":
        return ""
    if len(answer.parts) != len(sent.source):
        return (
            f"{answer.meme_id} came back with {len(answer.parts)} of its {len(sent.source)} parts"
        )
    for index, (source, text) in enumerate(zip(sent.source, answer.parts, strict=True), 1):
        if source.strip() and not text.strip() and not may_go:
            return f"part {index} of {answer.meme_id} came back empty"
    return ""
