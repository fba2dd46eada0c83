"""Spreadsheets of strangers: every kind is read as typed, nothing is computed, bombs stay shut."""

from __future__ import annotations

import csv
import shutil
import subprocess
import zipfile
from datetime import date
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.spreadsheets import (
    Cell,
    Formula,
    clean_text,
    drawable,
    guarded,
    read_head,
    read_tables,
    replacing,
    text_of,
    unguarded,
)
from memeloc.spreadsheets.workbooks import new_workbook

TYPED = ["plain", "=1+1", "+49", "-x", "@all", "'=quoted", "http://example.org", "", "two\nlines"]
ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


def read_first(path: Path, first: str = "") -> list[tuple[int, list[Cell]]]:
    _, lines = next(iter(read_tables(path, first)))
    return list(lines)


def write_workbook(path: Path, rows: list[list[str]], name: str = "Own") -> None:
    with new_workbook(path) as book:
        book.add_worksheet("Before").write_string(0, 0, "another")
        page = book.add_worksheet(name)
        for line, row in enumerate(rows):
            for column, text in enumerate(row):
                page.write(line, column, text)


def write_zip(path: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_what_is_written_into_a_workbook_is_neither_formula_nor_link(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    write_workbook(path, [TYPED])
    places = [place for place, _ in read_tables(path, "Own")]
    assert places == ["the worksheet 'Own'", "the worksheet 'Before'"]
    ((number, cells),) = read_first(path, "Own")
    assert number == 1
    assert [text_of(cell) for cell in cells] == TYPED
    with zipfile.ZipFile(path) as archive:
        content = archive.read("xl/worksheets/sheet2.xml").decode()
    assert "<f>" not in content
    assert "hyperlink" not in content


def test_formulas_are_told_and_never_computed(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active.append(['=WEBSERVICE("http://example.org")', 2.0, True, date(2026, 5, 4), None])
    book.save(path)
    ((_, cells),) = read_first(path)
    assert cells[0] == Formula('=WEBSERVICE("http://example.org")')
    assert [text_of(cell) for cell in cells[:3]] == ["", "2", "TRUE"]
    assert text_of(cells[3]).startswith("2026-05-04")


@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
def test_what_libreoffice_saves_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    write_workbook(path, [TYPED, ["سلام", "x  y"]])
    home = f"-env:UserInstallation=file://{tmp_path}/office"
    subprocess.run(
        ["soffice", home, "--headless", "--convert-to", "ods", "--outdir", tmp_path, path],
        check=True,
        capture_output=True,
        timeout=120,
    )
    tables = {place: list(lines) for place, lines in read_tables(tmp_path / "a.ods")}
    first, second = tables["the worksheet 'Own'"]
    assert [text_of(cell) for cell in first[1]] == TYPED
    assert [text_of(cell) for cell in second[1]] == ["سلام", "x  y"]


@pytest.mark.parametrize(
    ("delimiter", "encoding"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16")]
)
def test_csv_is_read_as_spreadsheets_save_it(tmp_path: Path, delimiter: str, encoding: str) -> None:
    path = tmp_path / "named.xlsx"
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerows([["a", "b", "c"], [guarded(text) for text in TYPED]])
    assert read_first(path) == [(1, ["a", "b", "c"]), (2, TYPED)]


@given(text=ANY_TEXT)
def test_a_guarded_text_begins_no_formula_and_comes_back(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert guarded(text)[:1] not in set("=+-@\t\r")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=ANY_TEXT)
@example(text="a\r\nb")
@example(text="_x0041_")
def test_any_text_comes_back_from_a_workbook_as_it_was_typed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.xlsx"
    with new_workbook(path) as book:
        book.add_worksheet().write_string(0, 0, f"[{drawable(text)}]")
    ((_, cells),) = read_first(path)
    assert text_of(cells[0]) == clean_text(f"[{drawable(text)}]")


def test_escapes_of_strangers_are_read_without_what_no_text_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["a_x000D_\nb", "_x0000_c", "d_xyz_"])
    book.save(path)
    ((_, cells),) = read_first(path)
    assert [text_of(cell) for cell in cells] == ["a\nb", "c", "d_xyz_"]


def test_broken_files_are_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    cases = {
        b"": "is empty",
        b" \n ": "is empty",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600): "password",
        b"PK\x03\x04" + bytes(60): "broken",
        b"\x89PNG\r\n\x1a\n\x00\x00": "is no spreadsheet",
        "größe;x\n".encode("latin-1"): "UTF-8",
    }
    for content, words in cases.items():
        path.write_bytes(content)
        with pytest.raises(InputError, match=words):
            read_first(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_first(tmp_path / "missing.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_head(tmp_path)


def test_bombs_and_entities_stay_shut(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "bomb.xlsx", {"xl/workbook.xml": "", "xl/a.xml": " " * 5_000_000})
    with pytest.raises(InputError, match="not opened"):
        read_first(path)
    with pytest.raises(InputError, match="no workbook"):
        read_first(write_zip(tmp_path / "other.zip", {"readme.txt": "hello"}))
    entity = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
    with pytest.raises(InputError):
        read_first(write_zip(tmp_path / "own.ods", {"content.xml": entity}))
    with pytest.raises(InputError):
        read_first(write_zip(tmp_path / "own.xlsx", {"xl/workbook.xml": entity}))
    with pytest.raises(InputError, match="broken"):
        read_first(write_zip(tmp_path / "cut.ods", {"content.xml": "<x>"}))


def test_a_cell_repeated_a_million_times_is_not_laid_out(tmp_path: Path) -> None:
    space = "urn:oasis:names:tc:opendocument:xmlns:"
    content = (
        f'<d xmlns:table="{space}table:1.0" xmlns:text="{space}text:1.0"><table:table '
        'table:name="T"><table:table-row table:number-rows-repeated="1048576"/>'
        '<table:table-row table:number-rows-repeated="999999">'
        '<table:table-cell table:number-columns-repeated="999999"><text:p>x</text:p>'
        "</table:table-cell></table:table-row></table:table></d>"
    )
    for before, after, told in (
        ("", "", "more than 16384 columns"),
        ('columns-repeated="999999"', 'columns-repeated="3"', "more than 1048576 rows"),
        ("999999", "many", "repeats rows 'many' times"),
    ):
        changed = content.replace(before, after) if before else content
        with pytest.raises(InputError, match=told):
            read_first(write_zip(tmp_path / "wide.ods", {"content.xml": changed}))


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.csv"
    with replacing(path) as temporary:
        temporary.write_text("first")
    with pytest.raises(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_text(str(1 / 0))
    assert path.read_text() == "first"
    assert [one.name for one in path.parent.iterdir()] == ["a.csv"]
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(InputError, match="cannot be written"), replacing(blocked / "a.csv"):
        pass
