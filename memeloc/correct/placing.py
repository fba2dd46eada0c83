"""The place of an answer. In: a filled-in sheet and what is known. Out: a placement for each.

Forgiving in form and strict in substance: what a spreadsheet does to a file is the readers' affair;
here an answer is either placed, already known, kept for `settle`, or refused, and each says why.
Nothing is thrown away: all but the refused are stored, whatever their outcome.

Outcomes: `placed`: it is the item's result in its round. `replaced`: so it is, instead of an
earlier answer of the same person. `unchanged`: the same was answered before. `older`: kept, but an
answer from a later sheet of the same person stands. `noted`: a comment without an answer, kept.
`skipped`: left to somebody else, for whom it is unanswered still. `case`: kept, and left for
`settle`. `stray`: so is a row that belongs to no caption of the sheet, with the caption that it
stands beside; it is nobody's answer to that one. `refused`: it lacks a placeholder without which
the text cannot be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memeloc.correct.model import (
    GIVEN_UP,
    NO_PART,
    WITHOUT_TEXT,
    Answer,
    Sheet,
    SheetItem,
    text_key,
)
from memeloc.correct.reading import sheet_id as found_id
from memeloc.correct.reading import shows
from memeloc.errors import InputError
from memeloc.placeholders import misplaced, placeholders
from memeloc.sheets import Filled


def same_person(name: str, other: str) -> bool:
    """Return whether two names are one person's, in any case; nobody's name is nobody's.

    >>> same_person("Asha", "asha "), same_person("", "")
    (True, False)
    """
    return bool(name.strip()) and name.strip().casefold() == other.strip().casefold()


def identify(
    filled: Filled,
    sheets: Sequence[Sheet],
    *,
    sheet_id: str = "",
    languages: Sequence[str] | None = None,
    round_: int = 0,
    person: str = "",
) -> tuple[Sheet, str]:
    """Find the sheet that was filled in, and who did: by its id, else by what the file or the
    command says of language, round and person, which has to fit one sheet only. Raise InputError if
    no sheet or several fit, or the sheet is not the one that was asked for."""
    tag, of_round, named = (filled.facts.get(name, "") for name in ("language", "round", "person"))
    by_id = {sheet.id: [sheet] for sheet in sheets}
    fitting = (
        by_id.get(found_id(filled))
        or by_id.get(sheet_id)
        or [
            sheet
            for sheet in sheets
            if (not languages or sheet.language.tag in languages)
            and tag in ("", sheet.language.tag)
            and str(round_ or of_round) in ("", str(sheet.round))
            and (person or named) in ("", sheet.person)
            and shows(filled, sheet)
        ]
    )
    if len(fitting) != 1 or (sheet_id and sheet_id != fitting[0].id):
        found = ", ".join(f"{sheet.id} ({sheet.person or sheet.name})" for sheet in fitting)
        raise InputError(
            f"it is not clear which sheet this is ({found or 'no sheet fits'}): its id is lost or "
            "of another workspace. Name it by --sheet, or name --langs, --round and --person; "
            "`memeloc correct status` lists what went out",
            file=filled.file,
        )
    (sheet,) = fitting
    other, who = "", named or sheet.person or person
    if languages and sheet.language.tag not in languages:
        other = f"{sheet.language.tag}, not for {', '.join(languages)}: name its language, or none"
    elif tag not in ("", sheet.language.tag):
        other = f"{sheet.language.tag}, not for {tag}"
    elif round_ not in (0, sheet.round):
        other = f"round {sheet.round}, not for round {round_}: name its round, or none"
    elif person and not same_person(person, who):
        other = f"{who}, not for {person}: leave --person away, or export one for {person}"
    if other:
        raise InputError(f"this is the sheet {sheet.id} for {other}", file=filled.file)
    return sheet, who


def place(
    answers: Iterable[Answer],
    sheet: Sheet,
    sources: Mapping[str, tuple[str, ...]],
    earlier: Mapping[str, Sequence[Answer]],
    *,
    file: Path,
    person: str = "",
    allow_same_person: bool = False,
) -> list[Answer]:
    """Decide what becomes of every answer of a sheet, which `identify` has found.

    Args:
        sources: the current source of the memes that are known.
        earlier: what people have answered before, by meme, oldest first.
        allow_same_person: else the answer of a person who has answered the caption in another round
            is a case: the rounds of multi3hate are two native speakers' (section 3.2).
    """
    placed, items = [], sheet.by_meme
    facts: dict[str, Any] = {"person": person, "language": sheet.language.tag}
    facts |= {"round": sheet.round, "sheet": sheet.id}
    for answer in answers:
        answer = replace(answer, **facts)
        item, source = items.get(answer.meme_id), sources.get(answer.meme_id)
        if answer.near or item is None or source is None:
            placed.append(_stray(answer, sheet, is_known=source is not None))
            continue
        if sheet.kind == "transcript":
            answer = _without_drawings(answer, item)
        # Of `correct` it is what the sheet showed, whatever the file has.
        parts = item.base if answer.status == "correct" else answer.parts
        parts = () if answer.status in WITHOUT_TEXT else parts
        answer = replace(answer, parts=parts, base=item.base)
        before = [each for each in earlier.get(answer.meme_id, ()) if each.standing]
        outcome, reason, message = _decide(answer, sheet, item, source, before, file)
        if not allow_same_person and (
            outcome in ("placed", "replaced") or reason == "disagreement"
        ):
            for each in before:
                is_other = each.round != sheet.round and each.status != "skip"
                if is_other and same_person(each.person, person):
                    outcome, reason = "case", "same person"
                    message = (
                        f"{person} answered {answer.meme_id} in round {each.round}, and round "
                        f"{sheet.round} is for somebody else"
                    )
                    break
        placed.append(replace(answer, outcome=outcome, reason=reason, message=message))
    return placed


def _stray(answer: Answer, sheet: Sheet, *, is_known: bool) -> Answer:
    """Return an answer to no caption of the sheet: it is kept beside one."""
    if not answer.meme_id:
        reason = "not understood"
        about = answer.unclear or (
            "it has lost its key, and neither meme and part nor source say what it is about"
        )
    elif is_known:
        reason = "not on the sheet"
        about = f"the sheet {sheet.id} does not have {answer.meme_id!r}"
    else:
        reason, about = "unknown id", f"there is no meme {answer.meme_id!r} here"
    near = answer.near or sheet.items[0].meme_id
    message = f"row {answer.row} stands beside {near} and belongs to no caption: {about}"
    answer = replace(answer, meme_id=near, parts=(), outcome="stray")
    return replace(answer, reason=reason, message=message)


def _decide(
    answer: Answer,
    sheet: Sheet,
    item: SheetItem,
    source: tuple[str, ...],
    before: Sequence[Answer],
    file: Path,
) -> tuple[str, str, str]:
    """Return an answer's outcome, the reason in short, and as a sentence for people."""
    name, person = answer.meme_id, answer.person
    if answer.status == "comment":
        return "noted", "", ""
    if answer.unclear:
        return "case", "not understood", f"{name}: {answer.unclear}"
    of_round = [each for each in reversed(before) if each.round == sheet.round]
    earlier = next((each for each in of_round if each.person == person), None)
    others = (each for each in of_round if each.person != person and each.status != "skip")
    other = next(others, None)
    is_same = earlier is not None and (earlier.parts, earlier.status) == (
        answer.parts,
        answer.status,
    )
    if earlier is not None and is_same and earlier.reason != "not understood":
        return "unchanged", "", ""
    if answer.status == "skip":
        return "skipped", "", f"{name} is left to somebody else"
    if lost := _lost(answer, item, may_go=sheet.kind == "transcript"):
        return "case", "part lost", lost
    if sheet.kind == "survey" and (wrong := _misplaced(answer, item, file)):
        return "refused", "placeholders", wrong
    if (answer.source_key or text_key(item.source)) != text_key(source):
        message = (
            f"the source of {name} has changed since the sheet was made; it was "
            f"{' // '.join(item.source)!r} and is {' // '.join(source)!r}"
        )
        return "case", "source changed", message
    if (
        earlier is not None
        and earlier.sheet_created is not None
        and earlier.sheet_created > sheet.created
    ):
        message = (
            f"a later sheet already brought an answer of {person or 'the same person'} to {name}; "
            "that one stands"
        )
        return "older", "older sheet", message
    if other is not None and other.parts != answer.parts:
        people = f"{person or 'this sheet'} and {other.person or 'another person'}"
        return "case", "disagreement", f"{people} differ on {name}"
    if answer.status in GIVEN_UP:
        done = "read" if sheet.kind == "transcript" else "translated"
        return "case", "given up", f"{name} was not {done}: {answer.status}"
    return "replaced" if earlier is not None else "placed", "", ""


