"""Sheets as web pages, filled in by a real Chromium: offline, reloaded, sent twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from memeloc.errors import InputError
from memeloc.survey.model import Answer
from memeloc.survey.targets.html.target import Html
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.resolver import import_file
from tests.local_server import Reply, Request, serve
from tests.survey.packs import pack

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
FORGET = """() => {
  const key = Object.keys(localStorage)[0];
  localStorage.setItem(key, localStorage.getItem(key).replace('"sent":true', '"sent":false'));
}"""
"""What a browser that was closed before the server's answer came would do: send again."""
CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield chromium
        chromium.close()


class Collector:
    """What was sent to a server; while `refuse` is set, it takes nothing."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[str] = []
        self.refuse = False

    def reply(self, request: Request) -> Reply:
        if not self.refuse:
            self.bodies.append(request.body.decode())
        status = 503 if self.refuse else 204
        return Reply(status=status, headers={"Access-Control-Allow-Origin": "*"})


@pytest.fixture
def collector() -> Iterator[Collector]:
    result = Collector()
    with serve(result.reply) as address:
        result.url = f"{address}/answers"
        yield result


def written(folder: Path, survey: SurveyPack, send_to: str = "") -> Path:
    (path,) = Html(send_to).export(survey, folder / "sheets")
    return path


def opened(browser: Browser, path: Path, size: dict[str, int] = DESK, query: str = "") -> Page:
    context = browser.new_context(viewport=size, has_touch=size is PHONE, accept_downloads=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.failures = failures  # type: ignore[attr-defined]
    page.goto(path.as_uri() + query)
    return page


def begin(page: Page, participant: str = "5f0c0ffee") -> None:
    """From the introduction to the first entry."""
    page.click("#next")
    page.check("input[name=consent][value=yes]")
    if not page.input_value("#participant"):
        page.fill("#participant", participant)
    page.click("#next")


def fill(page: Page, survey: SurveyPack, first: int = 0, after: int | None = None) -> None:
    for entry in survey.sheets[0].entries[first:after]:
        name = getattr(entry, "meme_id", None) or entry.id  # type: ignore[union-attr]
        page.check(f"input[name=label][value={CHOSEN[name]}]")
        page.click("#next")


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize(("tag", "country"), [("ar", "EG"), ("hi", "IN"), ("de", "DE")])
def test_a_sheet_filled_offline_and_sent_twice_counts_once(
    browser: Browser, collector: Collector, tmp_path: Path, tag: str, country: str, size: Any
) -> None:
    survey = pack(tmp_path, tag, country)
    page = opened(browser, written(tmp_path, survey, collector.url), size)
    direction = "rtl" if tag == "ar" else "ltr"
    assert page.evaluate("getComputedStyle(document.body).direction") == direction
    begin(page)
    fill(page, survey, 0, 2)
    page.context.set_offline(True)
    page.reload()
    if not page.locator("progress").count():
        page.reload()  # Chromium may show a file an empty store for one load, when it goes offline
    assert page.locator("progress").get_attribute("value") == "2"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    fill(page, survey, 2)
    page.fill("#comments", "<i>fine</i>")
    page.click("#next")
    assert page.locator("#save").is_visible()
    assert collector.bodies == []
    page.context.set_offline(False)
    page.wait_for_selector(".code")
    assert page.inner_text(".code") == "DONE-7"
    page.evaluate(FORGET)
    page.reload()
    page.wait_for_selector(".code")
    assert len(collector.bodies) == 2
    assert page.failures == []  # type: ignore[attr-defined]
    page.context.close()

    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(collector.bodies), encoding="utf-8")
    assert Html().recognises(file)
    result = import_file(Html(), file, survey)
    assert [(row.reason, row.content["text"]) for row in result.rejected] == [
        ("comment", "<i>fine</i>")
    ] * 2
    (one,) = result.submissions
    assert one.answers == tuple(Answer(entry, label) for entry, label in CHOSEN.items())
    assert (one.participant, one.status, one.code) == ("5f0c0ffee", "complete", "DONE-7")
    assert one.started is not None
    assert one.submitted is not None
    assert one.started < one.submitted


def test_answers_that_come_to_light_late_are_gone_on_with(browser: Browser, tmp_path: Path) -> None:
    survey = pack(tmp_path)
    path = written(tmp_path, survey)
    page = opened(browser, path)
    assert page.evaluate("localStorage.length") == 0
    late = page.context.new_page()
    late.goto(path.as_uri())
    begin(page)
    fill(page, survey, 0, 2)
    kept = page.evaluate("localStorage.getItem(localStorage.key(0))")
    late.click("#next")
    assert late.locator("progress").get_attribute("value") == "2"
    assert late.evaluate("localStorage.getItem(localStorage.key(0))") == kept
    page.context.close()


def test_keys_alone_are_enough(browser: Browser, tmp_path: Path) -> None:
    survey = pack(tmp_path)
    page = opened(browser, written(tmp_path, survey), query="?PROLIFIC_PID=abc123")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    for key in "2312":
        page.keyboard.press(key)
        page.keyboard.press("Enter")
    page.click("#next")
    with page.expect_download() as download:
        page.click("#save")
    saved = json.loads(Path(download.value.path()).read_text("utf-8"))
    labels = [answer["label"] for answer in saved["answers"]]
    assert labels == ["no-hate", "unknown", "hate", "no-hate"]
    assert saved["participant"] == "abc123"
    page.context.close()


def test_who_does_not_agree_is_asked_nothing_and_nothing_is_sent(
    browser: Browser, collector: Collector, tmp_path: Path
) -> None:
    page = opened(browser, written(tmp_path, pack(tmp_path), collector.url))
    page.click("#next")
    page.check("input[name=consent][value=no]")
    page.click("#next")
    assert "NO-7" in page.inner_text("main")
    page.wait_for_timeout(300)
    assert collector.bodies == []
    page.context.close()


def test_who_stops_sends_what_is_answered_and_gets_no_code(
    browser: Browser, collector: Collector, tmp_path: Path
) -> None:
    survey = pack(tmp_path)
    page = opened(browser, written(tmp_path, survey, collector.url))
    begin(page)
    fill(page, survey, 0, 1)
    page.click("button.quiet")
    page.locator("#state", has_text="arrived").wait_for(state="attached")
    (body,) = collector.bodies
    sent = json.loads(body)
    assert (sent["status"], [answer["entry"] for answer in sent["answers"]]) == ("returned", ["m1"])
    assert page.locator(".code").count() == 0
    page.context.close()


def test_no_question_is_left_out(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, written(tmp_path, pack(tmp_path)))
    page.click("#next")
    page.click("#next")
    assert page.inner_text(".problem") == "Please choose an answer."
    page.check("input[name=consent][value=yes]")
    page.click("#next")
    assert page.locator("#participant").is_visible()
    page.fill("#participant", "x")
    page.click("#next")
    page.click("#next")
    assert page.inner_text(".problem") == "Please choose an answer."
    page.context.close()


def test_problems_are_in_sight_and_the_end_has_no_buttons(browser: Browser, tmp_path: Path) -> None:
    survey = pack(tmp_path)
    page = opened(browser, written(tmp_path, survey), {"width": 390, "height": 500})
    begin(page)
    page.click("#next")
    box = page.locator(".problem").bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= box["y"] + box["height"] <= 500
    fill(page, survey)
    assert page.locator(".problem").is_hidden()
    page.click("#next")
    assert page.locator("#save").is_visible()
    assert page.locator("nav").is_hidden()
    page.context.close()


def test_names_of_labels_begin_where_the_page_does(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, written(tmp_path, pack(tmp_path, "ar", "EG")))
    sides = page.eval_on_selector_all(
        "dt", "all => all.map((one) => getComputedStyle(one).direction)"
    )
    assert set(sides) == {"rtl"}
    page.context.close()


def test_numbers_have_the_digits_of_the_language(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, written(tmp_path, pack(tmp_path, "bn", "BD")))
    assert "৩টি" in page.inner_text("main")
    begin(page)
    assert page.inner_text(".number") == "৪টির মধ্যে ১ নম্বর"
    page.context.close()


def test_digit_keys_choose_whatever_they_write(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, written(tmp_path, pack(tmp_path)))
    begin(page)
    page.evaluate(
        "document.body.dispatchEvent("
        "new KeyboardEvent('keydown', {key: '২', code: 'Digit2', bubbles: true}))"
    )
    assert page.locator("input[name=label]").nth(1).is_checked()
    page.context.close()


def test_text_is_text_and_the_page_asks_no_network(browser: Browser, tmp_path: Path) -> None:
    survey = pack(tmp_path)
    path = written(tmp_path, survey)
    context = browser.new_context()
    asked: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    begin(page)
    fill(page, survey, 0, 3)
    assert page.locator("img").get_attribute("alt") == "Meme 4: Monday again // <b>&amp;</b>"
    assert page.locator("main b").count() == 0
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()


def test_the_same_survey_is_the_same_bytes(tmp_path: Path) -> None:
    survey = pack(tmp_path)
    first = written(tmp_path / "one", survey).read_bytes()
    assert written(tmp_path / "two", survey).read_bytes() == first


@pytest.mark.parametrize(
    "address", ["http://survey.example/x", "ftp://x", "javascript:alert(1)", "https://"]
)
def test_answers_go_to_safe_addresses_only(address: str) -> None:
    with pytest.raises(InputError):
        Html(address)
