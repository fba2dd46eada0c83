"""Tables that people filled in. In: the CSV that was sent out, or an xlsx or ods of it. Out: rows.

Columns are found by their headings, rows by their item: their order means nothing. A file may hold
the rows of several sheets and people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow, Sheet
from memeloc.survey.targets.places import Places
from memeloc.survey.targets.protocol import CONSENT, RawAnswer, RawRecord, SurveyPack
from memeloc.tables import Row, Table, read_tables
from memeloc.taxonomy import Question, Taxonomy

NEEDED = ("item", "participant", "answer")
COLUMNS = (
    "sheet", "number", "item", "picture", "text", "question", "choose from", "participant",
    "answer",
)  # fmt: skip
"""What is sent out, before what `columns_of` adds."""
ANSWERED = "model answered"
"""The column that shows what a model answered, where people are to see it; it is not read."""
_READ = (*NEEDED, "sheet", "submitted")
_BETWEEN = re.compile(r"[|\n]")
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
    questions = {question.id: question for question in pack.taxonomy.questions}
    known = frozenset((*COLUMNS, *columns_of(pack.taxonomy), "submitted", ANSWERED))
    languages = {sheet.culture.locale.tag.split("-")[0] for sheet in pack.sheets}
    encodings = [*(_LEGACY.get(language, "cp1252") for language in sorted(languages)), "cp1252"]
    has_table = False

    def readable(table: Table) -> float:
        return _readable(table, pack)

    for table in read_tables(path, NEEDED, encodings=encodings, score=readable):
        has_table = True
        if table.note and readable(table) < 1:
            message = f"{table.note} Save it as “CSV UTF-8” where answers cannot be read."
            yield RejectedRow("", 1, "encoding", message)
        message = "It stands above the row of headings, or under none."
        for row in table.above:
            yield RejectedRow("", row.number, "no headings", message, row.texts)
        for row in table.rows:
            yield from _records(row, questions, known, pack.places)
    if not has_table:
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
            readable += places.label(place.sheet, row["answer"]) is not None
    return readable / count if count else 1.0


def columns_of(taxonomy: Taxonomy) -> tuple[str, ...]:
    """The columns of further questions, three each; people write into the one of its id."""
    return tuple(
        f"{question.id}{what}"
        for question in taxonomy.questions
        for what in (" question", " choose from", "")
    )


@lru_cache
def _are_ours(names: tuple[str, ...], known: frozenset[str]) -> bool:
    return known.issuperset(map(str.casefold, names))


def _records(
    row: Row, questions: Mapping[str, Question], known: frozenset[str], places: Places
) -> Iterator[RawRecord]:
    """The answer of a row, and what of the row is rejected."""
    if row.reason:
        yield RejectedRow("", row.number, row.reason, row.error, row.texts)
        return
    if not _are_ours(row.header.names, known) or len(row.cells) > len(row.header.names):
        others = {name: text for name, text in row.texts.items() if not _are_ours((name,), known)}
        if others:
            message = "There are no such columns in what was sent out."
            yield RejectedRow("", row.number, "unknown column", message, others)
    content = {name: text for name in (*_READ, *questions) if (text := row[name])}
    item, who, answer, sheet, submitted = (content.get(name, "") for name in _READ)
    place = places.item(item, sheet)
    # A draft by itself is no answer: it was sent out with the sheet.
    further = {
        name: _texts(question, content[name], places, place and place.sheet)
        for name, question in questions.items()
        if name in content and (answer or question.item_text != "answer")
    }
    is_blank = not (answer or further or who or submitted)
    if is_blank and item.casefold() != CONSENT:
        return
    for column in row.formulas:
        if (name := column.casefold()) in NEEDED or name in questions:
            message = f"The {name} is a formula; write it as a text."
            yield RejectedRow("", row.number, "formula", message, row.texts)
            if name in NEEDED:
                return
    yield RawAnswer(
        item,
        (answer,) if answer else (),
        further,
        participant=who,
        sheet=sheet,
        submitted=submitted,
        row=row.number,
        content=content,
    )


def _texts(question: Question, text: str, places: Places, sheet: Sheet | None) -> list[str]:
    """The answers in a cell; several stand between bars, line ends, or semicolons of no name."""
    if question.kind not in ("choices", "span"):
        return [text]
    texts: list[str] = []
    for part in _BETWEEN.split(text):
        is_name = sheet is not None and places.answer(sheet, question.id, part) is not None
        texts += [part] if is_name else part.split(";")
    return [part.strip() for part in texts if part.strip()]
