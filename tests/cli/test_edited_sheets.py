"""Sheets edited as people do: all that was typed is in the workspace or in a case.

What was typed is counted apart: each text is unique, and is looked for in what the workspace has,
not in what an import says.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import openpyxl
import pytest
from openpyxl.utils import get_column_letter

import memeloc
from memeloc.correct.statuses import status_words
from memeloc.tables import read_table
from tests.conftest import Outcome

MEMES = 8
PARTS = 2
WORDS = status_words("hi")


@dataclass
class Sheet:
    """A workbook that a person edits; `typed` is all that she typed, each text once."""

    path: Path
    typed: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.book = openpyxl.load_workbook(self.path)
        self.page = self.book["Captions"]

    def column(self, name: str) -> int:
        """The number of a column by its heading, in whatever row that stands."""
        for row in self.page.iter_rows(max_row=10):
            for cell in row:
                if cell.value == name:
                    return int(cell.column)
        raise KeyError(name)

    def new(self, what: str = "लिखा") -> str:
        """A text that nobody has typed before."""
        self.typed.append(f"{what} {next(self.numbers)}।")
        return self.typed[-1]

    def write(self, row: int, name: str, value: str) -> None:
        self.page.cell(row, self.column(name)).value = value

    def fill(self) -> None:
        """Fill in most rows, in the ways that people have."""
        for row, kind in enumerate(["text", "text", "", "text", "correct", "", "given up"], 2):
            if kind == "text":
                self.write(row, "your text", self.new())
            elif kind:
                self.write(row, "status", WORDS["correct" if kind == "correct" else "wordplay"])
        self.write(8, "comment", self.new("टिप्पणी"))
        self.write(11, "comment", self.new("टिप्पणी"))
        self.write(12, "your text", self.new())
        self.write(13, "your text", self.new())
        self.write(13, "status", WORDS["corrected"])


def _sorted(sheet: Sheet) -> None:
    sheet.fill()
    rows = [[cell.value for cell in row] for row in sheet.page.iter_rows(min_row=2)]
    texts = sheet.column("your text") - 1
    rows.sort(key=lambda row: (str(row[texts] or ""), str(row[5])), reverse=True)
    for number, row in enumerate(rows, 2):
        for column, value in enumerate(row, 1):
            sheet.page.cell(number, column).value = value


def _without_columns(sheet: Sheet) -> None:
    sheet.fill()
    for name in ("key", "picture", "meme", "box", "part", "to be corrected", "length", "room"):
        sheet.page.delete_cols(sheet.column(name))


def _without_keys(sheet: Sheet) -> None:
    sheet.fill()
    sheet.page.delete_cols(sheet.column("key"))
    for row in range(2, 4):  # and of one caption neither meme nor source
        for name in ("meme", "source", "to be corrected"):
            sheet.write(row, name, "")


def _merged(sheet: Sheet) -> None:
    sheet.fill()
    for row in range(2, 2 + MEMES * PARTS, PARTS):
        for name in ("meme", "picture", "key", "status"):
            letter = get_column_letter(sheet.column(name))
            sheet.page.merge_cells(f"{letter}{row}:{letter}{row + 1}")
    letter = get_column_letter(sheet.column("your text"))
    sheet.write(14, "your text", f"{sheet.new()} // {sheet.new()}")
    sheet.page.merge_cells(f"{letter}14:{letter}15")


def _hidden(sheet: Sheet) -> None:
    sheet.fill()
    for row in (2, 3, 5, 12, 13):
        sheet.page.row_dimensions[row].hidden = True
    for name in ("your text", "comment", "source"):
        letter = get_column_letter(sheet.column(name))
        sheet.page.column_dimensions[letter].hidden = True


def _titles(sheet: Sheet) -> None:
    sheet.fill()
    sheet.page.insert_rows(6)
    sheet.page.insert_rows(1, 3)
    sheet.page.cell(1, 3).value = "मीम, दूसरा भाग"
    sheet.page.cell(9, 3).value = "बिल्लियाँ"
    last = sheet.page.max_row + 1
    sheet.page.cell(last, sheet.column("your text")).value = sheet.new("धन्यवाद")


def _statuses_a_part(sheet: Sheet) -> None:
    pairs = [("correct", "corrected"), ("corrected", "wordplay"), ("culture", "wordplay"),
             ("correct", "correct"), ("", "skip"), ("corrected", "corrected")]  # fmt: skip
    for meme, statuses in enumerate(pairs):
        for part, status in enumerate(statuses):
            row = 2 + meme * PARTS + part
            sheet.write(row, "status", status)
            if status in ("corrected", "wordplay"):
                sheet.write(row, "your text", sheet.new())


def _own_words(sheet: Sheet) -> None:
    for row, status in enumerate(["ठीक है", "sahi", WORDS["corrected"], "  SKIP ", "शायद?"], 2):
        sheet.write(row * PARTS - 2, "status", status)
        sheet.write(row * PARTS - 2, "your text", sheet.new())
        sheet.write(row * PARTS - 1, "comment", sheet.new("टिप्पणी"))


def _comments_only(sheet: Sheet) -> None:
    for row in range(2, 2 + MEMES * PARTS):
        sheet.write(row, "comment", sheet.new("टिप्पणी"))


def _in_one_cell(sheet: Sheet) -> None:
    sheet.write(2, "your text", f"{sheet.new()} // {sheet.new()}")
    sheet.write(5, "your text", f"{sheet.new()}//{sheet.new()}")
    sheet.write(6, "your text", f"{sheet.new()} // {sheet.new()} // {sheet.new()}")
    sheet.write(8, "your text", f"{sheet.new()} // {sheet.new()}")
    sheet.write(9, "your text", sheet.new())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of captions in Hindi, and a sheet of them for Asha, made once for all tests."""
    folder = tmp_path_factory.mktemp("edited") / "memes"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMELOC_DATABASE_URL", raising=False)
        with memeloc.Workspace.create(folder, languages=["hi"]) as workspace:
            table = folder / "captions.csv"
            with table.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(stream)
                writer.writerow(("meme_id", "template", "en", "hi"))
                writer.writerows(
                    (f"m{n}", "robot-chef", f"Monday {n} // again", f"सोमवार {n} // फिर से")
                    for n in range(MEMES)
                )
            workspace.import_captions(table)
            workspace.correcting.export_sheet("hi", person="asha", out=folder / "sheet.xlsx")
    return folder


