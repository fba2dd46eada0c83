"""Sheets as web pages in a browser: filled in, questions about people, sent to a receiver."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from memeloc.errors import InputError
from memeloc.survey.targets.html.target import Html
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file
from tests.each import each
from tests.local_server import serve
from tests.survey.annotators import labelled
from tests.survey.packs import pack
from tests.survey.sheet_pages import (
    CHOSEN,
    DESK,
    PHONE,
    Receiver,
    answered_in,
    begin,
    code,
    fill,
    finish,
    kept_in,
    new_context,
    open_in,
    opened,
    saved_file,
    see,
    unmeasured,
    wait_until,
    written,
)


def imported(folder: Path, receiver: Receiver, survey: SheetsToSend) -> Imported:
    """What a receiver took, read from the file that it keeps it in."""
    file = folder / "answers.jsonl"
    file.write_text("\n".join(receiver.bodies), encoding="utf-8")
    assert Html().recognises(file)
    return import_file(Html(), file, survey)


@pytest.mark.parametrize(
    ("tag", "country", "size"),
    [
        pytest.param("ar", "EG", PHONE, id="ar-phone"),
        pytest.param("hi", "IN", PHONE, id="hi-phone", marks=pytest.mark.slow),
        pytest.param("de", "DE", DESK, id="de-desk", marks=pytest.mark.slow),
    ],
)
def test_a_sheet_filled_offline_is_sent_when_back(
    browser: Browser, tmp_path: Path, tag: str, country: str, size: Any
) -> None:
    survey, receiver = pack(tmp_path, tag, country), Receiver()
    with serve(receiver.reply) as address:
        page = opened(browser, written(tmp_path, survey, address), size)
        direction = "rtl" if tag == "ar" else "ltr"
        assert page.evaluate("getComputedStyle(document.body).direction") == direction
        begin(page)
        fill(page, survey, 0, 2)
        page.context.set_offline(True)
        page.reload()
        if not page.locator("progress").count():
            page.reload()  # Chromium may show a file an empty store once when it goes offline
        assert page.locator("progress").get_attribute("value") == "2"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        fill(page, survey, 2)
        page.fill("#comments", "<i>fine</i>")
        page.click("#next")
        page.locator("#save").wait_for()
        assert (code(page), receiver.bodies) == ("", [])
        page.context.set_offline(False)
        page.wait_for_selector(".code")
        assert code(page) == "DONE-7"
        assert page.failures == []  # type: ignore[attr-defined]
        page.context.close()
    result = imported(tmp_path, receiver, survey)
    assert [(row.reason, row.content["text"]) for row in result.rejected] == [
        ("comment", "<i>fine</i>")
    ]
    (submission,) = result.submissions
    chosen = tuple(labelled(entry, label) for entry, label in CHOSEN.items())
    assert unmeasured(submission) == chosen
    assert (submission.participant, submission.status) == ("5f0c0ffee", "complete")
    assert submission.code == "DONE-7"
    assert submission.started is not None
    assert submission.submitted is not None
    assert submission.started < submission.submitted


def test_keys_alone_are_enough(browser: Browser, tmp_path: Path, survey: SheetsToSend) -> None:
    page = opened(browser, written(tmp_path, survey), query="?PROLIFIC_PID=abc123")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.locator("progress").wait_for()
    for key in "2312":
        see(page)
        page.keyboard.press(key)
        page.keyboard.press("Enter")
    page.click("#next")
    saved = json.loads(saved_file(page).read_text("utf-8"))
    labels = [answer["label"] for answer in saved["answers"]]
    assert labels == ["no-hate", "unknown", "hate", "no-hate"]
    assert saved["participant"] == "abc123"
    page.context.close()


def test_no_question_is_left_out(browser: Browser, tmp_path: Path, survey: SheetsToSend) -> None:
    page = opened(browser, written(tmp_path, survey))
    page.click("#next")
    page.click("#next")
    assert page.inner_text(".problem") == "Please choose an answer."
    page.check("input[name=consent][value=yes]")
    page.click("#next")
    assert page.locator("#participant").is_visible()
    page.fill("#participant", "x")
    page.click("#next")
    see(page)
    page.click("#next")
    assert page.inner_text(".problem") == "Please choose an answer."
    page.context.close()


def test_text_is_text_and_the_page_asks_no_network(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
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


@pytest.mark.slow
def test_a_file_says_what_was_agreed_to_or_nothing_of_it_is_taken(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    turned = replace(survey, order="turned")
    orders = set()
    while len(orders) < 2:  # each person has one chance in two
        page = opened(browser, written(tmp_path, turned))
        begin(page)
        values = page.locator("input").evaluate_all("all => all.map(({ value }) => value)")
        orders.add(tuple(values))
        fill(page, survey)
        page.click("#next")
        file = saved_file(page).rename(tmp_path / "answers.json")
        page.context.close()
        (sent,) = import_file(Html(), file, turned).submissions
        assert tuple(sent.presented["order"]["label"]) == tuple(values)
        assert sent.presented["consent"]["language"] == "en"
    assert len({tuple(sorted(each)) for each in orders}) == 1
    content = json.loads(file.read_text("utf-8"))
    del content["presented"]
    file = tmp_path / "without.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    refused = import_file(Html(), file, turned)
    assert ([row.reason for row in refused.rejected], refused.submissions) == (["no consent"], ())


def progress(page: Page) -> str | None:
    return page.locator("progress").get_attribute("value")


def test_an_address_with_another_participant_is_another_person(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    path, context = written(tmp_path, survey), new_context(browser)
    page = open_in(context, path, "?PROLIFIC_PID=ada")
    begin(page)
    fill(page, survey, 0, 2)
    page.goto(f"{path.as_uri()}?PROLIFIC_PID=ben")
    assert page.locator("h1").inner_text() == "What do these memes say?"
    page.goto(f"{path.as_uri()}?PROLIFIC_PID=ada")
    assert progress(page) == "2"
    context.close()


@pytest.mark.slow
def test_what_the_first_could_not_send_is_sent_later(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    receiver, context = Receiver(), new_context(browser)
    with serve(receiver.reply) as address:
        path = written(tmp_path, survey, address)
        page = open_in(context, path)
        receiver.status = 503
        begin(page, "ada")
        finish(page, survey)
        page.locator("#save").wait_for()
        page.close()
        receiver.status = 200
        other = open_in(context, path)
        begin(other, "ben")
        finish(other, survey)
        other.wait_for_selector(".code")
        wait_until(other, lambda kept: ("ada", "sent", "") in kept)
        context.close()
    assert {sent["participant"] for sent in receiver.submissions} == {"ada", "ben"}


def test_who_declines_after_all_leaves_nothing_behind(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    path, context = written(tmp_path, survey), new_context(browser)
    page = open_in(context, path)
    begin(page, "ada")
    fill(page, survey, 0, 2)
    again = open_in(context, path)
    again.click("#next")
    again.check("input[name=consent][value=no]")
    again.fill("#participant", "ada")
    again.click("#next")
    assert kept_in(again) == {}
    context.close()


def test_two_windows_of_one_person_lose_no_answer(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    path, context = written(tmp_path, survey), new_context(browser)
    pages = [open_in(context, path, "?PROLIFIC_PID=ada") for _ in range(2)]
    pages[0].bring_to_front()
    begin(pages[0])
    fill(pages[0], survey, 0, 2)
    pages[1].bring_to_front()
    wait_until(pages[1], lambda _: answered_in(pages[1]) == 2)
    begin(pages[1])
    assert progress(pages[1]) == "2"
    fill(pages[1], survey, 2, 3)
    pages[0].bring_to_front()
    pages[0].check("input[name=label][value=unknown]")
    pages[0].reload()
    assert answered_in(pages[0]) == 3
    context.close()


def two_windows(context: BrowserContext, path: Path) -> tuple[Page, Page]:
    """One person's windows, both at the first item."""
    pages = [open_in(context, path, "?PROLIFIC_PID=ada") for _ in range(2)]
    for page in pages:
        page.bring_to_front()
        begin(page)
        wait_until(page, lambda kept: ("ada", "submission", "") in kept)
    return pages[0], pages[1]


