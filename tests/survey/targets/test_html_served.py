"""The page as a server of ours shows it: each answer once, kept until it is stored, resumed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from memeloc.survey.model import entry_id
from memeloc.survey.targets.html.target import sheet_page
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SheetsToSend
from tests.local_server import Reply, Request, json_reply, serve
from tests.survey.sheet_pages import CHOSEN, code, fill, kept_in, new_context, see, wait_until


class SheetServer:
    """A server that stores answers by item and number, and gives the code at the end."""

    def __init__(self, survey: SheetsToSend) -> None:
        self.shown = SheetTexts(survey, survey.sheets[0])
        self.answers: dict[tuple[str, int], Any] = {}
        self.finished: list[Any] = []
        self.tokens: set[str] = set()
        self.status = 200
        self.replies: dict[str, Any] = {}
        self.stored: dict[str, Any] = {}
        self.training = 0
        self.consents: list[Any] = []
        self.may_answer = threading.Event()
        self.may_answer.set()

    def reply(self, request: Request) -> Reply:
        if request.method == "GET":
            return Reply(self._page().encode(), headers={"Content-Type": "text/html"})
        if self.status != 200:
            return Reply(status=self.status)
        self.may_answer.wait(30)
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.tokens.add(headers["x-csrf-token"])
        sent = request.json()
        if request.path == "/consent":
            self.consents.append(sent)
            return json_reply({})
        if request.path == "/finish":
            self.finished.append(sent)
            return json_reply({"code": "KEPT-1", "text": "All of it is stored."})
        self.answers[sent["item"], sent["number"]] = sent
        return json_reply(self.replies.get(sent["item"], {}))

    def _page(self) -> str:
        serve = {name: f"/{name}" for name in ("consent", "answer", "finish")}
        serve |= {"csrf": "t0ken", "stored": self.stored, "training": self.training}
        if self.stored:
            serve["presented"] = {"consent": {"at": "2026-01-02T03:04:05Z"}, "order": {}}
        return sheet_page(self.shown, serve=serve)

    def item(self, entry: int) -> str:
        """The key of the sheet's entry at an index."""
        sheet = self.shown.sheet
        return item_key("pilot", sheet.id, entry_id(sheet.entries[entry]))

    def labels(self) -> list[str]:
        """The label of each item that was answered, by the highest number."""
        latest = {item: sent["label"] for (item, _), sent in sorted(self.answers.items())}
        keys = [self.item(entry) for entry in range(len(self.shown.sheet.entries))]
        return [latest[key] for key in keys if key in latest]


@contextmanager
def served(browser: Browser, survey: SheetsToSend) -> Iterator[tuple[SheetServer, Page, str]]:
    """A server, a page that shows its sheet, and its address."""
    server, context = SheetServer(survey), new_context(browser)
    with serve(server.reply) as address:
        page = context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(address)
        page.locator("main > *").wait_for()
        yield server, page, address
        context.close()


def agree(page: Page) -> None:
    """From the introduction to the first entry; a server knows who is there."""
    page.click("#next")
    assert page.locator("#participant").count() == 0
    page.check("input[name=consent][value=yes]")
    page.click("#next")


def test_each_answer_is_stored_and_the_code_comes_last(
    browser: Browser, survey: SheetsToSend
) -> None:
    with served(browser, survey) as (server, page, _):
        agree(page)
        fill(page, survey)
        page.fill("#comments", "fine")
        page.click("#next")
        page.wait_for_selector(".code")
        assert code(page) == "KEPT-1"
        assert page.inner_text("#state") == "All of it is stored."
        assert kept_in(page) == {}
    assert server.labels() == list(CHOSEN.values())
    assert server.finished == [{"status": "complete", "comments": "fine"}]
    assert server.tokens == {"t0ken"}


def test_answers_wait_for_a_server_that_is_away(browser: Browser, survey: SheetsToSend) -> None:
    with served(browser, survey) as (server, page, _):
        agree(page)
        server.status = 503
        page.check("input[name=label][value=no-hate]")
        page.click("#next")
        wait_until(page, lambda kept: "no-hate" in str(kept))
        page.locator("#connection", has_text="no connection").wait_for()
        assert server.answers == {}
        page.reload()
        server.status = 200
        wait_until(page, lambda kept: not any(field == "pending" for _, field, _ in kept))
    assert server.labels() == ["no-hate"]


@pytest.mark.slow
@pytest.mark.parametrize("button", ["#next", "#back"])
def test_answers_that_keys_pass_on_the_way_to_another_are_not_sent(
    browser: Browser, survey: SheetsToSend, button: str
) -> None:
    with served(browser, survey) as (server, page, _):
        agree(page)
        see(page)
        page.locator("input[name=label][value=hate]").focus()
        page.keyboard.press("ArrowDown")
        wait_until(page, lambda kept: "no-hate" in str(kept))
        page.keyboard.press("ArrowDown")
        page.click(button)
        wait_until(page, lambda kept: not any(field == "pending" for _, field, _ in kept))
    assert [sent["label"] for sent in server.answers.values()] == ["unknown"]


@pytest.mark.slow
@pytest.mark.parametrize("is_slow", [False, True])
def test_who_leaves_half_way_leaves_the_last_answer_too(
    browser: Browser, survey: SheetsToSend, is_slow: bool
) -> None:
    with served(browser, survey) as (server, page, _):
        agree(page)
        if is_slow:  # the answer before is still under way
            server.may_answer.clear()
        fill(page, survey, 0, 1)
        page.check("input[name=label][value=hate]")
        page.goto("about:blank")
        server.may_answer.set()
        end = time.monotonic() + 15
        while len(server.answers) < 2 and time.monotonic() < end:
            page.wait_for_timeout(20)
    assert server.labels() == ["no-hate", "hate"]


@pytest.mark.slow
def test_who_declines_is_told_so_and_keeps_nothing(browser: Browser, survey: SheetsToSend) -> None:
    with served(browser, survey) as (server, page, _):
        page.click("#next")
        page.check("input[name=consent][value=no]")
        page.click("#next")
        page.wait_for_selector(".code")
        assert kept_in(page) == {}
    assert [sent["status"] for sent in server.finished] == ["no consent"]
    assert server.answers == {}


@pytest.mark.slow
def test_feedback_is_read_before_the_next_item(browser: Browser, survey: SheetsToSend) -> None:
    with served(browser, survey) as (server, page, address):
        server.replies[server.item(0)] = {"feedback": {"correct": False, "text": "Look again."}}
        server.training = 1
        page.goto(address)
        agree(page)
        page.check("input[name=label][value=hate]")
        page.click("#next")
        page.locator("#feedback", has_text="Look again.").wait_for()
        assert page.locator("progress").get_attribute("value") == "0"
        page.click("#next")
        page.locator("progress[value='1']").wait_for()
