"""What annotators read: every shipped language is whole, corrections win, and none can do harm."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from fontTools import unicodedata as scripts
from hypothesis import given
from hypothesis import strategies as st

from memeloc.locales import default
from memeloc.model import Caption
from memeloc.render import Renderer
from memeloc.resources import folder
from memeloc.survey.targets.instructions import SheetTexts, as_html, as_text
from memeloc.survey.texts import (
    FOLDER,
    SurveyTexts,
    TaxonomyTexts,
    catalogue,
    placeholders,
    readers,
    shipped_languages,
    shipped_texts,
    survey_texts,
)
from memeloc.taxonomy import load_taxonomy, taxonomy_names
from memeloc.templates import load_template, load_templates
from tests.each import each
from tests.survey.packs import pack

LANGUAGES = shipped_languages()
QUICK = ("en", "ar", "hi", "zh-Hans")
"""Languages of four scripts, for what takes long in each."""
TAXONOMIES = {name: load_taxonomy(name) for name in taxonomy_names()}
ENGLISH = catalogue()
# ISO 15924 codes that name a writing system, and the scripts that Unicode gives its letters.
SCRIPTS = {"Jpan": {"Hani", "Hira", "Kana"}, "Kore": {"Hang"}, "Hans": {"Hani"}}
SIGNS_BETWEEN_WORDS = {"\u200c", "\u200d"}


def texts_in(tag: str, corrections: dict[str, str] | None = None) -> SurveyTexts:
    return survey_texts(default().get(tag), corrections)


# Every shipped language.


def test_the_languages_of_the_paper_are_shipped() -> None:
    assert {"en", "de", "es", "hi", "zh-Hans"} <= set(LANGUAGES)  # multi3hate, section 3.2
    assert {"ar"} <= set(LANGUAGES)  # araharmeme


def test_english_has_the_texts_of_the_shipped_taxonomies_only() -> None:
    needed = {key for taxonomy in TAXONOMIES.values() for key in taxonomy.keys()}  # noqa: SIM118
    assert {key for key in ENGLISH if key.startswith("taxonomy.")} == needed


@each("tag", LANGUAGES)
class TestEveryShippedLanguage:
    def test_has_exactly_the_texts_of_english(self, tag: str) -> None:
        texts = shipped_texts(tag)
        assert set(texts) == set(ENGLISH)
        assert [key for key, text in texts.items() if not text] == []
        assert list(texts) == list(ENGLISH), "in the same order, for whoever compares two files"
        for taxonomy in TAXONOMIES.values():
            assert texts_in(tag).lacking(taxonomy) == ()

    def test_holds_nothing_but_texts(self, tag: str) -> None:
        waiting = [tomllib.loads((FOLDER / f"{tag}.toml").read_text(encoding="utf-8"))]
        assert waiting[0].pop("read_by") == list(readers(tag))
        while waiting:
            for value in waiting.pop().values():
                assert isinstance(value, str | dict)
                if isinstance(value, dict):
                    waiting.append(value)

    def test_has_the_placeholders_of_english_and_no_other_braces(self, tag: str) -> None:
        for key, text in shipped_texts(tag).items():
            assert placeholders(text) == placeholders(ENGLISH[key]), key
            assert not re.search(r"[{}]", re.sub(r"\{[a-z]+\}", "", text)), key

    def test_is_clean_text(self, tag: str) -> None:
        for key, text in shipped_texts(tag).items():
            assert unicodedata.is_normalized("NFC", text), key
            odd = {
                f"U+{ord(sign):04X}"
                for sign in text
                if unicodedata.category(sign) in ("Cc", "Cf", "Cn", "Co", "Cs")
                and sign not in SIGNS_BETWEEN_WORDS
            }
            assert not odd, key
            assert not re.search(r"[ÃÂ][\u0080-\u00bf]|â€|\ufffd", text), f"{key}: wrongly decoded"
            assert not re.search(r"[ \t]{2}| [,.!?،؟。，、！？]", re.sub(" // ", "|", text)), key
            for opening, closing in ("()", "（）", "“”" if tag == "en" else "()", "«»", "「」"):
                assert text.count(opening) == text.count(closing), f"{key}: {opening}{closing}"

    def test_is_in_the_script_of_its_language(self, tag: str) -> None:
        script = default().get(tag).script
        codes = SCRIPTS.get(script, {script})
        for key, text in shipped_texts(tag).items():
            # Greek, for one, writes this word in Latin letters.
            words = re.sub(r"\{[a-z]+\}|\bmemes?\b", "", text, flags=re.IGNORECASE)
            letters = [word for word in words if word.isalpha()]
            own = [
                letter for letter in letters if scripts.script(letter) in {*codes, "Zyyy", "Zinh"}
            ]
            assert len(own) == len(letters), key

    def test_is_no_copy_of_english(self, tag: str) -> None:
        if tag == "en":
            return
        same = [key for key, text in shipped_texts(tag).items() if text == ENGLISH[key]]
        stored = (
            "image.alt",
            "definition.label",
            "progress",
            ".name",
            ".political-misinformation",
            ".subcategory.sexism",
            "demographics.religion.answer.islam",
            ".answer.no",
        )
        assert [key for key in same if not key.endswith(stored)] == []

    @each("name", TAXONOMIES)
    def test_gives_each_answer_a_name_of_its_own(self, tag: str, name: str) -> None:
        taxonomy, texts = TAXONOMIES[name], texts_in(tag)
        before = f"taxonomy.{name}"
        labels = [texts.get(f"{before}.label.{label.id}.name") for label in taxonomy.labels]
        assert len({label.casefold() for label in labels}) == len(labels)
        for names in TaxonomyTexts(survey_texts(default().get(tag)), taxonomy).answers.values():
            assert len({name.casefold() for name in names.values()}) == len(names)

    @each("name", TAXONOMIES)
    def test_calls_what_it_quotes_as_the_answer_is_called(self, tag: str, name: str) -> None:
        taxonomy, texts = TAXONOMIES[name], texts_in(tag)
        before = f"taxonomy.{name}"
        if taxonomy.abstain is not None:
            unknown = texts.get(f"{before}.label.{taxonomy.abstain.id}.name")
            assert unknown in texts.get(f"{before}.rule.unsure")
        if name == "charmemes":
            safe = texts.get(f"{before}.label.safe.name")
            assert safe in texts.get(f"{before}.definition")
            assert safe == texts.get(f"{before}.group.safe")

    @each("name", TAXONOMIES)
    def test_says_the_same_of_the_same_example_in_every_taxonomy(self, tag: str, name: str) -> None:
        texts = shipped_texts(tag)
        for example in TAXONOMIES[name].examples:
            for part in ("caption", "why"):
                message = {
                    texts[f"taxonomy.{other.name}.example.{example.id}.{part}"]
                    for other in TAXONOMIES.values()
                    if example in other.examples
                }
                assert len(message) == 1, example.id

    @each("name", TAXONOMIES)
    def test_fills_the_boxes_of_each_examples_template(self, tag: str, name: str) -> None:
        texts = shipped_texts(tag)
        for example in TAXONOMIES[name].examples:
            template = load_template(folder("templates") / example.template)
            caption = Caption.parse(texts[f"taxonomy.{name}.example.{example.id}.caption"])
            assert len(caption.parts) == len(template.boxes), example.id
            assert all(caption.parts), example.id


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(max_side=480)


@pytest.mark.parametrize(
    "tag",
    [pytest.param(tag, marks=() if tag in QUICK else pytest.mark.slow) for tag in LANGUAGES],
)
def test_every_language_has_examples_that_can_be_read_on_their_pictures(
    tag: str, renderer: Renderer
) -> None:
    texts, locale = shipped_texts(tag), default().get(tag)
    templates, _ = load_templates()
    shown = {
        (example.template, texts[f"taxonomy.{name}.example.{example.id}.caption"])
        for name, taxonomy in TAXONOMIES.items()
        for example in taxonomy.examples
    }
    for template, caption in sorted(shown):
        assert not renderer.render(templates[template], caption, locale).proof.problems, caption


# Which text is taken.


def test_corrections_come_first_and_english_last() -> None:
    texts = texts_in("de", {"next": "Und weiter"})
    assert texts.get("next") == "Und weiter"
    assert texts.get("back") == "Zurück"
    assert texts_in("sw").get("back") == "Back"


# Placeholders.


def test_numbers_have_the_digits_of_the_sentence_of_consent() -> None:
    assert "১৭টি" in texts_in("bn").get("intro", count=17, minutes=10)
    assert "17 " in texts_in("hi").get("intro", count=17, minutes=10)
    other = texts_in("bn", {"consent.yes": "আমার বয়স কমপক্ষে 18 বছর।"})
    assert "17টি" in other.get("intro", count=17, minutes=10)
    assert texts_in("bn").get("sent.code", code="A17").endswith("A17")


class Secret:
    key = "hidden"

    def __str__(self) -> str:
        return "4"


@each(
    "text",
    [
        "{minutes!r}", "{minutes.key}", "{minutes.__class__}", "{minutes[0]}", "{minutes:>9999999}",
        "{0}", "{}", "{", "}", "}{", "{{minutes.key}}", "{minutes", "minutes}", "%(minutes)s", "%s",
        "${minutes.key}", "{count.__init__.__globals__}", "{ minutes }", "{MINUTES}", "\\1 \\g<0>",
    ],
)  # fmt: skip
def test_wrong_placeholders_of_a_correction_are_shown(text: str) -> None:
    shown = texts_in("en", {"time": text, "intro": text}).get("time", minutes=Secret(), count=1)
    assert shown == text
    assert "hidden" not in shown


@given(st.text(alphabet=st.sampled_from("{}!.:[]_minutescol0 %$\\")))
def test_no_correction_can_crash_a_text(text: str) -> None:
    shown = texts_in("en", {"time": text}).get("time", minutes=4)
    if text.strip():
        assert shown == text.replace("{minutes}", "4")


@pytest.mark.parametrize("key", ["sent.code", "consent.declined", "check.explicit"])
def test_a_correction_that_loses_what_people_need_is_not_used(key: str) -> None:
    texts = texts_in("de", {key: "Danke {cod} {label!r}"})
    assert texts.get(key) == shipped_texts("de")[key]
    assert texts_in("de", {key: "So: {code} {label}"}).get(key) == "So: {code} {label}"


# What a sheet makes of it.


def test_a_sheet_withstands_any_correction(tmp_path: Path) -> None:
    nasty = "{count!r}{minutes.__class__}{contact[0]}}{{ <b>&amp; // {label"
    texts = {"de": texts_in("de", dict.fromkeys(ENGLISH, nasty))}
    survey = replace(pack(tmp_path, "de", "DE"), taxonomy=TAXONOMIES["charmemes"], texts=texts)
    sheet = survey.sheets[0]
    parts = SheetTexts(survey, sheet).sections()
    shown = as_text(parts, lambda path: path.name)
    assert nasty in shown
    assert "<class" not in shown
    assert "<b>" not in as_html(parts, sheet, lambda path: path.name)
