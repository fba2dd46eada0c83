"""All kinds of questions in Qualtrics, who stops half way, and pictures on a server; and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.locales import default
from memeloc.survey.model import PersonEntry, entry_id
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.qualtrics.target import Qsf
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.packs import pack
from tests.survey.targets.test_qualtrics import saved

BASE = "https://host.example/pictures"
QUESTIONS = (
    Question("whom", "choices", ("person", "group"), when={"label": ("hate", "unknown")}),
    Question("certain", "scale", scale=(1, 5)),
    Question("share", "scale", scale=(0, 100), required=False),
    Question(
        "why", "text", when={"label": ("hate", "no-hate"), "whom": ("group",)}, required=False
    ),
    Question("age", answers=("young", "old"), about="person"),
)
BEFORE = "taxonomy.multi3hate.questions"
TEXTS = {
    f"{BEFORE}.whom.text": "Whom is it about?",
    f"{BEFORE}.whom.answer.person": "One person",
    f"{BEFORE}.whom.answer.group": "Many, or a group",
    f"{BEFORE}.certain.text": "How certain are you?",
    f"{BEFORE}.share.text": "How many people would agree?",
    f"{BEFORE}.why.text": "Why?",
    f"{BEFORE}.age.text": "How old are you?",
    f"{BEFORE}.age.answer.young": "18 to 40",
    f"{BEFORE}.age.answer.old": "Over 40",
}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    """A survey in English that asks all kinds of questions, and one about the person."""
    made = pack(tmp_path_factory.mktemp("pictures"))
    (sheet,) = made.sheets
    return replace(
        made,
        sheets=(replace(sheet, entries=(*sheet.entries, PersonEntry())),),
        taxonomy=replace(made.taxonomy, questions=QUESTIONS),
        texts={"en": survey_texts(default().get("en"), TEXTS)},
    )


def key(survey: SheetsToSend, entry: str) -> str:
    return item_key(survey.name, survey.sheets[0].id, entry)


def test_who_stopped_is_kept_with_what_was_answered(survey: SheetsToSend, tmp_path: Path) -> None:
    row = {
        "Finished": "True",
        "ResponseId": "R_1",
        "consent": "1",
        "PROLIFIC_PID": "asha",
        key(survey, "m1"): "2",
        f"{key(survey, 'm1')}_q2": "4",
        f"{key(survey, 'check-1')}_stop": "1",
    }
    imported = import_file(Qsf(), saved(survey, tmp_path / "export.csv", [row]), survey)
    assert not imported.rejected
    (submission,) = imported.submissions
    assert (submission.status, submission.code) == ("returned", "")
    assert [answer.entry for answer in submission.answers] == ["m1"]


def test_pictures_go_beside_the_file_and_are_found_by_address(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    (path,) = Qsf(f"{BASE}/").export(survey, tmp_path)
    text = path.read_text("utf-8")
    sheet = survey.sheets[0].id
    written = sorted((tmp_path / "pictures" / sheet).iterdir())
    assert "data:image" not in text
    assert len(written) == 3 + len(survey.taxonomy.examples)
    for picture in written:
        assert f"{BASE}/{sheet}/{picture.name}" in text
    assert not any(
        entry_id(entry) in picture.stem for picture in written for entry in survey.sheets[0].entries
    )
    assert len(text) < 100_000
