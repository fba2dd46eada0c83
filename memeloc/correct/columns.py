"""Sheets as tables, and as CSV. In: a sheet, or rows of cells in any order. Out: the other.

Shared by the formats that are tables: xlsx, ods and CSV. Columns are found by their headings, in
any order and case; more columns than ours are left alone; a spreadsheet's own ideas of what is a
number are taken back. CSV is UTF-8 with a byte order mark, which Excel needs; a cell that begins
with what a spreadsheet takes for a formula (= + - @, tab, carriage return) gets an apostrophe in
front, which reading takes off. It is read with commas, semicolons or tabs, in UTF-8 or UTF-16.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from memeloc import tables
from memeloc.correct.beside import history_lines, match_lines, part_of, term_lines
from memeloc.correct.model import Row, Sheet, SheetAnswers, SheetItem, SheetPart
from memeloc.correct.rows import gather, key_of, parts_of, split_key
from memeloc.errors import InputError
from memeloc.tables import Formula, read_tables, text_of, write_table, wrong_in
from memeloc.tables.archives import is_workbook

HEADINGS = {
    "key": "key",
    "picture": "picture",
    "meme": "meme",
    "box": "box",
    "number": "part",
    "source": "source",
    "before": "source before",
    "machine": "to be corrected",
    "suggestion": "suggestion",
    "text": "your text",
    "length": "length",
    "room": "room",
    "status": "status",
    "comment": "comment",
    "marks": "marks",
    "history": "history",
    "terms": "glossary",
    "matches": "translation memory",
    "language": "language",
    "round": "round",
    "person": "person",
}
"""Our columns, in order, and what they are headed."""

_READ = ("key", "meme", "number", "source", "machine", "text", "status", "comment")
"""Columns that are read of each row."""

_AT_TIMES = ("before", "suggestion", "history", "terms", "matches")
"""Columns that a CSV has only where something stands in them."""

_ALSO = {
    "text": ("text", "translation", "correction", "corrected text", "target"),
    "machine": ("machine", "machine translation", "mt"),
    "status": ("state",),
    "comment": ("comments", "note", "notes"),
    "meme": ("meme_id", "meme id", "id"),
    "number": ("part number", "no"),
}
_NAMES = {heading: name for name, heading in HEADINGS.items()}
_OTHER_NAMES = {other: name for name, others in _ALSO.items() for other in others}
_WANTED = (
    f"the headings of a sheet: at least {HEADINGS['text']!r} and {HEADINGS['key']!r} (or "
    f"{HEADINGS['meme']!r} and {HEADINGS['number']!r}, or {HEADINGS['source']!r}) are needed"
)


class Csv:
    """The CSV format of sheets."""

    name = "csv"
    suffix = ".csv"
    has_pictures = False

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet, one row a part."""
        left_out = {"length"} | empty_columns(sheet)
        names = [name for name in HEADINGS if name not in left_out]
        rows = (cells_of(sheet, *each) for each in parts_of(sheet))
        headings = [HEADINGS[name] for name in names]
        write_table(path, headings, map(itemgetter(*names), rows), suffix=self.suffix)

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it is text; a table of other columns is noticed when it is read."""
        return not is_workbook(head)

    def read(self, path: Path) -> SheetAnswers:
        """See `SheetFormat.read`."""
        return read_columns(path)


def cells_of(sheet: Sheet, item: SheetItem, number: int, part: SheetPart) -> dict[str, str]:
    """The cells of a part, by column; those that a person fills in are empty."""
    return {
        "key": key_of(sheet, item, number),
        "picture": item.picture_name,
        "meme": item.meme_id,
        "box": part.name,
        "number": str(number),
        "source": part.source,
        "before": part_of(item.before, number),
        "machine": part.machine,
        "suggestion": part_of(item.suggestion, number),
        "text": "",
        "room": str(part.capacity or ""),
        "status": "",
        "comment": "",
        "marks": "; ".join(item.remarks),
        "history": "\n".join(history_lines(sheet, item, number)) if item.history else "",
        "terms": "\n".join(term_lines(sheet, item, number)) if item.terms else "",
        "matches": "\n".join(match_lines(item, number)) if item.matches else "",
        "language": sheet.language.tag,
        "round": str(sheet.round),
        "person": sheet.person,
    }


def empty_columns(sheet: Sheet) -> set[str]:
    """Columns that nobody misses on this sheet: nothing stands in them."""
    return {name for name in _AT_TIMES if not any(getattr(item, name) for item in sheet.items)}


def read_columns(path: Path, worksheet: str = "") -> SheetAnswers:
    """Read a sheet from a CSV or a workbook, of which `worksheet` is looked at first.

    People copy worksheets: one is read, and an answer that only a copy has is a problem.

    Raises:
        InputError: no table of it has a row with our headings, or it cannot be read.
    """
    sheets = read_tables(path, is_header=_is_header, worksheet=worksheet)
    table = next(sheets, None)
    if table is None:
        raise InputError(f"has no row with {_WANTED}", file=path)
    facts: dict[str, str] = {}
    answers = gather(path, _rows(table, facts), facts)
    return replace(answers, problems=tuple(_only_in(sheets, answers)))


def _only_in(copies: Iterable[tables.Table], answers: SheetAnswers) -> Iterator[InputError]:
    """For each copy of a worksheet the first row with an answer that only the copy has."""
    read = {(row.text, row.status, row.comment) for row in answers.rows}
    for copy in copies:
        for row in _rows(copy, {}):
            if row.is_touched and (row.text, row.status, row.comment) not in read:
                shown = row.text or row.status or row.comment
                yield InputError(
                    f"another worksheet of the file has an answer here, {shown[:40]!r}, that the "
                    "sheet itself lacks: copy it there",
                    file=answers.file,
                    row=row.number,
                )
                break


def _rows(table: tables.Table, facts: dict[str, str]) -> Iterator[Row]:
    header = tables.Header(table.columns)
    columns = _columns(header.names)
    counts = {name: Counter[str]() for name in ("language", "round", "person")}
    for line in table.above:  # rows that were sorted before the headings, and titles
        row = _row(tables.Row(line.number, line.cells, header), columns)
        if row.meme_id and row.part:
            yield row
    for line in table.rows:
        if line.header is not header:
            header, columns = line.header, _columns(line.header.names)
        if line.error:
            text = " | ".join(filter(None, map(text_of, line.cells)))
            yield Row(line.number, "", "", 0, "", text, status="", comment="", wrong=line.error)
            continue
        yield _row(line, columns)
        for name, values in counts.items():
            if name in columns and (value := line[columns[name]]):
                values[value] += 1
    # What most rows say: a comma that was typed without quotation marks shifts a row's cells.
    facts |= {name: values.most_common(1)[0][0] for name, values in counts.items() if values}


def _columns(headings: Sequence[str]) -> dict[str, str]:
    """The headings of our columns: as we wrote them, wherever a column of one's own stands."""
    other = tables.find_columns(headings, _OTHER_NAMES)
    return other | tables.find_columns(headings, _NAMES)


