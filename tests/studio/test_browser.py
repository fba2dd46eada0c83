"""Sheets that a real process serves, filled in by a real Chromium; the answers, each once."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from memeloc.workspace import Workspace
from tests.studio.served import Server, page_data, serving

PHONE = {"width": 390, "height": 844}
DE = "r1-b01-DE"
ITEMS = 8
"""Of each sheet: four memes, four checks."""


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with serving(folder, "--cultures", "DE") as running:
        yield running


@pytest.fixture(scope="module")
def shared(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for tests that leave it as it is, each with people of its own."""
    work = shutil.copytree(built, tmp_path_factory.mktemp("shared") / "work")
    with serving(work, "--cultures", "DE") as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport=PHONE, has_touch=True)  # type: ignore[arg-type]
    yield made
    made.close()


def come(context: BrowserContext, server: Server, who: str) -> Page:
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{server.address}/join?PROLIFIC_PID={who}&STUDY_ID=s&SESSION_ID=x&sheet={DE}")
    return page


def agree(page: Page) -> None:
    page.click("#next")
    page.check("input[name=consent][value=yes]")
    page.click("#next")


def fill(page: Page, first: int = 0, after: int = ITEMS, label: str = "no-hate") -> None:
    for number in range(first, after):
        expect(page.locator("progress")).to_have_attribute("value", str(number))
        page.check(f"input[value={label}]")
        page.click("#next")


def wait_for_pictures(page: Page) -> None:
    """Wait until all pictures of the sheet are here: without a network others do not come."""
    pictures = {entry["picture"] for entry in page_data(page.content())["entries"]}
    page.wait_for_function(
        """count => new Set(performance.getEntriesByType("resource")
            .filter((each) => each.initiatorType === "fetch" && each.name.includes("/picture/"))
            .map((each) => each.name)).size >= count""",
        arg=len(pictures - {""}),
    )


def end(page: Page) -> str:
    """Send what was answered; the completion code."""
    page.click("#next")
    return page.locator(".code").inner_text()


def stored(folder: Path) -> tuple[dict[str, int], Counter[str]]:
    """By participant how many answers their submissions have; by person how many items."""
    with Workspace.open(folder) as workspace:
        survey = workspace.survey("pilot")
        with workspace.store.database.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT participant, item FROM given_answers JOIN survey_places "
                "ON survey_places.id = place_id GROUP BY participant, item"
            ).all()
        return (
            {sent.participant: len(sent.answers) for sent in survey.submissions},
            Counter(participant for participant, _ in rows),
        )


def known_as(folder: Path, who: str) -> str:
    with Workspace.open(folder) as workspace:
        return workspace.store.surveys.hash_participant(who)


@pytest.mark.slow
def test_a_database_put_back_gets_all_answers_again(
    folder: Path, server: Server, context: BrowserContext, tmp_path: Path
) -> None:
    page = come(context, server, "anna")
    agree(page)
    fill(page, 0, 2)
    expect(page.locator("progress")).to_have_attribute("value", "2")
    server.kill()
    shutil.copytree(folder, tmp_path / "copy")
    server.start()
    wait_for_pictures(page)
    fill(page, 2)
    server.kill()
    shutil.rmtree(folder)
    shutil.move(tmp_path / "copy", folder)
    server.start()
    page.click("#next")
    page.locator(".code").wait_for(timeout=60_000)
    submissions, items = stored(folder)
    assert submissions == items == {known_as(folder, "anna"): ITEMS}


def test_the_owner_watches(shared: Server, context: BrowserContext) -> None:
    page = come(context, shared, "dora")
    agree(page)
    fill(page, 0, 2)
    page.click("#stop")
    expect(page.locator("#state")).not_to_be_empty()
    watching = context.new_page()
    failures: list[str] = []
    watching.on("pageerror", lambda error: failures.append(str(error)))
    watching.on("console", lambda entry: failures.append(entry.text))
    watching.goto(f"{shared.address}/owner?token=a-token-of-the-owner")
    expect(watching.locator("#rows tr")).to_have_count(5)
    expect(watching.locator("#stops li.some")).to_have_attribute("title", "item 3: 1")
    assert failures == []
