"""Sheets of one question for one person. In: rows to review. Out: a file.

xlsx has the pictures, the question, a list to pick the answer from, and hints that say that they
are only hints; CSV has the same without pictures. `memeloc.curate.review.answers` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from memeloc.curate.review.answers import HEADINGS, SHEET
from memeloc.curate.review.questions import ReviewQuestion
from memeloc.curate.review.rows import ReviewRow, ReviewSide
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.tables import clean_text, drawable, write_table

FORMATS = ("xlsx", "csv")

_OF_PAIRS = ("other picture", "other text", "other about")
_HIDDEN = ("subject", "question", "person")
_WIDTHS = {
    "picture": 30,
    "text": 36,
    "about": 18,
    "other picture": 30,
    "other text": 36,
    "other about": 18,
    "answer": 18,
    "comment": 28,
    "hint": 26,
    "subject": 12,
    "question": 10,
    "person": 10,
}
_FREE_WIDTH = 60
_PICTURE_SIDE = 200
_ROW_HEIGHT = 40


def write_review(
    question: ReviewQuestion, rows: Iterable[ReviewRow], path: Path, person: str
) -> int:
    """Write a sheet, as its suffix says: .xlsx or .csv; how many rows it has.

    A file of that name is replaced, as a whole and at once. Text is text, whatever it begins with.

    Raises:
        InputError: the suffix is another, or the file cannot be written.
    """
    rows = list(rows)
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise InputError(f"a sheet of a review is {' or '.join(FORMATS)}", file=path)
    with replacing(path) as temporary:
        if kind == "csv":
            _write_csv(question, rows, temporary, person)
        else:
            _write_xlsx(question, rows, temporary, person)
    return len(rows)


def _columns(question: ReviewQuestion) -> list[str]:
    pairs = question.which == "pairs"
    return [name for name in HEADINGS if pairs or name not in _OF_PAIRS]


def _cells(question: ReviewQuestion, row: ReviewRow, person: str) -> dict[str, str]:
    """A row's texts, by column."""
    first = row.sides[0]
    other = row.sides[1] if len(row.sides) > 1 else ReviewSide()
    scores = ", ".join(f"{name} {value:g}" for name, value in (row.scores or {}).items())
    return {
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
    }


def _write_csv(
    question: ReviewQuestion, rows: Sequence[ReviewRow], path: Path, person: str
) -> None:
    """UTF-8 with a byte order mark, which Excel needs; pictures by their files' names."""
    names = _columns(question)
    table = []
    for row in rows:
        cells = _cells(question, row, person)
        files = [side.picture.name if side.picture else "" for side in row.sides]
        cells |= dict(zip(("picture", "other picture"), files, strict=False))
        table.append([clean_text(drawable(cells.get(name, ""))) for name in names])
    write_table(path, [HEADINGS[name] for name in names], table, suffix=".csv")


def _write_xlsx(
    question: ReviewQuestion, rows: Sequence[ReviewRow], path: Path, person: str
) -> None:
    from memeloc.tables.workbooks import new_workbook

    with new_workbook(path) as book:
        book.set_properties({"title": f"memeloc: {question.name}", "comments": question.text})
        page = book.add_worksheet(SHEET)
        _Writer(book, page, question, person).write(rows)
        _write_guide(book, question)