def _without_drawings(answer: Answer, item: SheetItem) -> Answer:
    """Return the answer without parts that are no text; without any it is `no-text`."""
    text = item.base if answer.status == "correct" else answer.parts
    if answer.status not in WITHOUT_TEXT and all(part.strip() in ("", NO_PART) for part in text):
        return replace(answer, parts=(), status="no-text")
    parts = tuple("" if part.strip() == NO_PART else part for part in answer.parts)
    return replace(answer, parts=parts)


def _misplaced(answer: Answer, item: SheetItem, file: Path) -> str:
    """Return what is wrong with a text's placeholders, and where."""
    rows = (*answer.rows, *[answer.row] * len(item.source))
    for source, text, row in zip(item.source, answer.parts, rows, strict=False):
        if wrong := misplaced(source, text):
            names = " ".join(placeholders(source)) or "no braces"
            message = f"{wrong}: write {names} as in the source, and import the file again"
            return str(InputError(message, file=file, row=row, column="your text"))
    return ""


def _lost(answer: Answer, item: SheetItem, *, may_go: bool) -> str:
    """Return what of a caption is missing in the answer, but for what was emptied on purpose; the
    parts of a transcript may go."""
    if answer.status != "corrected":
        return ""
    name, count, expected = answer.meme_id, len(answer.parts), len(item.source)
    if count != expected:
        return f"{name} came back with {count} of its {expected} parts"
    for number, (source, text) in enumerate(zip(item.source, answer.parts, strict=True), 1):
        may_be_empty = may_go or answer.typed[number - 1 : number] == (NO_PART,)
        if source.strip() and not text.strip() and not may_be_empty:
            return f"part {number} of {name} came back empty"
    return ""
