"""Sheets as projects of OmegaT, and the program itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import etree
from PIL import Image

from memeloc.correct.model import Answer, Match, Sheet, SheetItem, SheetPart, text_key
from memeloc.correct.sheets import read_sheet, write_sheet
from memeloc.glossary import Term
from memeloc.locales import default

XLIFF = "{urn:oasis:names:tc:xliff:document:1.2}"
CAPTIONS = {
    "m1": (("Me: Monday. Again.", "two\nlines  & <b>"), ("मैं: सोमवार। फिर से।", "दो\nपंक्तियाँ  & <b>")),
    "m2": (("Me: Monday. Again.", ""), ("सोमवार, फिर।", "खाली")),
    "m3": (("ok", "404"), ("ठीक", "404")),
}
MATCHES = (Match(84, ("Me: Monday.", "x"), ("मैं: सोमवार।", "")),)
TERMS = (Term(("Monday", "Mon*"), ("सोमवार*", "सोम"), ("इतवार",)), Term(("ok",), (), ("ओके",)))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a project, unpacked; two of its units have the same source."""
    picture = tmp_path / "shown.jpg"
    Image.new("RGB", (30, 20), "#88aacc").save(picture)
    items = tuple(
        SheetItem(
            meme, "cloud-monday",
            tuple(SheetPart(name, *texts, capacity=20) for name, texts in zip(
                ("top", "bottom"), zip(source, machine, strict=True), strict=True)),
            picture, text_key(source), text_key(machine), matches=MATCHES, terms=TERMS,
        )
        for meme, (source, machine) in CAPTIONS.items()
    )  # fmt: skip
    locales, created = default(), datetime(2026, 11, 21, tzinfo=UTC)
    sheet = Sheet("s1", locales.get("hi"), locales.get("en"), 1, "asha", created, "# Guide", items)
    path = tmp_path / "hi-omegat.zip"
    assert write_sheet(sheet, path, "omegat") == (path, None)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    return next(tmp_path.glob("memeloc-hi-*"))


def _targets(path: Path) -> dict[str, str]:
    units = etree.parse(str(path)).iter(f"{XLIFF}trans-unit")
    return {
        "/".join(unit.get("id", "").split("|")[1:3]): unit.findtext(f"{XLIFF}target") or ""
        for unit in units
    }


def _change(memory: Path, old: str, new: str) -> None:
    """Change a translation in the project's memory, as OmegaT does when a person types."""
    text = memory.read_text("utf-8")
    assert f"<seg>{old}</seg>" in text
    memory.write_text(text.replace(f"<seg>{old}</seg>", f"<seg>{new}</seg>"), "utf-8")


def _answers(path: Path) -> dict[str, Answer]:
    back = read_sheet(path)
    assert back.problems == ()
    return {answer.meme_id: answer for answer in back.answers}


def test_matches_and_terms_stand_where_omegat_looks_for_them(project: Path) -> None:
    memory = etree.parse(str(project / "tm" / "memory.tmx"))
    assert [seg.text for seg in memory.iter("seg")] == ["Me: Monday.", "मैं: सोमवार।"]
    lines = (project / "glossary" / "memeloc.utf8").read_text("utf-8").splitlines()
    whole = "Monday | Mon → सोमवार | सोम; not इतवार"
    assert [line.split("\t") for line in lines] == [
        ["Monday", "सोमवार", whole],
        ["Mon", "सोमवार", whole],
        ["ok", "(not ओके)", "ok; not ओके"],
    ]


def test_a_project_that_comes_back_whole_is_read(project: Path, tmp_path: Path) -> None:
    memory = project / "omegat" / "project_save.tmx"
    _change(memory, "सोमवार, फिर।", "सोमवार!</seg><note>why Monday?</note><seg>")
    _change(memory, "ठीक", "</seg><note>Status: wordplay</note><seg>ठीक")
    back = Path(shutil.make_archive(str(tmp_path / "b"), "zip", tmp_path, project.name))
    answers = _answers(back)
    assert answers.keys() == {"m2", "m3"}
    assert (answers["m2"].parts, answers["m2"].comment) == (("सोमवार!", "खाली"), "why Monday?")
    assert answers["m3"].status == "wordplay"
    assert read_sheet(back).file == back


@pytest.mark.slow
def test_omegat_opens_it_and_what_was_changed_comes_back(project: Path, tmp_path: Path) -> None:
    assert shutil.which("omegat"), "install Debian's package omegat"
    command = ["omegat", str(project), "--mode=console-translate"]
    # Without the variable Java writes below the home that the password database names.
    env = {**os.environ, "HOME": str(tmp_path), "_JAVA_OPTIONS": f"-Duser.home={tmp_path}"}
    subprocess.run(command, check=True, capture_output=True, timeout=120, env=env)
    (made,) = (project / "target").iterdir()
    machine = {f"{meme}/{part}": text for meme, (_, texts) in CAPTIONS.items()
               for part, text in enumerate(texts, 1)}  # fmt: skip
    assert _targets(made) == machine
    assert _answers(made) == {}
    _change(project / "omegat" / "project_save.tmx", "सोमवार, फिर।", "सोमवार आया")
    subprocess.run(command, check=True, capture_output=True, timeout=120, env=env)
    answers = _answers(made)
    assert answers.keys() == {"m2"}
    assert (answers["m2"].status, answers["m2"].parts) == ("corrected", ("सोमवार आया", "खाली"))
