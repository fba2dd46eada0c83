"""Sheets that come back. In: a file of any format, or an archive with one. Out: its filled rows.

Columns are found by their headings, in any order and case; more columns than ours are named and
left alone; what a spreadsheet made of a cell is reported and never guessed.

A program that saves a CSV in an old encoding writes ? for each letter that this lacks, and one that
opens UTF-8 in an old encoding shows two or three letters for one. What a person typed in such a
file is lost as well, and it is refused; but only what memeloc wrote itself can be compared with
what it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from memeloc import tables
from memeloc.errors import InputError
from memeloc.files import file_sha256, read_head
from memeloc.locales.registry import exemplars
from memeloc.sheets.form import (
    CHECK,
    TYPED,
    Filled,
    FilledRow,
    SheetColumn,
    SheetForm,
    changed_columns,
)
from memeloc.tables import drawable
from memeloc.tables.archives import ZIP, is_workbook, only_member, read_member
from memeloc.tables.csv_files import ENCODINGS, MIXED

Record = TypeVar("Record")
Sent = Callable[[FilledRow], Mapping[str, str]]
"""What a row's locked cells showed when the sheet went out, by column; empty where unknown."""

_HOW = (
    "Nothing of it was taken. Save the sheet again as .xlsx, as “CSV UTF-8” (Excel) or with the "
    "character set Unicode (UTF-8) (LibreOffice)"
)

_SHEETS = (".csv", ".tsv", ".txt", ".xlsx", ".ods", ".xlf", ".xliff", ".po", ".pot")
"""Endings that the file of a sheet may have in an archive, ours and what programs make of them."""


def read_form(
    path: Path,
    form: SheetForm | Sequence[SheetColumn],
    *,
    needed: Sequence[Collection[str]] = (),
    sent: Sent | None = None,
) -> Filled:
    """Read a sheet that was filled in: xlsx, ods, CSV, XLIFF, PO, or an archive that has one. Raise
    InputError if the file is missing, too large, broken, no such sheet, or has lost letters.

    Args:
        form: the form, or the columns of several.
        needed: sets of columns; a row that has the headings of one of them is the header. Without
            any it is the row that has those of all answers and keys.
        sent: what the sheet showed. Where it is given, CSV may be in an old encoding, which is the
            one in which that comes back right, and a file that has lost letters of it is refused.
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
            return _with_letters(filled, sent) if sent else filled
    needed = needed or [{column.name for column in form.of_kind("key", "answer")}]

    def is_header(texts: Sequence[str]) -> bool:
        found = _find_columns(columns, texts).keys()
        return any(set(names) <= found for names in needed)

    def score(table: tables.Table) -> float:
        return _rightness(_rows_of(table, columns), columns, sent) if sent else 0

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
    filled = _with_letters(filled, sent) if sent else filled
    headings = {*_find_columns(columns, table.columns).values(), CHECK, ""}
    others = [name for name in table.columns if name not in headings]
    typed = [repr(name) for name in others if any(row[name] for row in table.rows)]
    note = table.note
    if typed:
        note += f" Columns that are not the sheet's were not read: {', '.join(typed[:5])}."
    problems = tuple(_only_in(copies, filled, columns))
    return replace(filled, note=note.strip(), problems=problems)


def _find_columns(columns: Sequence[SheetColumn], headings: Sequence[str]) -> dict[str, str]:
    """Return the first heading of each of our columns, by name: as we write it, else another."""
    also = {name.casefold(): column.name for column in columns for name in column.also}
    ours = {
        name.casefold(): column.name for column in columns for name in (column.heading, column.name)
    }
    found: dict[str, str] = {}
    for names in (ours, also):
        for heading in headings:
            if name := names.get(" ".join(heading.casefold().split())):
                found.setdefault(name, heading)
    return found


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


def plain_text(text: str) -> str:
    """Return a text as it is compared, for programs differ in white space and forms of letters."""
    return " ".join(unicodedata.normalize("NFC", drawable(text)).split())


def _rightness(rows: Iterable[FilledRow], columns: Sequence[SheetColumn], sent: Sent) -> float:
    """Return how many texts come back right, and then how usual typed letters are in the language.

    The second decides where what was sent has no letters by which encodings differ.
    """
    right, letters, usual = 0, 1, 0
    answers = [column.name for column in columns if column.kind in TYPED]
    for row in rows:
        right += sum(cell == text for text, cell in _compared(row, sent))
        alphabet = "".join(exemplars(row["language"])) if row["language"] else ""
        for letter in "".join(row[name] for name in answers).lower():
            if letter.isalpha() and not letter.isascii():
                letters, usual = letters + 1, usual + (letter in alphabet)
    return right + usual / letters


def _with_letters(filled: Filled, sent: Sent) -> Filled:
    """Return the rows, those wrong whose own texts have lost letters. Raise InputError if half of
    the texts have, or the encoding is none in which any comes back right."""
    right, total, examples = 0, 0, list[tuple[str, str]]()
    rows = []
    for row in filled.rows:
        damaged = []
        for text, cell in _compared(row, sent):
            total += 1
            right += text == cell
            if text != cell and (_is_lost(text, cell) or _misread(text, cell)):
                damaged.append((text, cell))
        examples += damaged
        if damaged and row.is_touched:
            row = replace(row, wrong=f"the row has lost its letters: {_shown(damaged[0])}")
        rows.append(row)
    if examples and len(examples) * 2 >= total:
        text, cell = examples[0]
        encoding = _misread(text, cell)
        how = f"it was opened as {encoding} and not as UTF-8" if encoding else "they became ?"
        raise InputError(
            f"has lost its letters, for {how}: {_shown(examples[0])}. {_HOW}", file=filled.file
        )
    if filled.note == MIXED or (filled.note and total and not right):
        raise InputError(
            f"is in no encoding in which what was sent comes back right. {_HOW}", file=filled.file
        )
    return replace(filled, rows=tuple(rows))


def _compared(row: FilledRow, sent: Sent) -> Iterator[tuple[str, str]]:
    """Yield the texts of a row with letters beyond ASCII, as they were sent and as they are."""
    for name, text in sent(row).items():
        if not text.isascii() and row[name]:
            yield plain_text(text), plain_text(row[name])


def _shown(damaged: tuple[str, str]) -> str:
    return f"where the sheet had {damaged[0][:40]!r}, it has {damaged[1][:40]!r}"


def _is_lost(text: str, cell: str) -> bool:
    """Return whether a cell is the text with ? for letters, or two where UTF-16 has two units."""
    pattern = "".join(
        re.escape(letter) if letter.isascii() else f"(?:{re.escape(letter)}|[?\ufffd]{{1,2}})"
        for letter in text
    )
    return re.fullmatch(pattern, cell) is not None


def _misread(text: str, cell: str) -> str:
    """Return the encoding in which a text's UTF-8 reads as a cell; empty if there is none."""
    for encoding in ENCODINGS:
        misread = plain_text(text.encode("utf-8", "replace").decode(encoding, "replace"))
        pattern = ".?".join(map(re.escape, misread.split("\ufffd")))
        if misread.strip("\ufffd ") and re.fullmatch(pattern, cell):
            return encoding
    return ""


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
    """Return what a function makes of each row, of a file that is taken whole or not at all. Raise
    InputError if the first problem, see `records_of`."""
    records, problems = records_of(filled, record)
    if problems:
        raise problems[0]
    return records
