"""The page, also of a very large set, in headless Chromium, opened from disk."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.locales import default
from memeloc.object_storage import folder_at
from memeloc.render.proof import KINDS
from memeloc.render.sets import page
from memeloc.render.sets.page import Page

CAPTIONS = {
    "en": "me explaining the build // to the duck",
    "de": "ich erkläre den Bau // der Ente",
    "hi": "मैं समझाता हूँ // बत्तख को",
    "zh": "我向鸭子解释 // 代码",
    "ar": "أنا أشرح الكود v2 // للبَطّة",
}


HOSTILE = (
    "</script><img src=x onerror=hacked=1><script>hacked=1</script>\u2028<!--<script> // ${1}`'\"&"
)


def picture(
    number: int,
    language: str,
    text: str,
    problems: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    **other: object,
) -> dict[str, object]:
    template = ("cloud-monday", "long-train")[number % 2]
    meme = f"m{number:05d}"
    return {
        "meme_id": meme,
        "template": template,
        "language": language,
        "locale": {"zh": "zh-Hans"}.get(language, language),
        "path": f"{language}/{template}/{meme}.png",
        "sha256": f"{number:064x}",
        "bytes": 2048,
        "width": 64,
        "height": (64, 32)[number % 2],
        "text": text,
        "parts": ["top", "bottom"],
        "font_size": [20.0, 15.5],
        "size_share": [0.3, 0.25],
        "relative_size": [1.0, 0.5 if language == "de" and number == 3 else 1.0],
        "contrast": [12.5, None],
        "fonts": [["anton"], ["anton", "noto-emoji"]],
        "findings": [
            {"kind": kind, "grade": KINDS[kind], "part": "top", "detail": f"💙 is {kind}"}
            for kind in (*problems, *notes)
        ],
        "coverage": 0.21,
        "middle_coverage": 0.04,
        "problems": list(problems),
        "in_table": True,
    } | other


def write_set(out: Path, rows: list[dict[str, Any]], *, pictures: bool = True) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    for row in rows if pictures else ():
        path = out / str(row["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (row["width"], row["height"]), "#7a86c8").save(path)
    return page_of(out, rows)


def page_of(out: Path, rows: list[dict[str, Any]]) -> Path:
    page = Page(folder_at(out), default())
    for row in rows:
        page.add(row)
    page.write("")
    return out / "index.html"


def small_rows() -> list[dict[str, object]]:
    rows = []
    for number in range(12):
        for language, text in CAPTIONS.items():
            problems: tuple[str, ...] = ()
            if (number, language) == (5, "hi"):
                problems = ("missing glyph", "low contrast")
            if (number, language) == (7, "de"):
                problems = ("too small",)
            written = HOSTILE if (number, language) == (4, "en") else f"{number} {text}"
            notes = ("hyphenated",) if number in (2, 5) and language == "hi" else ()
            rows.append(picture(number, language, written, problems, notes))
    return [row for row in rows if (row["meme_id"], row["language"]) != ("m00009", "zh")]


class Reader:
    """A browser tab on a set, with what it complained about."""

    def __init__(self, browser: Any, index: Path, **context: Any) -> None:
        self.context = browser.new_context(
            viewport=context.pop("viewport", {"width": 1200, "height": 800}), **context
        )
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.tab = self.context.new_page()
        self.tab.on("console", lambda message: self.complaints.append(message.text))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.goto(index.as_uri())
        self.tab.locator("html[data-ready=all]").wait_for(state="attached")

    def ids(self) -> list[str]:
        return [text for text in self.tab.locator(".side b").all_inner_texts() if text]

    def status(self, text: str) -> None:
        self.tab.locator("#status", has_text=text).wait_for()

    def waits_for_focus(self, row: int, column: int) -> None:
        """A dialog's close event, which gives the focus back, comes after `close` returns."""
        cell = f".row[aria-rowindex='{row}'] [aria-colindex='{column}']"
        self.tab.locator(f"{cell}:focus").wait_for(state="attached")

    def focused(self) -> tuple[int, int]:
        return tuple(
            self.tab.evaluate(
                "() => [document.activeElement.closest('.row').ariaRowIndex ?? 0,"
                " document.activeElement.ariaColIndex ?? 0].map(Number)"
            )
        )


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_set(tmp_path_factory.mktemp("set") / "my <set>", small_rows())


@pytest.fixture
def reader(browser: Any, small: Path) -> Iterator[Reader]:
    reader = Reader(browser, small)
    yield reader
    assert reader.complaints == []
    assert all(url.startswith(("file:", "data:")) for url in reader.requests)
    reader.context.close()


