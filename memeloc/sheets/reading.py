"""Sheets that come back. In: a file of any format, or an archive with one. Out: its filled rows.

Columns are found by their headings, in any order and case; more columns than ours are named and
left alone; what a spreadsheet made of a cell is reported and never guessed. A file in which what
memeloc wrote has lost its letters is refused: what a person typed beside it has lost them, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from memeloc import tables
from memeloc.errors import InputError
from memeloc.files import file_sha256, read_head
from memeloc.sheets.encodings import ENCODINGS, Sent, rightness, with_letters
from memeloc.sheets.form import (
    CHECK,
    TYPED,
    Filled,
    FilledRow,
    SheetColumn,
    SheetForm,
    changed_columns,
)
from memeloc.tables.archives import ZIP, is_workbook, only_member, read_member

Record = TypeVar("Record")

_SHEETS = (".csv", ".tsv", ".txt", ".xlsx", ".ods", ".xlf", ".xliff", ".po", ".pot")
"""Endings that the file of a sheet may have in an archive, ours and what programs make of them."""


def read_form(
    path: Path,
    form: SheetForm | Sequence[SheetColumn],
    *,
    needed: Sequence[Collection[str]] = (),
    sent: Sent | None = None,
) -> Filled:
    """Read a sheet that was filled in: xlsx, ods, CSV, XLIFF, PO, or an archive that has one.

    Args:
        form: the form, or the columns of several.
        needed: sets of columns; a row that has the headings of one of them is the header. Without
            any it is the row that has those of all answers and keys.
        sent: what the sheet showed. Where it is given, CSV may be in an old encoding, which is the
            one in which that comes back right, and a file that has lost letters of it is refused.

    Raises:
        InputError: the file is missing, too large, broken, no such sheet, or has lost letters.
    """
    form = form if isinstance(form, SheetForm) else SheetForm("", tuple(form))
    name = only_member(path, _SHEETS, "sheet") if read_head(path).startswith(ZIP) else None
    if name is None:
        return _read(path, form, needed, sent)
    with TemporaryDirectory(prefix="memeloc-") as folder:
        # No name in an archive is believed.
        file = Path(folder) / f"sheet{Path(name).suffix.lower()}"
        file.write_bytes(read_member(path, name))
        try:
            filled = _read(file, form, needed, sent)
        except InputError as error:
            raise InputError(error.message, file=path, row=error.row) from error
    problems = (InputError(each.message, file=path, row=each.row) for each in filled.problems)
    return replace(filled, file=path, problems=tuple(problems))


def _read(
    path: Path, form: SheetForm, needed: Sequence[Collection[str]], sent: Sent | None
) -> Filled:
    columns, head = form.columns, read_head(path)
    if not is_workbook(head):
        from memeloc.sheets.units import reader_of  # lxml takes as long as a small sheet

        if reader := reader_of(head):
            filled = reader(path, columns)
            return with_letters(filled, sent) if sent else filled
    needed = needed or [{column.name for column in form.of_kind("key", "answer")}]

    def is_header(texts: Sequence[str]) -> bool:
        found = _find_columns(columns, texts).keys()
        return any(set(names) <= found for names in needed)

    def score(table: tables.Table) -> float:
        return rightness(_rows_of(table, columns), columns, sent) if sent else 0

    copies = tables.read_tables(
        path,
        is_header=is_header,
        worksheet=form.title,
        encodings=ENCODINGS if sent else (),
        score=score,
    )
    table = next(copies, None)
    if table is None:
        wanted = " or ".join(", ".join(map(repr, names)) for names in needed)
        raise InputError(f"has no row with the headings of a sheet: {wanted} are needed", file=path)
    rows = tuple(_rows_of(table, columns))
    facts = {}
    for column in form.of_kind("fact"):
        # What most rows say: a comma without quotation marks shifts the cells of one.
        counts = Counter(row[column.name] for row in rows if row[column.name])
        facts[column.name] = counts.most_common(1)[0][0] if counts else ""
    filled = Filled(path, file_sha256(path), facts, rows, (), table.note)
    filled = with_letters(filled, sent) if sent else filled
    known = {*_find_columns(columns, table.columns).values(), CHECK, ""}
    others = [name for name in table.columns if name not in known]
    typed = [repr(name) for name in others if any(row[name] for row in table.rows)]
    note = table.note
    if typed:
        note += f" Columns that are not the sheet's were not read: {', '.join(typed[:5])}."
    problems = tuple(_only_in(copies, filled, columns))
    return replace(filled, note=note.strip(), problems=problems)


def _find_columns(columns: Sequence[SheetColumn], headings: Sequence[str]) -> dict[str, str]:
    """Return the headings of our columns: as we wrote them, wherever one of one's own stands."""
    also = {name.casefold(): column.name for column in columns for name in column.also}
    ours = {
        name.casefold(): column.name for column in columns for name in (column.heading, column.name)
    }
    return tables.find_columns(headings, also) | tables.find_columns(headings, ours)


