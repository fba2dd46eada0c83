"""Sheets as tables. In: a survey's sheets. Out: a CSV and instructions a sheet, and the pictures.

A row is an entry, named by its `item_key`; the first row asks for consent. People write into the
columns `participant`, `answer` and `second answer`; `read` reads what they wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memeloc.files import replacing
from memeloc.survey.targets.csv.reading import COLUMNS, read, recognises
from memeloc.survey.targets.instructions import SheetFiles, SheetTexts, as_text
from memeloc.survey.targets.pictures import copy_picture
from memeloc.survey.targets.protocol import CONSENT
from memeloc.tables import write_table


class Csv(SheetFiles):
    """A table for each sheet."""

    name = "csv"
    summary = "one CSV a sheet with a folder of pictures, for any spreadsheet program"
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.csv`, `SHEET.txt` and `pictures/`."""
        path = folder / f"{shown.sheet.id}.csv"
        write_table(path, COLUMNS, _rows(shown, folder))
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
        return path


def _rows(shown: SheetTexts, folder: Path) -> Iterator[tuple[str, ...]]:
    sheet = shown.sheet.id
    choices, further = (
        " | ".join(names.values()) for names in (shown.labels, shown.second_answers)
    )
    agree = " | ".join((shown.get("consent.yes"), shown.get("consent.no")))
    yield (
        sheet, "", CONSENT, "", shown.consent, shown.get("consent.heading"), agree,
        "", "", "", "", "",
    )  # fmt: skip
    for item in shown.items():
        picture = "" if item.picture is None else _copied(shown, item.picture, item.key, folder)
        yield (
            sheet, str(item.number), item.key, picture, item.text, shown.question, choices,
            "", "", shown.second_question, further, "",
        )  # fmt: skip


def _copied(shown: SheetTexts, picture: Path, name: str, folder: Path) -> str:
    """Copy a picture beside the tables; returns where from there."""
    place = f"pictures/{shown.sheet.id}"
    return f"{place}/{copy_picture(picture, folder / place, name)}"
