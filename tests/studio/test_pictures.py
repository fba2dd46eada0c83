"""Pictures that do not come, in a real browser: nobody answers about what they did not see."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from sqlalchemy import update

from memeloc.store.tables.surveys import survey_places
from memeloc.studio.serving import serve_survey
from memeloc.survey.model import Check, Submission
from memeloc.workspace import Workspace
from tests.studio.served import Server, make_workspace, serving
from tests.survey.sheet_pages import wait_until

PHONE = {"width": 390, "height": 844}
MEMES = 12
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
CUT = ("abort", "500", "truncated", "not a picture")
"""How a request for a picture can fail."""
QUICK = """
    const wait = window.setTimeout;
    window.setTimeout = (then, milliseconds) => wait(then, milliseconds / 10);
"""


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a survey of one sheet a culture: twelve memes, an explicit check."""
    work = make_workspace(tmp_path_factory.mktemp("twelve") / "work", ["de", "ar"], memes=MEMES)
    with Workspace.open(work) as workspace:
        workspace.surveys.build("pilot", "DE,EG=ar", size=MEMES, implicit=0)
        serve_survey(
            workspace.survey("pilot"), contact="lab@university.example", pictures=work / "out"
        )
    return work


@pytest.fixture(scope="module")
def server(twelve: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    work = shutil.copytree(twelve, tmp_path_factory.mktemp("served") / "work")
    with serving(work) as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport=PHONE, has_touch=True)  # type: ignore[arg-type]
    yield made
    made.close()