def _is_header(texts: Sequence[str]) -> bool:
    columns = _columns(texts)
    says = {"key", "source"} & columns.keys() or {"meme", "number"} <= columns.keys()
    return "text" in columns and bool(says)


def _row(line: tables.Row, columns: Mapping[str, str]) -> Row:
    cells = {name: line[columns[name]] if name in columns else "" for name in _READ}
    wrong = ""
    for name in ("text", "status", "comment"):
        cell = line.value(columns[name]) if name in columns else None
        if problem := wrong_in(cell, name == "text"):
            wrong = f"column {HEADINGS[name]!r}: {problem}"
            cells[name] = cell.text if isinstance(cell, Formula) else str(cell)
    room = line[columns["room"]] if "room" in columns else ""
    doubt = ""
    if not cells["text"] and any(map(str.isalpha, room)):
        cells["text"] = room
        doubt = (
            f"the text of row {line.number} stands in the column {HEADINGS['room']!r}; if it is "
            "the caption, accept it"
        )
    number = cells["number"]
    part = int(number) if number.isdecimal() else 0
    key = split_key(cells["key"]) or ("", cells["meme"], part, "")
    return Row(
        line.number,
        *key,
        text=cells["text"],
        status=cells["status"],
        comment=cells["comment"],
        machine=cells["machine"],
        source=cells["source"],
        wrong=wrong,
        doubt=doubt,
    )
