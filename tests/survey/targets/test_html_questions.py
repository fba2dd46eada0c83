"""Questions of every kind in a page, answered by mouse, touch and keys, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from memeloc.survey.model import MemeEntry, PersonEntry, Submission
from memeloc.survey.targets.html.target import Html
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import Question
from tests.survey.annotators import labelled
from tests.survey.packs import pack
from tests.survey.sheet_pages import (
    PHONE,
    begin,
    new_context,
    open_in,
    saved_file,
    see,
    unmeasured,
    written,
)

QUESTIONS = (
    Question("whom", "choices", ("one", "many"), when={"label": ("hate",)}),
    Question("why-many", "text", when={"whom": ("many",)}, required=False),
    Question("harm", "scale", scale=(1, 5)),
    Question("where", "span", when={"label": ("hate",)}),
    Question("text", "text", required=False, item_text="answer"),
    Question("age", "choice", ("young", "old"), about="person"),
)
TEXTS = {
    "whom": "Whom does it attack?",
    "why-many": "Why many?",
    "harm": "How harmful is it, from 1 (not at all) to 5 (very)?",
    "where": "Which passage attacks?",
    "text": "What does the picture say?",
    "age": "How old are you?",
}
NAMES = {"whom.answer.one": "One", "whom.answer.many": "Many", "age.answer.young": "Under 40"}
NAMES |= {"age.answer.old": "40 or more"}
CAPTION = "Zwei \U0001f95a Eier // ein Absturz!"


def asking(folder: Path, questions: tuple[Question, ...] = QUESTIONS) -> SheetsToSend:
    """A sheet of one meme and the person, asked questions of all kinds."""
    survey = pack(folder, "en", "US")
    (sheet,) = survey.sheets
    meme = next(entry for entry in sheet.entries if isinstance(entry, MemeEntry))
    meme = replace(meme, caption=CAPTION, texts={"text": "zwei eier"})
    before = "taxonomy.multi3hate.questions"
    own = {f"{before}.{key}.text": text for key, text in TEXTS.items()}
    own |= {f"{before}.{key}": text for key, text in NAMES.items()}
    locale = sheet.culture.locale
    return replace(
        survey,
        sheets=(replace(sheet, entries=(meme, PersonEntry())),),
        taxonomy=replace(survey.taxonomy, questions=questions),
        texts={locale.tag: survey_texts(locale, own)},
    )


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    return asking(tmp_path_factory.mktemp("pictures"))


def first_entry(
    browser: Browser, folder: Path, survey: SheetsToSend, size: Mapping[str, int] = PHONE
) -> Page:
    page = open_in(new_context(browser, size), written(folder, survey))
    begin(page)
    see(page)
    return page


def box(page: Page, question: str) -> Any:
    return page.locator(f"fieldset[data-question={question}]")


def end(page: Page, survey: SheetsToSend) -> Submission:
    """The person's page, the comments, and what the saved file holds."""
    page.check("input[name=age][value=old]")
    page.click("#next")
    page.click("#next")
    result = import_file(Html(), saved_file(page), survey)
    assert page.failures == []  # type: ignore[attr-defined]
    page.context.close()
    assert result.rejected == ()
    (submission,) = result.submissions
    return submission


def test_every_kind_of_answer_is_read_back(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    page = first_entry(browser, tmp_path, survey)
    page.check("input[name=label][value=hate]")
    page.check("input[name=whom][value=one]")
    page.check("input[name=whom][value=many]")
    page.fill("textarea[name=why-many]", "  so many  ")
    page.check("input[name=harm][value='4']")
    page.locator(".word", has_text="Eier").tap()
    page.locator(".word", has_text="Absturz").tap()
    page.fill("textarea[name=text]", "Zwei Eier")
    page.click("#next")
    submission = end(page, survey)
    assert unmeasured(submission) == (
        labelled(
            "m1",
            "hate",
            whom=("one", "many"),
            why_many=("so many",),
            harm=("4",),
            where=("7-26",),
            text=("Zwei Eier",),
        ),
        labelled("person", age=("old",)),
    )
    assert CAPTION[7:26] == "Eier // ein Absturz"


def test_what_is_no_longer_asked_is_not_sent(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    page = first_entry(browser, tmp_path, survey)
    assert box(page, "whom").is_hidden()
    page.check("input[name=label][value=hate]")
    page.check("input[name=whom][value=many]")
    assert box(page, "why-many").is_visible()
    page.check("input[name=label][value=no-hate]")
    assert box(page, "whom").is_hidden()
    assert box(page, "why-many").is_hidden()
    page.click("#next")
    assert page.inner_text(".problem") == "Please choose an answer."
    assert "missing" in (box(page, "harm").get_attribute("class") or "")
    assert page.evaluate("document.activeElement.name") == "harm"
    page.check("input[name=harm][value='1']")
    page.click("#next")
    answer = end(page, survey).answers[0]
    assert answer.values == {"label": ("no-hate",), "harm": ("1",), "text": ("zwei eier",)}


def test_a_passage_is_chosen_by_dragging(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    page = first_entry(browser, tmp_path, survey, {"width": 1280, "height": 900})
    page.check("input[name=label][value=hate]")
    first, last = (page.locator(".word", has_text=text) for text in ("Zwei", "Eier"))
    last.scroll_into_view_if_needed()
    first.hover()
    page.mouse.down()
    last.hover()
    page.mouse.up()
    assert page.inner_text("output") == "Your passage: Zwei \U0001f95a Eier"
    page.context.close()


@pytest.mark.slow
def test_answers_are_there_after_going_back(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    page = first_entry(browser, tmp_path, survey)
    page.check("input[name=label][value=hate]")
    page.check("input[name=whom][value=one]")
    page.locator(".word", has_text="Zwei").click()
    page.check("input[name=harm][value='3']")
    page.click("#next")
    page.click("#back")
    assert page.locator("input[name=whom]:checked").get_attribute("value") == "one"
    assert page.inner_text("output") == "Your passage: Zwei"
    assert page.input_value("textarea[name=text]") == "zwei eier"
    page.context.close()


def test_nobody_goes_on_before_all_answers_were_on_the_screen(
    browser: Browser, tmp_path: Path
) -> None:
    many = tuple(f"kind-{number}" for number in range(1, 13))
    survey = asking(tmp_path, (Question("whom", "choice", many),))
    (texts,) = survey.texts.values()
    names = {f"taxonomy.multi3hate.questions.whom.answer.{each}": each for each in many}
    names |= {"taxonomy.multi3hate.questions.whom.text": "Which?"}
    survey = replace(survey, texts={texts.locale.tag: survey_texts(texts.locale, names)})
    page = first_entry(browser, tmp_path, survey)
    page.keyboard.press("2")
    page.keyboard.press("Enter")  # to the next question, whose last answers are below
    for key in ("c", "b"):  # beyond nine answers there are 0 and letters
        page.keyboard.press(key)
    assert page.locator("input[name=whom]:checked").get_attribute("value") == "kind-12"
    page.evaluate("scrollTo(0, 0)")
    page.click("#next")
    assert page.inner_text(".problem") == survey.texts["en"].get("page.below")
    for _ in many:
        if page.locator("h1", has_text=survey.texts["en"].get("person.heading")).count():
            break
        page.wait_for_timeout(50)
        page.click("#next")
    assert page.inner_text("h1") == survey.texts["en"].get("person.heading")
    page.context.close()
