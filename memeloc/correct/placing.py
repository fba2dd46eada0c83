"""Where an answer belongs. In: a filled-in sheet and what is known. Out: a placement for each.

Forgiving in form and strict in substance: what a spreadsheet does to a file is the readers' affair;
here an answer is either placed, already known, kept for `settle`, or refused, and each says why.
Nothing is thrown away: all but the refused are stored, whatever their outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from memeloc.correct.model import GIVEN_UP, NO_PART, WITHOUT_TEXT, Answer, SheetAnswers, text_key
from memeloc.correct.rows import plain_text
from memeloc.errors import InputError
from memeloc.placeholders import misplaced, placeholders

Outcome = Literal["placed", "replaced", "unchanged", "older", "noted", "case", "stray", "refused"]
"""What becomes of an answer.

`placed`: it is the item's result in its round. `replaced`: so it is, instead of an earlier answer
of the same person. `unchanged`: the same was answered before. `older`: kept, but an answer from a
later sheet of the same person stands. `noted`: a comment without an answer, kept. `case`: kept, and
left for `settle`. `stray`: so is a row that belongs to no caption of the sheet, with the caption
that it stands beside; it is nobody's answer to that one. `refused`: it lacks a placeholder without
which the text cannot be used.
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
    "not understood",
    "same person",
]
_Decision = tuple[Outcome, Reason, str]


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
    """An earlier answer of a person in a round.

    `sheet_created` is when its sheet was made, None when unknown; `standing`, whether it is its
    person's answer of that round still.
    """

    round: int
    person: str
    parts: tuple[str, ...]
    status: str
    sheet_created: datetime | None
    standing: bool = True


@dataclass(frozen=True, slots=True)
class KnownMeme:
    """A meme in the sheet's language: the current source's parts, earlier answers, oldest first."""

    source: tuple[str, ...]
    answers: Sequence[EarlierAnswer] = ()


