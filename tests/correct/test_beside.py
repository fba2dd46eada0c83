"""What stands beside a caption on a sheet, in each format; and that none of it is read back."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import polib
import pytest
from lxml import etree

from memeloc.correct.model import Match, Sheet
from memeloc.correct.sheets import formats, read_sheet, suffix_of, write_sheet
from memeloc.glossary import Term
from tests.correct.test_sheet_table import sheet

MATCHES = (
    Match(84, ("source 1", "source\nx"), ("=قديم", "نص\x01 قديم"), "corrected"),
    Match(71, ("source", "second"), ("", "آخر"), "memes.tmx"),
)
TERMS = (Term(("source 2",), ("مصدر",), ("منبع",)), Term(("source",), ("أصل",), note="=2"))


@pytest.fixture
def with_matches() -> Sheet:
    """A sheet whose first caption has terms, and two matches, of the second only one part."""
    plain = sheet()
    first = replace(plain.items[0], matches=MATCHES, terms=TERMS)
    return replace(plain, items=(first, *plain.items[1:]))


def _written(sheet: Sheet, tmp_path: Path, name: str) -> Path:
    path = tmp_path / f"sheet{suffix_of(name)}"
    write_sheet(sheet, path, name)
    return path


@pytest.mark.parametrize("name", formats())
def test_nothing_of_it_is_read_back(tmp_path: Path, with_matches: Sheet, name: str) -> None:
    back = read_sheet(_written(with_matches, tmp_path, name))
    assert (back.answers, back.problems) == ((), ())


def test_matches_are_alternatives_of_an_xliff(tmp_path: Path, with_matches: Sheet) -> None:
    root = etree.parse(str(_written(with_matches, tmp_path, "xliff"))).getroot()
    unit = root.findall(".//{*}trans-unit")[1]
    _, first, second = unit.findall("{*}alt-trans")
    assert (first.get("match-quality"), first.get("origin")) == ("84%", "memory: corrected")
    assert (second.get("match-quality"), second.get("origin")) == ("71%", "memory: memes.tmx")
    assert second.findtext("{*}source") == "second"
    assert second.findtext("{*}target") == "آخر"


def test_matches_are_comments_of_a_po(tmp_path: Path, with_matches: Sheet) -> None:
    path = _written(with_matches, tmp_path, "po")
    entries = polib.pofile(str(path))
    assert "84 %: source\u2424x → نص قديم" in entries[1].comment
    assert [entry.previous_msgid for entry in entries[:3]] == [None, "source\nx", None]
    subprocess.run(["msgfmt", "-c", "-o", "/dev/null", str(path)], check=True)
