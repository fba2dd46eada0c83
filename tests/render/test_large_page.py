"""The page of a set too large for a browser to hold, in headless Chromium, opened from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memeloc.render.sets import page
from tests.render.test_page import Reader, browser, picture, write_set

__all__ = ["browser"]


def rows_of(memes: int, language: str = "en") -> list[dict[str, object]]:
    """A picture a meme; number 555 and the last but one have problems."""
    flawed = {555: ("too small",), memes - 2: ("missing glyph",)}
    text = "tea is ready // {}" if language == "en" else "الشاي جاهز // {}"
    return [
        picture(number, language, text.format(number), flawed.get(number, ()))
        for number in range(memes)
    ]


def data_files(reader: Reader) -> list[str]:
    return [url.rpartition("/")[2] for url in reader.requests if "/.memeloc/page/rows-" in url]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "LARGE", 1000)
        folder = tmp_path_factory.mktemp("large") / "set"
        return write_set(folder, rows_of(1600, "ar"), pictures=False)


@pytest.fixture
def reader(browser: Any, large: Path) -> Any:
    reader = Reader(browser, large)
    reader.requests.clear()
    yield reader
    assert [text for text in reader.complaints if "ERR_FILE_NOT_FOUND" not in text] == []
    reader.context.close()


def test_only_what_is_in_sight_is_read(reader: Reader) -> None:
    reader.status("1,600 memes")
    reader.tab.wait_for_timeout(150)
    assert data_files(reader) == []
    reader.tab.keyboard.press("j")
    reader.tab.keyboard.press("Control+End")
    reader.waits_for_focus(1601, 2)
    assert reader.ids()[-1] == "m01599"
    assert len(data_files(reader)) == 1


def test_a_large_set_is_searched_file_by_file(reader: Reader) -> None:
    reader.tab.fill("#query", "جاهز 777")
    reader.status("1 of 1,600 memes")
    reader.tab.locator(".side b", has_text="m00777").wait_for()
    assert reader.ids() == ["m00777"]
    assert len(data_files(reader)) == 7
    reader.tab.fill("#query", "no such words")
    reader.status("0 of 1,600 memes")
    reader.tab.locator("#empty").wait_for()


@pytest.mark.slow
def test_sixty_thousand_memes_are_in_parts(browser: Any, tmp_path: Path) -> None:
    index = write_set(tmp_path / "set", rows_of(60_000), pictures=False)
    reader = Reader(browser, index)
    tab = reader.tab
    reader.status("60,000 memes")
    assert tab.locator("#parts-place").inner_text() == "1 to 10,000 of 60,000"
    tab.fill("#parts-go", "45678")
    tab.keyboard.press("Enter")
    tab.locator(".side b", has_text="m45677").wait_for()
    assert tab.locator("#parts-place").inner_text() == "40,001 to 50,000 of 60,000"
    tab.click("#parts-on")
    tab.locator(".side b", has_text="m50000").wait_for()
    tab.locator(".cell").first.focus()
    tab.keyboard.press("ArrowUp")
    reader.waits_for_focus(50_001, 2)
    tab.fill("#query", "ready 5999")
    reader.status("16 of 60,000 memes")  # 5999, 15999 and so on, 59990 to 59999
    tab.locator(".side b", has_text="m05999").wait_for()
    assert tab.locator("#parts").is_hidden()
    assert tab.locator("script[src]").count() == 0
    reader.context.close()
