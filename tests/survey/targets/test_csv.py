"""Sheets as CSV and back: moved columns, doubled rows, old encodings, formulas, doubtful rows."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

from openpyxl import Workbook

from memeloc.survey.model import entry_id
from memeloc.survey.targets.csv import Csv
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file

CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
Row = dict[str, str]


def exported(survey: SheetsToSend, folder: Path) -> tuple[Path, list[Row]]:
    (path,) = Csv().export(survey, folder)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return path, list(csv.DictReader(stream))


def filled(survey: SheetsToSend, rows: list[Row], who: str = "asha", *, names: bool = True) -> None:
    sheet = survey.sheets[0]
    words = SheetTexts(survey, sheet).labels if names else {}
    by_key = {
        item_key(survey.name, sheet.id, entry_id(entry)): CHOSEN[entry_id(entry)]
        for entry in sheet.entries
    }
    for row in rows:
        label = by_key.get(row["item"])
        row["participant"] = who
        row["answer"] = "yes" if label is None else words.get(label, label)


def back(path: Path, survey: SheetsToSend) -> Imported:
    assert Csv().recognises(path)
    return import_file(Csv(), path, survey)


def test_a_table_has_every_picture_and_hides_its_checks(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    path, rows = exported(survey, tmp_path)
    assert len(rows) == 5
    assert "check" not in path.read_text("utf-8-sig").replace("choose", "")
    pictures = [entry.picture for entry in survey.sheets[0].entries]
    for row, picture in zip(rows[1:], pictures, strict=True):
        if picture is None:
            assert row["picture"] == ""
        else:
            assert (tmp_path / row["picture"]).read_bytes() == picture.read_bytes()
    words = (tmp_path / f"{survey.sheets[0].id}.txt").read_text("utf-8-sig")
    assert "lab@university.example" in words
    for example in survey.taxonomy.examples:
        assert survey.texts["en"].get(f"taxonomy.multi3hate.example.{example.id}.why") in words
    assert words.count("pictures/") == len(survey.taxonomy.examples)


def test_no_cell_is_a_formula(survey: SheetsToSend, tmp_path: Path) -> None:
    sheet = survey.sheets[0]
    risky = replace(sheet.entries[0], caption='=HYPERLINK("http://x";"y")')
    changed = replace(survey, sheets=(replace(sheet, entries=(risky, *sheet.entries[1:])),))
    path, _ = exported(changed, tmp_path)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        cells = [cell for line in csv.reader(stream) for cell in line]
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and cell]
    assert "'=HYPERLINK" in path.read_text("utf-8-sig")


def test_a_workbook_is_read_and_its_formulas_are_rejected(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows)
    rows[1]["answer"] = '=CONCATENATE("ha";"te")'
    book = Workbook()
    page = book.active
    assert page is not None
    page.append(["Notes of the team"])
    page.append(list(rows[0]))
    for row in rows:
        page.append(list(row.values()))
    book.save(tmp_path / "filled.xlsx")
    result = back(tmp_path / "filled.xlsx", survey)
    printed = [(row.row, row.reason) for row in result.rejected]
    assert printed == [(1, "no headings"), (4, "formula")]
    assert len(result.submissions[0].answers) == 3
