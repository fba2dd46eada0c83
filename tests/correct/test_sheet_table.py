"""Sheets as CSV and workbooks, and what spreadsheets make of them."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import tomllib
import zipfile
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from memeloc.correct.columns import HEADINGS
from memeloc.correct.lost_rows import complete
from memeloc.correct.model import Answer, Sheet, SheetItem, SheetPart, text_key
from memeloc.correct.placing import SentItem, SentSheet
from memeloc.correct.sheets import read_sheet, write_sheet
from memeloc.correct.statuses import read_status, status_words
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.tables import clean_text

TAGS = tuple(tomllib.loads((files("memeloc.correct") / "statuses.toml").read_text("utf-8")))
MACHINE = {
    "m1": ("=SUM(A1)", "+1 -2 @x"),
    "m2": ("", "'=quoted'"),
    "m3": ("two\nlines", "404"),
}


def sheet(tag: str = "ar", picture: Path | None = None) -> Sheet:
    items = tuple(
        SheetItem(
            meme, "cloud-monday",
            tuple(SheetPart(f"box {part}", f"source {part}", text, 20) for part, text in
                  enumerate(parts, 1)),
            picture, text_key(("source 1", "source 2")), text_key(parts),
        )
        for meme, parts in MACHINE.items()
    )  # fmt: skip
    locales = default()
    created = datetime(2026, 11, 21, tzinfo=UTC)
    return Sheet("s1", locales.get(tag), locales.get("en"), 1, "amal", created, "# Guide", items)


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.reader(stream))


def save(path: Path, rows: list[list[str]], **form: str) -> None:
    with path.open("w", encoding=form.pop("encoding", "utf-8-sig"), newline="") as stream:
        csv.writer(stream, **form).writerows(rows)  # type: ignore[arg-type]


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A CSV with a text for the first part of m1 and a status for m3."""
    path = tmp_path / "sheet.csv"
    write_sheet(sheet(), path, "csv")
    rows = rows_of(path)
    text, status = (rows[0].index(HEADINGS[name]) for name in ("text", "status"))
    rows[1][text], rows[5][status] = "نص جديد", "Cannot be translated: wordplay"
    save(path, rows)
    return path


def check_filled(path: Path) -> None:
    back = read_sheet(path)
    answers = {answer.meme_id: answer for answer in back.answers}
    assert answers.keys() == {"m1", "m3"}, back.problems
    assert (answers["m1"].status, answers["m1"].parts) == ("corrected", ("نص جديد", "+1 -2 @x"))
    assert (answers["m3"].status, answers["m3"].parts) == ("wordplay", ())
    assert back.problems == ()


def test_no_cell_of_a_csv_is_a_formula_and_all_come_back(filled: Path) -> None:
    assert all(
        cell[:1] not in tuple("=+-@\t\r") or not cell for row in rows_of(filled) for cell in row
    )
    check_filled(filled)


@pytest.mark.parametrize("own", ["Translation", "notes", "State", "No"])
def test_a_column_of_ones_own_stands_for_none_of_the_sheets(filled: Path, own: str) -> None:
    rows = rows_of(filled)
    save(filled, [[own if row is rows[0] else "7", *row] for row in rows])
    check_filled(filled)


def test_a_text_in_the_next_column_is_kept(tmp_path: Path) -> None:
    answer = read_cells(tmp_path, (1, "room", "daneben"))["m1"]
    assert answer.typed == ("daneben", "")
    assert "stands in the column 'room'" in answer.unclear


def test_a_row_whose_cells_have_shifted_does_not_speak_for_the_sheet(filled: Path) -> None:
    rows = rows_of(filled)
    rows[1].insert(rows[0].index(HEADINGS["text"]), "one too many")
    save(filled, rows)
    back = read_sheet(filled)
    assert (back.language, back.round, back.person) == ("ar", 1, "amal")


def test_rows_of_two_sheets_in_one_file_are_named(filled: Path) -> None:
    rows = rows_of(filled)
    rows[3][0] = rows[3][0].replace("s1|", "s2|")
    save(filled, rows)
    with pytest.raises(InputError, match=r"several sheets stand together \(s1, s2\)"):
        read_sheet(filled)


