"""Sheets as web pages, filled in by a real Chromium: by keys, by touch, offline, reloaded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from memeloc.survey.targets.html.target import Html
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file
from tests.local_server import serve
from tests.survey.annotators import labelled
from tests.survey.packs import pack
from tests.survey.sheet_pages import (
    CHOSEN,
    DESK,
    PHONE,
    Receiver,
    begin,
    code,
    fill,
    opened,
    saved_file,
    see,
    unmeasured,
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
