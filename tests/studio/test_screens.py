"""A sheet on a phone and on a laptop, with every network: what is in view, what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from memeloc.survey.model import Check, entry_id
from memeloc.workspace import Workspace
from tests.studio.served import Server, make_workspace, page_data, serving
from tests.studio.test_browser import end, wait_for_pictures
from tests.studio.test_pictures import QUICK

PHONE, LAPTOP = {"width": 360, "height": 640}, {"width": 1366, "height": 650}
AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
IN_VIEW = """() => [...document.querySelectorAll("label.choice, figure img")]
    .filter((part) => part.offsetParent).map((part) => part.getBoundingClientRect())
    .every(({ top, bottom, height }) => height && top >= 0
        && bottom <= document.querySelector("nav").getBoundingClientRect().top)"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    work = tmp_path_factory.mktemp("screens") / "work"
    make_workspace(work, ["ar", "hi", "zh"], memes=4, max_side=900)
    with Workspace.open(work) as workspace:
        workspace.surveys.build("pilot", "US,EG=ar,IN=hi,CN=zh", size=4, answers=8)
    with serving(work, "--set", "order=drawn") as running:
        yield running


def problems(page: Page) -> list[str]:
    """What axe-core finds on a screen; scripts are added past the page's policy."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found]


def come(browser: Browser, server: Server, size: Any, culture: str, network: str) -> Page:
    context = browser.new_context(viewport=size, has_touch=size is PHONE, bypass_csp=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    if network == "slow":
        context.route("**/picture/*", lambda route: (page.wait_for_timeout(150), route.continue_()))
    if network == "no pictures":
        context.add_init_script(QUICK)
        context.route("**/picture/*", lambda route: route.abort())
    who = f"{culture}-{network}-{size['width']}"
    page.goto(f"{server.address}/join?PROLIFIC_PID={who}&culture={culture}")
    return page


@pytest.mark.parametrize(
    ("size", "culture", "network"),
    [
        pytest.param(PHONE, "EG", "cut", id="phone-arabic-cut"),
        *(
            pytest.param(size, culture, network, marks=pytest.mark.slow)
            for size, culture, network in [
                (PHONE, "US", "good"),
                (PHONE, "IN", "slow"),
                (PHONE, "CN", "no pictures"),
                (LAPTOP, "EG", "good"),
                (LAPTOP, "US", "cut"),
                (LAPTOP, "CN", "slow"),
                (LAPTOP, "IN", "no pictures"),
            ]
        ),
    ],
)
def test_a_sheet_from_the_first_screen_to_the_code(
    browser: Browser, server: Server, size: Any, culture: str, network: str
) -> None:
    page = come(browser, server, size, culture, network)
    assert problems(page) == []
    page.dblclick("#next")  # of a double click the second is meant for the same screen
    page.check("input[name=consent][value=yes]")
    assert problems(page) == []
    page.dblclick("#next")
    expect(page.locator("progress")).to_have_attribute("value", "0")
    if network == "cut":
        wait_for_pictures(page)
        page.context.set_offline(True)
    entries = page_data(page.content())["entries"]
    for number, entry in enumerate(entries):
        expect(page.locator("progress")).to_have_attribute("value", str(number))
        if entry["picture"] and network == "no pictures":
            page.locator(".image-left-out").wait_for(timeout=20_000)
        else:
            page.locator("fieldset:enabled").wait_for()
            assert page.evaluate(IN_VIEW)
            page.check("input[value=no-hate]")
            assert page.evaluate("document.activeElement.value") == "no-hate"
        if number == 1:
            assert problems(page) == []
            page.go_back()  # as a phone's gesture does
            expect(page.locator("progress")).to_have_attribute("value", "0")
            page.locator("#next").click()
            expect(page.locator("progress")).to_have_attribute("value", "1")
        page.dblclick("#next")
    assert problems(page) == []
    page.context.set_offline(False)
    code = end(page)
    assert problems(page) == []
    page.click("#copy")
    page.wait_for_function(
        "code => navigator.clipboard.readText().then((t) => t === code)", arg=code
    )
    link = page.locator("#return").get_attribute("href")
    assert link == f"https://app.prolific.com/submissions/complete?cc={code}"
    page.reload()
    assert (page.locator(".code").inner_text(), problems(page)) == (code, [])
    page.context.close()
    with Workspace.open(server.folder) as workspace:
        survey, store = workspace.survey("pilot"), workspace.store.surveys
        who = store.hash_participant(f"{culture}-{network}-{size['width']}")
        (sent,) = (each for each in survey.submissions if each.participant == who)
        (sheet,) = (each for each in survey.all_sheets if each.id == sent.sheet)
    looked_at = {
        entry_id(e) for e in sheet.entries if not isinstance(e, Check) or e.kind == "implicit"
    }
    for answer in sent.answers:
        is_left_out = network == "no pictures" and answer.entry in looked_at
        assert answer.label == ("" if is_left_out else "no-hate")
        assert answer.shown == 0 if is_left_out else (answer.took or 0) > 0
    consent = sent.presented["consent"]
    assert (consent["language"], len(consent["version"])) == (sheet.culture.locale.tag, 16)
    assert sorted(sent.presented["order"]["label"]) == ["hate", "no-hate", "unknown"]


def test_another_browser_is_asked_for_the_code(browser: Browser, server: Server) -> None:
    come(browser, server, PHONE, "US", "good in two")
    page = come(browser, server, PHONE, "US", "good in two")
    expect(page.locator("#code")).to_be_visible()
    assert problems(page) == []
    page.context.close()
