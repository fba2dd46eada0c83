"""Tables besides sheets, as people's programs leave them: `import`, `settle`, `export`."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from memeloc.tables import read_table
from tests.conftest import Outcome
from tests.each import each
from tests.worlds import columns_of, read_rows, write_table

Command = Callable[..., Outcome]


def exported(command: Command, table: str, *options: str) -> list[dict[str, Any]]:
    done = command("export", table, "--to", "now.jsonl", *options)
    assert done.status == 0, done.err
    return [json.loads(line) for line in Path("now.jsonl").read_text("utf-8").splitlines()]


def workbook(path: Path, rows: list[list[Any]], formats: dict[str, str]) -> Path:
    """Write a workbook; `formats` are the number formats of cells."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cell, form in formats.items():
        book.active[cell].number_format = form
    book.save(path)
    return path


@pytest.fixture
def empty(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace without captions, which is the working directory."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    assert command("init", ".", "--langs", "de,es").status == 0
    return tmp_path


HEAD = ["meme_id", "template", "en", "de"]


def test_spreadsheet_numbers_in_a_table_of_captions(empty: Path, command: Command) -> None:
    texts = {"50%": (0.5, "0%"), "007": (7, "000"), "$100": (100, "[$$-409]#,##0")}
    rows = [
        [f"m{n}", "protest-hamster", f"text {n}", value]
        for n, (value, _) in enumerate(texts.values(), 1)
    ]
    formats = {f"D{n}": form for n, (_, form) in enumerate(texts.values(), 2)}
    workbook(Path("captions.xlsx"), [HEAD, *rows], formats)
    assert command("import", "captions.xlsx").status == 0
    assert [row["de"] for row in exported(command, "captions")] == list(texts)


@pytest.fixture
def disputed(world: Callable[[str], Path], command: Command) -> Path:
    """A workspace in which two answers are to be settled."""
    folder = world("translated")
    only = ("--only", "night-owl-01,night-owl-02")
    for person in ("anna", "ben"):
        to = ("--to", person, "--format", "csv", "--no-pictures", "--out", f"{person}.csv")
        assert command("correct", "export", "--langs", "de", *to, *only).status == 0
        rows = read_rows(Path(f"{person}.csv"))
        for row in rows:
            row |= {"your text": f"{person} {row['part']}"}
        write_table(Path(f"{person}.csv"), rows)
    assert command("correct", "import", "anna.csv", "ben.csv").status == 0
    return folder


def test_numbers_and_formulas_among_decisions(disputed: Path, command: Command) -> None:
    assert command("correct", "settle", "--to", "cases.csv").status == 0
    with Path("cases.csv").open(encoding="utf-8-sig", newline="") as stream:
        head, *rows = csv.reader(stream)
    text = head.index("text")
    rows[0][text], rows[1][text] = 0.5, "=nur Spaß"  # type: ignore[call-overload]
    letter = openpyxl.utils.get_column_letter(text + 1)
    workbook(Path("cases.xlsx"), [head, *rows], {f"{letter}2": "0%"})
    done = command("correct", "settle", "--from", "cases.xlsx", "--as", "maria")
    assert "row 3" in done.out + done.err
    texts = [str(row["de"]) for row in exported(command, "captions")]
    assert not any("0.5" in each or "nur Spaß" in each for each in texts)
    rows[1][text] = ""
    workbook(Path("cases.xlsx"), [head, *rows], {f"{letter}2": "0%"})
    command("correct", "settle", "--from", "cases.xlsx", "--as", "maria")
    assert any("50%" in str(row["de"]) for row in exported(command, "captions"))


@each("suffix", ["xlsx", "ods", "jsonl", "parquet"])
@each("table", ["settle", "captions"])
def test_a_name_that_says_another_format(
    disputed: Path, command: Command, table: str, suffix: str
) -> None:
    path = Path(f"{table}-table.{suffix}")
    words = ("correct", "settle") if table == "settle" else ("export", table)
    done = command(*words, "--to", path)
    if done.status:
        assert ".csv" in done.err
        assert not path.exists()
    elif suffix == "xlsx":
        assert openpyxl.load_workbook(path).worksheets[0].max_row > 1
    elif suffix == "ods":
        assert path.read_bytes().startswith(b"PK")
        assert list(read_table(path).rows)
    else:
        read = {"jsonl": lambda path: pd.read_json(path, lines=True), "parquet": pd.read_parquet}
        assert len(read[suffix](path))


@pytest.fixture
def sheet(world: Callable[[str], Path], command: Command) -> Path:
    """Anna's sheet, with a formula, three pieces for two parts, a text and a comment."""
    world("translated")
    to = ("--to", "anna", "--no-pictures", "--out", "sheet.xlsx")
    assert command("correct", "export", "--langs", "de", *to).status == 0
    book = openpyxl.load_workbook("sheet.xlsx")
    page = book["Captions"]
    column = dict(zip(columns_of(cell.value for cell in page[1]), range(1, 99), strict=False))
    for row, text in ((2, "=nur Spaß"), (4, "eins // zwei // drei"), (6, "neu")):
        page.cell(row, column["your text"]).value = text
    page.cell(8, column["comment"]).value = "wer?"
    page.cell(10, column["status"]).value = "skip"
    book.save("sheet.xlsx")
    return Path("sheet.xlsx")


def test_an_answer_that_becomes_a_case_is_checked_as_that(sheet: Path, command: Command) -> None:
    done = command("correct", "import", sheet)
    assert "empty" not in done.out + done.err
    assert "row 2" in done.out + done.err


@pytest.mark.parametrize("name", ["sheet.xlsx", "sheet.csv"])
def test_what_became_of_each_row_stands_in_a_second_file(
    sheet: Path, command: Command, name: str
) -> None:
    if name == "sheet.csv":
        table = read_table(sheet, worksheet="Captions")
        cells = ({name: row[name] for name in table.columns if name} for row in table.rows)
        write_table(Path(name), list(cells))
    made = Path(name).with_stem("sheet-import")
    made.write_text("hers")
    assert command("correct", "import", name, "--report", "--dry-run").status == 0
    assert made.read_text() == "hers"
    report = {int(row["row"]): row for row in read_table(made.with_stem("sheet-import-2")).rows}
    outcome = "what became of it"
    starts = {4: "kept", 6: "taken", 8: "your comment is kept", 10: "left", 12: "nothing was"}
    assert all(report[row][outcome].startswith(start) for row, start in starts.items())


def test_a_case_says_what_was_not_understood_and_is_settled(sheet: Path, command: Command) -> None:
    command("correct", "import", sheet)
    cases = json.loads(command("correct", "settle", "--json").out)["cases"]
    assert ["formula" in case["message"] for case in cases] == [True, False]
    for case in cases:
        decision = ("--text", "Nur Spaß // ja") if case == cases[0] else ("--keep",)
        done = command("correct", "settle", case["case"], *decision, "--as", "maria", "--json")
        assert done.status == 0, done.err
    assert json.loads(command("correct", "settle", "--json").out)["cases"] == []
    assert "Nur Spaß // ja" in str(exported(command, "captions"))
