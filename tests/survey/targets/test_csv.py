"""Tables and Label Studio as targets, and columns of times."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from memeloc.survey.model import entry_id
from memeloc.survey.targets.csv import Csv
from memeloc.survey.targets.files import read_column
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.label_studio import LabelStudio
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file
from tests.each import each

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


def test_tasks_hide_checks_and_their_pictures_are_served(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    (path,) = LabelStudio().export(survey, tmp_path)
    listed = json.loads(path.with_name("tasks.json").read_text("utf-8"))
    tasks = [task["data"] for task in listed]
    assert [task["number"] for task in tasks] == [1, 2, 3, 4]
    assert not any("check" in value for task in tasks for value in (task["item"], task["sheet"]))
    for entry, task in zip(survey.sheets[0].entries, tasks, strict=True):
        if entry.picture is not None:
            name = f"{task['item']}.jpg"
            place = f"/data/local-files/?d=pilot/{survey.sheets[0].id}/pictures/{name}"
            assert f'src="{place}"' in task["shown"]
            assert (path.parent / "pictures" / name).read_bytes() == entry.picture.read_bytes()


def months(*cells: str) -> list[int | None]:
    return [moment and moment.month for moment in read_column(cells)]


@each(
    "text",
    [
        "2026/11/21 3:04:05 PM GMT+0",
        "2026/11/21 4:04:05 PM GMT+1",
        "2026/11/21 8:34:05 pm GMT+5:30",
        "21.11.2026 15:04:05",
        "21.11.2026, 15:04:05",
        "11/21/2026 15:04:05",
        "21/11/2026 3:04:05 p. m.",
        "٢١\u200f/١١\u200f/٢٠٢٦ ٣:٠٤:٠٥ م",
        "२१/११/२०२६ ३:०४:०५ अपराह्न",
        "๒๑/๑๑/๒๕๖๙, ๑๕:๐๔:๐๕",
        "21/11/2569 15:04:05",
        "2026/11/21 下午3:04:05",
        "2026. 11. 21 오후 3:04:05",
        "2026年11月21日 15:04:05",
        "21/11/2026 3:04:05 μ.μ.",
        "21.11.2026 kl. 15.04.05",
        "Nov 21, 2026, 3:04:05 PM",
        "2026-11-21T15:04:05Z",
        "Sun Nov 21 2026 3:04:05 PM",
        "2026-11-21T06:04:05-09:00",
    ],
)
def test_timestamps_of_any_locale(text: str) -> None:
    assert read_column([text]) == [datetime(2026, 11, 21, 15, 4, 5, tzinfo=UTC)]


def test_the_whole_column_decides_between_days_and_months() -> None:
    assert months("3/4/2026 1:00", "21/4/2026 1:00") == [4, 4]
    assert months("3/4/2026 1:00", "4/21/2026 1:00") == [3, 4]
    assert months("3.4.2026 1:00", "5/4/2026 1:00") == [4, 4]
    assert months("3/4/2026 1:00", "4/4/2026 1:00") == [None, 4]
    assert months("3/4/2026 1:00", "21/4/2026 1:00", "4/21/2026 1:00") == [None, 4, 4]


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_of_times(text: str) -> None:
    assert len(read_column([text])) == 1