@dataclass(frozen=True, slots=True)
class PlacedAnswer:
    """An answer as it was read, and what becomes of it: see `Outcome` and `Reason`.

    Attributes:
        round, person: whose it is, from the sheet or from the command.
        parts: the text it stands for; empty when it was given up.
        typed: the parts as they were read.
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


def same_person(name: str, other: str) -> bool:
    """Whether two names are one person's, in any case; nobody's name is nobody's.

    >>> same_person("Asha", "asha "), same_person("", "")
    (True, False)
    """
    return bool(name.strip()) and name.strip().casefold() == other.strip().casefold()


def identify(
    answers: SheetAnswers,
    sheets: Mapping[str, SentSheet],
    *,
    language: str = "",
    round_: int = 0,
    person: str = "",
) -> SentSheet:
    """Find the sheet that was filled in: by its id, else by what the file or the command says.

    What these say of language, round and person has to fit one sheet only.

    Raises:
        InputError: no sheet or several fit, or the file is for another language than was asked.
    """
    sheet = sheets.get(answers.sheet)
    if sheet is None:
        stated = {
            "language": language or answers.language,
            "round": round_ or answers.round,
            "person": person or answers.person,
        }
        fitting = [
            sent
            for sent in sheets.values()
            if all(getattr(sent, name) == value for name, value in stated.items() if value)
            and _shows(answers, sent.items)
        ]
        if len(fitting) != 1:
            raise InputError(
                f"it is not clear which sheet this is ({len(fitting) or 'no'} sheets fit): its id "
                "is lost or of another workspace. Name --lang, --round and --person; `memeloc "
                "correct status` lists what went out",
                file=answers.file,
            )
        sheet = fitting[0]
    for tag in (language, answers.language):
        if tag and tag != sheet.language:
            raise InputError(
                f"this is the sheet {sheet.id} for {sheet.language}, not for {tag}",
                file=answers.file,
            )
    return sheet


def _shows(answers: SheetAnswers, items: Mapping[str, SentItem]) -> bool:
    """Whether anything in a file is of a sheet with these items."""
    if any(answer.meme_id in items for answer in answers.answers):
        return True
    sources = {plain_text(part) for item in items.values() for part in item.source} - {""}
    return any(plain_text(row.source) in sources for row in answers.rows if row.source)


def place(
    answers: SheetAnswers,
    sheet: SentSheet,
    memes: Mapping[str, KnownMeme],
    *,
    person: str = "",
    allow_same_person: bool = False,
) -> list[PlacedAnswer]:
    """Decide what becomes of every answer of a sheet, which `identify` has found.

    `memes` are those that are known, by id. `person` answered where neither the file nor the sheet
    says who. The answer of a person who has answered the caption in another round is a case, unless
    `allow_same_person`: the rounds of multi3hate are two native speakers' (section 3.2).
    """
    person = answers.person or sheet.person or person
    placed = []
    for answer in answers.answers:
        sent, meme = sheet.items.get(answer.meme_id), memes.get(answer.meme_id)
        parts: tuple[str, ...] = ()
        decision: _Decision
        if answer.near or sent is None or meme is None:
            answer, decision = _stray(answer, sheet, is_known=meme is not None)
        else:
            if sheet.kind == "transcript":
                answer = _without_drawings(answer, sent)
            if answer.status not in WITHOUT_TEXT:
                # Of `correct` it is what the sheet showed, whatever the file has.
                parts = sent.base if answer.status == "correct" else answer.parts
            decision = _decide(answer, parts, sheet, sent, meme, person, answers.file)
            is_whole = decision[0] in ("placed", "replaced") or decision[1] == "disagreement"
            if is_whole and not allow_same_person:
                decision = _second_time(sheet.round, meme, person, answer.meme_id) or decision
        outcome, reason, message = decision
        placed.append(
            PlacedAnswer(
                meme_id=answer.meme_id,
                round=sheet.round,
                person=person,
                parts=parts,
                typed=answer.typed,
                status=answer.status,
                comment=answer.comment,
                row=answer.row,
                outcome=outcome,
                reason=reason,
                message=message,
            )
        )
    return placed


def _stray(answer: Answer, sheet: SentSheet, *, is_known: bool) -> tuple[Answer, _Decision]:
    """What becomes of an answer that is to no caption of the sheet: it is kept beside one."""
    reason: Reason = "not on the sheet" if is_known else "unknown id"
    about = f"the sheet {sheet.id} does not have {answer.meme_id!r}"
    if not is_known:
        about = f"there is no meme {answer.meme_id!r} here"
    if not answer.meme_id:
        reason = "not understood"
        about = answer.unclear or (
            "it has lost its key, and neither meme and part nor source say what it is about"
        )
    near = answer.near or next(iter(sheet.items))
    message = f"row {answer.row} stands beside {near} and belongs to no caption: {about}"
    return replace(answer, meme_id=near), ("stray", reason, message)


def _decide(
    answer: Answer,
    parts: tuple[str, ...],
    sheet: SentSheet,
    sent: SentItem,
    meme: KnownMeme,
    person: str,
    file: Path,
) -> _Decision:
    name = answer.meme_id
    if answer.status == "comment":
        return "noted", "", ""
    if answer.unclear:
        return "case", "not understood", f"{name}: {answer.unclear}"
    earlier = [each for each in meme.answers if each.round == sheet.round and each.standing]
    own = next((each for each in reversed(earlier) if each.person == person), None)
    other = next((each for each in reversed(earlier) if each.person != person), None)
    if own is not None and (own.parts, own.status) == (parts, answer.status):
        return "unchanged", "", ""
    if lost := _lost(answer, sent, may_go=sheet.kind == "transcript"):
        return "case", "part lost", lost
    if sheet.kind == "survey" and (wrong := _misplaced(answer, sent, parts, file)):
        return "refused", "placeholders", str(wrong)
    if (answer.source_key or text_key(sent.source)) != text_key(meme.source):
        message = (
            f"the source of {name} has changed since the sheet was made; it was "
            f"{' // '.join(sent.source)!r} and is {' // '.join(meme.source)!r}"
        )
        return "case", "source changed", message
    if own is not None and own.sheet_created is not None and own.sheet_created > sheet.created:
        message = (
            f"a later sheet already brought an answer of {person or 'the same person'} to {name}; "
            "that one stands"
        )
        return "older", "older sheet", message
    if other is not None and other.parts != parts:
        people = f"{person or 'this sheet'} and {other.person or 'another person'}"
        return "case", "disagreement", f"{people} differ on {name}"
    if answer.status in GIVEN_UP:
        done = "read" if sheet.kind == "transcript" else "translated"
        return "case", "given up", f"{name} was not {done}: {answer.status}"
    return "replaced" if own is not None else "placed", "", ""


def _second_time(round_: int, meme: KnownMeme, person: str, name: str) -> _Decision | None:
    """The decision on an answer of a person who has answered in another round, too."""
    for each in meme.answers:
        if each.round != round_ and each.standing and same_person(each.person, person):
            message = (
                f"{person} answered {name} in round {each.round}, and round {round_} is for "
                "somebody else"
            )
            return "case", "same person", message
    return None


def _without_drawings(answer: Answer, sent: SentItem) -> Answer:
    """The answer without parts that are no text; without any it is `no-text`."""
    text = sent.base if answer.status == "correct" else answer.parts
    if answer.status not in WITHOUT_TEXT and all(part.strip() in ("", NO_PART) for part in text):
        return replace(answer, parts=(), status="no-text")
    parts = tuple("" if part.strip() == NO_PART else part for part in answer.parts)
    return replace(answer, parts=parts)


def _misplaced(
    answer: Answer, sent: SentItem, parts: tuple[str, ...], file: Path
) -> InputError | None:
    """What is wrong with a text's placeholders, and where."""
    for index, (source, text) in enumerate(zip(sent.source, parts, strict=False)):
        if wrong := misplaced(source, text):
            return InputError(
                f"{wrong}: write {' '.join(placeholders(source)) or 'no braces'} as in the source, "
                "and import the file again",
                file=file,
                row=answer.rows[index] if index < len(answer.rows) else answer.row,
                column="your text",
            )
    return None


def _lost(answer: Answer, sent: SentItem, *, may_go: bool) -> str:
    """What of a caption is missing in the answer; a transcript's parts may go."""
    if answer.status != "corrected":
        return ""
    name, count, expected = answer.meme_id, len(answer.parts), len(sent.source)
    if count != expected:
        return f"{name} came back with {count} of its {expected} parts"
    for number, (source, text) in enumerate(zip(sent.source, answer.parts, strict=True), 1):
        if source.strip() and not text.strip() and not may_go:
            return f"part {number} of {name} came back empty"
    return ""
