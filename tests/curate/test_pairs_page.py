"""The page of pairs: safe by what is written, and, in Chromium, by what it does."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.curate.review import (
    ANSWER,
    HINT,
    SIDES,
    find_question,
    pairs_page,
    read_review,
    write_pairs_page,
)
from tests.curate.drawn import as_jpeg, draw_picture

HOSTILE = "</script><img src=x onerror=hacked=1><script>hacked=1</script>\u2028<!-- ${1}`'\"&\ud800"
QUESTION = find_question("duplicates")
PERSON = "Ana =1+1"


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    files = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.jpg"
        path.write_bytes(as_jpeg(draw_picture(seed, 160, 120)))
        files.append(path)
    return [
        {
            "subject": f"a-{number}|b-{number}",
            HINT: [HOSTILE, ""],
            "scores": {"distance": 4.0, "text": 0.91234567},
            **dict(zip(SIDES[0], (files[0], "قطة // cat 123", [HOSTILE, "test"]), strict=True)),
            **dict(
                zip(SIDES[1], (files[1] if number else None, HOSTILE, ["other", ""]), strict=True)
            ),
            **dict.fromkeys((ANSWER, "comment", "content"), ""),
        }
        for number in range(3)
    ]


def test_the_page_holds_everything_and_escapes_it(rows: list[dict[str, Any]]) -> None:
    page = pairs_page(QUESTION, rows, PERSON)
    page.encode("utf-8")
    assert "http://" not in page
    assert "https://" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    script = page[page.rindex("<script>") + 8 : page.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    plain = re.search(r"id=data>(.*?)</script>", page, re.DOTALL)
    assert plain is not None
    data = json.loads(plain[1])
    assert data["rows"][1]["scores"] == {"distance": 4.0, "text": 0.9123}
    assert len(data["pictures"]) == 2


def test_other_people_and_other_pairs_have_a_store_of_their_own(rows: list[dict[str, Any]]) -> None:
    def store(page: str) -> str:
        return page.split('data-store="', 1)[1].split('"', 1)[0]

    pages = [(rows, "asha"), (rows, "jonas"), (rows[:2], "asha")]
    assert len({store(pairs_page(QUESTION, *arguments)) for arguments in pages}) == 3
    assert store(pairs_page(QUESTION, rows, "asha")) == store(pairs_page(QUESTION, rows, "asha"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    if chromium is None:
        pytest.skip("needs chromium")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


def test_keys_answer_and_the_saved_file_is_read(
    tmp_path: Path, rows: list[dict[str, Any]], browser: Any
) -> None:
    path = tmp_path / "pairs.html"
    assert write_pairs_page(QUESTION, rows, path, PERSON) == path
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.goto(path.as_uri())
    page.locator("#place", has_text="Pair 1 of 3; 0 answered").wait_for()
    assert page.locator("figure").count() == 2
    assert page.evaluate("document.querySelector('figure p').dir") == "auto"
    page.keyboard.press("1")
    assert page.locator("#place").inner_text().startswith("Pair 2 of 3; 1 answered")
    sizes = page.evaluate("[...document.images].map((image) => image.naturalWidth)")
    assert sizes == [160, 160]
    page.locator("#comment").fill('=2 cats, "two"\u05d0')
    page.locator("#comment").press("Enter")
    page.keyboard.press("2")
    # The browser keeps them when the page is opened again.
    page.reload()
    page.locator("#place", has_text="Pair 3 of 3; 2 answered").wait_for()
    page.keyboard.press("3")
    page.keyboard.press("3")
    assert "2 answered" in page.locator("#place").inner_text()
    with page.expect_download() as waiting:
        page.keyboard.press("s")
    saved = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(saved)
    assert page.evaluate("typeof hacked") == "undefined"
    assert errors == []
    assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}
    context.close()
    file, answers = read_review(saved)
    assert file.problems == ()
    assert file.facts["person"] == PERSON
    assert [(row.subject, row.answer, row.comment) for row in answers] == [
        ("a-0|b-0", "same", ""),
        ("a-1|b-1", "different", '=2 cats, "two"\u05d0'),
    ]


@pytest.fixture
def page(tmp_path: Path, rows: list[dict[str, Any]], browser: Any) -> Iterator[Any]:
    path = tmp_path / "my <pairs>.html"
    write_pairs_page(QUESTION, rows, path, "asha")
    context = browser.new_context(viewport={"width": 1200, "height": 800}, accept_downloads=True)
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(path.as_uri())
    tab.locator("#place").wait_for()
    yield tab
    assert errors == []
    context.close()


def picked(page: Any) -> list[str]:
    pressed = page.locator("button[aria-pressed=true]").all()
    return [button.get_attribute("data-answer") for button in pressed]


def test_pictures_stand_side_by_side_within_the_window(page: Any) -> None:
    page.keyboard.press("ArrowRight")
    for width in (1200, 360):
        page.set_viewport_size({"width": width, "height": 800})
        left, right = (image.bounding_box() for image in page.locator("figure img").all())
        assert left["y"] == right["y"]
        assert left["x"] + left["width"] <= right["x"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#scores").inner_text().split() == ["distance", "4", "text", "0.9123"]


def test_late_answers_are_taken_over_not_written_over(page: Any) -> None:
    late = page.context.new_page()
    late.goto(page.url)
    late.locator("#place").wait_for()
    page.keyboard.press("1")
    page.locator("#comment").fill("why not")
    late.locator("#place", has_text="Pair 1 of 3; 0 answered").wait_for()
    late.keyboard.press("ArrowRight")
    late.keyboard.press("2")
    late.locator("#place", has_text="Pair 3 of 3; 2 answered").wait_for()
    late.keyboard.press("ArrowLeft")
    assert picked(late) == ["different"]
    late.reload()
    late.locator("#place").wait_for()
    late.keyboard.press("ArrowLeft")
    assert picked(late) == ["different"]
    late.keyboard.press("ArrowLeft")
    assert picked(late) == ["same"]
    # A comment on the pair that the other page has answered meanwhile keeps that answer.
    page.locator("#comment").fill("why not?")
    page.locator("#comment").press("Escape")
    page.keyboard.press("ArrowRight")
    page.locator("#place", has_text="Pair 3 of 3; 2 answered").wait_for()
    page.keyboard.press("ArrowLeft")
    assert picked(page) == ["different"]
    assert page.locator("#comment").input_value() == "why not?"


def test_untrusted_text_is_text_in_its_own_direction(page: Any) -> None:
    text, name = (page.locator("figure").first.locator("p").nth(at) for at in (0, 1))
    style = "one => getComputedStyle(one).direction"
    assert (text.evaluate(style), text.text_content()) == ("rtl", "قطة // cat 123")
    # A lone surrogate is no character and is left out.
    assert (name.evaluate(style), name.text_content()) == ("ltr", HOSTILE[:-1])
    assert page.locator("#why").text_content() == HOSTILE[:-1]
    assert page.locator("figure").nth(1).locator(".none").inner_text() == "no picture"


def test_keys_within_a_comment_or_with_control_answer_nothing(page: Any) -> None:
    page.locator("#comment").press_sequentially("12 s n")
    page.locator("#comment").press("Escape")
    page.keyboard.press("Control+1")
    page.keyboard.press("4")
    assert picked(page) == []
    assert page.locator("#place").inner_text().startswith("Pair 1 of 3; 0 answered")
    page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")
    assert picked(page) == ["different"]
    page.locator("button[data-answer=different]").click()
    assert picked(page) == []
    assert page.locator("#comment").input_value() == "12 s n"


def test_without_browser_storage_the_page_says_so_and_saves(page: Any, tmp_path: Path) -> None:
    refuse = "Object.defineProperty(window, 'indexedDB', { get() { throw new Error('no') } })"
    page.add_init_script(refuse)
    page.reload()
    page.locator("#place").wait_for()
    page.keyboard.press("1")
    assert "keeps nothing" in page.locator("#kept").inner_text()
    with page.expect_download() as waiting:
        page.keyboard.press("s")
    waiting.value.save_as(tmp_path / "saved.csv")
    assert [row.answer for row in read_review(tmp_path / "saved.csv")[1]] == ["same"]
