"""Fill in a correction sheet as a person would. In: a sheet (xlsx or CSV), answers. Out: the sheet.

    python examples/edit_sheet.py SHEET 'MEME=corrected:new text of the first part' 'MEME=correct'

`*=correct` answers every meme that is not named. The rows and columns are left as they are.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path


def main(sheet: Path, answers: list[str]) -> None:
    """Write each answer's status, and its text, on the first row of its meme."""
    wanted = dict(answer.partition("=")[::2] for answer in answers)
    if sheet.suffix == ".csv":
        with sheet.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.reader(stream))
        fill(rows, wanted)
        with sheet.open("w", encoding="utf-8-sig", newline="") as stream:
            csv.writer(stream).writerows(rows)
        return
    import openpyxl

    book = openpyxl.load_workbook(sheet)
    page = book["Captions"]
    grid = [[cell.value or "" for cell in row] for row in page.iter_rows()]
    fill(grid, wanted)
    places = [grid[0].index("your text"), grid[0].index("status")]
    for line, cells in enumerate(grid, 1):
        for place in places:
            page.cell(line, place + 1).value = cells[place] or None
    book.save(sheet)


def fill(rows: list[list[str]], wanted: dict[str, str]) -> None:
    """Fill in the answers; `rows` has the headings first."""
    meme, text, status = (rows[0].index(name) for name in ("meme", "your text", "status"))
    done: set[str] = set()
    for row in rows[1:]:
        answer = wanted.get(row[meme], wanted.get("*", ""))
        if not answer or row[meme] in done:
            continue
        done.add(row[meme])
        row[status], _, typed = answer.partition(":")
        row[text] = typed


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