def test_shows_a_row_a_meme_and_a_column_a_language(reader: Reader) -> None:
    tab = reader.tab
    assert tab.locator("h1").inner_text() == "my <set>"
    counts = tab.locator("#counts li").all_inner_texts()
    assert counts == ["12 memes", "59 pictures", "5 languages", "2 pictures with problems"]
    assert tab.locator("a.manifest").get_attribute("href") == "manifest/"
    assert tab.locator("[role=columnheader] .tag").all_inner_texts() == list(CAPTIONS)
    row = tab.locator("[role=row][aria-rowindex='2']")
    assert row.locator("[role=gridcell]").count() == 5
    image = row.locator("img").first
    assert [image.get_attribute(name) for name in ("width", "height", "loading")] == [
        "64",
        "64",
        "lazy",
    ]
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 64


def test_what_the_table_has_no_longer_is_a_view_of_its_own(browser: Any, tmp_path: Path) -> None:
    rows = [picture(number, "en", f"{number} tea // is ready") for number in range(3)]
    rows += [picture(7, language, "old // text", in_table=False) for language in ("en", "fr")]
    reader = Reader(browser, write_set(tmp_path / "set", rows))
    assert reader.ids() == ["m00000", "m00001", "m00002"]
    assert reader.tab.locator(".counts li").all_inner_texts()[:3] == [
        "3 memes",
        "3 pictures",
        "1 language",
    ]
    button = reader.tab.locator("#earlier")
    assert button.inner_text() == "Earlier runs (2)"
    button.click()
    reader.status("1 meme of earlier runs")
    assert reader.ids() == ["m00007"]
    assert reader.tab.locator(".head .tag").all_inner_texts() == ["en", "fr"]
    button.click()
    reader.status("3 memes")
    assert not reader.complaints


def test_text_is_text_with_its_language_and_direction(reader: Reader) -> None:
    row = reader.tab.locator("[role=row][aria-rowindex='2']")
    captions = row.locator(".caption")
    shown = captions.evaluate_all("nodes => nodes.map(n => [n.lang, n.dir, n.textContent])")
    assert shown[4] == ["ar", "rtl", f"0 {CAPTIONS['ar']}"]
    assert shown[3] == ["zh-Hans", "ltr", f"0 {CAPTIONS['zh']}"]
    row.locator(".cell").nth(4).click()
    text = reader.tab.locator("#view .text").first
    assert [text.get_attribute("lang"), text.get_attribute("dir")] == ["ar", "rtl"]
    assert text.locator("p").all_inner_texts() == ["0 أنا أشرح الكود v2", "للبَطّة"]


def test_hostile_captions_are_inert(reader: Reader) -> None:
    tab = reader.tab
    tab.locator("[data-row='4'] .cell").first.click()
    tab.locator("#view-facts table").wait_for()
    shown = tab.locator("#view .text").first.locator("p").all_text_contents()
    assert " // ".join(shown) == HOSTILE
    assert tab.evaluate("() => window.hacked === undefined")
    assert tab.locator("img[src='x']").count() == 0
    assert tab.locator("script").count() == 4  # two of data, one of code, one of proofs


def test_the_policy_stops_what_the_page_did_not_load_itself(browser: Any, small: Path) -> None:
    reader = Reader(browser, small)
    reader.tab.evaluate(
        "() => { const d = document.createElement('div');"
        " d.innerHTML = '<img src=x onerror=\"window.hacked=1\">'; document.body.append(d); }"
    )
    reader.tab.wait_for_timeout(200)
    assert reader.tab.evaluate("() => window.hacked === undefined")
    assert any("Content Security Policy" in complaint for complaint in reader.complaints)
    reader.context.close()


def test_searches_in_any_language(reader: Reader) -> None:
    for query, memes in (  # two that follow each other find different numbers of memes
        ("M00003", ["m00003"]),
        ("long-train 1 鸭子", ["m00001", "m00011"]),
        ("ERKLARE 7", ["m00007"]),
        ("no such words", []),
        ("للبطة 8", ["m00008"]),
        ("long-train 1 duck", ["m00001", "m00011"]),
        ("समझाता 11", ["m00011"]),
        ("nor such words", []),
        ("onerror=hacked", ["m00004"]),
    ):
        reader.tab.fill("#query", query)
        reader.status(f"{len(memes)} of 12 memes")
        assert reader.ids() == memes
        assert reader.tab.locator("#empty").is_visible() == (not memes)