@pytest.fixture
def workspace(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[memeloc.Workspace]:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    shutil.copytree(made, tmp_path / "memes")
    with memeloc.Workspace.open(tmp_path / "memes") as opened:
        yield opened


def _missing(workspace: memeloc.Workspace, typed: list[str]) -> list[str]:
    """What of the typed texts is neither a caption, nor shown with a case, nor a comment."""
    kept = list(workspace.table("captions")["hi"])
    kept += list(workspace.table("corrections")["comment"])
    for case in workspace.correcting.cases.open():
        kept += [answer.text for answer in case.answers]
    return [text for text in typed if not any(text in each for each in kept)]


EDITS: dict[str, tuple[Callable[[Sheet], None], dict[str, int]]] = {
    "sorted": (_sorted, {"placed": 4, "case": 1, "noted": 1}),
    "columns deleted": (_without_columns, {"placed": 4, "case": 1, "noted": 1}),
    "keys deleted": (_without_keys, {"placed": 3, "stray": 2, "case": 1, "noted": 1}),
    "merged cells": (_merged, {"placed": 5, "case": 1, "noted": 1}),
    "hidden rows and columns": (_hidden, {"placed": 4, "case": 1, "noted": 1}),
    "title rows": (_titles, {"placed": 4, "case": 1, "noted": 1, "stray": 1}),
    "statuses of parts": (_statuses_a_part, {"placed": 3, "case": 3}),
    "words of their language": (_own_words, {"placed": 1, "case": 4}),
    "comments only": (_comments_only, {"noted": 8}),
    "// in one cell": (_in_one_cell, {"placed": 2, "case": 2}),
}


@pytest.mark.parametrize("name", EDITS)
def test_all_that_was_typed_is_kept(workspace: memeloc.Workspace, name: str) -> None:
    edit, outcomes = EDITS[name]
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    edit(sheet)
    sheet.book.save(path)
    result = workspace.correcting.import_sheet(path)
    assert _missing(workspace, sheet.typed) == []
    assert (result.outcomes, result.left_out) == (outcomes, 0)


def test_a_stray_row_is_shown_beside_a_caption_it_does_not_answer(
    workspace: memeloc.Workspace,
) -> None:
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    _without_keys(sheet)
    sheet.book.save(path)
    workspace.correcting.import_sheet(path)
    strays = [case for case in workspace.correcting.cases.open() if case.meme_id == "m1"]
    assert [case.answers[0].text for case in strays] == sheet.typed[:2]
    assert workspace.table("captions").set_index("meme_id").loc["m1", "hi"].endswith(sheet.typed[2])
    for case in strays:
        workspace.correcting.cases.decide(case.case, person="maria")
    assert "m1" not in {case.meme_id for case in workspace.correcting.cases.open()}


def test_a_text_typed_over_the_one_to_be_corrected_is_a_case(
    workspace: memeloc.Workspace,
) -> None:
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    sheet.write(2, "to be corrected", sheet.new())
    sheet.write(4, "to be corrected", "  सोमवार  1 ")  # white space is no change
    sheet.book.save(path)
    assert workspace.correcting.import_sheet(path).outcomes == {"case": 1}
    (case,) = workspace.correcting.cases.open()
    assert case.answers[0].text == f"{sheet.typed[0]} // फिर से"
    workspace.correcting.cases.decide(case.case, person="maria", accept=case.answers[0].answer)
    assert _missing(workspace, sheet.typed) == []


def test_a_text_typed_over_the_source_is_a_case(workspace: memeloc.Workspace) -> None:
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    sheet.write(2, "source", sheet.new())
    sheet.book.save(path)
    assert workspace.correcting.import_sheet(path).outcomes == {"case": 1}
    assert _missing(workspace, sheet.typed) == []


def test_an_answer_that_only_a_copied_worksheet_has_is_named(
    workspace: memeloc.Workspace,
) -> None:
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    sheet.write(2, "your text", sheet.new())
    sheet.book.copy_worksheet(sheet.page)
    sheet.book.copy_worksheet(sheet.page).cell(4, sheet.column("your text")).value = "nur hier"
    sheet.book.save(path)
    result = workspace.correcting.import_sheet(path)
    (problem,) = result.problems
    assert (problem.row, "'nur hier'" in problem.message) == (4, True)
    assert (result.outcomes, result.left_out) == ({"placed": 1}, 1)


@pytest.mark.parametrize("word", [WORDS["wordplay"], "correct"])
def test_a_status_in_the_place_of_the_text_is_no_caption(
    workspace: memeloc.Workspace, word: str
) -> None:
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    sheet.write(2, "your text", word)
    sheet.book.save(path)
    assert workspace.correcting.import_sheet(path).outcomes == {"case": 1}
    (case,) = workspace.correcting.cases.open()
    assert f"row 2, {word!r}, is the name of a status" in case.message
    assert word in case.answers[0].text


def test_a_case_says_what_was_not_understood(
    workspace: memeloc.Workspace,
    command: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(workspace.root)
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    sheet.write(2, "status", "hopeless")
    sheet.book.save(path)
    workspace.correcting.import_sheet(path)
    (case,) = workspace.correcting.cases.open()
    assert "'hopeless' (row 2) is not a status" in command("correct", "settle", case.case).out


def test_a_row_that_is_gone_leaves_the_other_parts_in_their_places(
    workspace: memeloc.Workspace,
) -> None:
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    sheet.write(3, "your text", sheet.new())
    sheet.page.delete_rows(2)
    sheet.book.save(path)
    workspace.correcting.import_sheet(path)
    (case,) = workspace.correcting.cases.open()
    assert (case.reason, case.answers[0].text) == ("part lost", f" // {sheet.typed[0]}")


def test_a_second_file_has_what_became_of_each_row(workspace: memeloc.Workspace) -> None:
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    _titles(sheet)
    sheet.write(6, "your text", "again")  # as the source is
    sheet.book.save(path)
    path.with_name("sheet-import.xlsx").write_text("hers")
    result = workspace.correcting.import_sheet(path, report=True, dry_run=True)
    assert path.with_name("sheet-import.xlsx").read_text() == "hers"
    assert result.report == path.with_name("sheet-import-2.xlsx")
    rows = {int(row["row"]): row for row in read_table(result.report, ["please look at"]).rows}
    assert len(rows) == MEMES * PARTS + 1
    starts = {5: "taken", 12: "kept", 14: "your comment is kept", 18: "nothing was filled in"}
    for number, start in {**starts, 22: "kept, but this row belongs to no caption"}.items():
        assert rows[number]["what became of it"].startswith(start)
    assert rows[6]["please look at"] == "the text is the same as the source"
    assert rows[22]["your text"] == sheet.typed[-1]


def test_the_second_file_of_a_csv_is_one(workspace: memeloc.Workspace) -> None:
    path = workspace.root / "sheet.csv"
    workspace.correcting.export_sheet("hi", person="asha", format="csv", out=path)
    result = workspace.correcting.import_sheet(path, report=True)
    assert result.report == path.with_name("sheet-import.csv")
    assert len(list(read_table(result.report, ["meme"]).rows)) == MEMES * PARTS


@pytest.mark.slow
def test_all_is_kept_in_what_libreoffice_saved(
    workspace: memeloc.Workspace, tmp_path: Path
) -> None:
    office = shutil.which("soffice")
    assert office, "install Debian's package libreoffice-calc"
    path = workspace.root / "sheet.xlsx"
    sheet = Sheet(path)
    _merged(sheet)
    sheet.book.save(path)
    subprocess.run(
        [office, f"-env:UserInstallation=file://{tmp_path}/profile", "--headless",
         "--convert-to", "ods", "--outdir", str(tmp_path), str(path)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    result = workspace.correcting.import_sheet(tmp_path / "sheet.ods")
    assert _missing(workspace, sheet.typed) == []
    assert (result.outcomes, result.left_out) == (EDITS["merged cells"][1], 0)
