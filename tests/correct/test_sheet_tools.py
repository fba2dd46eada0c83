"""XLIFF and PO sheets, and the programs that translators open them with."""

from __future__ import annotations

import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import polib
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from translate.storage import pypo
from translate.storage import xliff as toolkit_xliff

from memeloc.correct.model import Sheet, SheetItem, SheetPart, text_key
from memeloc.correct.sheet_po import Po
from memeloc.correct.sheet_xliff import Xliff
from memeloc.correct.sheets import read_sheet, write_sheet
from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.tables import clean_text, drawable

XLIFF = "{urn:oasis:names:tc:xliff:document:1.2}"
CAPTIONS = {
    "m1": (("Monday’s forecast:", "me"), ("توقعات الاثنين:", "أنا")),
    "m2": (("", "=SUM(1) // & <b>"), ("", '=جمع(1) "نص" \\ & <b>')),
    "m3": (("two\nlines", "404"), ("سطران\nاثنان", "404")),
}


def sheet(captions: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] | None = None) -> Sheet:
    items = tuple(
        SheetItem(
            meme_id=meme,
            template="cloud-monday",
            parts=tuple(
                SheetPart(name, *texts, capacity=20)
                for name, texts in zip(
                    ("top", "bottom"), zip(source, machine, strict=True), strict=True
                )
            ),
            picture=None,
            source_key=text_key(source),
            base_key=text_key(machine),
            marks=("separator lost",),
        )
        for meme, (source, machine) in (captions or CAPTIONS).items()
    )
    locales = default()
    return Sheet(
        "s1", locales.get("ar"), locales.get("en"), 2, "amal", datetime(2026, 11, 21, tzinfo=UTC),
        "# دليل\n\nاقرأ **بصوت عال**.", items,
    )  # fmt: skip


def test_msgfmt_accepts_the_po(tmp_path: Path) -> None:
    assert shutil.which("msgfmt"), "install Debian's package gettext"
    path = tmp_path / "sheet.po"
    write_sheet(sheet(), path, "po")
    subprocess.run(["msgfmt", "--check", "-o", "/dev/null", path], check=True)


def test_translate_toolkit_reads_and_saves_the_po(tmp_path: Path) -> None:
    path = tmp_path / "sheet.po"
    write_sheet(sheet(), path, "po")
    store = pypo.pofile.parsefile(str(path))
    units = [unit for unit in store.units if unit.istranslatable()]
    assert [str(unit.source) for unit in units] == [
        "Monday’s forecast:", "me", "=SUM(1) // & <b>", "two\nlines", "404",
    ]  # fmt: skip
    assert all(unit.isfuzzy() for unit in units)
    units[0].target = "طقس الاثنين:"
    units[0].markfuzzy(False)
    units[3].markfuzzy(False)
    store.savefile(str(path))
    answers = {answer.meme_id: answer for answer in read_sheet(path).answers}
    assert answers["m1"].status == "corrected"
    assert answers["m1"].parts == ("طقس الاثنين:", "أنا")
    assert answers["m3"].status == "correct"
    assert answers.keys() == {"m1", "m3"}


def test_translate_toolkit_reads_and_saves_the_xliff(tmp_path: Path) -> None:
    path = tmp_path / "sheet.xlf"
    write_sheet(sheet(), path, "xliff")
    store = toolkit_xliff.xlifffile.parsefile(str(path))
    assert store.gettargetlanguage() == "ar"
    units = {unit.getid().split("\x04")[-1]: unit for unit in store.units}
    first = next(unit for key, unit in units.items() if "|m1|1|" in key)
    assert str(first.source) == "Monday’s forecast:"
    assert str(first.target) == "توقعات الاثنين:"
    first.target = "طقس الاثنين:"
    store.savefile(str(path))
    (answer,) = read_sheet(path).answers
    assert (answer.meme_id, answer.parts) == ("m1", ("طقس الاثنين:", "أنا"))


def test_the_room_stands_where_tools_look_for_it(tmp_path: Path) -> None:
    path = tmp_path / "sheet.xlf"
    write_sheet(sheet(), path, "xliff")
    unit = next(etree.parse(str(path)).iter(f"{XLIFF}trans-unit"))
    assert (unit.get("maxwidth"), unit.get("size-unit")) == ("20", "char")
    assert unit.get("approved") == "no"
    assert unit.find(f"{XLIFF}target").get("state") == "needs-review-translation"
    assert any(note.text == "separator lost" for note in unit.iter(f"{XLIFF}note"))