class Network:
    """Lets pictures fail by the order in which they are first asked for, from 1."""

    def __init__(self, context: BrowserContext, failing: dict[int, str]) -> None:
        self.failing = failing
        self.asked: dict[str, int] = {}
        self.held: list[Route] = []
        context.route("**/picture/*", self._route)

    def _route(self, route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        self.asked[name] = self.asked.get(name, 0) + 1
        how = self.failing.get(list(self.asked).index(name) + 1, "")
        if how == "abort":
            route.abort()
        elif how == "500" or (how == "twice 500" and self.asked[name] < 3):
            route.fulfill(status=500)
        elif how == "truncated":
            whole = route.fetch().body()
            route.fulfill(body=whole[: len(whole) // 2], content_type="image/jpeg")
        elif how == "slow":
            self.held.append(route)
        elif how == "not a picture":
            route.fulfill(body=b"\xff\xd8 no picture", content_type="image/jpeg")
        else:
            route.continue_()


def come(
    context: BrowserContext,
    server: Server,
    who: str,
    failing: dict[int, str] | None = None,
    culture: str = "DE",
    go_on: bool = False,
    quick: bool = True,
) -> Page:
    """Come as far as the first item; `failing` has how its and the next pictures fail.

    Who is to `go_on` has been there before, and is further; `quick` is for pages that wait between
    tries for a tenth of the time.
    """
    if quick:
        context.add_init_script(QUICK)
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{server.address}/join?PROLIFIC_PID={who}&culture={culture}")
    if go_on:
        return page
    page.click("#next")
    page.check("input[name=consent][value=yes]")
    page.network = Network(context, failing or {})  # type: ignore[attr-defined]
    page.click("#next")
    return page


def answer_all(page: Page, label: str = "no-hate") -> int:
    """Answer what can be answered, and go on from the rest; how many were left out."""
    left_out = 0
    for number in range(MEMES + 1):
        expect(page.locator("progress")).to_have_attribute("value", str(number))
        questions = page.locator("fieldset:enabled:visible")
        text = page.locator("figure.waiting .image-left-out")
        expect(questions.or_(text)).to_be_visible(timeout=20_000)
        if questions.count():
            page.check(f"input[value={label}]")
        else:
            left_out += 1
        page.click("#next")
    page.locator("#comments").wait_for()
    return left_out


def sent_by(folder: Path, who: str) -> Submission:
    with Workspace.open(folder) as workspace:
        known = workspace.store.surveys.hash_participant(who)
        (sent,) = [
            each for each in workspace.survey("pilot").submissions if each.participant == known
        ]
    return sent


def test_pictures_that_fail_thrice_are_left_out(server: Server, context: BrowserContext) -> None:
    failing = {number: CUT[number % 4] for number in (1, 2, 3, 5, 8, 9, 12)}
    page = come(context, server, "anna", failing)
    assert answer_all(page) == 7
    page.click("#next")
    page.locator(".code").wait_for()
    sent = sent_by(server.folder, "anna")
    assert sent.status == "complete"
    shown = {answer.entry: answer.shown for answer in sent.answers}
    assert len(sent.not_shown) == 7
    assert all(not answer.label for answer in sent.answers if answer.entry in sent.not_shown)
    with Workspace.open(server.folder) as workspace:
        survey = workspace.survey("pilot")
        checked = survey.answers.check(without=["speed"])
        (remark,) = [each for each in checked.report.warnings if each.rule == "not shown"]
        assert set(remark.evidence["people_by_entry"]) == sent.not_shown
        table = survey.labels.settle(next_round=False).answers
    (entries,) = [sheet.entries for sheet in survey.all_sheets if sheet.id == sent.sheet]
    assert sum(isinstance(entry, Check) for entry in entries) == 1
    assert (table["label"] != "").sum() == MEMES - 7
    assert (table.loc[table["label"] == "", "shown_ms"] == 0).all()
    assert all(shown[meme] > 0 for meme in table.loc[table["label"] != "", "item"])
    assert len(checked.retained) == 1


@pytest.mark.slow
def test_a_picture_that_comes_the_third_time_is_answered(
    server: Server, context: BrowserContext
) -> None:
    page = come(context, server, "bela", {1: "twice 500"}, quick=False)
    expect(page.locator("figure.waiting .image-again")).to_be_visible()
    assert page.locator("fieldset:enabled:visible").count() == 0
    page.keyboard.press("1")
    page.keyboard.press("Enter")  # no key answers, and none goes on
    expect(page.locator("progress")).to_have_attribute("value", "0")
    expect(page.locator("fieldset:enabled:visible")).to_be_visible(timeout=20_000)
    assert page.locator("input:checked").count() == 0
    assert answer_all(page) == 0


@pytest.mark.slow
def test_who_reloads_after_a_failure_has_another_chance(
    server: Server, context: BrowserContext
) -> None:
    page = come(context, server, "carl", {1: "500"})
    page.locator("figure.waiting .image-left-out").wait_for(timeout=20_000)
    page.click("#next")
    expect(page.locator("progress")).to_have_attribute("value", "1")
    context.unroute_all()
    page.reload()
    expect(page.locator("progress")).to_have_attribute("value", "1")
    page.click("#back")
    page.check("input[value=no-hate]")
    page.click("#next")
    page.click("#back")
    page.reload()
    expect(page.locator("input:checked")).to_have_count(1)
    assert answer_all(page) == 0
    page.click("#next")
    page.locator(".code").wait_for()
    sent = sent_by(server.folder, "carl")
    assert (sent.status, sent.not_shown) == ("complete", frozenset())


def test_a_slow_picture_is_waited_for_until_it_is_in_view(
    server: Server, context: BrowserContext
) -> None:
    page = come(context, server, "fred", {1: "slow"}, quick=False)
    page.locator("figure.waiting .image-loading").wait_for()
    assert page.locator("fieldset:enabled:visible").count() == 0
    page.evaluate("document.querySelector('figure').style.marginTop = '3000px'")
    page.network.held[0].continue_()  # type: ignore[attr-defined]
    expect(page.locator("figure")).not_to_have_class("waiting")
    assert page.locator("fieldset:enabled:visible").count() == 0
    page.evaluate("document.querySelector('figure').style.marginTop = ''")
    expect(page.locator("fieldset:enabled:visible")).to_be_visible()


@pytest.mark.slow
def test_what_the_bar_of_buttons_covers_is_not_seen(
    server: Server, context: BrowserContext
) -> None:
    page = come(context, server, "ines", culture="EG")
    page.check("input[value=no-hate]")
    page.set_viewport_size({"width": 700, "height": 120})
    page.click("#next")
    expect(page.locator("progress")).to_have_attribute("value", "1")
    expect(page.locator("figure")).not_to_have_class("waiting")
    page.wait_for_timeout(500)
    assert page.locator("fieldset:enabled:visible").count() == 0
    page.evaluate("document.querySelector('figure').scrollIntoView()")
    expect(page.locator("fieldset:enabled:visible")).to_be_visible()


@pytest.mark.slow
def test_who_closes_the_last_page_is_listed_with_what_it_earned(
    twelve: Path, tmp_path: Path, context: BrowserContext
) -> None:
    work = shutil.copytree(twelve, tmp_path / "work")
    with serving(work) as server:
        whole = come(context, server, "greta")
        answer_all(whole)
        half = come(context, server, "hans", {2: "abort"})
        for number in range(7):
            expect(half.locator("progress")).to_have_attribute("value", str(number))
            if number == 1:
                half.locator("figure.waiting .image-left-out").wait_for(timeout=20_000)
            else:
                half.check("input[value=no-hate]")
            half.click("#next")
        expect(half.locator("progress")).to_have_attribute("value", "7")
        for page in (whole, half):
            wait_until(page, lambda kept: not any(field == "pending" for _, field, _ in kept))
            page.close()
    with Workspace.open(work) as workspace:
        survey = workspace.survey("pilot")
        assert survey.answers.check().submissions == []  # they have their places still
        with workspace.store.database.write() as connection:
            connection.execute(update(survey_places).values(held_until=LONG_AGO))
        checked = survey.answers.check()
        assert (len(checked.submissions), len(checked.retained)) == (2, 0)
        statuses = {
            row.submission: row.reasons["status"]
            for row in checked.report.judged
            if "status" in row.reasons
        }
        assert [
            (each["status"], each["answers"], each["asked"])
            for each in sorted(statuses.values(), key=lambda each: each["asked"])
        ] == [("timed out", 6, MEMES), ("timed out", MEMES + 1, MEMES + 1)]
        names = {workspace.store.surveys.hash_participant(who): who for who in ("greta", "hans")}
        decided = survey.people.decide(tmp_path / "list.csv", minutes=26)
        actions = {names[each.participant]: each for each in decided["decisions"]}
        assert actions["greta"].action == "approve"
        assert actions["hans"].action == "pay part"
        # Half of twelve that were shown, at 10.65 an hour for 26 minutes.
        assert actions["hans"].earned == Decimal("2.31")
        assert "2.31 GBP" in (tmp_path / "list.csv").read_text("utf-8")
        assert len(survey.answers.check(without=["status", "attention", "speed"]).retained) == 2
    with serving(work) as server:  # nothing is taken from who comes back
        again = come(context, server, "greta", go_on=True)
        again.click("#next")
        again.locator(".code").wait_for()
    with Workspace.open(work) as workspace:
        (sent,) = [
            each
            for each in workspace.survey("pilot").answers.check().report.set_aside
            if each["rule"] == "status"
        ]
        assert sent["evidence"]["answers"] == 6
