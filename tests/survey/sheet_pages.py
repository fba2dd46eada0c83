"""Sheets as web pages in a real browser: written, opened, filled in, sent to a receiver."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from memeloc.survey.model import Answer, Submission, entry_id
from memeloc.survey.targets.html.target import Html
from memeloc.survey.targets.protocol import SheetsToSend
from tests.local_server import Reply, Request

PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
READABLE = {"Access-Control-Allow-Origin": "*"}
"""The header by which a receiver lets pages from elsewhere read its replies."""


class Receiver:
    """What was sent to a server; it answers with `status` and `headers`."""

    def __init__(self, headers: Mapping[str, str] = READABLE) -> None:
        self.bodies: list[str] = []
        self.status, self.headers = 204, headers

    def reply(self, request: Request) -> Reply:
        """Take what is posted, unless the status says otherwise."""
        if self.status < 400:
            self.bodies.append(request.body.decode())
        return Reply(status=self.status, headers=self.headers)

    @property
    def submissions(self) -> list[Any]:
        """What was taken, as JSON values."""
        return [json.loads(body) for body in self.bodies]


def written(folder: Path, survey: SheetsToSend, send_to: str = "") -> Path:
    """The survey's page; without a receiver it shows no codes."""
    (path,) = Html(send_to, codes=bool(send_to)).export(survey, folder / "sheets")
    return path


def new_context(browser: Browser, size: Mapping[str, int] = DESK) -> BrowserContext:
    """A browser of somebody who has not been here."""
    return browser.new_context(
        viewport={"width": size["width"], "height": size["height"]},
        has_touch=size is PHONE,
        accept_downloads=True,
    )


def open_in(context: BrowserContext, path: Path, query: str = "") -> Page:
    """A page opened anew; an error of its script fails the test at `assert_no_errors`."""
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.on("dialog", lambda dialog: dialog.accept())
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.failures = failures  # type: ignore[attr-defined]
    page.goto(path.as_uri() + query)
    page.locator("main > *").wait_for()
    return page


def kept_in(page: Page) -> dict[tuple[str, str, str], Any]:
    """What the browser keeps, by participant, field and item."""
    entries = page.evaluate(
        """() => new Promise((resolve) => {
            const opening = indexedDB.open("memeloc", 1);
            opening.onsuccess = () => {
                const store = opening.result.transaction("kept").objectStore("kept");
                const [keys, values] = [store.getAllKeys(), store.getAll()];
                values.onsuccess = () => {
                    opening.result.close();
                    resolve(keys.result.map((key, place) => [key, values.result[place]]));
                };
            };
        })"""
    )
    return {tuple(key[3:]): value for key, value in entries}


def answered_in(page: Page) -> int:
    """How many answers the browser keeps."""
    return sum(field == "answers" for _, field, _ in kept_in(page))


def wait_until(page: Page, is_so: Callable[[dict[tuple[str, str, str], Any]], bool]) -> None:
    """Wait until it is so of what the browser keeps."""
    end = time.monotonic() + 15
    while not is_so(kept_in(page)):
        assert time.monotonic() < end, kept_in(page)
        page.wait_for_timeout(20)


def opened(browser: Browser, path: Path, size: Mapping[str, int] = DESK, query: str = "") -> Page:
    """A page opened in a new browser."""
    return open_in(new_context(browser, size), path, query)


def begin(page: Page, participant: str = "5f0c0ffee") -> None:
    """From the introduction to the first entry."""
    page.click("#next")
    page.check("input[name=consent][value=yes]")
    if not page.input_value("#participant"):
        page.fill("#participant", participant)
    page.click("#next")
    page.locator("input[name=consent]").first.wait_for(state="detached")


def see(page: Page) -> None:
    """Wait until the picture was seen, so that keys answer."""
    page.locator("fieldset:enabled").first.wait_for()


def unmeasured(submission: Submission) -> tuple[Answer, ...]:
    """Its answers, without for how long each picture and item was seen."""
    assert all(answer.shown is None or answer.shown > 0 for answer in submission.answers)
    return tuple(replace(answer, shown=None, took=None) for answer in submission.answers)


def fill(page: Page, survey: SheetsToSend, first: int = 0, after: int | None = None) -> None:
    """Choose the labels of some entries, and go on from each."""
    labels: Sequence[str] = [CHOSEN[entry_id(entry)] for entry in survey.sheets[0].entries]
    for label in labels[first:after]:
        page.check(f"input[name=label][value={label}]")
        page.click("#next")


def finish(page: Page, survey: SheetsToSend, first: int = 0) -> None:
    """Fill in what is left, and send it."""
    fill(page, survey, first)
    page.click("#next")


def code(page: Page) -> str:
    """The completion code that is shown; empty when none is."""
    shown = page.locator(".code")
    return shown.inner_text() if shown.count() else ""


def saved_file(page: Page) -> Path:
    """The file that the page saves."""
    with page.expect_download() as download:
        page.click("#save")
    return Path(download.value.path())
