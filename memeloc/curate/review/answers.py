"""Answers that come back. In: a sheet of a review, or what a page of pairs saved. Out: judgements.

Columns are found by their headings, in any order and case; what is empty is not answered; a formula
is reported as a problem and never computed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memeloc.counts import counted
from memeloc.curate.duplicates.pairs import PAIR
from memeloc.curate.review.judgement import Judgement
from memeloc.curate.review.questions import LONGEST_ANSWER, ReviewQuestion, find_question
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.tables import Cell, find_columns, read_table, text_of, wrong_in

SHEET = "Review"
"""The worksheet's name."""

HEADINGS = {
    "picture": "picture",
    "text": "text",
    "about": "about",
    "other picture": "other picture",
    "other text": "other text",
    "other about": "about the other",
    "answer": "your answer",
    "comment": "comment",
    "hint": "hint, only a hint",
    "subject": "subject",
    "question": "question",
    "person": "person",
    "content": "content",
}
"""Our columns, in order, and what they are headed; content is the hash of what was shown."""

_CONTENT = re.compile("[0-9a-f]{64}")

_ALSO = {
    "answer": ("answer", "your answers", "answers"),
    "comment": ("comments", "note", "notes"),
    "subject": ("item", "item id", "id", "pair", "key"),
}
_NAMES = {heading: name for name, heading in HEADINGS.items()} | {
    other: name for name, others in _ALSO.items() for other in others
}


@dataclass(frozen=True, slots=True)
class ReviewAnswers:
    """A sheet that came back, and the SHA-256 of its file.

    `person` is empty when the file does not say. Rows without an answer are no judgements; what
    could not be read is among the problems, with row and column.
    """

    question: str
    person: str
    judgements: tuple[Judgement, ...]
    problems: tuple[InputError, ...]
    file: Path
    sha256: str

    def by(self, person: str) -> ReviewAnswers:
        """The same, answered by this person."""
        judgements = tuple(replace(judgement, person=person) for judgement in self.judgements)
        return replace(self, person=person, judgements=judgements)


def read_review(path: Path) -> ReviewAnswers:
    """Read a sheet, or the file that a page of pairs saves, as it came back: xlsx, ods or CSV.

    What is wrong with a row is among the answers' problems.

    Raises:
        InputError: the file is broken, no table of it has our headings, or it has several questions
            or people.
    """
    table = read_table(path, is_header=_is_header, wanted=_WANTED, worksheet=SHEET)
    rows: list[tuple[int, dict[str, Cell]]] = []
    problems: list[InputError] = []
    header, columns = None, dict[str, str]()
    for row in table.rows:
        if row.header is not header:
            header, columns = row.header, find_columns(row.header.names, _NAMES)
        if row.error:
            problems.append(InputError(row.error, file=path, row=row.number))
        else:
            cells = {name: row.value(heading) for name, heading in columns.items()}
            rows.append((row.number, cells))
    question = _question(path, _only(path, rows, "question", "questions"))
    person = _only(path, rows, "person", "people")
    taken: dict[str, Judgement] = {}
    for number, cells in rows:
        try:
            judgement = _judgement(question, person, number, cells)
        except InputError as error:
            problems.append(InputError(error.message, file=path, row=number, column=error.column))
            continue
        if judgement is None:
            continue
        earlier = taken.setdefault(judgement.subject, judgement)
        if earlier.answer != judgement.answer:
            problem = (
                f"{judgement.subject} stands in row {earlier.row} too, with another answer; the "
                "first is taken: delete one of them"
            )
            problems.append(InputError(problem, file=path, row=number))
    return ReviewAnswers(
        question.name, person, tuple(taken.values()), tuple(problems), path, file_sha256(path)
    )


def _is_header(texts: Sequence[str]) -> bool:
    return {"answer", "subject", "question"} <= find_columns(texts, _NAMES).keys()


_WANTED = (
    f"the headings of a review: at least {HEADINGS['answer']!r}, {HEADINGS['subject']!r} and "
    f"{HEADINGS['question']!r} are needed"
)


def _only(path: Path, rows: Iterable[tuple[int, dict[str, Cell]]], name: str, kind: str) -> str:
    """What all rows have in a column; empty when none has anything there."""
    texts = {text.casefold(): text for _, cells in rows if (text := text_of(cells.get(name)))}
    if len(texts) > 1:
        named = ", ".join(sorted(text[:40] for text in texts.values())[:6])
        raise InputError(
            f"rows of several {kind} stand together ({named}): import each in a file of its own",
            file=path,
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
        raise InputError(error.message, file=path, column=HEADINGS["question"]) from None


def _judgement(
    question: ReviewQuestion, person: str, number: int, cells: dict[str, Cell]
) -> Judgement | None:
    """The answer of a row; None when it is not answered.

    Raises:
        InputError: it cannot be taken; with the column.
    """
    for name in ("answer", "comment", "subject"):
        cell = cells.get(name)
        if wrong := wrong_in(cell, name == "answer"):
            raise InputError(wrong, column=HEADINGS[name])
    typed, comment = text_of(cells.get("answer")), text_of(cells.get("comment"))
    if not typed:
        return None
    for name, text in (("answer", typed), ("comment", comment)):
        if len(text) > LONGEST_ANSWER:
            raise InputError(
                f"has {counted(len(text), 'character')}; {LONGEST_ANSWER:,} are read",
                column=HEADINGS[name],
            )
    answer = question.as_answer(typed)
    if answer is None:
        near = difflib.get_close_matches(typed.casefold(), list(question.answers), 1)
        *others, last = question.answers
        meant = f"did you mean {near[0]!r}?" if near else f"it is {', '.join(others)} or {last}"
        raise InputError(f"{typed[:40]!r} is not an answer: {meant}", column=HEADINGS["answer"])
    subject = text_of(cells.get("subject"))
    ids = [id.strip() for id in subject.split(PAIR)]
    is_pair = question.which == "pairs"
    if not all(ids) or len(ids) != (2 if is_pair else 1):
        kind = f"a pair of two ids with {PAIR} between" if is_pair else "an item's id"
        wrong = f"is {subject[:60]!r}, which is not {kind}" if subject else "is lost"
        raise InputError(
            f"the subject {wrong}: copy it from the sheet that was sent", column=HEADINGS["subject"]
        )
    content = text_of(cells.get("content")).lower()
    if content and not _CONTENT.fullmatch(content):
        raise InputError(
            f"{content[:40]!r} does not say what was shown: copy it from the sheet that was sent",
            column=HEADINGS["content"],
        )
    return Judgement(
        PAIR.join(sorted(ids)), question.name, person, answer, comment, number, content
    )
