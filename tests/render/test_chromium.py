"""Held by another renderer: headless Chromium, given the same font, size and width.

One sentence in each script is broken into lines and painted by both. Chromium uses Skia, HarfBuzz
and ICU too, so the same lines must come out, and ink in the same places; what it does not share is
all the code in between.
"""

from __future__ import annotations

import html
import io
import json
import shutil
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib.sfnt import SFNTReader, SFNTWriter
from numpy.typing import NDArray
from PIL import Image

from memeloc.fonts import Family, FontLibrary
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.render.background import Background, Canvas
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.typesetting.breaks import opportunities
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import set_line
from memeloc.render.typesetting.shape import ShapedText, shape
from tests.each import each
from tests.render.sentences import SENTENCES

SIZE = 47
"""Font size in pixels; below 48 memeloc places glyphs to half a pixel, Chromium to a quarter."""

WIDTH = 440
MARGIN = 60
PITCH = 104
SHIFT = 3
ENOUGH = 0.9

SCRIPTS = {
    "Latn": "vi", "Cyrl": "uk", "Grek": "el", "Arab": "ar", "Hebr": "he", "Deva": "hi",
    "Beng": "bn", "Taml": "ta", "Telu": "te", "Knda": "kn", "Mlym": "ml", "Gujr": "gu",
    "Guru": "pa", "Orya": "or", "Sinh": "si", "Thai": "th", "Laoo": "lo", "Khmr": "km",
    "Mymr": "my", "Ethi": "am", "Geor": "ka", "Armn": "hy", "Hans": "zh-Hans", "Hant": "zh-Hant",
    "Jpan": "ja", "Kore": "ko",
}  # fmt: skip
"""The locale that stands for each script."""

CASES = [(tag, 0) for tag in SCRIPTS.values()] + [
    # Numbers and Latin names within right-to-left text; brackets and small kana.
    ("ar", 1), ("he", 1), ("fa", 1), ("ja", 1), ("zh-Hans", 1),
]  # fmt: skip
"""A locale, and which of its sentences."""

HARD = {
    "vi": "Ặ Ẫ Ổ Ỡ quỷ quyệt nghiêng ngả khuỷu",
    "th": "ปู่ญี่ปุ่นกู้ภัยที่ฐานปั้น กู้ญู่ปี้",
    "km": "ស្ត្រីខ្មែរ ញ៉ាំ ក្រៀម ឆ្នាំ ប្រុស្រី",
    "my": "ကြွေးကြွို့ ဗျို့ ကျွန်ုပ်တို့ ညွှန့်",
    "lo": "ນ້ຳ ໝູ່ ຫຼິ້ນ ກ໋ວຍເຕ໋ຍວ ຢູ່ຫັ້ນ",
    "ta": "ஸ்ரீ க்ஷௌரம் ஔவையார் கொழுக்கட்டை",
    "hi": "क्ष त्र ज्ञ द्ध्व र्त्स्न्य हृदय ट्रैफ़िक",
    "bn": "ক্ষ্ম র‍্যাব স্ত্রী ন্ত্র্য উদ্ধৃত কিংকর্তব্য",
    "ml": "സ്ത്രീ ന്റെ ക്ഷ്ത്ര കൽ മൻ ക്രൗര്യം",
    "te": "స్త్రీ క్ష్మ ర్యాంకు త్ర్యంబకం జ్ఞానం",
    "si": "ක්‍ෂණය ශ්‍රී ව්‍යංජන ප්‍රශ්නය",
    "ar": "لٍّ إِنِّي أُحِبُّ الشَّايَ عِنْدَ الظُّهْرِ",
    "fa": "می‌خواهم ۱۲٫۵٪ تخفیف (نسخهٔ v2.0)",
    "he": "הַחָתוּל יָשֵׁן (10:30) עִם API 2.0",
    "en": "z\u0351\u0352\u0353\u0354 a\u0317\u0316\u0351\u0357 jgy l\u0323\u0301 o\u0308\u0304",
    "ru": "ударе\u0301ние Ѐ Ѝ ё й щёголь",
    "ja": "「『猫』が言った。」（本当？）、「はい」",
    "zh-Hans": "他说：“好。”（真的）《书》、《报》。",
    "zh-Hant": "他說：「好！」（真的？）『書』、『報』。",
    "ko": "‘회의’는 「시작」, 값넓꿿 뛟쀍 됐다",
}
"""A hard line in twenty languages: stacked marks, conjuncts, mixed directions, full-width marks.

Chinese ！ and ？ are left out: CLREQ tightens them before a closing mark, CSS Text 4 does not.
"""

