"""Sheets as tables. In: a survey's sheets. Out: a CSV and instructions a sheet, and the pictures.

A row is an entry, named by its `item_key`; the first row asks for consent. People write into the
columns `participant`, `answer` and `second answer`; `read` reads what they wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from memeloc.files import replacing
from memeloc.survey.model import Sheet, entry_id
from memeloc.survey.targets.csv.reading import COLUMNS, read, recognises
from memeloc.survey.targets.instructions import (
    as_text,
    consent,
    entry_text,
    label_names,
    question,
    second_names,
    sections,
)
from memeloc.survey.targets.pictures import copy_picture
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import CONSENT, RawRecord, SurveyPack, no_progress
from memeloc.tables import write_table


class Csv:
    """A table for each sheet."""

    name = "csv"
    summary = "one CSV a sheet with a folder of pictures, for any spreadsheet program"

    def export(
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write `SHEET.csv`, `SHEET.txt` and `pictures/`.

        Raises:
            InputError: a picture cannot be read, or a file cannot be written.
        """
        written = []
        for sheet in pack.sheets:
            path = folder / f"{sheet.id}.csv"
            write_table(path, COLUMNS, self._rows(pack, sheet, folder))
            examples = {
                shown: f"example-{number}"
                for number, part in enumerate(
                    (one for part in sections(pack, sheet) for one in part.examples), 1
                )
                if (shown := part.picture) is not None
            }
            names = {shown: _copied(shown, sheet, name, folder) for shown, name in examples.items()}
            text = as_text(sections(pack, sheet), names.__getitem__)
            with replacing(folder / f"{sheet.id}.txt") as partial:
                # With a byte order mark: some editors on Windows guess wrongly without one.
                partial.write_text(text, encoding="utf-8-sig", errors="replace", newline="\r\n")
            written.append(path)
            on_sheet()
        return written

    def recognises(self, path: Path) -> bool:
        """See `csv.reading`."""
        return recognises(path)

    def read(self, path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
        """See `csv.reading`."""
        return read(path, pack)

    def _rows(self, pack: SurveyPack, sheet: Sheet, folder: Path) -> list[tuple[str, ...]]:
        texts = pack.texts[sheet.culture.locale.tag]
        choices = " | ".join(label_names(pack, sheet).values())
        agree = " | ".join((texts.get("consent.yes"), texts.get("consent.no")))
        heading, second = second_names(pack, sheet)
        further = " | ".join(second.values())
        rows: list[tuple[str, ...]] = [
            (sheet.id, "", CONSENT, "", consent(pack, sheet), texts.get("consent.heading"), agree,
             "", "", "", "", "")
        ]  # fmt: skip
        for number, entry in enumerate(sheet.entries, 1):
            key = item_key(pack.name, sheet.id, entry_id(entry))
            shown = "" if entry.picture is None else _copied(entry.picture, sheet, key, folder)
            rows.append(
                (sheet.id, str(number), key, shown, entry_text(pack, sheet, entry),
                 question(pack, sheet), choices, "", "", heading, further, "")
            )  # fmt: skip
        return rows


def _copied(picture: Path, sheet: Sheet, name: str, folder: Path) -> str:
    """Copy a picture beside the tables; returns where from there."""
    name = copy_picture(picture, folder / "pictures" / sheet.id, name)
    return f"pictures/{sheet.id}/{name}"
