"""Sheets of one question for one person. In: rows to review. Out: a file.

xlsx has the pictures, the question, a list to pick the answer from, and hints that say that they
are only hints; CSV has the same without pictures. `memeloc.curate.review.answers` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memeloc.curate.review.answers import HEADINGS, SHEET
from memeloc.curate.review.questions import ReviewQuestion
from memeloc.curate.review.rows import ReviewRow, ReviewSide
from memeloc.errors import InputError
from memeloc.sheets import SheetColumn, SheetForm, write_form
from memeloc.tables import clean_text, drawable

FORMATS = ("xlsx", "csv")

_OF_PAIRS = ("other picture", "other text", "other about")
_HIDDEN = ("subject", "question", "person", "content")
_KINDS = {
    "picture": ("picture", 30),
    "other picture": ("picture", 30),
    "text": ("text", 36),
    "other text": ("text", 36),
    "comment": ("note", 28),
    "hint": ("hint", 26),
}
"""Columns by what they are for, and their widths in characters."""
_WIDTH = 18
_FREE_WIDTH = 60
_PICTURE_SIDE = 200


def write_review(
    question: ReviewQuestion, rows: Iterable[ReviewRow], path: Path, person: str
) -> Path:
    """Write a sheet, as its suffix says: .xlsx or .csv; return where, see `memeloc.sheets`.

    Text is text, whatever it begins with.

    Raises:
        InputError: the suffix is another, or the file cannot be written.
    """
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise InputError(f"a sheet of a review is {' or '.join(FORMATS)}", file=path)
    names = [name for name in HEADINGS if question.which == "pairs" or name not in _OF_PAIRS]
    form = SheetForm(
        SHEET,
        tuple(_column(question, name) for name in names),
        asked=question.text,
        side=_PICTURE_SIDE,
        how=tuple(_guide(question)),
    )
    return write_form(path, form, [_cells(question, row, person) for row in rows])


def _column(question: ReviewQuestion, name: str) -> SheetColumn:
    if name == "answer":
        width, choices = (_FREE_WIDTH, ()) if question.is_free else (_WIDTH, (*question.answers,))
        return SheetColumn(HEADINGS[name], "answer", width, choices)
    kind, width = _KINDS.get(name, ("", _WIDTH))
    return SheetColumn(HEADINGS[name], kind, width, hidden=name in _HIDDEN)


def _cells(question: ReviewQuestion, row: ReviewRow, person: str) -> dict[str, Any]:
    """A row's cells, by heading."""
    first, other = (*row.sides, ReviewSide())[:2]
    scores = ", ".join(f"{name} {value:g}" for name, value in row.scores.items())
    texts = {
        "text": first.text or first.name,
        "about": "\n".join(text for text in (first.name, first.about) if text),
        "other text": other.text or other.name,
        "other about": "\n".join(text for text in (other.name, other.about) if text),
        "answer": row.answer,
        "comment": row.comment,
        "hint": "\n".join(text for text in (row.hint, scores) if text),
        "subject": row.subject,
        "question": question.name,
        "person": person,
        "content": row.content,
    }
    cells: dict[str, Any] = {
        HEADINGS[name]: clean_text(drawable(text)) for name, text in texts.items()
    }
    for name, side in (("picture", first), ("other picture", other)):
        if side.picture:
            cells[HEADINGS[name]] = Path(side.picture)
    return cells


def _guide(question: ReviewQuestion) -> list[str]:
    how = (
        "Write under “your answer”; leave it empty to come back to it later."
        if question.is_free
        else "Pick under “your answer” from the list; leave it empty to come back to it later."
    )
    return [
        question.text,
        *([question.note] if question.note else []),
        how,
        "Under “comment” you may write anything. Grey cells are locked.",
        "“hint” is what a program guessed. It is often wrong: decide by yourself.",
        "Please answer alone: what counts is what several people say without asking each other.",
        *(f"{answer}: {text}" for answer, text in question.answers.items() if answer != text),
    ]
