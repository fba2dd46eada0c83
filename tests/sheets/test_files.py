"""The files of sheets: what programs find in them, what they pack, and files that are refused."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import openpyxl
import polib
import pytest
from lxml import etree

from memeloc.tables import clean_text
from tests.conftest import Outcome
from tests.sheets.edited import EDITORS, NAMES, XLIFF, program
from tests.worlds import columns_of, read_rows, write_table

Command = Callable[..., Outcome]
FORMATS = ("xlsx", "csv", "xliff", "po")
CAPTIONS = {
    "m1": ("Monday’s forecast: // me", "توقعات الاثنين: // أنا", "Montag: // ich"),
    "m2": ("=SUM(A1) // of all fears", "+1 -2 @x // '=quoted'", "=SUMME(A1) // +1 -2 @x"),
    "m.3_x-y": ("// nothing above", "// لا شيء", "// nichts"),
}


@pytest.fixture
def folder(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of three captions in Arabic and German, which is the working directory."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    rows = [
        dict(
            zip(("meme_id", "template", "en", "ar", "de"), (key, "robot-chef", *texts), strict=True)
        )
        for key, texts in CAPTIONS.items()
    ]
    write_table(tmp_path / "captions.csv", rows)
    assert command("init", ".", "--langs", "ar,de").status == 0
    assert command("import", "captions.csv").status == 0
    return tmp_path


def export(command: Command, language: str, form: str, *options: str) -> Path:
    path = Path(f"{language}.{form}")
    to = ("--to", "amal", "--format", form, "--out", path, *options)
    done = command("correct", "export", "--langs", language, *to)
    assert done.status == 0, done.err
    return path


def test_a_workbook_holds_text_as_text_and_locks_the_rest(folder: Path, command: Command) -> None:
    book = openpyxl.load_workbook(export(command, "ar", "xlsx"))
    page = book.worksheets[0]
    column = dict(zip(columns_of(cell.value for cell in page[1]), range(1, 99), strict=False))
    cells = [cell for row in page.iter_rows(min_row=2) for cell in row]
    assert {cell.column for cell in cells if cell.data_type == "f"} == {column["length"]}
    texts = [cell.value for cell in cells if cell.column == column["source"]]
    assert "=SUM(A1)" in texts
    open_columns = {cell.column for cell in cells if not cell.protection.locked}
    assert open_columns == {column[name] for name in ("your text", "status", "comment")}
    assert page.protection.sheet
    assert page.column_dimensions["A"].hidden
    assert len(page._images) == len(CAPTIONS)
    assert page.sheet_view.rightToLeft
    german = openpyxl.load_workbook(export(command, "de", "xlsx"))
    assert not german.worksheets[0].sheet_view.rightToLeft
    lists = [
        page.data_validations.dataValidation[0].formula1 for page in (page, german.worksheets[0])
    ]
    assert ["صحيح" in lists[0], "Richtig" in lists[1]] == [True, True]
    assert "Wie man ein Meme übersetzt" in str([*german.worksheets[1].values])


def test_no_cell_of_a_csv_is_a_formula(folder: Path, command: Command) -> None:
    with export(command, "ar", "csv").open(encoding="utf-8-sig", newline="") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert "'=SUM(A1)" in cells
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@\t\r"))]


def test_translators_programs_open_them(folder: Path, command: Command) -> None:
    po = export(command, "ar", "po")
    program("msgfmt", "--check", "--output-file=/dev/null", po)
    entries = polib.pofile(str(po))
    assert {entry.fuzzy for entry in entries} == {True}
    unit = next(etree.parse(str(export(command, "ar", "xliff"))).iter(f"{XLIFF}trans-unit"))
    assert (unit.get("approved"), unit.get("size-unit")) == ("no", "char")
    assert int(unit.get("maxwidth", "0")) > 9
    assert unit.find(f"{XLIFF}target").get("state") == "needs-review-translation"
    for path in (po, Path("ar.xliff")):
        counts = program("pocount", "--no-color", path)
        assert re.search(r"Translated: +0 .*\n.*Fuzzy: +5 ", counts), counts


@pytest.mark.parametrize("form", ["csv", "xliff", "po"])
def test_an_archive_has_the_sheet_and_pictures_it_names(
    folder: Path, command: Command, form: str
) -> None:
    path = export(command, "ar", form)
    with zipfile.ZipFile(f"{path}.zip") as archive:
        first, *pictures = archive.namelist()
        content = archive.read(first)
    assert (first, content) == (path.name, path.read_bytes())
    assert len(pictures) == len(CAPTIONS)
    assert all(re.fullmatch(r"pictures/[\w.-]+\.jpg", name) for name in pictures)
    assert all(name.encode() in content for name in pictures)
    export(command, "de", form, "--no-pictures")
    assert not Path(f"de.{form}.zip").exists()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "seed", [48, *(pytest.param(n, marks=pytest.mark.slow) for n in range(10))]
)
def test_any_text_comes_back_as_it_was_typed(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch, form: str, seed: int
) -> None:
    """Many texts of whatever characters in one sheet, as each program writes it."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    count = 60
    rows = [
        {"meme_id": f"{NAMES[form]}{n}", "template": "protest-hamster", "en": f"text {n}",
         "de": f"Text {n}"}
        for n in range(count)
    ]  # fmt: skip
    write_table(Path("captions.csv"), rows)
    assert command("init", ".", "--langs", "de").status == 0
    assert command("import", "captions.csv").status == 0
    sheet = EDITORS[form](form, export(command, "de", form, "--no-pictures"))
    texts = {}
    for number in range(count):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 6))) + "x"
        text = text.lstrip("=") if form == "xlsx" else text
        texts[sheet.id(number)] = clean_text(text).lstrip(MARKS)
        # What memeloc takes off, it has put there; no spreadsheet does.
        risky = re.match(r"'*[=+\-@\t\r]", text)
        apostrophe = "'" if form == "csv" and risky else ""
        sheet.write(number, 1, "your text", apostrophe + text)
    done = command("correct", "import", sheet.send())
    assert done.status == 0, done.out
    assert command("export", "captions", "--to", "now.jsonl").status == 0
    rows = [json.loads(line) for line in Path("now.jsonl").read_text("utf-8").split("\n") if line]
    now = {row["meme_id"]: row["de"].lstrip(MARKS) for row in rows}
    assert texts == now