def test_states_and_notes_of_an_xliff_are_statuses_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "sheet.xlf"
    write_sheet(sheet(), path, "xliff")
    tree = etree.parse(str(path))
    units = list(tree.iter(f"{XLIFF}trans-unit"))
    units[0].set("approved", "yes")
    note = etree.SubElement(units[4], f"{XLIFF}note", {"from": "translator"})
    note.text = "Status: wordplay\nno such pun"
    tree.write(str(path), encoding="UTF-8")
    answers = {answer.meme_id: answer for answer in read_sheet(path).answers}
    assert answers["m1"].status == "correct"
    assert answers["m1"].parts == ("توقعات الاثنين:", "أنا")
    assert (answers["m3"].status, answers["m3"].comment) == ("wordplay", "no such pun")


def test_what_a_tool_made_obsolete_is_read_where_nothing_replaced_it(tmp_path: Path) -> None:
    path = tmp_path / "sheet.po"
    write_sheet(sheet(), path, "po")
    catalogue = polib.pofile(str(path))
    catalogue[0].msgstr, catalogue[0].flags, catalogue[0].obsolete = "نص", [], True
    catalogue.save(str(path))
    (answer,) = read_sheet(path).answers
    assert (answer.meme_id, answer.parts) == ("m1", ("نص", "أنا"))


@pytest.mark.parametrize("name", ["sheet.xlf", "sheet.po"])
def test_shuffled_and_removed_entries_do_no_harm(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_sheet(sheet(), path, "po" if name.endswith("po") else "xliff")
    if name.endswith("po"):
        catalogue = polib.pofile(str(path))
        catalogue.reverse()
        catalogue[-1].msgstr, catalogue[-1].flags = "نص", []
        catalogue.save()
    else:
        tree = etree.parse(str(path))
        body = next(tree.iter(f"{XLIFF}body"))
        groups = list(body)
        groups[0].find(f"{XLIFF}trans-unit/{XLIFF}target").text = "نص"
        body[:] = [groups[2], groups[0]]
        tree.write(str(path), encoding="UTF-8")
    (answer,) = read_sheet(path).answers
    assert (answer.meme_id, answer.parts) == ("m1", ("نص", "أنا"))


def test_an_xliff_with_a_document_type_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlf"
    path.write_text(
        '<?xml version="1.0"?><!DOCTYPE xliff [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">&b;</xliff>'
    )
    with pytest.raises(InputError, match="document type"):
        read_sheet(path)


nasty = st.text(st.characters(exclude_categories=["Cs"]), max_size=25) | st.sampled_from(
    ["=1+1", "'quoted'", 'a "b" \\n', "a / b", "\tx", "ends\n", "<x/>&amp;", "👩‍💻 🇩🇪", "שלום 2.0"]
)


@settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(nasty, nasty, nasty.filter(lambda text: not re.search("//|／／", text)))  # they part parts
def test_any_text_comes_back_as_it_was_typed(
    tmp_path: Path, source: str, machine: str, text: str
) -> None:
    typed = clean_text(drawable(text))
    shown = clean_text(drawable(machine))
    made = sheet({"m1": ((source.strip() or "x", "me"), (shown, "أنا"))})
    path = tmp_path / "sheet.po"
    Po().write(made, path)
    catalogue = polib.pofile(str(path), wrapwidth=0)
    catalogue[0].msgstr, catalogue[0].flags = typed, []
    catalogue.save(str(path))
    xliff = tmp_path / "sheet.xlf"
    Xliff().write(made, xliff)
    tree = etree.parse(str(xliff))
    target = next(tree.iter(f"{XLIFF}target"))
    target.text = typed
    target.set("state", "translated")
    tree.write(str(xliff), encoding="UTF-8")
    for back in (Po().read(path), Xliff().read(xliff)):
        if back.answers:
            assert back.answers[0].parts[0] == (typed or shown)
            assert back.answers[0].status == (
                "corrected" if typed not in ("", shown) else "correct"
            )
        else:
            assert typed in ("", shown)
