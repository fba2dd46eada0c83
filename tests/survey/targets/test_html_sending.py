"""Where a page's answers go, by a real Chromium and receivers of another origin."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from memeloc.errors import InputError
from memeloc.survey.targets.html.target import Html
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.resolver import import_file
from tests.each import each
from tests.local_server import serve
from tests.survey.sheet_pages import (
    Receiver,
    begin,
    code,
    fill,
    finish,
    kept_in,
    open_in,
    opened,
    saved_file,
    written,
)

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