CASES += [(tag, len(SENTENCES[tag])) for tag in HARD]

CSS = {
    "ja": "line-break: strict",
    "zh-Hans": "line-break: strict",
    "zh-Hant": "line-break: strict",
    "ko": "word-break: keep-all",
}

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-lcd-text",
    "--font-render-hinting=none",
    "--allow-file-access-from-files",
]

LINES_OF = """
() => [...document.querySelectorAll('div')].map(block => {
  const node = block.firstChild, range = document.createRange(), lines = [];
  let last = null;
  for (let at = 0; at < node.length;) {
    const size = node.data.codePointAt(at) > 0xffff ? 2 : 1;
    range.setStart(node, at); range.setEnd(node, at + size);
    const box = range.getClientRects()[0];
    if (box) {
      const line = Math.round(box.top - block.getBoundingClientRect().top);
      if (last === null || Math.abs(line - last) > 20) { lines.push(''); last = line; }
    }
    if (lines.length) lines[lines.length - 1] += node.data.slice(at, at + size);
    at += size;
  }
  return lines;
})
"""


@dataclass(frozen=True)
class Theirs:
    """What Chromium made of a sentence."""

    lines: list[str]
    ink: NDArray[np.float64]


def font_file(family: Family, folder: Path) -> Path:
    """A file with just the family's face: Chromium does not choose within a collection."""
    if family.path.suffix != ".ttc":
        return family.path
    path = folder / f"{family.name}.otf"
    with family.path.open("rb") as collection, path.open("wb") as single:
        reader = SFNTReader(collection, fontNumber=family.index)
        writer = SFNTWriter(single, len(reader.keys()), reader.sfntVersion)
        for tag in reader.keys():  # noqa: SIM118 - it is no dictionary
            writer[tag] = reader[tag]
        writer.close()
    return path


def page_of(folder: Path) -> str:
    """The page with a block for each script, its faces given as files."""
    library = FontLibrary()
    needed: dict[str, None] = {}
    blocks = []
    for tag, number in CASES:
        locale = default().get(tag)
        paragraph = shaped(locale, number)
        families = dict.fromkeys(run.face.family for run in paragraph.runs)
        needed |= families
        (settings,) = {css_settings(library.families[name]) for name in families}
        names = ", ".join([locale.plain[0], *families])
        blocks.append(
            f'<div lang="{locale.tag}" dir="{locale.direction}" style="font-family: {names}; '
            f'font-variation-settings: {settings}; {CSS.get(tag, "")}">'
            f"{html.escape(paragraph.text)}</div>"
        )
    rules = [
        f"@font-face {{ font-family: {name}; "
        f"src: url({json.dumps(font_file(library.families[name], folder).as_uri())}) }}"
        for name in needed
    ]
    return "\n".join(
        [
            "<!doctype html><meta charset=utf-8><style>",
            "body { margin: 0; background: white; color: black }",
            f"div {{ font-size: {SIZE}px; line-height: {PITCH}px; width: {WIDTH}px; ",
            f"margin: 0 {MARGIN}px; font-synthesis: none; font-kerning: normal; ",
            "text-rendering: geometricPrecision; -webkit-font-smoothing: antialiased }",
            *rules,
            "</style>",
            *blocks,
        ]
    )


