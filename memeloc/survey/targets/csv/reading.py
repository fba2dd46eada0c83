"""Tables that people filled in. In: the CSV that was sent out, or an xlsx or ods of it. Out: rows.

Columns are found by their headings, rows by their item: their order means nothing. A file may hold
the rows of several sheets and people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.protocol import CONSENT, RawAnswer, RawRecord, SurveyPack
from memeloc.tables import Formula, Header, Row, Table, read_tables, text_of

NEEDED = ("item", "participant", "answer")
COLUMNS = (
    "sheet", "number", "item", "picture", "text", "question", "choose from", "participant",
    "answer", "second question", "second choose from", "second answer",
)  # fmt: skip
"""What is sent out."""
_READ = (*NEEDED, "sheet", "second answer", "submitted")
_LEGACY = {
    "ar": "cp1256", "fa": "cp1256", "ur": "cp1256", "he": "cp1255", "el": "cp1253",
    "tr": "cp1254", "ru": "cp1251", "uk": "cp1251", "bg": "cp1251", "sr": "cp1251",
    "pl": "cp1250", "cs": "cp1250", "hu": "cp1250", "ro": "cp1250", "hr": "cp1250",
    "vi": "cp1258", "th": "cp874", "ja": "cp932", "ko": "cp949", "zh": "gb18030",
}  # fmt: skip
"""What Excel saves plain CSV in, by language, where it is not Windows-1252."""


def recognises(path: Path) -> bool:
    """Whether some table of a file has the headings that answers need."""
    try:
        return any(True for _ in read_tables(path, NEEDED, encodings=("cp1252",)))
    except InputError:
        return False


def read(path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
    """The rows of all tables of a file.

    Raises:
        InputError: it cannot be read, or has not the headings that are needed.
    """
    languages = {sheet.culture.locale.tag.split("-")[0] for sheet in pack.sheets}
    encodings = [*(_LEGACY.get(language, "cp1252") for language in sorted(languages)), "cp1252"]
    found = False

    def readable(table: Table) -> float:
        return _readable(table, pack)

    for table in read_tables(path, NEEDED, encodings=encodings, score=readable):
        found = True
        if table.note and readable(table) < 1:
            message = f"{table.note} Save it as “CSV UTF-8” where answers cannot be read."
            yield RejectedRow("", 1, "encoding", message)
        message = "It stands above the row of headings, or under none."
        for row in table.above:
            yield RejectedRow("", row.number, "no headings", message, row.texts)
        header, further = Header(()), False
        for row in table.rows:
            if row.header is not header:
                header, further = row.header, _has_further(row.header)
            yield from _records(row, further)
    if not found:
        raise InputError(
            "has no row of headings with item, participant and answer among them; keep the "
            "first row of the sheet that was sent out",
            file=path,
        )


def _readable(table: Table, pack: SurveyPack) -> float:
    """The share of a table's answers that name a label in their sheet's language."""
    places, count, readable = pack.places, 0, 0
    for row in table.rows:
        place = None if row.reason else places.item(row["item"], row["sheet"])
        if place is not None and row["answer"]:
            count += 1
            readable += places.label(place[0], row["answer"]) is not None
    return readable / count if count else 1.0


def _has_further(header: Header) -> bool:
    """Whether a table has columns that were not sent out, or one of them twice."""
    names = [name.casefold() for name in header.names]
    return len(set(names)) < len(names) or not {*COLUMNS, "submitted"}.issuperset(names)


def _records(row: Row, further: bool) -> Iterator[RawRecord]:
    """The answer of a row, and what of the row is rejected."""
    if row.reason:
        yield RejectedRow("", row.number, row.reason, row.error, row.texts)
        return
    content = {name: text for name in _READ if (text := row[name])}
    if further or len(row.cells) > len(row.header.names):
        other, differ = _other_cells(row)
        if differ:
            message = "Two columns of the same name say different things; keep one."
            yield RejectedRow("", row.number, "columns differ", message, content | other)
            return
        if other:
            message = "There are no such columns in what was sent out."
            yield RejectedRow("", row.number, "unknown column", message, other)
    item, answer, second = row["item"], row["answer"], row["second answer"]
    written = answer or second or row["participant"] or row["submitted"]
    if not written and item.casefold() != CONSENT:
        return
    for column in row.formulas:
        if (name := column.casefold()) in (*NEEDED, "second answer"):
            message = f"The {name} is a formula; write it as a text."
            yield RejectedRow("", row.number, "formula", message, row.texts)
            if name != "second answer":
                return
            second = ""
    yield RawAnswer(
        item,
        (answer,) if answer else (),
        [text for part in re.split(r"[|;\n]", second) if (text := part.strip())],
        participant=row["participant"],
        sheet=row["sheet"],
        submitted=row["submitted"],
        row=row.number,
        content=content,
    )


def _other_cells(row: Row) -> tuple[dict[str, str], bool]:
    """What stands in columns that are not read, and whether it contradicts one that is."""
    names, found, differ = row.header.names, {}, False
    for place, _ in enumerate(row.cells):
        name = names[place].casefold() if place < len(names) else ""
        if name in COLUMNS or name == "submitted":
            if row.header.positions[name] == place:
                continue
            text = _text(row, place)
            if name not in _READ or text in ("", row[name]):
                continue
            differ = True
        elif not (text := _text(row, place)):
            continue
        found[f"column {place + 1} {name}".strip()] = text
    return found, differ


def _text(row: Row, place: int) -> str:
    """What stands in the cell at a place."""
    cell = row.cells[place]
    return cell.text if isinstance(cell, Formula) else text_of(cell)