def read_cells(tmp_path: Path, *cells: tuple[int, str, str], tag: str = "ar") -> dict[str, Answer]:
    """What is read of a sheet with these cells filled in: row, column, what is typed."""
    path = tmp_path / "cells.csv"
    write_sheet(sheet(tag), path, "csv")
    rows = rows_of(path)
    for row, name, typed in cells:
        rows[row][rows[0].index(HEADINGS[name])] = typed
    save(path, rows)
    back = read_sheet(path)
    assert back.problems == ()
    return {answer.meme_id: answer for answer in back.answers}


@pytest.mark.parametrize("tag", TAGS)
def test_the_words_of_every_language_are_read(tmp_path: Path, tag: str) -> None:
    for status, word in status_words(tag).items():
        for typed in (word, word.upper(), f" {word.replace(' ', '  ')} "):
            assert read_status(typed) == status


def test_the_list_to_pick_from_is_in_the_sheets_language(tmp_path: Path) -> None:
    for tag in TAGS:
        path = tmp_path / f"{tag}.xlsx"
        write_sheet(sheet(tag), path, "xlsx")
        (rule,) = openpyxl.load_workbook(path)["Captions"].data_validations.dataValidation
        assert rule.formula1.strip('"').split(",")[0] == status_words(tag)["correct"]


@pytest.mark.parametrize("strokes", ["//", "／／", " ／／ "])
def test_strokes_without_spaces_and_wide_ones_cut_it(tmp_path: Path, strokes: str) -> None:
    answer = read_cells(tmp_path, (1, "text", f"一{strokes}二"))["m1"]
    assert answer.parts == ("一", "二")


def test_an_address_is_not_cut(tmp_path: Path) -> None:
    answer = read_cells(tmp_path, (1, "text", "https://memes.example"))["m1"]
    assert answer.parts == ("https://memes.example", "+1 -2 @x")


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([(1, "status", "wordpaly")], "did you mean 'wordplay'"),
        ([(1, "status", "wordplay"), (2, "status", "culture")], "two reasons"),
        ([(1, "status", "corrected")], "there is no text"),
        ([(1, "text", "a // b // c")], "the 2 parts"),
        ([(1, "text", "a // b"), (2, "text", "c")], "the 2 parts"),
    ],
)
def test_what_contradicts_itself_is_kept_and_says_so(
    tmp_path: Path, cells: list[tuple[int, str, str]], why: str
) -> None:
    answer = read_cells(tmp_path, *cells)["m1"]
    assert why in answer.unclear
    assert answer.typed == tuple(
        next((text for row, name, text in cells if (row, name) == (part, "text")), "")
        for part in (1, 2)
    )


def test_both_answers_of_a_doubled_row_are_kept(filled: Path) -> None:
    rows = rows_of(filled)
    again = [*rows[1]]
    again[rows[0].index(HEADINGS["text"])] = "another"
    save(filled, [*rows, again])
    answer = next(each for each in read_sheet(filled).answers if each.meme_id == "m1")
    assert answer.typed == ("نص جديد", "", "another")
    assert "rows 2 and 8" in answer.unclear


def test_the_row_of_a_part_without_a_source_may_be_gone(filled: Path) -> None:
    rows = rows_of(filled)
    rows[4][rows[0].index(HEADINGS["text"])] = "neu"
    save(filled, [rows[0], rows[4]])
    sent = SentItem(("", "source 2"), ("", "machine"))
    went_out = SentSheet("s1", "ar", 1, "amal", datetime(2026, 11, 21, tzinfo=UTC), {"m2": sent})
    (answer,) = complete(read_sheet(filled), went_out).answers
    assert answer.parts == ("", "neu")


def test_an_empty_row_before_a_caption_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    texts = [("one", "1", ""), ("", "", ""), ("two", "2", "eins"), ("three", "3", "")]
    headings = [HEADINGS[name] for name in ("source", "machine", "text", "room")]
    save(path, [headings, *([*each, "40"] for each in texts)])
    items = {"m1": SentItem(("one", ""), ("1", "")), "m2": SentItem(("two", "three"), ("2", "3"))}
    went_out = SentSheet("s1", "ar", 1, "amal", datetime(2026, 11, 21, tzinfo=UTC), items)
    (answer,) = complete(read_sheet(path), went_out).answers
    assert (answer.meme_id, answer.parts) == ("m2", ("eins", "3"))


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    picture = tmp_path / "m.jpg"
    Image.new("RGB", (300, 200), "#88aacc").save(picture)
    path = tmp_path / "sheet.xlsx"
    write_sheet(sheet(picture=picture), path, "xlsx")
    return path


