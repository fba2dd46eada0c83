"""Sheets in Label Studio: the real program shows every item, and its exports come back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page

from memeloc.locales import default
from memeloc.survey.targets.instructions import ShownQuestion
from memeloc.survey.targets.label_studio import LabelStudio
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.annotators import labelled
from tests.survey.packs import pack
from tests.survey.real_programs import (
    drag_over,
    free_port,
    installed,
    started,
)

USER, PASSWORD, TOKEN = "team@survey.example", "of-no-use-elsewhere", "0123456789" * 4
CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
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


ANSWERS = tuple(
    labelled(entry, label, **({"whom": ("one", "many")} if label == "hate" else {}))
    for entry, label in CHOSEN.items()
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    return pack(tmp_path_factory.mktemp("pictures"), "en", "US")


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


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The program's address, and the folder that it serves local files from."""
    program, port = installed("label-studio", "label-studio"), free_port()
    folder = tmp_path_factory.mktemp("label-studio")
    command = [
        str(program), "start", "tryout", "--init", "-b", "--data-dir", str(folder / "data"),
        "--username", USER, "--password", PASSWORD,
        "--user-token", TOKEN, "--enable-legacy-api-token",
        "--internal-host", "127.0.0.1", "-p", str(port),
    ]  # fmt: skip
    environment = {
        "SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": "", "COLLECT_ANALYTICS": "False",
        "LATEST_VERSION_CHECK": "False", "LOCAL_FILES_SERVING_ENABLED": "true",
        "LOCAL_FILES_DOCUMENT_ROOT": str(folder / "files"),
    }  # fmt: skip
    base = f"http://127.0.0.1:{port}"
    with started(command, folder, f"{base}/api/version", environment):
        yield base, folder / "files"


def access(client: httpx.Client, personal: str) -> str:
    """The header by which somebody with a personal token is let in, for some minutes."""
    answer = client.post("/api/token/refresh/", json={"refresh": personal})
    assert answer.status_code == 200, answer.text
    return f"Bearer {answer.json()['access']}"


def made(client: httpx.Client, own: Path, folder: Path) -> int:
    """Make the project as the guide says; returns its number."""

    def post(path: str, value: Any) -> Any:
        answer = client.post(path, json=value)
        assert answer.status_code == 201, answer.text[:2000]
        return answer.json()

    project: int = post("/api/projects", read(own / "project.json"))["id"]
    storage = {"project": project, "path": str(folder), "use_blob_urls": False}
    post("/api/storages/localfiles", storage)
    wanted = read(own / "tasks.json")
    assert post(f"/api/projects/{project}/import", wanted)["task_count"] == len(wanted)
    return project


def fill(page: Page, question: ShownQuestion, values: tuple[str, ...]) -> None:
    """Answer a question as its kind is answered; a draft that is right stays as it is."""
    heading = page.get_by_role("heading", name=question.text, exact=True)
    heading.wait_for()
    if question.kind == "text":
        if values != (question.draft,):
            write(page, heading, question.draft, *values)
    elif question.kind == "span":
        mark(page, heading, *values)
    else:
        for value in values:
            name = question.answers.get(value, value)
            within(heading).locator(f'input[name="{name}"]').check()


def within(heading: Locator) -> Locator:
    """What stands under a question's text."""
    return heading.locator("xpath=following-sibling::*")


def write(page: Page, heading: Locator, draft: str, text: str) -> None:
    if draft:
        within(heading).get_by_role("button").first.click()
    area = within(heading).locator("textarea").first
    area.fill(text)
    area.blur()


def mark(page: Page, heading: Locator, span: str) -> None:
    """Mark words of the caption, as a finger does that is drawn over them."""
    within(heading).locator(".lsf-label").click()
    drag_over(page, within(heading).locator(".lsf-htx-richtext"), span)
