"""Sheets with their pictures in archives."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image

from memeloc.correct.model import Sheet, SheetItem, SheetPart, text_key
from memeloc.correct.sheets import read_sheet, write_sheet
from memeloc.errors import InputError
from memeloc.locales import default

IDS = ("m1", "../../etc/m 2")


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    """Two memes with a picture each; one's id would leave the folder as a file's name."""
    picture = tmp_path / "shown.jpg"
    Image.new("RGB", (30, 20), "#88aacc").save(picture)
    items = tuple(
        SheetItem(
            meme, "cloud-monday", (SheetPart("top", "Monday", "الاثنين", 20),), picture,
            text_key(("Monday",)), text_key(("الاثنين",)),
        )
        for meme in IDS
    )  # fmt: skip
    locales = default()
    created = datetime(2026, 11, 21, tzinfo=UTC)
    return Sheet("s1", locales.get("ar"), locales.get("en"), 1, "amal", created, "# Guide", items)


@pytest.mark.parametrize("form", ["csv", "xliff", "po"])
def test_an_archive_has_the_sheet_and_pictures_it_names(
    sheet: Sheet, tmp_path: Path, form: str
) -> None:
    path = tmp_path / f"sheet.{form}"
    file, archive = write_sheet(sheet, path, form)
    assert (file, archive) == (path, tmp_path / f"sheet.{form}.zip")
    assert archive is not None
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        content = opened.read(names[0])
    assert content == path.read_bytes()
    assert names == [path.name, *(item.picture_name for item in sheet.items)]
    assert names[1] == "pictures/m1.jpg"
    assert all(name.count("/") == 1 and name.encode() in content for name in names[1:])


def test_without_pictures_there_is_no_archive(sheet: Sheet, tmp_path: Path) -> None:
    bare = replace(sheet, items=tuple(replace(item, picture=None) for item in sheet.items))
    for form in ("csv", "xliff", "po"):
        path = tmp_path / f"sheet.{form}"
        assert write_sheet(bare, path, form) == (path, None)
    assert not list(tmp_path.glob("*.zip"))


@pytest.fixture
def filled(sheet: Sheet, tmp_path: Path) -> Path:
    """The CSV with a text for the first meme."""
    path = tmp_path / "filled.csv"
    write_sheet(sheet, path, "csv")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    rows[1][rows[0].index("your text")] = "اليوم"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def _zip(path: Path, members: Mapping[str, Path | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, bytes) else content.read_bytes())
    return path


def test_an_archive_is_read_as_its_sheet_is(filled: Path, tmp_path: Path) -> None:
    back = tmp_path / "back.zip"
    _zip(back, {"../../x.CSV": filled, "pictures/m1.jpg": b"", "__MACOSX/x.csv": b"\x00"})
    bare, packed = read_sheet(filled), read_sheet(back)
    assert packed.answers == bare.answers
    assert packed.answers[0].parts == ("اليوم",)
    assert (packed.file, packed.sha256) == (back, bare.sha256)
    assert not (tmp_path.parent.parent / "x.CSV").exists()


def test_a_workbook_in_an_archive_is_read(sheet: Sheet, tmp_path: Path) -> None:
    write_sheet(sheet, tmp_path / "sheet.xlsx", "xlsx")
    back = _zip(tmp_path / "back.zip", {"sheet.xlsx": tmp_path / "sheet.xlsx"})
    assert (read_sheet(back).sheet, read_sheet(back).problems) == ("s1", ())


def test_problems_in_an_archive_name_the_archive(filled: Path, tmp_path: Path) -> None:
    filled.write_text("a,b\n1,2\n")
    back = _zip(tmp_path / "back.zip", {"sheet.csv": filled})
    with pytest.raises(InputError) as caught:
        read_sheet(back)
    assert str(back) in str(caught.value)


@pytest.mark.parametrize("names", [(), ("hello.md",), ("a.csv", "b.po")])
def test_archives_without_one_sheet_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    back = _zip(tmp_path / "back.zip", dict.fromkeys((*names, "x.jpg"), b"hello"))
    with pytest.raises(InputError, match="not one"):
        read_sheet(back)


def test_a_bomb_in_an_archive_is_not_unpacked(tmp_path: Path) -> None:
    back = _zip(tmp_path / "back.zip", {"sheet.po": b" " * (32 << 20)})
    with pytest.raises(InputError, match="not opened"):
        read_sheet(back)