def test_a_workbook_holds_text_as_text_and_locks_the_rest(workbook: Path) -> None:
    book = openpyxl.load_workbook(workbook)
    page = book["Captions"]
    column = {cell.value: cell.column for cell in page[1]}
    formulas = {
        cell.column for row in page.iter_rows(min_row=2) for cell in row if cell.data_type == "f"
    }
    assert formulas == {column["length"]}
    assert page.cell(2, column["to be corrected"]).value == "=SUM(A1)"
    assert page.cell(2, column["to be corrected"]).data_type == "s"
    assert page.protection.sheet
    assert page.cell(2, column["source"]).protection.locked
    assert not page.cell(2, column["your text"]).protection.locked
    assert page.sheet_view.rightToLeft
    assert page.column_dimensions["A"].hidden
    assert len(page._images) == 3
    assert book["Guide"]["A3"].value == "Guide"
    assert not openpyxl.load_workbook(_german(workbook))["Captions"].sheet_view.rightToLeft


def _german(beside: Path) -> Path:
    path = beside.with_name("de.xlsx")
    write_sheet(sheet("de"), path, "xlsx")
    return path


def fill(workbook: Path) -> Path:
    book = openpyxl.load_workbook(workbook)
    page = book["Captions"]
    column = {cell.value: cell.column for cell in page[1]}
    page.cell(2, column["your text"]).value = "نص جديد"
    page.cell(6, column["status"]).value = "cannot be translated: wordplay"
    book.save(workbook)
    return workbook


def test_numbers_are_taken_back_and_formulas_are_named(
    workbook: Path,
) -> None:
    book = openpyxl.load_workbook(workbook)
    page = book["Captions"]
    column = {cell.value: cell.column for cell in page[1]}
    page.cell(2, column["your text"]).value = 404.0
    page.cell(4, column["your text"]).value = "=1+1"
    page.cell(6, column["your text"]).value = date(2026, 1, 2)
    book.save(workbook)
    back = read_sheet(workbook)
    answers = {answer.meme_id: answer for answer in back.answers}
    assert answers["m1"].parts[0] == "404"
    assert "formula" in answers["m2"].unclear
    assert (answers["m2"].typed, answers["m2"].parts) == (("=1+1", ""), ())
    assert "row 6" in answers["m3"].unclear
    assert "date" in answers["m3"].unclear


def test_libreoffice_saves_it_again_and_it_comes_back_whole(workbook: Path, tmp_path: Path) -> None:
    office = shutil.which("soffice")
    assert office, "install Debian's package libreoffice-calc"
    fill(workbook)
    for kind in ("ods", "xlsx"):
        out = tmp_path / kind
        subprocess.run(
            [office, f"-env:UserInstallation=file://{tmp_path}/profile", "--headless",
             "--convert-to", kind, "--outdir", str(out), str(workbook)],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        check_filled(out / f"sheet.{kind}")
        assert read_sheet(out / f"sheet.{kind}").sheet == "s1"


def test_bombs_broken_and_locked_files_are_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * (32 << 20))
    with pytest.raises(InputError, match="not opened"):
        read_sheet(bomb)
    (tmp_path / "cut.xlsx").write_bytes(bomb.read_bytes()[:200])
    with pytest.raises(InputError, match="broken"):
        read_sheet(tmp_path / "cut.xlsx")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(InputError, match="password"):
        read_sheet(tmp_path / "old.xls")
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("hello.txt", "hello")
    (tmp_path / "other.zip").write_bytes(other.getvalue())
    with pytest.raises(InputError, match="headings of a sheet"):
        read_sheet(tmp_path / "other.zip")


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30) | st.sampled_from(
    [
        "=1+1",
        "'=x",
        "''",
        "@me",
        "-",
        "a,b;c\td",
        '"quoted"',
        "two\nlines",
        "👩‍💻",
        "שלום 2.0",
        "1.0",
    ]
)


@settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(texts)
def test_any_text_typed_comes_back_from_a_csv_and_a_workbook(tmp_path: Path, text: str) -> None:
    typed = clean_text(text)
    path = tmp_path / "any.csv"
    write_sheet(sheet(), path, "csv")
    rows = rows_of(path)
    place = rows[0].index(HEADINGS["text"])
    # As this program writes it; a spreadsheet keeps the apostrophe where it stands.
    from memeloc.tables.cells import guarded

    rows[3][place] = guarded(text)
    save(path, rows)
    answers = read_sheet(path).answers
    assert ("" if not answers else answers[0].parts[0]) == typed
