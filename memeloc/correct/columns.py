"""The columns of a sheet as a table. In: rows of cells in any order and form. Out: rows of a sheet.

Shared by the formats that are tables: xlsx, ods and CSV. Columns are found by their headings, in
any order and case; more columns than ours are left alone; a spreadsheet's own ideas of what is a
number are taken back.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, time, timedelta
from pathlib import Path

from memeloc.correct.model import SheetAnswers
from memeloc.correct.rows import Row, gather, split_key
from memeloc.errors import InputError
from memeloc.spreadsheets import Cell, Formula, text_of

HEADINGS = {
    "key": "key",
    "picture": "picture",
    "meme": "meme",
    "box": "box",
    "number": "part",
    "source": "source",
    "machine": "to be corrected",
    "text": "your text",
    "length": "length",
    "room": "room",
    "status": "status",
    "comment": "comment",
    "marks": "marks",
    "language": "language",
    "round": "round",
    "person": "person",
}
"""Our columns, in order, and what they are headed."""

_ALSO = {
    "text": ("text", "translation", "correction", "corrected text", "target"),
    "machine": ("machine", "machine translation", "mt"),
    "status": ("state",),
    "comment": ("comments", "note", "notes"),
    "meme": ("meme_id", "meme id", "id"),
    "number": ("part number", "no"),
}
_NAMES = {heading: name for name, heading in HEADINGS.items()} | {
    other: name for name, others in _ALSO.items() for other in others
}
_SEARCHED = 20


def read_columns(path: Path, lines: Iterable[tuple[int, list[Cell]]], place: str) -> SheetAnswers:
    """Read a sheet from the lines of a table.

    Args:
        path: the file, for problems.
        lines: each line's number, as the file's program counts, and its cells.
        place: what the table is called in sentences.

    Raises:
        InputError: there is no line with our headings.
    """
    problems: list[InputError] = []
    rows: list[Row] = []
    found: dict[str, int] = {}
    facts: dict[str, str] = {}
    for line, cells in lines:
        if not found:
            found = _headings(cells)
            if not found and line > _SEARCHED:
                break
            continue
        if not any(cell not in (None, "") for cell in cells):
            continue
        row = _row(path, line, cells, found, problems)
        if row is not None:
            rows.append(row)
            for name in ("language", "round", "person"):
                value = _text(cells, found, name)
                if value:
                    facts.setdefault(name, value)
    if not found:
        raise InputError(
            f"{place} has no line with the headings of a sheet: at least {HEADINGS['text']!r} and "
            f"{HEADINGS['key']!r} (or {HEADINGS['meme']!r} and {HEADINGS['number']!r}) are needed",
            file=path,
        )
    stated = facts.get("round", "")
    return gather(
        path,
        rows,
        language=facts.get("language", ""),
        round_=int(stated) if stated.isdecimal() else 0,
        person=facts.get("person", ""),
        problems=problems,
    )


def _headings(cells: list[Cell]) -> dict[str, int]:
    """Where our columns are, when this is the line of headings; else nothing."""
    found: dict[str, int] = {}
    for index, cell in enumerate(cells):
        if isinstance(cell, str):
            name = _NAMES.get(" ".join(cell.casefold().split()))
            if name is not None:
                found.setdefault(name, index)
    if "text" in found and ("key" in found or ("meme" in found and "number" in found)):
        return found
    return {}


def _row(
    path: Path, line: int, cells: list[Cell], found: dict[str, int], problems: list[InputError]
) -> Row | None:
    key = split_key(_text(cells, found, "key"))
    if key is None:
        meme, number = _text(cells, found, "meme"), _text(cells, found, "number")
        if not meme or not number.isdecimal() or not int(number):
            if _text(cells, found, "text") or _text(cells, found, "status"):
                problems.append(
                    InputError(
                        "the key is lost, and meme and part do not say what this row is about: "
                        "copy them from the sheet that was sent",
                        file=path,
                        row=line,
                        column=HEADINGS["key"],
                    )
                )
            return None
        key = ("", meme, int(number), "", "")
    for name in ("text", "status", "comment"):
        index = found.get(name)
        cell = cells[index] if index is not None and index < len(cells) else None
        wrong = ""
        if isinstance(cell, Formula):
            wrong = f"holds a formula ({cell.text[:40]}): put the text itself"
        elif name == "text" and isinstance(cell, date | time | timedelta):
            wrong = f"was turned into a date or time ({cell}): put an apostrophe before the text"
        if wrong:
            problems.append(
                InputError(f"the cell {wrong}", file=path, row=line, column=HEADINGS[name])
            )
            return None
    return Row(
        number=line,
        sheet=key[0],
        meme_id=key[1],
        part=key[2],
        source_key=key[3],
        base_key=key[4],
        text=_text(cells, found, "text"),
        status=_text(cells, found, "status"),
        comment=_text(cells, found, "comment"),
        machine=_text(cells, found, "machine") if "machine" in found else None,
    )


def _text(cells: list[Cell], found: dict[str, int], name: str) -> str:
    """A cell of a row as the text that was typed."""
    index = found.get(name)
    cell = cells[index] if index is not None and index < len(cells) else None
    return text_of(cell)
