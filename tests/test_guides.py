"""The guides: few, short, with pictures; the translators', one a starter language, all alike."""

from __future__ import annotations

import csv
import re
import unicodedata
from pathlib import Path

from fontTools import unicodedata as scripts

from memeloc.correct.model import STATUSES
from memeloc.correct.sheet_form import sheet_texts, status_words
from memeloc.locales import default
from memeloc.model import SEPARATOR
from memeloc.resources import folder
from memeloc.sheets.form import paragraphs
from tests.each import each

GUIDES = folder("guides") / "translation"
STARTER = Path(__file__).parents[1] / "examples" / "starter" / "captions.csv"
HEADING = re.compile(r"^(#+) \S", re.MULTILINE)
# ISO 15924 codes that name a writing system, and the scripts that Unicode gives its letters.
SCRIPTS = {
    "Jpan": {"Hani", "Hira", "Kana"},
    "Kore": {"Hang"},
    "Hans": {"Hani"},
    "Hant": {"Hani"},
}


def _starter_tags() -> list[str]:
    with STARTER.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    return [default().get(name).tag for name in header if name not in ("meme_id", "template")]


TAGS = _starter_tags()


def _text(tag: str) -> str:
    return (GUIDES / f"{tag}.md").read_text(encoding="utf-8")


def test_the_guides_are_those_of_the_starter_languages() -> None:
    sheets = {"transcripts", "survey-texts"}  # what people read who correct other texts
    assert {path.stem for path in GUIDES.glob("*.md")} == {*TAGS, *sheets}


def test_there_are_at_most_24_pages_of_40_000_words_with_a_picture_where_people_look() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in GUIDES.parent.glob("*.md")}
    assert len(pages) <= 24
    assert sum(len(text.split()) for name, text in pages.items() if name != "commands") <= 40_000
    looked_at = {"tutorial", "curating", "correction", "rendering", "surveys", "analysis"}
    looked_at |= {"publishing", "localising", "knowledge", "evaluation", "training"}
    assert [name for name in sorted(looked_at) if not re.search(r"^!\[", pages[name], re.M)] == []


@each("tag", TAGS)
def test_a_guide_has_the_headings_of_the_english_one(tag: str) -> None:
    english = HEADING.findall(_text("en"))
    assert len(english) > 10
    assert HEADING.findall(_text(tag)) == english


@each("tag", TAGS)
def test_a_guide_says_in_the_same_order_what_each_status_means(tag: str) -> None:
    section = re.split(r"^## .*\n", _text(tag), flags=re.MULTILINE)[-3]
    listed = re.findall(r"^- \*\*(.+?)\*\*\s?[:：] *\S", section, re.MULTILINE)
    assert listed == [status_words(tag)[status] for status in STATUSES["caption"]]


@each("tag", TAGS)
def test_a_guide_shows_the_separator_and_an_empty_part_at_either_end(tag: str) -> None:
    in_code = re.findall(r"`([^`\n]+)`", _text(tag))
    assert SEPARATOR.strip() in {code.strip() for code in in_code}
    assert any(re.match(r"// \S", code) for code in in_code)
    assert any(re.search(r"\S //$", code) for code in in_code)


@each("tag", TAGS)
def test_a_guide_is_mostly_in_the_script_of_its_language(tag: str) -> None:
    script = default().get(tag).script
    codes = SCRIPTS.get(script, {script})
    prose = re.sub(r"`[^`]*`", "", _text(tag))
    letters = [letter for letter in prose if letter.isalpha()]
    own = [letter for letter in letters if scripts.script(letter) in codes]
    assert len(own) > 0.75 * len(letters)


@each("tag", TAGS)
def test_a_guide_is_clean_text(tag: str) -> None:
    text = _text(tag)
    assert unicodedata.is_normalized("NFC", text)
    odd = {
        f"U+{ord(char):04X}"
        for char in text
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co", "Cs")
    }
    assert not odd
    assert "\ufffd" not in text
    assert not re.search(r"[ÃÂ][\u0080-\u00bf]|â€", text), "UTF-8 read as Latin-1"
    assert text.endswith("\n")
    assert not re.search(r"[ \t]+$", text, re.MULTILINE)


@each("tag", TAGS)
def test_a_guide_names_columns_as_the_sheet_does_and_shows_no_markup(tag: str) -> None:
    for name in ("history", "translation memory", "glossary"):
        assert f"`{sheet_texts(tag).get(name, name)}`" in _text(tag)
    assert not re.search(r"[*`]", "".join(text for _, text in paragraphs(_text(tag))))