def test_filters_by_problem_and_template_and_orders(reader: Reader) -> None:
    tab = reader.tab
    tab.select_option("#problem", "any")
    reader.status("2 of 12 memes")
    assert reader.ids() == ["m00005", "m00007"]
    assert tab.locator("[data-row='0'] .cell:not(.dim)").count() == 1
    badges = tab.locator("[data-row='0'] .badge").all_inner_texts()
    assert badges == ["missing glyph", "low contrast", "hyphenated"]
    tab.select_option("#problem", "too small")
    reader.status("1 of 12 memes")
    assert reader.ids() == ["m00007"]
    for grade, memes in (("fault", [5]), ("warning", [5, 7]), ("note", [2, 5])):
        tab.select_option("#problem", grade)
        reader.status(f"{len(memes)} of 12 memes")
        assert reader.ids() == [f"m{number:05d}" for number in memes]
    tab.select_option("#problem", "")
    tab.select_option("#template", "long-train")
    reader.status("6 of 12 memes")
    tab.select_option("#template", "")
    tab.select_option("#order", "worst")
    assert reader.ids()[:3] == ["m00005", "m00007", "m00002"]
    tab.select_option("#order", "size")
    assert reader.ids()[:2] == ["m00003", "m00000"]
    assert "order=size" in tab.url
    tab.reload()
    tab.locator("html[data-ready=all]").wait_for(state="attached")
    assert reader.ids()[:2] == ["m00003", "m00000"]


def test_keyboard_alone_reaches_everything(reader: Reader) -> None:
    tab = reader.tab
    press = tab.keyboard.press
    press("j")
    assert reader.focused() == (2, 2)
    for key in ("j", "ArrowDown", "k", "ArrowRight", "l", "h"):
        press(key)
    assert reader.focused() == (3, 3)
    press("End")
    assert reader.focused() == (3, 6)
    press("Control+End")
    assert reader.focused() == (13, 6)
    assert tab.locator("[aria-rowindex='13']").first.is_visible()
    press("Control+Home")
    assert reader.focused() == (2, 2)
    press("Enter")
    assert tab.locator("#view-title").inner_text().startswith("m00000")
    press("ArrowRight")
    press("j")
    assert tab.locator("#view-place").inner_text() == "2 of 12"
    assert tab.locator("#view-languages [aria-pressed=true] .tag").inner_text() == "de"
    press("Escape")
    assert not tab.locator("#view").is_visible()
    reader.waits_for_focus(3, 3)
    press("/")
    tab.keyboard.type("m00007")
    press("Enter")
    assert reader.ids() == ["m00007"]
    press("?")
    assert tab.locator("#help").is_visible()
    press("Escape")
    assert not tab.locator("#help").is_visible()


def test_the_large_view_has_the_proof(reader: Reader) -> None:
    tab = reader.tab
    tab.locator("[data-row='5'] .cell").nth(2).click()
    facts = tab.locator("#view-facts")
    facts.locator("table").wait_for()
    assert facts.locator("tbody tr").first.locator("th, td").all_inner_texts() == [
        "top",
        "20 px 30 %",
        "× 1",
        "12.5 : 1",
        "anton",
    ]
    assert "missing glyph\ntop: 💙 is missing glyph" in facts.inner_text()
    assert "21 %, of the middle 4 %" in facts.inner_text()
    link = facts.locator("a")
    assert link.inner_text() == "hi/long-train/m00005.png"
    assert facts.locator(".text").nth(1).get_attribute("lang") == "en"
    image = tab.locator("#view-picture img")
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 64


_SLOW = pytest.mark.slow


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=_SLOW), "dark"])
def test_a_phone_scrolls_sideways_only_inside_the_grid(
    browser: Any, small: Path, scheme: str
) -> None:
    reader = Reader(
        browser, small, viewport={"width": 390, "height": 844}, color_scheme=scheme, has_touch=True
    )
    tab = reader.tab
    assert tab.evaluate("() => document.documentElement.scrollWidth") == 390
    assert tab.locator("[data-row='0'] .cell").nth(1).is_visible()
    tab.locator("[data-row='0'] .cell").first.tap()
    box = tab.locator("#view-picture img").bounding_box()
    assert box["width"] > 370
    dark = (
        tab.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(18, 19, 25)"
    )
    assert dark == (scheme == "dark")
    reader.context.close()


@pytest.mark.slow
def test_ten_thousand_memes_are_a_few_elements(browser: Any, tmp_path: Path) -> None:
    rng = random.Random(7)
    rows = [
        picture(n, language, f"{n} {text}", ("clipped",) if rng.random() < 0.01 else ())
        for n in range(10_000)
        for language, text in CAPTIONS.items()
    ]
    index = write_set(tmp_path / "big", rows, pictures=False)
    reader = Reader(browser, index)
    tab = reader.tab
    tab.goto("about:blank")
    tab.goto(index.as_uri(), wait_until="commit")
    tab.locator(".cell").first.wait_for()
    tab.locator("html[data-ready=all]").wait_for(state="attached")
    assert tab.evaluate("() => document.querySelectorAll('*').length") < 1500
    tab.evaluate("() => { document.querySelector('#scroller').scrollTop = 1e9; }")
    tab.locator("[data-row='9999']").wait_for()
    assert reader.ids()[-1] == "m09999"
    assert tab.evaluate("() => document.querySelectorAll('.body .row').length") < 20
    tab.fill("#query", "9876 bau")
    reader.status("1 of 10,000 memes")
    assert reader.ids() == ["m09876"]
    reader.context.close()


