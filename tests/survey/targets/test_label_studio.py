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
from memeloc.survey.model import Answer, PersonEntry
from memeloc.survey.targets.instructions import SheetTexts, ShownQuestion, is_read
from memeloc.survey.targets.label_studio import LabelStudio
from memeloc.survey.targets.protocol import ALL_KINDS, SheetsToSend
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.annotators import labelled
from tests.survey.every_kind import answered, every_kind
from tests.survey.packs import hostile, pack
from tests.survey.real_programs import (
    drag_over,
    free_port,
    installed,
    phone,
    pictures_shown,
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


def personal_token(client: httpx.Client) -> str:
    """What the program's page "Access Token" gives: it is exchanged for one of some minutes."""
    legacy = {"Authorization": f"Token {TOKEN}"}
    return str(client.post("/api/token/", headers=legacy).json()["token"])


def access(client: httpx.Client, personal: str) -> str:
    """The header by which somebody with a personal token is let in, for some minutes."""
    answer = client.post("/api/token/refresh/", json={"refresh": personal})
    assert answer.status_code == 200, answer.text
    return f"Bearer {answer.json()['access']}"


@pytest.mark.slow
def test_the_program_shows_every_item_and_its_exports_come_back(
    survey: SheetsToSend, served: tuple[str, Path], tmp_path: Path
) -> None:
    base, files = served
    survey = hostile(survey)
    own = exported(survey, files / survey.name)
    with httpx.Client(base_url=base, timeout=60) as client:
        # Both kinds of tokens are good for everything that the guide tells people to do.
        personal = personal_token(client)
        client.headers["Authorization"] = access(client, personal)
        project = made(client, own, files / survey.name)
        with phone() as pages:
            annotated(pages(), survey, base, project, ANSWERS)
        for authorization in (access(client, personal), f"Token {TOKEN}"):
            client.headers["Authorization"] = authorization
            came_back(client, survey, project, tmp_path, ANSWERS)


@pytest.mark.slow
def test_the_program_asks_every_kind_of_question(
    small: SheetsToSend, served: tuple[str, Path], tmp_path: Path
) -> None:
    base, files = served
    survey = replace(every_kind(small, ALL_KINDS), name="kinds")
    own = exported(survey, files / survey.name)
    with httpx.Client(base_url=base, timeout=60) as client, phone() as pages:
        client.headers["Authorization"] = f"Token {TOKEN}"
        project = made(client, own, files / survey.name)
        annotated(pages(), survey, base, project, answered(survey))
        came_back(client, survey, project, tmp_path, answered(survey))


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


def annotated(
    page: Page, survey: SheetsToSend, base: str, project: int, answers: tuple[Answer, ...]
) -> None:
    """Answer all items by a phone."""
    page.goto(f"{base}/user/login")
    page.fill("input[name=email]", USER)
    page.fill("input[name=password]", PASSWORD)
    page.locator("button[type=submit]").click()
    page.wait_for_url(lambda url: "login" not in url)
    page.goto(f"{base}/projects/{project}/data?labeling=1")
    instructions = page.locator(".lsf-modal-ls__content")
    instructions.locator("img").first.wait_for()
    # The interface brings the instructions' width.
    page.locator(".shown img").wait_for()
    shown = pictures_shown(page, ".lsf-modal-ls__content img")
    assert len(shown) == len(survey.taxonomy.examples)
    page.keyboard.press("Escape")
    instructions.wait_for(state="detached")
    texts = SheetTexts(survey, survey.sheets[0])
    for entry, answer in zip(survey.sheets[0].entries, answers, strict=True):
        printed = isinstance(entry, PersonEntry) or is_read(entry)
        # A caption is read out, not printed; a sentence is printed.
        if printed:
            page.locator(".to-read", has_text=texts.text(entry)).wait_for()
        else:
            page.get_by_alt_text(texts.text(entry), exact=True).wait_for()
        assert len(pictures_shown(page, ".shown img")) == (not printed)
        for question in texts.questions(entry):
            given = answer.get(question.id)
            if is_read(entry):
                # It is not asked about a picture that is not there.
                assert page.get_by_role("heading", name=question.text).count() == 0
                page.locator(f'.lsf-choice input[name="{question.answers[given[0]]}"]').check()
            elif given:
                fill(page, question, given)
            elif question.required:
                assert not page.get_by_text(question.text, exact=True).is_visible()
        with page.expect_response(lambda response: "/annotations" in response.url):
            page.get_by_test_id("bottombar-submit-button").click()


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


def came_back(
    client: httpx.Client,
    survey: SheetsToSend,
    project: int,
    folder: Path,
    expected: tuple[Answer, ...],
) -> None:
    """Whether both kinds of exports hold all answers, as one submission."""
    ids = set()
    for kind in ("JSON", "JSON_MIN"):
        answer = client.get(f"/api/projects/{project}/export?exportType={kind}")
        assert answer.status_code == 200
        path = folder / f"{kind}.json"
        path.write_bytes(answer.content)
        assert LabelStudio().recognises(path)
        matches = import_file(LabelStudio(), path, survey)
        assert matches.rejected == ()
        (submission,) = matches.submissions
        assert submission.answers == expected
        assert submission.status == "complete"
        assert submission.started is not None
        assert submission.submitted is not None
        assert submission.started < submission.submitted
        ids.add(submission.id)
    # Both exports name the annotator in the same way, so they are one submission.
    assert len(ids) == 1
