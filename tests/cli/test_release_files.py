"""What [release] lists under files: eighty releases, each refused or let through, and why.

`make test` has one of each reason, `make test-all` all.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import xlsxwriter
from PIL import ExifTags, Image

from tests.conftest import Outcome
from tests.workspace.teams import workspace_of

Run = Callable[..., Outcome]
Make = Callable[[Path, Run], object]

PROLIFIC = "5f3c1a2b4d5e6f7a8b9c0d1e"
DATABASE, KEY, PASSWORDS = "a database", "a secret key", "a file of passwords or keys"
SHEET, SETTINGS = "a sheet that people fill in", "the settings of a workspace"
DUMP, ANSWERS = "a dump of a workspace", "a file of people's answers"
TABLE = "a table that people fill in, or that names them"
MAIL, PHONE = "somebody's e-mail address", "a telephone number"
PERSON, PLACE = "this names a person", "a path of somebody's computer"


def _make(folder: Path) -> None:
    """A workspace with two memes, and a survey that one person answered."""
    workspace = workspace_of(folder, ["de"], memes=2)
    workspace.render(folder / "out", jobs=1)
    design: dict[str, Any] = {"answers": 1, "explicit": 0, "implicit": 0, "captions": "any"}
    workspace.surveys.build("pilot", "US", **design)
    (sheet,) = workspace.survey("pilot").sheets.export(
        "csv", pictures=folder / "out", contact="lab@university.example", out=folder / "sheets"
    )["files"]  # fmt: skip
    table = pd.read_csv(sheet, dtype=str, keep_default_na=False)
    chosen = table["choose from"].str.split(" | ", regex=False).str[0]
    table.assign(participant="kitty-0001", answer=chosen).to_csv(folder / "back.csv", index=False)
    workspace.survey("pilot").answers.import_files([folder / "back.csv"])
    assert workspace.root is not None
    (workspace.root / "at").write_text("", encoding="utf-8")
    workspace.close()


@pytest.fixture
def work(tmp_path: Path, made_once: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace's folder, which is the working directory; what was made for it is beside it."""
    folder = made_once(_make, tmp_path / "world")
    (root,) = (path.parent for path in folder.glob("*/at"))
    monkeypatch.chdir(root)
    return root


def text(name: str, content: str, encoding: str = "utf-8") -> Make:
    def make(work: Path, command: Run) -> None:
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(content, encoding=encoding)

    return make


def copy(source: str, name: str) -> Make:
    return lambda work, command: shutil.copyfile(work / source, work / name)


def sheet(form: str, name: str) -> Make:
    def make(work: Path, command: Run) -> None:
        more = ("--to", "asha", "--format", form, "--out", work / name)
        done = command("correct", "export", "--langs", "de", *more)
        assert done.status == 0, done.err

    return make


def ods(work: Path, command: Run) -> None:
    """A corrector's sheet as LibreOffice saves it."""
    sheet("csv", "de.csv")(work, command)
    rows = pd.read_csv(work / "de.csv", dtype=str, keep_default_na=False, header=None)
    cells = "".join(
        "<table:table-row>"
        + "".join(
            "<table:table-cell office:value-type='string'><text:p>x</text:p></table:table-cell>"
            if number
            else f"<table:table-cell office:value-type='string'><text:p>{heading}</text:p>"
            "</table:table-cell>"
            for heading in rows.iloc[0]
        )
        + "</table:table-row>"
        for number in range(2)
    )
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    with zipfile.ZipFile(work / "notes.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f"<table:table table:name='Captions'>{cells}</table:table>"
            "</office:spreadsheet></office:body></office:document-content>",
        )


def workbook(cell: str) -> Make:
    def make(work: Path, command: Run) -> None:
        with xlsxwriter.Workbook(work / "codes.xlsx") as book:
            book.add_worksheet().write_column(0, 0, ["code", cell])

    return make


def parquet(value: str) -> Make:
    return lambda work, command: pd.DataFrame({"code": ["a"], "about": [value]}).to_parquet(
        work / "codes.parquet"
    )


def dump(zipped: bool) -> Make:
    def make(work: Path, command: Run) -> None:
        assert command("dump", work / "copy").status == 0
        if zipped:
            shutil.make_archive(str(work / "data"), "zip", work / "copy")

    return make


