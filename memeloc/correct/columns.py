"""The columns of a sheet as a table. In: rows of cells in any order and form. Out: rows of a sheet.

Shared by the formats that are tables: xlsx, ods and CSV. Columns are found by their headings, in
any order and case; more columns than ours are left alone; a spreadsheet's own ideas of what is a
number are taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memeloc import tables
from memeloc.correct.model import SheetAnswers
from memeloc.correct.rows import Row, gather, split_key
from memeloc.errors import InputError
from memeloc.tables import read_table, wrong_in

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
_PERSONS = ("text", "status", "comment")
"""The columns that a person fills in."""


def read_columns(path: Path, worksheet: str = "") -> SheetAnswers:
    """Read a sheet from a CSV or a workbook.

    Args:
        path: the file.
        worksheet: the one that is looked at first.

    Raises:
        InputError: no table of it has a row with our headings, or it cannot be read.
    """
    table = read_table(path, is_header=_is_header, wanted=_WANTED, worksheet=worksheet)
    problems: list[InputError] = []
    rows: list[Row] = []
    facts: dict[str, str] = {}
    header, columns = None, dict[str, str]()
    for line in table.rows:
        if line.header is not header:
            header, columns = line.header, _columns(line.header.names)
        if line.error:
            problems.append(InputError(line.error, file=path, row=line.number))
            continue
        row = _row(path, line, columns, problems)
        if row is not None:
            rows.append(row)
            for name in ("language", "round", "person"):
                if name in columns and (value := line[columns[name]]):
                    facts.setdefault(name, value)
    return gather(
        path,
        rows,
        language=facts.get("language", ""),
        round_=facts.get("round", ""),
        person=facts.get("person", ""),
        problems=problems,
    )


def _columns(names: Sequence[str]) -> dict[str, str]:
    """How our columns are headed in a file: the first column of each name."""
    columns: dict[str, str] = {}
    for heading in names:
        name = _NAMES.get(" ".join(heading.casefold().split()))
        if name is not None:
            columns.setdefault(name, heading)
    return columns


def _is_header(texts: Sequence[str]) -> bool:
    columns = _columns(texts)
    return "text" in columns and ("key" in columns or {"meme", "number"} <= columns.keys())


_WANTED = (
    f"the headings of a sheet: at least {HEADINGS['text']!r} and {HEADINGS['key']!r} (or "
    f"{HEADINGS['meme']!r} and {HEADINGS['number']!r}) are needed"
)


def _row(
    path: Path, line: tables.Row, columns: dict[str, str], problems: list[InputError]
) -> Row | None:
    def text(name: str) -> str:
        return line[columns[name]] if name in columns else ""

    key = split_key(text("key"))
    if key is None:
        meme, number = text("meme"), text("number")
        if not meme or not number.isdecimal() or not int(number):
            if text("text") or text("status"):
                problems.append(
                    InputError(
                        "the key is lost, and meme and part do not say what this row is about: "
                        "copy them from the sheet that was sent",
                        file=path,
                        row=line.number,
                        column=HEADINGS["key"],
                    )
                )
            return None
        key = ("", meme, int(number), "", "")
    for name in _PERSONS:
        cell = line.value(columns[name]) if name in columns else None
        if wrong := wrong_in(cell, name == "text"):
            problems.append(InputError(wrong, file=path, row=line.number, column=HEADINGS[name]))
            return None
    return Row(
        number=line.number,
        sheet=key[0],
        meme_id=key[1],
        part=key[2],
        source_key=key[3],
        base_key=key[4],
        text=text("text"),
        status=text("status"),
        comment=text("comment"),
        machine=text("machine") if "machine" in columns else None,
    )