def _rows_of(table: tables.Table, columns: Sequence[SheetColumn]) -> Iterator[FilledRow]:
    """Yield a table's rows, and those that were sorted above its headings."""
    header = tables.Header(table.columns)
    places = _find_columns(columns, header.names)
    keys = [column.name for column in columns if column.kind == "key"]
    for above in table.above:
        row = _filled(replace(above, header=header), columns, places)
        if row.is_touched and any(row[name] for name in keys):
            yield row
    for line in table.rows:
        if line.header is not header:
            header, places = line.header, _find_columns(columns, line.header.names)
        yield _filled(line, columns, places)


def _filled(
    line: tables.Row, columns: Sequence[SheetColumn], places: Mapping[str, str]
) -> FilledRow:
    if line.error:
        answers = [column.name for column in columns if column.kind == "answer"]
        text = " | ".join(filter(None, map(tables.text_of, line.cells)))
        return FilledRow(line.number, dict.fromkeys(answers[:1], text), line.error, is_touched=True)
    language = line[places["language"]] if "language" in places else ""
    cells = {name: line.shown(heading, language) for name, heading in places.items()}
    names = line.header.names
    # What stands beside the columns, or under none's heading.
    other = (cell for at, cell in enumerate(line.cells) if at >= len(names) or not names[at])
    comments = [*line.notes, *filter(None, map(tables.text_of, other))]
    comments += [f"{name}: {cells[name]}" for name in changed_columns(line[CHECK], cells)]
    typed = [each for each in columns if each.kind in TYPED and each.name in places]
    problems = (
        f"column {heading!r}: {problem}"
        for heading, kind in ((places[column.name], column.kind) for column in typed)
        if (problem := line.problem(heading, is_text=kind == "answer"))
    )
    is_touched = any(cells[column.name] for column in typed) or bool(comments)
    wrong = next(problems, "")
    return FilledRow(line.number, cells, wrong, comments=tuple(comments), is_touched=is_touched)


def _only_in(
    copies: Iterable[tables.Table], filled: Filled, columns: Sequence[SheetColumn]
) -> Iterator[InputError]:
    """Yield a problem for each copy of the worksheet with an answer that only the copy has."""
    names = [column.name for column in columns if column.kind in TYPED]
    read = {tuple(row[name] for name in names) for row in filled.rows}
    for copy in copies:
        for row in _rows_of(copy, columns):
            typed = tuple(row[name] for name in names)
            if any(typed) and typed not in read:
                shown = next(filter(None, typed))
                yield InputError(
                    f"another worksheet of the file has an answer here, {shown[:40]!r}, that the "
                    "sheet itself lacks: copy it there",
                    file=filled.file,
                    row=row.number,
                )
                break


def records_of(
    filled: Filled, record: Callable[[FilledRow], Record | None]
) -> tuple[list[Record], list[InputError]]:
    """Return what a function makes of each row, and the problems of the file and its rows.

    Args:
        record: gives None for a row that says nothing, and raises an InputError, with the column,
            for one that cannot be taken.
    """
    records, problems = list[Record](), list(filled.problems)
    for row in filled.rows:
        try:
            if row.wrong:
                raise InputError(row.wrong)
            made = record(row)
        except InputError as error:
            at: dict[str, Any] = {"file": filled.file, "row": row.number, "column": error.column}
            problems.append(InputError(error.message, **at))
            continue
        if made is not None:
            records.append(made)
    return records, problems


def all_records(filled: Filled, record: Callable[[FilledRow], Record | None]) -> list[Record]:
    """Return what a function makes of each row, of a file that is taken whole or not at all.

    Raises:
        InputError: the first problem, see `records_of`.
    """
    records, problems = records_of(filled, record)
    if problems:
        raise problems[0]
    return records
