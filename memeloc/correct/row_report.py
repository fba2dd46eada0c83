"""What became of each row of a sheet. In: a sheet that came back, placed. Out: a table for people.

It is for the person who filled the sheet in: every row of the file, in its order, with what was
typed, what was made of it, why, and what to look at again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

from memeloc.correct.checks import CaptionWarning
from memeloc.correct.model import Answer, SheetAnswers
from memeloc.sheets import write_sheet, write_sheet_table
from memeloc.tables import drawable, new_workbook

COLUMNS = (
    "row", "meme", "part", "source", "your text", "status", "comment", "what became of it", "why",
    "please look at",
)  # fmt: skip
_WIDTHS = (6, 16, 6, 34, 40, 20, 30, 40, 50, 50)
_BECAME: Mapping[str, str] = {
    "placed": "taken: the caption is now as you answered",
    "replaced": "taken, in place of your earlier answer",
    "unchanged": "nothing new: you had answered the same before",
    "older": "kept, but the answer on your later sheet stands",
    "noted": "your comment is kept; the caption is still to be answered",
    "case": "kept, and somebody will decide about it",
    "stray": "kept, but this row belongs to no caption of the sheet: somebody will look at it",
    "refused": "NOT taken: please correct it and send the sheet again",
}
_UNTOUCHED = "nothing was filled in: still to be answered"
_NOT_READ = "NOT read: please correct it and send the sheet again"


@dataclass(frozen=True, slots=True)
class RowResult:
    """A row of a file and what became of it, as COLUMNS; `look_at` are warnings about its text."""

    row: int
    meme_id: str
    part: int
    source: str
    text: str
    status: str
    comment: str
    became: str
    why: str
    look_at: str


def row_results(
    answers: SheetAnswers, placed: Sequence[Answer], warnings: Iterable[CaptionWarning]
) -> Iterator[RowResult]:
    """What became of each row of a sheet in the file's order, then what could not be read.

    `placed` are what `memeloc.correct.placing.place` made of these answers, in their order.
    """
    by_meme: dict[str, Answer] = {}
    by_row: dict[int, Answer] = {}
    for answer, result in zip(answers.answers, placed, strict=True):
        if result.outcome == "stray":
            by_row |= dict.fromkeys(answer.rows, result)
        else:
            by_meme[answer.meme_id] = result
    look_at: dict[tuple[str, int], list[str]] = defaultdict(list)
    for warning in warnings:
        look_at[warning.meme_id, max(warning.part + 1, 1)].append(warning.message)
    for row in answers.rows:
        became = by_row.get(row.number) or by_meme.get(row.meme_id)
        yield RowResult(
            row=row.number,
            meme_id=row.meme_id,
            part=row.part,
            source=row.source,
            text=row.text,
            status=row.status,
            comment=row.comment,
            became=_UNTOUCHED if became is None else _BECAME[became.outcome],
            why="" if became is None else became.message,
            look_at="; ".join(look_at.get((row.meme_id, row.part), ())),
        )
    for problem in answers.problems:
        yield RowResult(problem.row or 0, "", 0, "", "", "", "", _NOT_READ, problem.message, "")


def write_row_report(results: Iterable[RowResult], sheet: Path) -> Path:
    """Write the table beside a sheet's file, a workbook beside a workbook and else CSV.

    It is written as sheets are, see `memeloc.sheets.write_sheet`.
    """
    is_workbook = sheet.suffix.lower() in (".xlsx", ".ods")
    path = sheet.with_name(f"{sheet.stem}-import{'.xlsx' if is_workbook else '.csv'}")
    rows = ([cell or "" for cell in astuple(result)] for result in results)
    if is_workbook:
        return write_sheet(path, partial(_write_workbook, rows))[0]
    return write_sheet_table(path, COLUMNS, rows)[0]


def _write_workbook(rows: Iterable[Sequence[str | int]], path: Path) -> None:
    with new_workbook(path, in_order=True) as book:
        page = book.add_worksheet("Your import")
        head = book.add_format({"bold": True, "bg_color": "#30475e", "font_color": "#ffffff"})
        body = book.add_format({"text_wrap": True, "valign": "top"})
        for column, (name, width) in enumerate(zip(COLUMNS, _WIDTHS, strict=True)):
            page.set_column(column, column, width)
            page.write_string(0, column, name, head)
        last = 0
        for last, row in enumerate(rows, 1):
            for column, cell in enumerate(row):
                if isinstance(cell, int):
                    page.write_number(last, column, cell, body)
                elif cell:
                    page.write_string(last, column, drawable(cell), body)
        page.freeze_panes(1, 2)
        page.autofilter(0, 0, last, len(COLUMNS) - 1)
