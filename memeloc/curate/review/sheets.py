"""Sheets of one question for one person. In: rows to review. Out: a file.

xlsx has the pictures, the question, a list to pick the answer from, and hints that say that they
are only hints; CSV has the same without pictures. `memeloc.curate.review.answers` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.curate.review.answers import HEADINGS, SHEET
from memeloc.curate.review.questions import ReviewQuestion
from memeloc.curate.review.rows import ReviewRow, ReviewSide
from memeloc.errors import InputError
from memeloc.sheets import write_sheet
from memeloc.tables import clean_text, drawable, write_table
from memeloc.tables.workbooks import new_workbook, picture_options

FORMATS = ("xlsx", "csv")

_OF_PAIRS = ("other picture", "other text", "other about")
_PICTURES = ("picture", "other picture")
_HIDDEN = ("subject", "question", "person", "content")
_WIDTHS = {
    "picture": 30,
    "other picture": 30,
    "text": 36,
    "other text": 36,
    "comment": 28,
    "hint": 26,
}
_WIDTH = 18
_FREE_WIDTH = 60
_PICTURE_SIDE = 200
_ROW_HEIGHT = 40


def write_review(
    question: ReviewQuestion, rows: Iterable[ReviewRow], path: Path, person: str
) -> Path:
    """Write a sheet, as its suffix says: .xlsx or .csv; return where, see `memeloc.sheets`.

    Text is text, whatever it begins with.

    Raises:
        InputError: the suffix is another, or the file cannot be written.
    """
    rows = list(rows)
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise InputError(f"a sheet of a review is {' or '.join(FORMATS)}", file=path)
    write = _write_csv if kind == "csv" else _write_xlsx
    return write_sheet(path, lambda draft: write(question, rows, draft, person))[0]


def _columns(question: ReviewQuestion) -> list[str]:
    pairs = question.which == "pairs"
    return [name for name in HEADINGS if pairs or name not in _OF_PAIRS]


def _cells(question: ReviewQuestion, row: ReviewRow, person: str) -> dict[str, str]:
    """A row's texts, by column."""
    first, other = (*row.sides, ReviewSide())[:2]
    scores = ", ".join(f"{name} {value:g}" for name, value in row.scores.items())
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
        "content": row.content,
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
        cells |= dict(zip(_PICTURES, files, strict=False))
        table.append([clean_text(drawable(cells.get(name, ""))) for name in names])
    write_table(path, [HEADINGS[name] for name in names], table, suffix=".csv")


def _write_xlsx(
    question: ReviewQuestion, rows: Sequence[ReviewRow], path: Path, person: str
) -> None:
    names = _columns(question)
    with new_workbook(path) as book:
        book.set_properties({"title": f"memeloc: {question.name}", "comments": question.text})
        page = book.add_worksheet(SHEET)
        _lay_out(book, page, question, names)
        forms = _formats(book, names)
        for line, row in enumerate(rows, 1):
            _write_row(page, line, row, _cells(question, row, person), forms)
        if rows:
            page.autofilter(0, 0, len(rows), len(names) - 1)
            answer = names.index("answer")
            page.data_validation(1, answer, len(rows), answer, _allowed(question))
        _write_guide(book, question)


def _lay_out(book: Any, page: Any, question: ReviewQuestion, names: Sequence[str]) -> None:
    head = book.add_format(
        {"bold": True, "bg_color": "#30475e", "font_color": "#ffffff", "text_wrap": True}
    )
    for index, name in enumerate(names):
        width = _FREE_WIDTH if name == "answer" and question.is_free else _WIDTHS.get(name, _WIDTH)
        page.set_column(index, index, width, None, {"hidden": True} if name in _HIDDEN else {})
        page.write_string(0, index, HEADINGS[name], head)
    page.set_row(0, 22)
    page.freeze_panes(1, 0)
    page.set_landscape()
    page.fit_to_pages(1, 0)
    page.repeat_rows(0)
    allowed = ("sort", "autofilter", "format_columns", "format_rows", "select_locked_cells")
    page.protect("", dict.fromkeys(allowed, True))


def _formats(book: Any, names: Sequence[str]) -> dict[str, Any]:
    """The format of each column."""
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
    return {name: book.add_format({**forms.get(name, small), "reading_order": 0}) for name in names}


def _allowed(question: ReviewQuestion) -> dict[str, Any]:
    """What may be answered; the question stands beside every cell that it is answered in."""
    asked = {"input_message": question.text[:255]}
    if question.is_free:
        return {"validate": "any", **asked}
    return {
        "validate": "list",
        "source": list(question.answers),
        "error_title": "Your answer",
        "error_message": "Pick one from the list.",
        **asked,
    }


def _write_row(
    page: Any, line: int, row: ReviewRow, cells: Mapping[str, str], forms: Mapping[str, Any]
) -> None:
    longest = max(len(side.text) for side in row.sides)
    has_picture = any(side.picture for side in row.sides)
    height = max(_ROW_HEIGHT, _PICTURE_SIDE if has_picture else 20 * (1 + longest // 30))
    page.set_row_pixels(line, min(height, 400))
    for column, (name, form) in enumerate(forms.items()):
        if text := drawable(cells.get(name, ""))[:32_000]:
            page.write_string(line, column, text, form)
        else:
            page.write_blank(line, column, None, form)
    for side, name in zip(row.sides, _PICTURES, strict=False):
        if side.picture is not None and side.picture.is_file():
            name_shown = drawable(side.name)[:200] or "the picture"
            options = picture_options(
                side.picture, _PICTURE_SIDE + 10, _PICTURE_SIDE - 6, name_shown
            )
            page.insert_image(line, list(forms).index(name), str(side.picture), options)


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
    if question.note:
        lines.insert(0, question.note)
    lines += [f"{answer}: {text}" for answer, text in question.answers.items() if answer != text]
    page.write_string(0, 0, question.text, title)
    for row, text in enumerate(lines, 1):
        page.write_string(row, 0, text, wrap)
    page.protect("")