def dumped_table(work: Path, command: Run) -> None:
    dump(False)(work, command)
    shutil.copyfile(work / "copy" / "tables" / "submissions.jsonl", work / "lines.txt")


def tarred(work: Path, command: Run) -> None:
    with tarfile.open(work / "graphs.tar.gz", "w:gz") as archive:
        archive.add(work / "memeloc.db", "graphs/data.bin")


def packed(content: str) -> Make:
    def make(work: Path, command: Run) -> None:
        with gzip.open(work / "graph.nt.gz", "wt", encoding="utf-8") as stream:
            stream.write(content)

    return make


def bomb(kind: str) -> Make:
    """An archive of 64 MB of zeros in some kilobytes."""

    def make(work: Path, command: Run) -> None:
        zeros = bytes(64 * 2**20)
        if kind == "zip":
            with zipfile.ZipFile(work / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("zeros", zeros)
        else:
            (work / "all.gz").write_bytes(gzip.compress(zeros))

    return make


def write_ahead_log(work: Path, command: Run) -> None:
    with sqlite3.connect(work / "own.db") as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE people (name)")
        database.commit()
        shutil.copyfile(work / "own.db-wal", work / "graph.bin")
    database.close()


def linked(target: Callable[[Path], Path]) -> Make:
    return lambda work, command: (work / "notes.md").symlink_to(target(work))


def link_in_folder(work: Path, command: Run) -> None:
    text("graphs/about.md", "Cats.\n")(work, command)
    text("../outside.txt", "Write to ann@lab.example.\n")(work, command)
    (work / "graphs" / "other.md").symlink_to(work.parent / "outside.txt")


def statements(work: Path, command: Run) -> None:
    """The database as the statements that `sqlite3 memeloc.db .dump` prints."""
    with closing(sqlite3.connect(work / "memeloc.db")) as database:
        (work / "all.sql").write_text("\n".join(database.iterdump()), encoding="utf-8")


def photo(work: Path, command: Run) -> None:
    """A photo by Ann under a name that browsers give to JPEG."""
    exif = Image.Exif()
    exif[ExifTags.Base.Artist] = "Ann"
    Image.new("RGB", (8, 8), "teal").save(work / "photo.jfif", "jpeg", exif=exif)


def lock_in_folder(work: Path, command: Run) -> None:
    text("graphs/about.md", "Cats.\n")(work, command)
    text("graphs/~$codes.xlsx", "\7Ann Lee")(work, command)


def utf_16(source: str, name: str) -> Make:
    """A copy as PowerShell's `type SOURCE > NAME` makes it."""
    return lambda work, command: (work / name).write_text(
        f"{(work / source).read_text(encoding='utf-8')}\n", encoding="utf-16"
    )


def picture(work: Path, command: Run) -> None:
    Image.new("RGB", (8, 8), "teal").save(work / "logo.png")


PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----\n"
NOTEBOOK = json.dumps(
    {
        "cells": [
            {
                "cell_type": "code",
                "source": ["#!/usr/bin/env python\n", "pd.read_csv('tables/labels.csv')[1:-2]\n"],
                "outputs": [{"text": ["2026-11-26T10:00:00+02:00  0.5172839401  1,234,567\n"]}],
            }
        ],
        "metadata": {"language_info": {"version": "3.11.7"}},
        "nbformat": 4,
    }
)
HARMLESS = (
    r"""# Cats at work

Version 1.20.3 of 2026-11-26 (26.11.2026, 11/26/2026), 10:15-11:45, doi:10.5281/zenodo.1234567,
https://doi.org/10.1000/182-55-0199, ORCID 0000-0002-1825-0097, ISBN 978-0-306-40615-7 and
0-306-40615-2, ISSN 0028-0836, arXiv:2401.01234, https://site.example/home/anna/cats?id=0151234567,
git@github.com:cats/cats.git, cats@2x.png, C:\Windows\Fonts,
[start](/home/cats), `x = weights@inputs.transpose(0, 1)`,
and/or, /r/memes, /usr/bin/env, ../home/cats, 1 000 000,
48.137154, +11.576124, -0.00012345, 0012 0013 0014, sha256 """
    + "9f" * 32
    + """
The licence of the whole stands in LICENSE; write to lab@university.example.
"""
)
RELEASES: list[tuple[str, list[str], Make | None, str, str]] = [
    # what it is, files of [release], what makes it, refused always, refused with --check
    ("the key", ["survey.key"], None, KEY, ""),
    ("the key under another name", ["notes.txt"], copy("survey.key", "notes.txt"), KEY, ""),
    ("a text with the key in it", ["log.md"], lambda work, command: (work / "log.md").write_text(
        f"We used {(work / 'survey.key').read_text()} for all.\n"), "the workspace's key", ""),
    ("the key in UTF-16", ["notes.txt"], utf_16("survey.key", "notes.txt"), KEY, ""),
    ("a private key", ["deploy.txt"], text("deploy.txt", PEM), KEY, ""),
    ("a service's account", ["google.json"], text("google.json", json.dumps(
        {"private_key": PEM.replace("OPENSSH ", "")})), KEY, ""),
    ("a hidden file", [".env"], text(".env", "OPENAI_API_KEY=abc\n"), "hidden files", ""),
    ("variables of an environment", ["env.txt"], text(
        "env.txt", "# ours\nexport PROLIFIC_API_TOKEN=abc\nHOST=x\n"), PASSWORDS, ""),
    ("variables without values", ["env.txt"], text(
        "env.txt", "OPENAI_API_KEY=\nPROLIFIC_API_TOKEN=<yours>\n"), "", ""),
    ("the database", ["memeloc.db"], None, DATABASE, ""),
    ("the database under another name", ["graph.bin"], copy("memeloc.db", "graph.bin"), DATABASE,
     ""),
    ("a database's log", ["graph.bin"], write_ahead_log, DATABASE, ""),
    ("a dump of PostgreSQL", ["pg.txt"], text("pg.txt", "--\n-- PostgreSQL database dump\n--\n"),
     DATABASE, ""),
    ("a database's statements", ["all.sql"], statements, DATABASE, ""),
    ("the workspace", ["."], None, DATABASE, ""),
    ("the settings", ["memeloc.toml"], None, SETTINGS, ""),
    ("the settings under another name", ["how.toml"], copy("memeloc.toml", "how.toml"), SETTINGS,
     ""),
    ("the settings in UTF-16", ["how.txt"], utf_16("memeloc.toml", "how.txt"), SETTINGS, ""),
    ("a link to the database", ["notes.md"], linked(lambda work: work / "memeloc.db"),
     DATABASE, ""),
    ("a link out of the workspace", ["notes.md"], linked(lambda work: work.parent / "back.csv"),
     "not in the workspace's folder", ""),
    ("a path out of the workspace", ["../back.csv"], None, "not in the workspace's folder", ""),
    ("a dump", ["copy"], dump(False), DUMP, ""),
    ("a dump in an archive", ["data.zip"], dump(True), DUMP, ""),
    ("a table of a dump", ["lines.txt"], dumped_table, "a table of a workspace's dump", ""),
    ("a database in an archive", ["graphs.tar.gz"], tarred, DATABASE, ""),
    ("a broken archive", ["all.zip"], lambda work, command: (work / "all.zip").write_bytes(
        b"\x1f\x8b\x08 not packed at all"), "an archive that cannot be read", ""),
    ("a closed archive", ["all.7z"], lambda work, command: (work / "all.7z").write_bytes(
        b"7z\xbc\xaf\x27\x1c\0\4"), "cannot be looked into", ""),
    ("a bomb", ["all.zip"], bomb("zip"), "unpacks to far more than it is", ""),
    ("a bomb of one file", ["all.gz"], bomb("gz"), "unpacks to far more than it is", ""),
    ("an archive of Zstandard", ["all.zst"], lambda work, command: (work / "all.zst").write_bytes(
        b"\x28\xb5\x2f\xfd\4\0"), "cannot be looked into", ""),
    ("a lock of Office", ["~$codes.xlsx"], text("~$codes.xlsx", "\7Ann Lee"), "hidden files", ""),
    ("a lock of Office in a folder", ["graphs"], lock_in_folder, "", ""),
    ("a corrector's workbook", ["notes.xlsx"], sheet("xlsx", "notes.xlsx"), TABLE, ""),
    ("a corrector's table", ["notes.csv"], sheet("csv", "notes.csv"), TABLE, ""),
    ("a corrector's sheet from LibreOffice", ["notes.ods"], ods, TABLE, ""),
    ("a corrector's XLIFF", ["notes.xml"], sheet("xliff", "notes.xml"), SHEET, ""),
    ("a corrector's PO", ["notes.txt"], sheet("po", "notes.txt"), SHEET, ""),
    ("a survey's page", ["page.html"], text(
        "page.html", '<script type="application/json" id="sheet">{}</script>'), SHEET, ""),
    ("a page of pairs to judge", ["page.html"], text(
        "page.html", '<body data-store="memeloc-0123"><script type="application/json" id="data">'),
     SHEET, ""),
    ("a page with data of its own", ["page.html"], text(
        "page.html", "<body><script type='application/json' id=data>{}</script>"), "", ""),
    ("a survey's table", ["back.txt"], copy("../back.csv", "back.txt"), TABLE, ""),
    ("a sheet in the survey's folder", ["surveys"], text("surveys/pilot/form.yaml", "a: 1"),
     "a sheet of a survey", ""),
    ("answers of a page", ["a.txt"], text("a.txt", '{"memeloc": "survey-answers", "answers": []}'),
     ANSWERS, ""),
    ("an export of Prolific", ["people.txt"], text(
        "people.txt", "Submission id,Participant id,Status,Started at,Completed at,Time taken,Age\n"
        f"{PROLIFIC},{PROLIFIC},APPROVED,2026-01-01T10:00:00Z,2026-01-01T10:10:00Z,600,30\n"),
     ANSWERS, ""),
    ("a team's table", ["team.csv"], text("team.csv", "participant,group\na-1,a\n"), TABLE, ""),
    ("an e-mail address", ["about.md"], text("about.md", "Thanks to ann.lee@lab.example!\n"), "",
     MAIL),
    ("an e-mail address like one that is stated", ["about.md"], text(
        "about.md", "lab@university.example, b@university.example\n"), "", MAIL),
    ("an e-mail address in UTF-16", ["about.txt"], text("about.txt", "ann@lab.example", "utf-16"),
     "", MAIL),
    ("an e-mail address in a workbook", ["codes.xlsx"], workbook("ann@lab.example"), "", MAIL),
    ("an e-mail address in Parquet", ["codes.parquet"], parquet("ann@lab.example"), "", MAIL),
    ("an e-mail address in a packed text", ["graph.nt.gz"], packed('<a> <b> "ann@lab.example" .'),
     "", MAIL),
    ("a name of a file", ["ann@lab.example.md"], text("ann@lab.example.md", "x"), "", MAIL),
    ("a telephone number", ["about.md"], text("about.md", "Call us: +49 30 901820-17\n"), "",
     PHONE),
    ("a telephone number of a country", ["LICENSE"], text("LICENSE", "Tel. (030) 90182017\n"), "",
     PHONE),
    ("a telephone number of America", ["a.bib"], text("a.bib", "note={555-010-4477}\n"), "", PHONE),
    ("a participant's id", ["about.md"], text("about.md", "kitty-0001 was first.\n"), "", PERSON),
    ("a participant's id in an address", ["about.md"], text(
        "about.md", "See https://site.example/?PID=kitty-0001&page=2\n"), "", PERSON),
    ("a participant's id in a file's name", ["sound"], text("sound/kitty-0001.txt", "x"), "",
     PERSON),
    ("a participant's id in a path", ["a.csv"], text("a.csv", "file\nwav/kitty-0001.wav\n"), "",
     PERSON),
    ("an id of Prolific in an address", ["about.md"], text(
        "about.md", f"https://site.example/?PROLIFIC_PID={PROLIFIC}&page=2\n"), "", PERSON),
    ("a document's id in an address", ["about.md"], text(
        "about.md", f"https://site.example/page/{PROLIFIC}\n"), "", ""),
    ("an id of Prolific", ["about.md"], text("about.md", f"- {PROLIFIC}: paid\n"), "", PERSON),
    ("a path of Linux", ["run.py"], text("run.py", "read('/home/anna/cats.csv')\n"), "", PLACE),
    ("a path of macOS", ["a.ipynb"], text("a.ipynb", '{"cwd": "/Users/anna/cats"}'), "", PLACE),
    ("a path of Windows", ["a.json"], text("a.json", json.dumps(r"C:\Users\anna\a.csv")), "",
     PLACE),
    ("the workspace's own path", ["log.txt"], lambda work, command: (work / "log.txt").write_text(
        f"read {work.resolve()}/memes.csv\n"), "", PLACE),
    ("a link in a folder", ["graphs"], link_in_folder, "", ""),
    ("numbers and addresses of no person", ["README.md"], text("README.md", HARMLESS), "", ""),
    ("a licence", ["LICENSE"], text("LICENSE", "Creative Commons Attribution 4.0\n"), "", ""),
    ("a notebook", ["look.ipynb"], text("look.ipynb", NOTEBOOK), "", ""),
    ("a list of codes", ["codes.csv"], text("codes.csv", "code,label,people\n0012,calm,3\n"), "",
     ""),
    ("codes in a workbook", ["codes.xlsx"], workbook("calm"), "", ""),
    ("a graph", ["graphs"], text("graphs/a.ttl", '<urn:a> <urn:born> "+2001-12-31T00:00:00Z" .'),
     "", ""),
    ("a packed graph", ["graph.nt.gz"], packed("<urn:a> <urn:b> <urn:c> ."), "", ""),
    ("a template's settings", ["template.toml"], text(
        "template.toml", 'title = "Cat"\nsource = "drawn"\nlicence = "CC0-1.0"\n'), "", ""),
    ("an empty file", ["empty.txt"], text("empty.txt", ""), "", ""),
    ("a picture", ["logo.png"], picture, "", ""),
    ("a photo that names who took it", ["photo.jfif"], photo, "", "EXIF"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "make", "always", "checked"),
    [
        pytest.param(*row[1:], id=row[0], marks=[pytest.mark.slow] if row[3:] in earlier else [])
        for row, earlier in zip(
            RELEASES, accumulate(([row[3:]] for row in RELEASES), initial=[]), strict=False
        )
    ],
)
def test_what_stands_in_files_is_refused_or_goes_out(
    command: Run, work: Path, files: list[str], make: Make | None, always: str, checked: str
) -> None:
    if make is not None:
        make(work, command)
    settings = work / "memeloc.toml"
    about = f'licence = "CC-BY-4.0"\nmaintenance = "lab@university.example"\nfiles = {files}\n'
    before = settings.read_text(encoding="utf-8")
    settings.write_text(before.replace("[release]\n", f"[release]\n{about}", 1), encoding="utf-8")
    for check, reason in (((), always), (("--check",), always or checked)):
        out = work.parent / f"release{len(check)}"
        more = ("--rendered", work.parent / "out", "--without-pictures", "--to", "csv", *check)
        done = command("publish", out, *more)
        said = " ".join(done.err.split())
        assert (done.status, reason in said) == (1 if reason else 0, True), said
        assert out.exists() != bool(reason)
        assert PROLIFIC not in said
    if not (always or checked):
        there = [path for path in (out / "files").rglob("*") if path.is_file()]
        assert [path.relative_to(out / "files").parts[0] for path in there] == files


def test_the_message_says_which_file_and_what_to_do(command: Run, work: Path) -> None:
    settings = work / "memeloc.toml"
    about = '[release]\nfiles = ["survey.key", "back.txt"]\n'
    shutil.copyfile(work.parent / "back.csv", work / "back.txt")
    before = settings.read_text(encoding="utf-8")
    settings.write_text(before.replace("[release]\n", about, 1), encoding="utf-8")
    done = command("publish", work.parent / "release", "--rendered", work.parent / "out")
    said = " ".join(done.err.split())
    assert "This must not go out: 2 findings, and nothing was written." in said
    assert (
        "files/survey.key: this is a secret key, which never goes out; take it out of release.files"
        in said
    )
