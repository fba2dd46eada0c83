"""Untrusted tables: every kind is read as typed, nothing is computed, bombs stay shut."""

from __future__ import annotations

import csv
import shutil
import subprocess
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.files import LARGEST_FILE, read_head, replacing
from memeloc.tables import (
    Formula,
    Table,
    clean_text,
    drawable,
    new_workbook,
    read_table,
    read_tables,
    text_of,
    write_table,
)
from memeloc.tables.cells import guarded, unguarded

TYPED = ["plain", "=1+1", "+49", "-x", "@all", "'=quoted", "http://example.org", "", "two\nlines"]
ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


def read_all(path: Path, worksheet: str = "") -> list[tuple[int, list[Any]]]:
    """The rows of a file's first table, its header among them."""
    table = read_table(path, worksheet=worksheet)
    rows = [(row.number, row.cells) for row in table.rows]
    return [(0, list(table.columns)), *rows]


def save(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


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


def test_workbooks_hold_neither_formulas_nor_links(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    write_workbook(path, [["h"] * len(TYPED), TYPED])
    tables = list(read_tables(path, worksheet="Own"))
    assert len(tables) == 2
    (row,) = tables[0].rows
    assert row.number == 2
    assert [text_of(cell) for cell in row.cells] == TYPED
    with zipfile.ZipFile(path) as archive:
        content = archive.read("xl/worksheets/sheet2.xml").decode()
    assert "<f>" not in content
    assert "hyperlink" not in content


def test_formulas_are_reported_and_never_computed(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["f", "n", "t", "d"])
    book.active.append(['=WEBSERVICE("http://example.org")', 2.0, True, date(2026, 5, 4), None])
    book.save(path)
    (row,) = read_table(path).rows
    assert row.cells[0] == Formula('=WEBSERVICE("http://example.org")')
    assert row.formulas == ("f",)
    assert [row["f"], row["n"], row["t"]] == ["", "2", "TRUE"]
    assert row["d"].startswith("2026-05-04")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
def test_what_libreoffice_saves_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    write_workbook(path, [["h"] * len(TYPED), TYPED, ["سلام", "x  y"]])
    home = f"-env:UserInstallation=file://{tmp_path}/office"
    subprocess.run(
        ["soffice", home, "--headless", "--convert-to", "ods", "--outdir", tmp_path, path],
        check=True,
        capture_output=True,
        timeout=120,
    )
    first, second = read_table(tmp_path / "a.ods", worksheet="Own").rows
    assert [text_of(cell) for cell in first.cells] == TYPED
    assert [text_of(cell) for cell in second.cells] == ["سلام", "x  y"]


@pytest.mark.parametrize(
    ("delimiter", "encoding"),
    [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16"), (",", "utf-16-le")],
)
def test_csv_is_read_as_spreadsheets_save_it(tmp_path: Path, delimiter: str, encoding: str) -> None:
    path = tmp_path / "named.xlsx"
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerows([["a", "b", "c"], [guarded(text) for text in TYPED]])
    assert read_all(path) == [(0, ["a", "b", "c"]), (2, TYPED)]


def test_the_header_is_found_below_titles_in_any_column_order(tmp_path: Path) -> None:
    text = "sep=;\nMy table\nAnswer;x,y;Item\nyes;1;i1\n;;\n\nitem;answer\ni2;no\n"
    table = read_table(save(tmp_path / "a.csv", text), ("item", "answer"))
    assert table.columns == ("Answer", "x,y", "Item")
    rows = [(row.number, row["item"], row["answer"], row["x,y"]) for row in table.rows]
    assert rows == [(4, "i1", "yes", "1"), (8, "i2", "no", "")]


@pytest.mark.parametrize(
    ("text", "numbers", "broken"),
    [
        ('a,b\n1,2\n3,"x\n4,5\n6,"q"\n8,9\n', [2, 4, 5, 6], {3: "broken row"}),
        ('a,b\n1,2\n3,"x\n4,5\n', [2, 4], {3: "broken row"}),
        ('a,b\n1,2\n3,"x', [2], {3: "cut off"}),
        ("a,b\n1,2\n3", [2], {3: "cut off"}),
        ("a,b\n1,2\n3,4", [2, 3], {}),
        ('a,b\n1,"said "so" twice"\n3,"two\nlines"\n', [2, 3], {}),
    ],
)
def test_open_quotation_marks_lose_no_other_row(
    tmp_path: Path, text: str, numbers: list[int], broken: dict[int, str]
) -> None:
    rows = list(read_table(save(tmp_path / "a.csv", text)).rows)
    assert [row.number for row in rows if not row.error] == numbers
    assert {row.number: row.reason for row in rows if row.error} == broken


def test_of_several_encodings_the_best_score_is_taken(tmp_path: Path) -> None:
    path = save(tmp_path / "a.csv", "item,answer\ni1,да\n", "cp1251")
    with pytest.raises(InputError, match="line 2 has the byte"):
        read_table(path)

    def score(table: Table) -> int:
        return sum(row["answer"] == "да" for row in table.rows)

    table = next(read_tables(path, encodings=("cp1252", "cp1251"), score=score))
    assert [row["answer"] for row in table.rows] == ["да"]
    assert "cp1251" in table.note


def test_a_csv_in_an_archive_is_read_within_bounds(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", {"form.csv": "a,b\n1,2\n"})
    assert read_all(path) == [(0, ["a", "b"]), (2, ["1", "2"])]
    with pytest.raises(InputError, match="2 CSV files"):
        read_table(write_zip(tmp_path / "b.zip", {"a.csv": "a\n", "b.csv": "b\n"}))
    with pytest.raises(InputError, match="not opened"):
        read_table(write_zip(tmp_path / "c.zip", {"a.csv": "a,b\n" * 5_000_000}))


CELLS = st.none() | ANY_TEXT.map(clean_text).filter(bool)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(ANY_TEXT.map(clean_text).filter(bool), CELLS), max_size=5),
    suffix=st.sampled_from([".csv", ".jsonl", ".parquet"]),
)
def test_what_is_written_comes_back(
    tmp_path: Path, rows: list[tuple[str, str | None]], suffix: str
) -> None:
    path = tmp_path / f"a{suffix}"
    assert write_table(path, ["x", "y"], rows) == len(rows)
    if rows:
        back = [(row["x"], row["y"]) for row in read_table(path).rows]
        assert back == [(x, y or "") for x, y in rows]


@given(text=ANY_TEXT)
def test_a_guarded_text_begins_no_formula_and_comes_back(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert guarded(text)[:1] not in set("=+-@\t\r")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=ANY_TEXT)
@example(text="a\r\nb")
@example(text="_x0041_")
def test_any_text_comes_back_from_a_workbook(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.xlsx"
    with new_workbook(path) as book:
        page = book.add_worksheet()
        page.write_string(0, 0, "h")
        page.write_string(1, 0, f"[{drawable(text)}]")
    (row,) = read_table(path).rows
    assert row["h"] == clean_text(f"[{drawable(text)}]")


def test_broken_files_are_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    cases = {
        b"": "is empty",
        b" \n ": "is empty",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600): "password",
        b"PK\x03\x04" + bytes(60): "broken",
        b"\x89PNG\r\n\x1a\n\x00\x00": "is no table",
        "größe;x\n".encode("latin-1"): "UTF-8",
    }
    for content, words in cases.items():
        path.write_bytes(content)
        with pytest.raises(InputError, match=words):
            read_all(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_all(tmp_path / "missing.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_head(tmp_path)


def test_what_is_read_at_once_must_not_be_too_large(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "large.xlsx", {"xl/workbook.xml": ""})
    with path.open("r+b") as stream:
        stream.truncate(LARGEST_FILE + 1)  # a sparse file: it takes no room
    with pytest.raises(InputError, match="more than 512 MB are not read"):
        read_all(path)
    assert read_head(path, None).startswith(b"PK")


def test_bombs_and_entities_stay_shut(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "bomb.xlsx", {"xl/workbook.xml": "", "xl/a.xml": " " * 5_000_000})
    with pytest.raises(InputError, match="not opened"):
        read_all(path)
    with pytest.raises(InputError, match="no workbook"):
        read_all(write_zip(tmp_path / "other.zip", {"readme.txt": "hello"}))
    entity = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
    with pytest.raises(InputError):
        read_all(write_zip(tmp_path / "own.ods", {"content.xml": entity}))
    with pytest.raises(InputError):
        read_all(write_zip(tmp_path / "own.xlsx", {"xl/workbook.xml": entity}))
    with pytest.raises(InputError, match="broken"):
        read_all(write_zip(tmp_path / "cut.ods", {"content.xml": "<x>"}))


def test_a_cell_repeated_a_million_times_is_not_laid_out(tmp_path: Path) -> None:
    space = "urn:oasis:names:tc:opendocument:xmlns:"
    content = (
        f'<d xmlns:table="{space}table:1.0" xmlns:text="{space}text:1.0"><table:table '
        'table:name="T"><table:table-row table:number-rows-repeated="1048576"/>'
        '<table:table-row table:number-rows-repeated="999999">'
        '<table:table-cell table:number-columns-repeated="999999"><text:p>x</text:p>'
        "</table:table-cell></table:table-row></table:table></d>"
    )
    for before, after, message in (
        ("", "", "more than 16384 columns"),
        ('columns-repeated="999999"', 'columns-repeated="3"', "more than 1048576 rows"),
        ("999999", "many", "repeats rows 'many' times"),
    ):
        changed = content.replace(before, after) if before else content
        with pytest.raises(InputError, match=message):
            read_all(write_zip(tmp_path / "wide.ods", {"content.xml": changed}))


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.csv"
    with replacing(path) as temporary:
        temporary.write_text("first")
    with pytest.raises(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_text(str(1 / 0))
    assert path.read_text() == "first"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.csv"]
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(InputError, match="cannot be written"), replacing(blocked / "a.csv"):
        pass


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("a.json", '[{"x": "1"}, {"x": "2", "y": []}]', [("1", ""), ("2", "")]),
        ("a.txt", ' \n[{"x": "1", "y": ["a", 2]}]', [("1", "a, 2")]),
        ("a.json", '{"about": "", "rows": [{"x": "1"}], "other": [2, 3]}', [("1", "")]),
        ("a.json", '{"k1": {"x": "1"}, "k2": {"y": "2"}}', [("1", ""), ("", "2")]),
        ("a.json", '{"x": "1"}\n{"y": "2"}', [("1", ""), ("", "2")]),
    ],
)
def test_a_json_document_is_a_table(
    tmp_path: Path, name: str, content: str, rows: list[tuple[str, str]]
) -> None:
    table = read_table(save(tmp_path / name, content))
    assert [(row["x"], row["y"]) for row in table.rows] == rows
    with pytest.raises(InputError, match="no list of objects"):
        read_table(save(tmp_path / "b.json", '{"x": "1"}'))