MARKS = "\u200d\u200f\u2028 \n\t\u00a0"
"""Which a caption may lose at its beginning."""
PIECES = [
    *"aßéñЖ中あ한ไहन्दीابמ 0123456789=+-@'\"\\<>&{}[]().,;:!|/#%*\n\t",
    *(
        " ",
        "\u00a0",
        "\u200d",
        "\u200f",
        "\u2028",
        "👩\u200d💻",
        "🇩🇪",
        "e\u0301",
        "msgid ",
        "]]>",
        "<!--",
    ),
    *("&amp;", "_x0041_", "1.0", "TRUE", "#N/A", "\\n", '"', "''", "%s", "$1"),
]


def packed(path: Path, members: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


DOCTYPE = (
    '<?xml version="1.0"?><!DOCTYPE xliff [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">&b;</xliff>'
)
REFUSED: dict[str, tuple[str, Callable[[Path], object]]] = {
    "bomb.xlsx": ("not opened", lambda path: packed(path, {"xl/workbook.xml": b" " * (32 << 20)})),
    "bomb.zip": ("not opened", lambda path: packed(path, {"sheet.po": b" " * (32 << 20)})),
    "cut.xlsx": ("broken", lambda path: path.write_bytes(b"PK\3\4" + bytes(200))),
    "old.xls": (
        "password",
        lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
    ),
    "none.zip": ("zip", lambda path: packed(path, {"hello.txt": b"hello"})),
    "two.zip": ("not one", lambda path: packed(path, {"a.csv": b"a", "b.po": b"b"})),
    "doctype.xlf": ("document type", lambda path: path.write_text(DOCTYPE)),
    "half.xlf": ("XML", lambda path: path.write_text(DOCTYPE[:20] + "<xliff><file>")),
    "picture.png": ("", lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))),
    "table.csv": ("headings", lambda path: path.write_text("a,b\n1,2\n")),
    "missing.xlsx": ("", lambda path: None),
}


def test_files_that_are_no_sheets_are_refused_and_the_rest_is_taken(
    folder: Path, command: Command
) -> None:
    sheet = export(command, "de", "csv", "--no-pictures")
    rows = read_rows(sheet)
    rows[0]["status"] = "Richtig"
    write_table(sheet, rows)
    for name, (_, make) in REFUSED.items():
        make(Path(name))
    done = command("correct", "import", *REFUSED, sheet)
    assert (done.status, "Traceback" in done.err) == (1, False)
    err = " ".join(done.err.split())
    for name, (says, _) in REFUSED.items():
        (line,) = re.findall(rf"Not taken: {re.escape(name)}.*?(?= memeloc:|$)", err)
        assert says in line, line
    assert "1 placed" in done.out


TMX = """<?xml version="1.0"?><tmx version="1.4"><header creationtool="x" creationtoolversion="1"
segtype="block" o-tmf="x" adminlang="en" srclang="en" datatype="plaintext"/><body><tu>
<tuv xml:lang="en"><seg>Monday’s forecasts: // me</seg></tuv>
<tuv xml:lang="ar"><seg>=قديم // أنا</seg></tuv>
</tu></body></tmx>"""