@pytest.mark.slow
def test_a_window_sends_all_that_another_finished_without_network(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    receiver, context = Receiver(), new_context(browser)
    with serve(receiver.reply) as address:
        first, second = two_windows(context, written(tmp_path, survey, address))
        context.set_offline(True)
        first.bring_to_front()
        fill(first, survey)
        first.fill("#comments", "a comment")
        first.click("#next")
        wait_until(first, lambda kept: kept.get(("ada", "status", "")) == "complete")
        first.close()
        second.bring_to_front()
        context.set_offline(False)
        second.wait_for_selector(".code")
        context.close()
    # Where the network comes back amid an attempt, the page cannot see that it arrived and sends it
    # once more; importing takes one submission once.
    assert len({each["submission"] for each in receiver.submissions}) == 1
    sent = receiver.submissions[-1]
    assert (sent["status"], sent["comments"]) == ("complete", "a comment")
    assert [answer["label"] for answer in sent["answers"]] == list(CHOSEN.values())


CONTACT = "lab@university.example"


def state(page: Page) -> str:
    """What the end says of the answers, once it is known."""
    page.locator("#sending").wait_for(state="hidden")
    return page.inner_text("#state")


def test_answers_that_arrive_bring_the_code_at_once(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    receiver = Receiver()
    with serve(receiver.reply) as address:
        page = opened(browser, written(tmp_path, survey, f"{address}/answers"))
        begin(page)
        finish(page, survey)
        page.wait_for_selector(".code")
        assert (code(page), state(page)) == ("DONE-7", "Your answers have arrived.")
        assert page.locator("#save").is_hidden()
        page.context.close()
    assert [sent["code"] for sent in receiver.submissions] == ["DONE-7"]


def test_who_says_the_file_is_saved_gets_the_code(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    receiver = Receiver(headers={})
    with serve(receiver.reply) as address:
        page = opened(browser, written(tmp_path, survey, address))
        begin(page)
        finish(page, survey)
        assert "cannot see whether they arrived" in state(page)
        assert CONTACT in page.inner_text("#where")
        assert page.locator("#saved").is_hidden()
        result = import_file(Html(), saved_file(page), survey)
        assert code(page) == ""
        page.click("#saved")
        assert code(page) == "DONE-7"
        page.context.close()
    assert len(result.submissions) == 1
    assert {sent["participant"] for sent in receiver.submissions} == {"5f0c0ffee"}


def test_a_refusal_brings_no_code_and_is_tried_again(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    receiver = Receiver()
    receiver.status = 500
    with serve(receiver.reply) as address:
        page = opened(browser, written(tmp_path, survey, address), query="?PROLIFIC_PID=abc")
        begin(page)
        finish(page, survey)
        state(page)
        assert code(page) == ""
        receiver.status = 200
        page.reload()
        page.wait_for_selector(".code")
        page.context.close()
    assert len(receiver.bodies) == 1


@pytest.mark.slow
def test_who_stops_sends_what_is_answered_without_a_code(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    receiver = Receiver()
    with serve(receiver.reply) as address:
        page = opened(browser, written(tmp_path, survey, address))
        begin(page)
        fill(page, survey, 0, 1)
        page.click("#stop")
        page.locator("#state", has_text="arrived").wait_for()
        assert code(page) == ""
        page.context.close()
    (sent,) = receiver.submissions
    assert (sent["status"], sent["code"]) == ("returned", "")
    assert [answer["label"] for answer in sent["answers"]] == ["no-hate"]


def test_who_does_not_agree_leaves_nothing(
    browser: Browser, tmp_path: Path, survey: SheetsToSend
) -> None:
    receiver = Receiver()
    with serve(receiver.reply) as address:
        path = written(tmp_path, survey, address)
        page = opened(browser, path, query="?PROLIFIC_PID=abc")
        page.click("#next")
        page.check("input[name=consent][value=no]")
        page.click("#next")
        assert code(page) == "NO-7"
        assert kept_in(page) == {}
        again = open_in(page.context, path)
        again.click("#next")
        page.context.close()
    assert receiver.bodies == []


def test_codes_and_checks_are_not_read_at_a_glance(tmp_path: Path, survey: SheetsToSend) -> None:
    text = written(tmp_path, survey, "https://survey.example/answers").read_text("utf-8")
    assert [word for word in ("DONE-7", "NO-7", "check-1", "implicit") if word in text] == []


@each("address", ["http://survey.example/x", "ftp://x", "javascript:alert(1)", "https://"])
def test_answers_go_to_safe_addresses_only(address: str) -> None:
    with pytest.raises(InputError):
        Html(address)
