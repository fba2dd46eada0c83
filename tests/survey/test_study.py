"""The study's own texts: what ships is replaced, in every language, and what is lacking is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.study import LINES, Study
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.resolver import make_target, target_names
from memeloc.survey.texts import SurveyTexts, shipped_languages, survey_texts
from tests.each import each
from tests.survey.packs import pack
from tests.survey.targets.test_contract import RECRUITS, contents, says

STUDY: dict[str, Any] = {
    "controller": "Example University",
    "purpose": {"en": "to learn how people see memes", "de": "Memes verstehen"},
    "retention": {"en": "until 2031", "de": "bis 2031"},
    "ethics": "no. 12/2026",
}


def applied(study: Study, tag: str) -> SurveyTexts:
    return study.apply(survey_texts(default().get(tag)))


def consents(folder: Path, study: Study, tag: str = "en") -> tuple[str, ...]:
    """The paragraphs of the page for consent."""
    small = pack(folder, tag)
    texts = {tag: study.apply(small.texts[tag])}
    return SheetTexts(replace(small, texts=texts), small.sheets[0]).consents


def test_the_page_for_consent_says_all_of_a_study(tmp_path: Path) -> None:
    text, *lines = consents(tmp_path, Study(**STUDY))
    assert "lab@university.example" in text
    assert lines[:-1] == [
        "Responsible for this study: Example University",
        "Purpose of the study: to learn how people see memes",
        "How long your data are kept: until 2031",
        "Ethics approval: no. 12/2026",
    ]
    assert "write to lab@university.example" in lines[-1]


@each("tag", shipped_languages())
def test_every_language_fills_in_the_study(tag: str) -> None:
    texts = applied(Study(**dict.fromkeys(LINES, "12345")), tag)
    for name in LINES:
        assert "12345" in texts.get(f"study.{name}")
    texts = applied(Study(controller="{contact} {x}"), tag)
    assert "{contact} {x}" in texts.get("study.controller")


@pytest.mark.parametrize("name", sorted(set(target_names()) - RECRUITS))
def test_every_target_shows_the_study(tmp_path: Path, name: str) -> None:
    small = pack(tmp_path / "pictures")
    texts = {"en": Study(**STUDY).apply(small.texts["en"])}
    options = {"codes": False} if name == "html" else {}
    make_target(name, options).export(replace(small, texts=texts), tmp_path / "out")
    written = contents(tmp_path / "out")
    for text in ("Example University", "until 2031", "no. 12/2026", "to learn how people see"):
        assert says(written, text), text


def test_a_text_that_nobody_shows_is_reported() -> None:
    with pytest.raises(InputError, match=r"'consent\.txt', which is no text"):
        applied(Study(texts={"en": {"consent.txt": "Ours."}}), "de")
    applied(Study(texts={"en": {"taxonomy.ours.question": "Ours?"}}), "en")


def test_a_text_that_lost_its_code_is_reported() -> None:
    with pytest.raises(InputError, match=r"sent\.code has to have .*\{code\}"):
        applied(Study(texts={"de": {"sent.code": "Danke."}}), "de")