class _Writer:
    """Writes the rows of a review onto a worksheet."""

    def __init__(self, book: Any, page: Any, question: ReviewQuestion, person: str) -> None:
        self._page = page
        self._question = question
        self._person = person
        self._columns = {name: index for index, name in enumerate(_columns(question))}
        cell = {"text_wrap": True, "valign": "top", "font_size": 11, "num_format": "@"}
        grey = {**cell, "bg_color": "#f3f3f3", "border": 1, "border_color": "#dddddd"}
        own = {**cell, "locked": False, "border": 1, "border_color": "#bbbbbb"}
        small = {**grey, "font_color": "#666666", "font_size": 9}
        forms = {
            "text": grey,
            "other text": grey,
            "answer": {**own, "font_size": 12},
            "comment": own,
            "hint": {**small, "italic": True},
        }
        # Text without direction of its own takes that of the cell: 0 is by its first strong letter.
        self._forms = {
            name: book.add_format({**forms.get(name, small), "reading_order": 0})
            for name in self._columns
        }
        self._head = book.add_format(
            {"bold": True, "bg_color": "#30475e", "font_color": "#ffffff", "text_wrap": True}
        )

    def write(self, rows: Sequence[ReviewRow]) -> None:
        """Write the heading and all rows."""
        self._layout()
        for line, row in enumerate(rows, 1):
            self._row(line, row)
        if not rows:
            return
        last, answer = len(rows), self._columns["answer"]
        self._page.autofilter(0, 0, last, len(self._columns) - 1)
        allowed: dict[str, Any] = {"validate": "any"}
        if self._question.answers:
            allowed = {
                "validate": "list",
                "source": list(self._question.answers),
                "error_title": "Your answer",
                "error_message": "Pick one from the list.",
            }
        # The question stands beside every cell that it is answered in.
        asked = {"input_message": self._question.text[:255]}
        self._page.data_validation(1, answer, last, answer, allowed | asked)

    def _layout(self) -> None:
        page = self._page
        for name, index in self._columns.items():
            width = _FREE_WIDTH if name == "answer" and self._question.is_free else _WIDTHS[name]
            options = {"hidden": True} if name in _HIDDEN else {}
            page.set_column(index, index, width, None, options)
            page.write_string(0, index, HEADINGS[name], self._head)
        page.set_row(0, 22)
        page.freeze_panes(1, 0)
        page.set_landscape()
        page.fit_to_pages(1, 0)
        page.repeat_rows(0)
        allowed = ("sort", "autofilter", "format_columns", "format_rows", "select_locked_cells")
        page.protect("", dict.fromkeys(allowed, True))

    def _row(self, line: int, row: ReviewRow) -> None:
        has_picture = any(side.picture for side in row.sides)
        longest = max(len(side.text) for side in row.sides)
        height = max(_ROW_HEIGHT, _PICTURE_SIDE if has_picture else 20 * (1 + longest // 30))
        self._page.set_row_pixels(line, min(height, 400))
        cells = _cells(self._question, row, self._person)
        for name, column in self._columns.items():
            text = drawable(cells.get(name, ""))[:32_000]
            if text:
                self._page.write_string(line, column, text, self._forms[name])
            else:
                self._page.write_blank(line, column, None, self._forms[name])
        for side, name in zip(row.sides, ("picture", "other picture"), strict=False):
            if side.picture is not None and side.picture.is_file():
                self._picture(line, self._columns[name], side)

    def _picture(self, line: int, column: int, side: ReviewSide) -> None:
        from PIL import Image

        with Image.open(side.picture) as picture:  # type: ignore[arg-type]
            width, height = picture.size
            density = picture.info.get("dpi", (96, 96))
        scale = min((_PICTURE_SIDE + 10) / width, (_PICTURE_SIDE - 6) / height)
        self._page.insert_image(
            line,
            column,
            str(side.picture),
            {
                "x_scale": scale * float(density[0]) / 96,
                "y_scale": scale * float(density[1]) / 96,
                "x_offset": 3,
                "y_offset": 3,
                "object_position": 1,
                "description": drawable(side.name)[:200] or "the picture",
            },
        )


def _write_guide(book: Any, question: ReviewQuestion) -> None:
    page = book.add_worksheet("How")
    page.set_column(0, 0, 100)
    wrap = book.add_format({"text_wrap": True, "valign": "top", "font_size": 11})
    title = book.add_format({"bold": True, "font_size": 13, "text_wrap": True})
    how = (
        "Write under “your answer”; leave it empty to come back to it later."
        if question.is_free
        else "Pick under “your answer” from the list; leave it empty to come back to it later."
    )
    lines = [
        how,
        "Under “comment” you may write anything. Grey cells are locked.",
        "“hint” is what a program guessed. It is often wrong: decide by yourself.",
        "Please answer alone: what counts is what several people say without asking each other.",
    ]
    page.write_string(0, 0, question.text, title)
    for row, text in enumerate([*([question.note] if question.note else []), *lines], 1):
        page.write_string(row, 0, text, wrap)
    meanings = [f"{answer}: {text}" for answer, text in question.answers.items() if answer != text]
    for row, text in enumerate(meanings, 7):
        page.write_string(row, 0, text, wrap)
    page.protect("")