def test_languages_and_templates_that_come_late_have_their_place(
    browser: Any, tmp_path: Path
) -> None:
    rows = [
        picture(1, "de", "eins // "),
        picture(2, "en", "one // "),
        picture(2, "de", "zwei // "),
        picture(3, "ar", "ثلاثة // "),
        picture(3, "tlh", "wej // ", locale="tlh"),  # no locale of memeloc's
    ]
    reader = Reader(browser, write_set(tmp_path, rows))
    tags = reader.tab.locator("[role=columnheader] .tag").all_inner_texts()
    assert tags == ["de", "en", "ar", "tlh"]
    for row, seen in enumerate([["de"], ["de", "en"], ["ar", "tlh"]]):
        cells = reader.tab.locator(f"[data-row='{row}'] .cell")
        assert cells.count() == 4
        pictures = cells.locator("img")
        languages = [pictures.nth(at).get_attribute("lang") for at in range(pictures.count())]
        assert languages == seen
        assert cells.locator(".no-picture").count() == 4 - len(seen)
    options = reader.tab.locator("#template option").all_inner_texts()
    assert options == ["All templates", "cloud-monday (1)", "long-train (2)"]
    reader.context.close()


def rows_of(memes: int, language: str = "en") -> list[dict[str, object]]:
    """A picture a meme; number 555 and the last but one have problems."""
    flawed = {555: ("too small",), memes - 2: ("missing glyph",)}
    text = "tea is ready // {}" if language == "en" else "الشاي جاهز // {}"
    return [
        picture(number, language, text.format(number), flawed.get(number, ()))
        for number in range(memes)
    ]


def data_files(large_reader: Reader) -> list[str]:
    return [
        url.rpartition("/")[2] for url in large_reader.requests if "/.memeloc/page/rows-" in url
    ]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "LARGE", 1000)
        folder = tmp_path_factory.mktemp("large") / "set"
        return write_set(folder, rows_of(1600, "ar"), pictures=False)


@pytest.fixture
def large_reader(browser: Any, large: Path) -> Any:
    large_reader = Reader(browser, large)
    large_reader.requests.clear()
    yield large_reader
    assert [text for text in large_reader.complaints if "ERR_FILE_NOT_FOUND" not in text] == []
    large_reader.context.close()


def test_only_what_is_in_sight_is_read(large_reader: Reader) -> None:
    large_reader.status("1,600 memes")
    large_reader.tab.wait_for_timeout(150)
    assert data_files(large_reader) == []
    large_reader.tab.keyboard.press("j")
    large_reader.tab.keyboard.press("Control+End")
    large_reader.waits_for_focus(1601, 2)
    assert large_reader.ids()[-1] == "m01599"
    assert len(data_files(large_reader)) == 1


def test_a_large_set_is_searched_file_by_file(large_reader: Reader) -> None:
    large_reader.tab.fill("#query", "جاهز 777")
    large_reader.status("1 of 1,600 memes")
    large_reader.tab.locator(".side b", has_text="m00777").wait_for()
    assert large_reader.ids() == ["m00777"]
    assert len(data_files(large_reader)) == 7
    large_reader.tab.fill("#query", "no such words")
    large_reader.status("0 of 1,600 memes")
    large_reader.tab.locator("#empty").wait_for()


@pytest.mark.slow
def test_sixty_thousand_memes_are_in_parts(browser: Any, tmp_path: Path) -> None:
    index = write_set(tmp_path / "set", rows_of(60_000), pictures=False)
    large_reader = Reader(browser, index)
    tab = large_reader.tab
    large_reader.status("60,000 memes")
    assert tab.locator("#parts-place").inner_text() == "1 to 10,000 of 60,000"
    tab.fill("#parts-go", "45678")
    tab.keyboard.press("Enter")
    tab.locator(".side b", has_text="m45677").wait_for()
    assert tab.locator("#parts-place").inner_text() == "40,001 to 50,000 of 60,000"
    tab.click("#parts-on")
    tab.locator(".side b", has_text="m50000").wait_for()
    tab.locator(".cell").first.focus()
    tab.keyboard.press("ArrowUp")
    large_reader.waits_for_focus(50_001, 2)
    tab.fill("#query", "ready 5999")
    large_reader.status("16 of 60,000 memes")  # 5999, 15999 and so on, 59990 to 59999
    tab.locator(".side b", has_text="m05999").wait_for()
    assert tab.locator("#parts").is_hidden()
    assert tab.locator("script[src]").count() == 0
    large_reader.context.close()
