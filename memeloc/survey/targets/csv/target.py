"""Sheets as tables. In: a survey's sheets. Out: a CSV and instructions a sheet, and the pictures.

A row is an entry, named by its `item_key`; the first row asks for consent. People write into the
columns `participant`, `answer` and those that are called as further questions; `read` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import add
from pathlib import Path

from memeloc.files import replacing
from memeloc.sheets import write_sheet_table
from memeloc.survey.model import MemeEntry
from memeloc.survey.targets.csv.reading import ANSWERED, COLUMNS, columns_of, read, recognises
from memeloc.survey.targets.instructions import Item, SheetFiles, SheetTexts, ShownQuestion, as_text
from memeloc.survey.targets.pictures import copy_picture
from memeloc.survey.targets.protocol import ALL_KINDS, CONSENT, Prelabels
from memeloc.taxonomy import LABEL


class Csv(SheetFiles):
    """A table for each sheet."""

    name = "csv"
    summary = "one CSV a sheet with a folder of pictures, for any spreadsheet program"
    kinds = ALL_KINDS
    shows_prelabels = True
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.csv`, `SHEET.txt` and `pictures/`."""
        path = folder / f"{shown.sheet.id}.csv"
        columns = (*COLUMNS, *columns_of(shown.pack.taxonomy))
        rows: Iterable[tuple[str, ...]] = _rows(shown, folder)
        if shown.pack.prelabels is not None:
            columns = (*columns, ANSWERED)
            rows = map(add, rows, _prelabels(shown, shown.pack.prelabels))
        file, _ = write_sheet_table(path, columns, rows)
        parts = shown.sections()
        examples = [example.picture for part in parts for example in part.examples]
        names = {
            picture: _copied(shown, picture, f"example-{number}", folder)
            for number, picture in enumerate(examples, 1)
            if picture is not None
        }
        text = as_text(parts, names.__getitem__)
        with replacing(path.with_suffix(".txt")) as partial:
            # With a byte order mark: some editors on Windows guess wrongly without one.
            partial.write_text(text, encoding="utf-8-sig", errors="replace", newline="\r\n")
        return file


def _rows(shown: SheetTexts, folder: Path) -> Iterator[tuple[str, ...]]:
    sheet, further = shown.sheet.id, columns_of(shown.pack.taxonomy)
    agree = " | ".join((shown.get("consent.yes"), shown.get("consent.no")))
    consent = (sheet, "", CONSENT, "", shown.consent, shown.get("consent.heading"), agree, "", "")
    yield (*consent, *("" for _ in further))
    for item in shown.items():
        picture = "" if item.picture is None else _copied(shown, item.picture, item.key, folder)
        cells = _cells(shown, item)
        own = (sheet, str(item.number), item.key, picture, item.text)
        label = (cells.get("question", ""), cells.get("choose from", ""), "", "")
        yield (*own, *label, *(cells.get(name, "") for name in further))


def _prelabels(shown: SheetTexts, prelabels: Prelabels) -> Iterator[tuple[str, ...]]:
    """What a model answered, a cell a row: `Safe (67 %) | Offensive (33 %)`; none of consent."""
    yield ("",)
    for item in shown.items():
        shares = (
            prelabels.labels.get(item.entry.meme_id, {})
            if isinstance(item.entry, MemeEntry)
            else {}
        )
        ordered = sorted(shares, key=lambda label: (-shares[label], label))
        names = (f"{shown.answers[LABEL][label]} ({shares[label]:.0%})" for label in ordered)
        yield (" | ".join(names),)


def _cells(shown: SheetTexts, item: Item) -> dict[str, str]:
    """What the columns of questions say of an item, by their headings."""
    cells: dict[str, str] = {}
    for question in shown.questions(item.entry):
        before = "" if question.id == LABEL else f"{question.id} "
        cells[f"{before}question"] = _asked(shown, question)
        cells[f"{before}choose from"] = _choices(question)
        if question.draft:
            cells[question.id] = question.draft
    return cells


def _asked(shown: SheetTexts, question: ShownQuestion) -> str:
    """A question; before it, in brackets, the answers after which it is asked."""
    names = [
        " | ".join(shown.answers[earlier][answer] for answer in answers)
        for earlier, answers in question.when.items()
    ]
    return "".join(f"[{some}] → " for some in names) + question.text


def _choices(question: ShownQuestion) -> str:
    if question.scale is None:
        return " | ".join(question.answers.values())
    least, most = question.scale
    return " | ".join(map(str, range(least, most + 1)))


def _copied(shown: SheetTexts, picture: Path, name: str, folder: Path) -> str:
    """Copy a picture beside the tables; returns where from there."""
    place = f"pictures/{shown.sheet.id}"
    return f"{place}/{copy_picture(picture, folder / place, name)}"
