"""Fill in a correction sheet as a person would. In: a sheet, answers. Out: the sheet, filled in.

    python examples/edit_sheet.py SHEET COPY 'MEME=text // of two parts' 'MEME=wordplay'
    python examples/edit_sheet.py SHEET COPY --typed typed.csv --round 1 --lang hi

SHEET is an xlsx or a CSV. `--rest correct` answers every meme that is not named. `typed.csv` has
the columns round, language, meme_id, answer and comment. Rows and columns are left as they are.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Answers = dict[str, tuple[str, str]]
"""By meme its text, parts joined by //, or a status; and a comment."""

STATUSES = ("correct", "corrected", "wordplay", "culture", "other", "harmful", "skip")


def main() -> None:
    """Read the command line and write the copy."""
    parser = argparse.ArgumentParser(description="Fill in a correction sheet as a person would.")
    parser.add_argument("sheet", type=Path)
    parser.add_argument("copy", type=Path)
    parser.add_argument("answers", nargs="*", metavar="MEME=STATUS|MEME=TEXT")
    parser.add_argument("--typed", type=Path, help="a table of answers")
    parser.add_argument("--round", default="1", help="of the table's answers")
    parser.add_argument("--lang", default="", help="of the table's answers")
    parser.add_argument("--rest", choices=STATUSES, help="status of all other memes")
    parser.add_argument("--backwards", action="store_true", help="last row first (CSV)")
    given = parser.parse_intermixed_args()
    answers = {meme: (text, "") for meme, text in (each.split("=", 1) for each in given.answers)}
    if given.typed:
        answers |= read_typed(given.typed, given.round, given.lang)
    fill = fill_xlsx if given.sheet.suffix == ".xlsx" else fill_csv
    filled = fill(given.sheet, given.copy, answers, given.rest or "", given.backwards)
    unknown = set(answers) - filled
    if unknown:
        parser.error(f"not on the sheet: {', '.join(sorted(unknown))}")


def read_typed(table: Path, round_: str, language: str) -> Answers:
    """The answers of a round in a language."""
    with table.open(encoding="utf-8", newline="") as stream:
        return {
            row["meme_id"]: (row["answer"], row["comment"])
            for row in csv.DictReader(stream)
            if (row["round"], row["language"]) == (round_, language)
        }


def cells(answers: Answers, rest: str, meme: str, part: int) -> Iterator[tuple[str, str]]:
    """The cells to fill in for a part of a meme: (heading, value)."""
    wanted, comment = answers.get(meme, (rest, ""))
    if comment and part == 1:
        yield "comment", comment
    if wanted in STATUSES or not wanted:
        if part == 1 and wanted:  # one is enough for a meme
            yield "status", wanted
        return
    if part == 1:
        yield "status", "corrected"
    texts = wanted.split("//")
    if part <= len(texts):
        yield "your text", texts[part - 1].strip()


def headings(page: Any) -> dict[str, int]:
    """The columns of a worksheet by their names; on it they stand in the language of the sheet."""
    from memeloc.correct.sheet_form import languages, sheet_texts

    names = {text: name for tag in languages() for name, text in sheet_texts(tag).items()}
    return {names.get(str(cell.value), str(cell.value)): cell.column for cell in page[1]}


def fill_xlsx(sheet: Path, copy: Path, answers: Answers, rest: str, backwards: bool) -> set[str]:
    """Fill in a workbook; the memes that are on it."""
    from openpyxl import load_workbook

    if backwards:
        raise SystemExit("--backwards is for CSV")
    book = load_workbook(sheet)
    page = book.worksheets[0]
    heading = headings(page)
    filled = set()
    for row in range(2, page.max_row + 1):
        meme = str(page.cell(row, heading["meme_id"]).value)
        filled.add(meme)
        part = int(page.cell(row, heading["part"]).value)
        for name, value in cells(answers, rest, meme, part):
            page.cell(row, heading[name]).value = value
    book.save(copy)
    return filled


def fill_csv(sheet: Path, copy: Path, answers: Answers, rest: str, backwards: bool) -> set[str]:
    """Fill in a CSV; the memes that are on it."""
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        rows = list(reader)
        names = list(reader.fieldnames or ())
    for row in rows:
        row.update(cells(answers, rest, row["meme_id"], int(row["part"])))
    with copy.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, names, delimiter=";")  # as many spreadsheets save it
        writer.writeheader()
        writer.writerows(reversed(rows) if backwards else rows)
    return {row["meme_id"] for row in rows}


if __name__ == "__main__":
    main()
