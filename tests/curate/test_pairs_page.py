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

from memeloc.curate.pairs_page import pairs_page, write_pairs_page
from memeloc.curate.questions import find_question
from memeloc.curate.review_answers import read_review
from memeloc.curate.reviewing import ReviewRow, ReviewSide
from tests.curate.drawn import as_jpeg, draw_picture

HOSTILE = "</script><img src=x onerror=hacked=1><script>hacked=1</script>\u2028<!-- ${1}`'\"&\ud800"
QUESTION = find_question("duplicates")
PERSON = "Ana =1+1"


@pytest.fixture
def rows(tmp_path: Path) -> list[ReviewRow]:
    files = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.jpg"
        path.write_bytes(as_jpeg(draw_picture(seed, 160, 120)))
        files.append(path)
    return [
        ReviewRow(
            f"a-{number}|b-{number}",
            (
                ReviewSide(HOSTILE, "قطة // cat 123", files[0], "test"),
                ReviewSide("other", HOSTILE, files[1] if number else None),
            ),
            hint=HOSTILE,
            scores={"distance": 4.0, "text": 0.91234567},
        )
        for number in range(3)
    ]


def test_the_page_holds_everything_and_escapes_it(rows: list[ReviewRow]) -> None:
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


@pytest.mark.xdist_group("chromium")
def test_keys_answer_and_the_saved_file_is_read(
    tmp_path: Path, rows: list[ReviewRow], browser: Any
) -> None:
    path = tmp_path / "pairs.html"
    assert write_pairs_page(QUESTION, rows, path, PERSON) == 3
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.goto(path.as_uri())
    assert page.locator("#place").inner_text().startswith("Pair 1 of 3; 0 answered")
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
    assert page.locator("#place").inner_text().startswith("Pair 3 of 3; 2 answered")
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
    answers = read_review(saved)
    assert answers.problems == ()
    assert answers.person == PERSON
    assert [(one.subject, one.answer, one.comment) for one in answers.judgements] == [
        ("a-0|b-0", "same", ""),
        ("a-1|b-1", "different", '=2 cats, "two"\u05d0'),
    ]
