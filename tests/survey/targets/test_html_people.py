"""Two people at one browser, and one who comes twice, by a real Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from memeloc.survey.targets.protocol import SheetsToSend
from tests.local_server import serve
from tests.survey.sheet_pages import (
    CHOSEN,
    Receiver,
    answered_in,
    begin,
    fill,
    finish,
    kept_in,
    new_context,
    open_in,
    wait_until,
    written,
)


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
