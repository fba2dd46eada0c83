"""Sheets in Label Studio: the real program shows every item, and its exports come back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memeloc.locales import default
from memeloc.survey.targets.label_studio import LabelStudio
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.packs import pack

BEFORE = "taxonomy.multi3hate.questions.whom"
TEXTS = {
    f"{BEFORE}.text": 'Whom is it about, in "$" & < >?',
    f"{BEFORE}.answer.one": "One person",
    f"{BEFORE}.answer.many": "Many, or a group",
}


def with_further(survey: SheetsToSend, tag: str) -> SheetsToSend:
    """The survey with a further question after the label `hate`."""
    asked = Question("whom", "choices", ("one", "many"), when={"label": ("hate",)})
    texts = survey_texts(default().get(tag), TEXTS)
    taxonomy = replace(survey.taxonomy, questions=(asked,))
    return replace(survey, taxonomy=taxonomy, texts={**survey.texts, tag: texts})


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    return with_further(pack(tmp_path_factory.mktemp("pictures"), "ar", "EG"), "ar")


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def exported(survey: SheetsToSend, folder: Path, pictures: str = "") -> Path:
    (path,) = LabelStudio(pictures).export(survey, folder)
    return path.parent


def test_tasks_hide_checks_and_their_pictures_are_served(
    survey: SheetsToSend, tmp_path: Path
) -> None:
    own = exported(survey, tmp_path)
    tasks = [task["data"] for task in read(own / "tasks.json")]
    assert [task["number"] for task in tasks] == [1, 2, 3, 4]
    assert not any("check" in value for task in tasks for value in (task["item"], task["sheet"]))
    for entry, task in zip(survey.sheets[0].entries, tasks, strict=True):
        if entry.picture is not None:
            name = f"{task['item']}.jpg"
            place = f"/data/local-files/?d=pilot/{survey.sheets[0].id}/pictures/{name}"
            assert f'src="{place}"' in task["shown"]
            assert (own / "pictures" / name).read_bytes() == entry.picture.read_bytes()