def css_settings(family: Family) -> str:
    return ", ".join(f"'{axis}' {value:g}" for axis, value in family.plain.items())


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Theirs]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.fail("chromium is missing: install the Debian package chromium.")
    from playwright.sync_api import sync_playwright

    folder = tmp_path_factory.mktemp("chromium")
    page_file = folder / "page.html"
    page_file.write_text(page_of(folder), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": WIDTH + 2 * MARGIN, "height": 800})
        page.goto(page_file.as_uri())
        loaded = page.evaluate(
            "() => document.fonts.ready.then(all => [...all].map(font => font.status))"
        )
        assert set(loaded) == {"loaded"}
        lines = page.evaluate(LINES_OF)
        tops = page.evaluate(
            "() => [...document.querySelectorAll('div')].map(b => b.getBoundingClientRect().top)"
        )
        picture = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("L")
        browser.close()
    ink = 1 - np.asarray(picture) / 255
    return {
        case: Theirs(shown, ink[int(top) : int(top) + PITCH * len(shown)])
        for case, shown, top in zip(CASES, lines, tops, strict=True)
    }


def shaped(locale: Locale, number: int) -> ShapedText:
    text = [*SENTENCES[locale.tag], HARD.get(locale.tag, "")][number]
    level, runs, missing = Itemizer(FontLibrary().stack(locale, "plain")).runs(
        text, locale.direction
    )
    assert not missing
    return shape(text, level, runs, locale.tag)


def filled(paragraph: ShapedText, locale: Locale) -> list[tuple[int, int]]:
    """Each line's first character and the one after its last: filled greedily, as browsers do."""
    text, limit = paragraph.text, WIDTH / SIZE
    lines = []
    begin = 0
    for end, after in pairwise([*opportunities(text, locale), len(text)]):
        wide = len(text[:after].rstrip())
        if end < len(text) and paragraph.positions[wide] - paragraph.positions[begin] > limit:
            lines.append((begin, end))
            begin = end
    return [*lines, (begin, len(text))]


def painted(paragraph: ShapedText, begin: int, end: int, locale: Locale) -> NDArray[np.float64]:
    """Our ink of one line on a white strip, its start at the same part of a pixel as Chromium's."""
    line = set_line(paragraph, begin, end, locale)
    start = float(MARGIN)
    if paragraph.level:
        shown = begin + len(line.text)
        start += WIDTH - (paragraph.positions[shown] - paragraph.positions[begin]) * SIZE
    pixels = np.full((PITCH, WIDTH + 2 * MARGIN), 0xFFFFFFFF, np.uint32)
    left = start - 1 + line.left * SIZE  # no whole number, so that the line's origin is where it is
    area = Area(left, 0, WIDTH + 2 * MARGIN, PITCH, 0.0, "left", "middle", 0.0)
    canvas = Canvas(Background(pixels))
    Painter().paint(canvas, PartLayout(SIZE, (0.0,), [line]), area, Ink("#000000", "#000000"))
    return 1 - (canvas.pixels & 255) / 255


def overlap(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """The best intersection over union of two strips' ink when one is moved by whole pixels."""

    def corner(ink: NDArray[np.float64]) -> tuple[int, int]:
        inked = ink > 0.3
        return int(np.flatnonzero(inked.any(1))[0]), int(np.flatnonzero(inked.any(0))[0])

    (top, left), (to_top, to_left) = corner(ours), corner(theirs)
    best = 0.0
    for down in range(to_top - top - SHIFT, to_top - top + SHIFT + 1):
        for across in range(to_left - left - SHIFT, to_left - left + SHIFT + 1):
            moved = np.roll(ours, (down, across), (0, 1))
            both = np.minimum(moved, theirs).sum()
            best = max(best, both / np.maximum(moved, theirs).sum())
    return best


def test_every_script_of_the_locales_is_looked_at() -> None:
    assert set(SCRIPTS) == {locale.script for locale in default()}
    assert len(SCRIPTS) >= 22


@each(("tag", "number"), CASES)
def test_chromium_breaks_the_same_lines(
    tag: str, number: int, theirs: dict[tuple[str, int], Theirs]
) -> None:
    locale = default().get(tag)
    paragraph = shaped(locale, number)
    ours = [paragraph.text[begin:end].rstrip() for begin, end in filled(paragraph, locale)]
    assert len(ours) > 1 or number >= len(SENTENCES[tag])
    assert ours == [line.rstrip() for line in theirs[tag, number].lines]


@each(("tag", "number"), CASES)
def test_chromium_inks_the_same_places(
    tag: str, number: int, theirs: dict[tuple[str, int], Theirs]
) -> None:
    locale = default().get(tag)
    paragraph = shaped(locale, number)
    for row, (begin, end) in enumerate(filled(paragraph, locale)):
        ours = painted(paragraph, begin, end, locale)
        strip = theirs[tag, number].ink[row * PITCH : (row + 1) * PITCH, : WIDTH + 2 * MARGIN]
        assert overlap(ours, strip) >= ENOUGH, paragraph.text[begin:end]
