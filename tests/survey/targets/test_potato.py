"""Sheets in Potato: the real program shows every item, and what it keeps comes back."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from memeloc.locales import default
from memeloc.survey.model import Answer, PersonEntry, entry_id
from memeloc.survey.targets.instructions import SheetTexts, ShownQuestion, is_read
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.potato.reading import CONSENT
from memeloc.survey.targets.potato.target import Potato
from memeloc.survey.targets.protocol import ALL_KINDS, SurveyPack
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
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

CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
ANSWERS = tuple(
    Answer(entry, label, (("whom", ("one", "many")),) if label == "hate" else ())
    for entry, label in CHOSEN.items()
)
BEFORE = "taxonomy.multi3hate.questions.whom"
SECOND = {
    f"{BEFORE}.text": "Whom is it about, {{ 7 * 7 }}?",
    f"{BEFORE}.answer.one": "One person",
    f"{BEFORE}.answer.many": "Many, or a group",
}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SurveyPack:
    """A survey in Arabic, with a further question after the label `hate`."""
    made = pack(tmp_path_factory.mktemp("pictures"), "ar", "EG")
    asked = Question("whom", "choices", ("one", "many"), when={"label": ("hate",)})
    texts = survey_texts(default().get("ar"), SECOND)
    return replace(made, taxonomy=replace(made.taxonomy, questions=(asked,)), texts={"ar": texts})


def exported(survey: SurveyPack, folder: Path) -> Path:
    (path,) = Potato().export(survey, folder)
    assert path.name == "config.yaml"
    return path.parent


def key(survey: SurveyPack, entry: str) -> str:
    return item_key(survey.name, survey.sheets[0].id, entry)


def state(survey: SurveyPack, who: str, answers: dict[str, list[str]], **more: Any) -> Any:
    values = {
        key(survey, entry): [
            [{"schema": "q-label" if place == 0 else "q-whom", "name": name}, name]
            for place, name in enumerate(names)
        ]
        for entry, names in answers.items()
    }
    return {"user_id": who, "instance_id_to_label_to_value": values, **more}


@pytest.mark.slow
def test_the_program_shows_every_item_and_its_states_are_read(
    survey: SurveyPack, tmp_path: Path
) -> None:
    survey = hostile(survey)
    own = exported(survey, tmp_path)
    before = {file: file.read_bytes() for file in own.rglob("*") if file.is_file()}
    program, port = installed("potato-annotation", "potato"), free_port()
    base = f"http://127.0.0.1:{port}"
    command = [str(program), "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
    with started(command, own, f"{base}/health", {}), phone() as pages:
        for who in ("asha", "jonas"):
            whole = who == "asha"
            answers = ANSWERS if whole else ANSWERS[:2]
            annotated(pages(), survey, f"{base}/?PROLIFIC_PID={who}", answers, whole=whole)
        declined(pages(), survey, f"{base}/?PROLIFIC_PID=zoe")
    assert {file: file.read_bytes() for file in before} == before

    output = own / "annotation_output"
    assert Potato().recognises(output)
    result = import_file(Potato(), output, survey)
    assert result.rejected == ()
    first, second, third = result.submissions
    assert (first.participant, first.status) == ("asha", "complete")
    assert first.answers == ANSWERS
    assert first.started is not None
    assert first.submitted is not None
    assert first.started < first.submitted
    assert (second.participant, second.status, second.code) == ("jonas", "returned", "")
    assert second.answers == ANSWERS[:2]
    assert (third.participant, third.status, third.answers) == ("zoe", "no consent", ())
    shutil.rmtree(output)


@pytest.mark.slow
def test_the_program_asks_every_kind_of_question(tmp_path: Path) -> None:
    survey = every_kind(pack(tmp_path / "pictures"), ALL_KINDS)
    own = exported(survey, tmp_path / "out")
    program, port = installed("potato-annotation", "potato"), free_port()
    base = f"http://127.0.0.1:{port}"
    command = [str(program), "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
    with started(command, own, f"{base}/health", {}), phone() as pages:
        annotated(pages(), survey, f"{base}/?PROLIFIC_PID=asha", answered(survey), whole=True)
    result = import_file(Potato(), own / "annotation_output", survey)
    assert result.rejected == ()
    (submission,) = result.submissions
    assert submission.answers == answered(survey)
    assert submission.status == "complete"


def begun(page: Page, survey: SurveyPack, address: str, agree: str) -> None:
    """From the address that a recruitment service sends people to, past the consent."""
    locale = survey.sheets[0].culture.locale
    texts = survey.texts[locale.tag]
    page.goto(address)
    assert page.evaluate("document.documentElement.dir") == locale.direction
    page.get_by_text(texts.get("definition.heading")).first.wait_for()
    assert len(pictures_shown(page)) == len(survey.taxonomy.examples)
    page.locator("#next-btn").click()
    page.get_by_text(survey.contact).wait_for()
    choose(page, CONSENT, agree)
    page.locator("#next-btn").click()


def choose(page: Page, scheme: str, answer: str) -> None:
    """Tick an answer, and wait until the program has stored it."""
    place = page.locator(f'form[data-schema-name="{scheme}"] input[value="{answer}"]')
    with page.expect_response(lambda response: "/updateinstance" in response.url):
        place.check()


def annotated(
    page: Page, survey: SurveyPack, address: str, answers: tuple[Answer, ...], *, whole: bool
) -> None:
    """Answer entries one after the other; those who answer all of them see the code."""
    begun(page, survey, address, "yes")
    sheet = survey.sheets[0]
    texts = SheetTexts(survey, sheet)
    for entry, answer in zip(sheet.entries, answers, strict=False):
        if isinstance(entry, PersonEntry):
            page.locator('form[data-schema-name="q-age"] input').first.wait_for()
        else:
            item = key(survey, entry_id(entry))
            page.locator(f'#instance_id[value="{item}"]').wait_for(state="attached")
            page.locator('form[data-schema-name^="q-label"] input').first.wait_for()
            pictures = pictures_shown(page)
            assert [picture["alt"] for picture in pictures] == [texts.text(entry)] * (
                not is_read(entry)
            )
            # Who reads a sentence is not asked about a picture; a caption stands on its picture.
            asked = page.locator('form[data-schema-name="q-label"] legend').is_visible()
            printed = page.locator(".to-read", has_text=texts.text(entry)).count() > 0
            assert (asked, printed) == (not is_read(entry), is_read(entry))
        for question in texts.questions(entry):
            if given := answer.given(question.id):
                fill(page, question, given)
            elif question.required:
                assert not form_of(page, question).is_visible()
        page.locator("#next-btn").click()
    if whole:
        page.get_by_role("link", name="DONE-7").wait_for()
        thanks = survey.texts[sheet.culture.locale.tag].get("sent.thanks")
        assert page.get_by_text(thanks).is_visible()
    assert page.locator("#next-btn").is_visible() is not whole


def form_of(page: Page, question: ShownQuestion) -> Locator:
    """The scheme that asks a question of the item shown."""
    return page.locator(f'form[data-schema-name^="q-{question.id}"]').filter(has_text=question.text)


def fill(page: Page, question: ShownQuestion, values: tuple[str, ...]) -> None:
    """Answer a question as its kind is answered; a draft that is right stays as it is."""
    form = form_of(page, question)
    if question.kind == "text":
        area = form.locator("textarea")
        assert area.input_value() == question.draft
        if values != (question.draft,):
            with page.expect_response(lambda response: "/updateinstance" in response.url):
                area.fill(*values)
    elif question.kind == "span":
        form.locator("input").first.check()
        for value in values:
            drag_over(page, page.locator(".text-content"), value)
    else:
        for value in values:
            with page.expect_response(lambda response: "/updateinstance" in response.url):
                form.locator(f'input[value="{value}"]').check()


def declined(page: Page, survey: SurveyPack, address: str) -> None:
    begun(page, survey, address, "no")
    page.get_by_role("link", name="NO-7").wait_for()
    before = survey.texts["ar"].get("consent.declined", code="\0").partition("\0")[0]
    assert before.strip() in page.inner_text("body")
    assert not page.locator("#next-btn").is_visible()