@pytest.mark.parametrize("form", FORMATS)
def test_the_memorys_matches_and_the_glossarys_terms_are_beside_and_not_read_back(
    folder: Path, command: Command, form: str
) -> None:
    Path("memory.tmx").write_text(TMX, "utf-8")
    Path("terms.csv").write_text("term,ar,note\nforecast*,توقعات,=a note\n", "utf-8")
    settings = Path("memeloc.toml").read_text("utf-8")
    Path("memeloc.toml").write_text(settings.replace('glossary = ""', 'glossary = "terms.csv"'))
    assert command("import", "memory.tmx").status == 0
    sheet = export(command, "ar", form, "--no-pictures")
    if form == "po":
        program("msgfmt", "--check", "--output-file=/dev/null", sheet)
        (entry,) = (entry for entry in polib.pofile(str(sheet)) if entry.msgid[:3] == "Mon")
        assert (entry.previous_msgid, "توقعات" in entry.comment) == ("Monday’s forecasts:", True)
    elif form == "xliff":
        unit = next(etree.parse(str(sheet)).iter(f"{XLIFF}trans-unit"))
        match = unit.find(f"{XLIFF}alt-trans[@match-quality]")
        assert match.findtext(f"{XLIFF}target") == "=قديم"
        assert "توقعات" in "".join(note.text for note in unit.iter(f"{XLIFF}note"))
    done = command("correct", "import", sheet)
    assert (done.status, "no answers" in done.out) == (0, True)


@pytest.mark.slow
def test_a_sheet_and_its_picture_enter_few_functions() -> None:
    """The aim is 350 functions in 70 files."""
    printed = program(sys.executable, Path(__file__).parents[2] / "tools" / "count_entered.py")
    functions, files = map(int, re.findall(r"its picture: (\d+) functions in (\d+)", printed)[0])
    assert (functions <= 475, files <= 82) == (True, True), printed


@pytest.mark.slow
def test_an_answer_and_its_label_enter_few_functions() -> None:
    """The aim is 190 functions in 50 files."""
    tool = Path(__file__).parents[2] / "tools" / "count_entered.py"
    printed = program(sys.executable, tool, "--answer")
    functions, files = map(int, re.findall(r"settle: (\d+) functions in (\d+)", printed)[0])
    assert (functions <= 430, files <= 87) == (True, True), printed


OMEGAT = """<omegat><project version="1.0">{folders}<source_lang>EN</source_lang>
<target_lang>DE</target_lang><sentence_seg>false</sentence_seg></project></omegat>"""
MEMORY = """<tmx version="1.1"><header creationtool="OmegaT" o-tmf="OmegaT TMX" adminlang="EN-US"
datatype="plaintext" creationtoolversion="3.6.0" segtype="paragraph" srclang="EN"/><body><tu>
<tuv lang="EN"><seg>{text}</seg></tuv><tuv lang="DE"><seg>aus OmegaT</seg></tuv></tu>
</body></tmx>"""


@pytest.mark.slow
def test_omegat_opens_the_xliff_and_what_was_changed_comes_back(
    folder: Path, command: Command
) -> None:
    assert shutil.which("omegat"), "install Debian's package omegat"
    path = export(command, "de", "xliff", "--no-pictures")
    text = next(etree.parse(str(path)).iter(f"{XLIFF}target")).text
    project = folder / "project"
    names = ("source", "target", "tm", "glossary", "dictionary", "omegat")
    for name in names:
        (project / name).mkdir(parents=True)
    folders = "".join(f"<{name}_dir>__DEFAULT__</{name}_dir>" for name in names[:-1])
    (project / "omegat.project").write_text(OMEGAT.format(folders=folders), "utf-8")
    path.rename(project / "source" / "sheet.xlf")
    for memory, answered in (("", 0), (MEMORY.format(text=text), 1)):
        if memory:
            (project / "omegat" / "project_save.tmx").write_text(memory, "utf-8")
        # Without the variable Java writes below the home that the password database names.
        env = {**os.environ, "HOME": str(folder), "_JAVA_OPTIONS": f"-Duser.home={folder}"}
        run = ["omegat", str(project), "--mode=console-translate"]
        subprocess.run(run, check=True, capture_output=True, timeout=120, env=env)
        outcome = command("correct", "import", str(project / "target" / "sheet.xlf"), "--json")
        assert outcome.status == 0, outcome.err
        assert sum(json.loads(outcome.out)["files"][0]["outcomes"].values()) == answered
