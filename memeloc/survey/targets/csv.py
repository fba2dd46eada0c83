"""Sheets as tables. In: a survey's sheets; tables that people filled in. Out: tables; raw answers.

A row is an entry, named by its `item_key`; the first row asks for consent. People write into the
columns `participant`, `answer` and those that are called as other questions, in the CSV that was
sent out, or an xlsx or ods of it. Columns are found by their headings, rows by their item: their
order means nothing. A file may hold the rows of several sheets and people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.sheets import write_sheet_table
from memeloc.survey.model import MemeEntry, RejectedRow
from memeloc.survey.targets.files import copy_picture, has_table, unknown_columns
from memeloc.survey.targets.instructions import Item, SheetFiles, SheetTexts, as_text
from memeloc.survey.targets.places import CONSENT
from memeloc.survey.targets.protocol import (
    ALL_KINDS,
    RawAnswer,
    RawRecord,
    SheetsToSend,
    encodings_of,
)
from memeloc.tables import Row, Table, read_tables
from memeloc.taxonomy import LABEL, Taxonomy

NEEDED = ("item", "participant", "answer")
COLUMNS = (
    "sheet", "number", "item", "picture", "text", "question", "choose from", "participant",
    "answer",
)  # fmt: skip
"""What is sent out, before what `columns_of` adds."""
ANSWERED = "model answered"
"""The column that shows what a model answered, where people are to see it; it is not read."""
_READ = (*NEEDED, "sheet", "submitted")


def columns_of(taxonomy: Taxonomy) -> tuple[str, ...]:
    """Return the columns of other questions, three each; people write into the one of its id."""
    return tuple(
        f"{question.id}{what}"
        for question in taxonomy.questions
        for what in (" question", " choose from", "")
    )


class Csv(SheetFiles):
    """A table for each sheet."""

    name = "csv"
    summary = "one CSV a sheet with a folder of pictures, for any spreadsheet program"
    kinds = ALL_KINDS
    shows_prelabels = True

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.csv`, `SHEET.txt` and `pictures/`."""
        path, sheet = folder / f"{shown.sheet.id}.csv", shown.sheet.id
        pictures = f"pictures/{sheet}"

        def copied(picture: Path | None, name: str) -> str:
            return f"{pictures}/{copy_picture(picture, folder / pictures, name)}" if picture else ""

        columns = (*COLUMNS, *columns_of(shown.survey.taxonomy))
        if shown.survey.prelabels is not None:
            columns = (*columns, ANSWERED)
        agree = " | ".join((shown.get("consent.yes"), shown.get("consent.no")))
        consent = {"item": CONSENT, "text": shown.consent, "choose from": agree}
        rows = [{**consent, "question": shown.get("consent.heading")}]
        for item in shown.items():
            place = {"number": str(item.number), "item": item.key, "text": item.text}
            place["picture"] = copied(item.picture, item.key)
            rows.append(place | _cells(shown, item))
        table = [tuple(({"sheet": sheet} | row).get(name, "") for name in columns) for row in rows]
        file, _ = write_sheet_table(path, columns, table)
        parts = shown.sections()
        examples = [example.picture for part in parts for example in part.examples]
        names = {each: copied(each, f"example-{n}") for n, each in enumerate(examples, 1) if each}
        with replacing(path.with_suffix(".txt")) as partial:
            # With a byte order mark: some editors on Windows guess wrongly without one.
            text = as_text(parts, names.__getitem__)
            partial.write_text(text, encoding="utf-8-sig", errors="replace", newline="\r\n")
        return file

    def recognises(self, path: Path) -> bool:
        """Return whether some table of a file has the headings that answers need."""
        return has_table(path, required=NEEDED)

    def read(self, path: Path, survey: SheetsToSend) -> Iterator[RawRecord]:
        """Return the rows of all tables of a file. Raise InputError if it cannot be read, or has
        not the headings that are needed."""

        sent = frozenset((*COLUMNS, *columns_of(survey.taxonomy), "submitted", ANSWERED))

        def is_known(column: str) -> bool:
            return column.casefold() in sent

        def readable(table: Table) -> float:
            """Return the share of a table's answers that name a label in their sheet's language."""
            placed = (
                (survey.places.item(row["item"], row["sheet"]), row["answer"])
                for row in table.rows
                if row["answer"] and not row.reason
            )
            named = [
                survey.places.answer(place.sheet, LABEL, answer) is not None
                for place, answer in placed
                if place is not None
            ]
            return sum(named) / len(named) if named else 1.0

        table = None
        for table in read_tables(path, NEEDED, encodings=encodings_of(survey), score=readable):
            if table.note and readable(table) < 1:
                message = f"{table.note} Save it as “CSV UTF-8” where answers cannot be read."
                yield RejectedRow("", 1, "encoding", message)
            message = "It stands above the row of headings, or under none."
            for row in table.above:
                yield RejectedRow("", row.number, "no headings", message, row.texts)
            for row in table.rows:
                yield from _records(row, survey, is_known)
        if table is None:
            raise InputError(
                "has no row of headings with item, participant and answer among them; keep the "
                "first row of the sheet that was sent out",
                file=path,
            )


def _cells(shown: SheetTexts, item: Item) -> dict[str, str]:
    """Return what the columns of questions say of an item, by their headings. Before a question, in
    brackets, stand the answers after which it is asked; what a model answered is such as `Safe (67
    %) | Offensive (33 %)`."""
    cells: dict[str, str] = {}
    for question in shown.questions(item.entry):
        before = "" if question.id == LABEL else f"{question.id} "
        names = [
            " | ".join(shown.answers[earlier][answer] for answer in answers)
            for earlier, answers in question.when.items()
        ]
        least, most = question.scale or (0, -1)
        numbers = map(str, range(least, most + 1))
        cells[f"{before}question"] = "".join(f"[{some}] → " for some in names) + question.text
        cells[f"{before}choose from"] = " | ".join(question.answers.values() or numbers)
        if question.draft:
            cells[question.id] = question.draft
    if shown.survey.prelabels is not None and isinstance(item.entry, MemeEntry):
        shares = shown.survey.prelabels.labels.get(item.entry.meme_id, {})
        ordered = sorted(shares, key=lambda label: (-shares[label], label))
        names = [f"{shown.labels[label]} ({shares[label]:.0%})" for label in ordered]
        cells[ANSWERED] = " | ".join(names)
    return cells


def _records(
    row: Row, survey: SheetsToSend, is_known: Callable[[str], bool]
) -> Iterator[RawRecord]:
    if row.reason:
        yield RejectedRow("", row.number, row.reason, row.error, row.texts)
        return
    yield from unknown_columns(row, is_known)
    questions = [question.id for question in survey.taxonomy.questions]
    content = {name: text for name in (*_READ, *questions) if (text := row[name])}
    item, who, label, sheet, submitted = (content.get(name, "") for name in _READ)
    # A draft by itself is no answer: it was sent out with the sheet.
    unread = () if label else survey.taxonomy.draft_columns
    values = {LABEL: (label,)} if label else {}
    values |= {name: (content[name],) for name in questions if name in content.keys() - unread}
    if not (values or who or submitted or item.casefold() == CONSENT):
        return
    for name in map(str.casefold, row.formulas):
        if name in NEEDED or name in questions:
            message = f"The {name} is a formula; write it as a text."
            yield RejectedRow("", row.number, "formula", message, row.texts)
            if name in NEEDED:
                return
    yield RawAnswer(
        item,
        values,
        participant=who,
        sheet=sheet,
        submitted=submitted,
        row=row.number,
        content=content,
    )
