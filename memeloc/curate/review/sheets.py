"""Sheets of a review: one question for one person. In: rows, or a file. Out: a file, judgements.

The sheet is a form of `memeloc.sheets`; what a page of pairs saves has the same columns.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.curate.duplicates.pairs import PAIR
from memeloc.curate.review.questions import LONGEST_ANSWER, ReviewQuestion, find_question
from memeloc.curate.verdict import Judgement
from memeloc.errors import InputError
from memeloc.sheets import (
    Filled,
    FilledRow,
    SheetColumn,
    SheetForm,
    read_form,
    records_of,
    write_form,
)

FORMATS = ("xlsx", "csv")

ANSWER, HINT = "your answer", "hint, only a hint"
SIDES = (("picture", "text", "about"), ("other picture", "other text", "about the other"))
"""The columns of what is asked about, and of the other of a pair."""

_CONTENT = re.compile("[0-9a-f]{64}")
_ALONE = "Please answer alone: what counts is what several people say without asking each other."
_SENT = "copy it from the sheet that was sent"


def review_form(question: ReviewQuestion, person: str = "") -> SheetForm:
    """Return the sheet of a question; `content` is the hash of what a row shows."""
    sides = SIDES if question.which == "pairs" else SIDES[:1]
    shown = [(("picture", 30), ("text", 36), ("", 18))] * len(sides)
    typed = "Write" if question.is_free else "Pick"
    where = "" if question.is_free else " from the list"
    return SheetForm(
        "Review",
        (
            *(
                SheetColumn(name, *kind)
                for names, kinds in zip(sides, shown, strict=True)
                for name, kind in zip(names, kinds, strict=True)
            ),
            SheetColumn(
                ANSWER,
                "answer",
                60 if question.is_free else 18,
                (*question.answers,),
                also=("answer", "your answers", "answers"),
            ),
            SheetColumn("comment", "note", 28, also=("comments", "note", "notes")),
            SheetColumn(HINT, "hint", 26),
            SheetColumn("subject", "key", also=("item", "item id", "id", "pair", "key")),
            SheetColumn("question", "fact"),
            SheetColumn("person", "fact"),
            SheetColumn("content", hidden=True),
        ),
        asked=question.text,
        how=(
            question.text,
            *filter(None, (question.note,)),
            f"{typed} under “{ANSWER}”{where}; leave it empty to come back to it later.",
            "Under “comment” you may write anything. Grey cells are locked.",
            "“hint” is what a program guessed. It is often wrong: decide by yourself.",
            _ALONE,
            *(f"{answer}: {text}" for answer, text in question.answers.items() if answer != text),
        ),
        facts={"question": question.name, "person": person},
        side=200,
    )


_ANY = review_form(ReviewQuestion("", "", {}, ()))


def write_review(
    question: ReviewQuestion, rows: Iterable[Mapping[str, Any]], path: Path, person: str
) -> Path:
    """Write a sheet, as its suffix says: .xlsx or .csv; return where, see `memeloc.sheets`.

    Raises:
        InputError: the suffix is another, or the file cannot be written.
    """
    if path.suffix.lower().lstrip(".") not in FORMATS:
        raise InputError(f"a sheet of a review is {' or '.join(FORMATS)}", file=path)
    return write_form(path, review_form(question, person), list(rows))


def read_review(path: Path) -> tuple[Filled, list[Judgement]]:
    """Read a sheet, or the file that a page of pairs saves, as it came back: xlsx, ods or CSV.

    What is wrong with a row is among the file's problems. Its facts are the question's name and the
    person, who is empty when the file does not say.

    Raises:
        InputError: the file is broken, no table of it has our headings, or it has several questions
            or people.
    """
    filled = read_form(path, _ANY, needed=[(ANSWER, "subject", "question")])
    question = _question(path, _only(filled, "question", "questions"))
    person = _only(filled, "person", "people")
    taken: dict[str, Judgement] = {}

    def take(row: FilledRow) -> None:
        judgement = _judgement(question, person, row)
        if judgement is None:
            return
        earlier = taken.setdefault(judgement.subject, judgement)
        if earlier.answer != judgement.answer:
            raise InputError(
                f"{judgement.subject} stands in row {earlier.row} too, with another answer; the "
                "first is taken: delete one of them"
            )

    problems = tuple(records_of(filled, take)[1])
    facts = {"question": question.name, "person": person}
    return replace(filled, facts=facts, problems=problems), list(taken.values())


def _only(filled: Filled, name: str, kind: str) -> str:
    """Return what all rows have in a column; empty when none has anything there."""
    texts = {row[name].casefold(): row[name] for row in filled.rows if row[name]}
    if len(texts) > 1:
        named = ", ".join(sorted(text[:40] for text in texts.values())[:6])
        raise InputError(
            f"rows of several {kind} stand together ({named}): import each in a file of its own",
            file=filled.file,
        )
    return next(iter(texts.values()), "")


def _question(path: Path, name: str) -> ReviewQuestion:
    if not name:
        raise InputError(
            "no row says which question it answers: copy the column “question” from the sheet that "
            "was sent",
            file=path,
        )
    try:
        return find_question(name)
    except InputError as error:
        raise InputError(error.message, file=path, column="question") from None


def _judgement(question: ReviewQuestion, person: str, row: FilledRow) -> Judgement | None:
    """Return the answer of a row; None when it is not answered.

    Raises:
        InputError: it cannot be taken; with the column.
    """
    typed, comment = row[ANSWER], "\n".join(filter(None, (row["comment"], *row.comments)))
    if not typed:
        if comment:
            raise InputError(f"has the comment {comment[:40]!r} and no answer", column=ANSWER)
        return None
    for name, text in ((ANSWER, typed), ("comment", comment)):
        if len(text) > LONGEST_ANSWER:
            much = counted(len(text), "character")
            raise InputError(f"has {much}; {LONGEST_ANSWER:,} are read", column=name)
    answer = question.as_answer(typed)
    if answer is None:
        near = difflib.get_close_matches(typed.casefold(), list(question.answers), 1)
        *others, last = question.answers
        meant = f"did you mean {near[0]!r}?" if near else f"it is {', '.join(others)} or {last}"
        raise InputError(f"{typed[:40]!r} is not an answer: {meant}", column=ANSWER)
    subject = row["subject"]
    ids = [id.strip() for id in subject.split(PAIR)]
    is_pair = question.which == "pairs"
    if not all(ids) or len(ids) != (2 if is_pair else 1):
        kind = f"a pair of two ids with {PAIR} between" if is_pair else "an item's id"
        wrong = f"is {subject[:60]!r}, which is not {kind}" if subject else "is lost"
        raise InputError(f"the subject {wrong}: {_SENT}", column="subject")
    content = row["content"].lower()
    if content and not _CONTENT.fullmatch(content):
        message = f"{content[:40]!r} does not say what was shown: {_SENT}"
        raise InputError(message, column="content")
    subject = PAIR.join(sorted(ids))
    return Judgement(subject, question.name, person, answer, comment, row.number, content)
