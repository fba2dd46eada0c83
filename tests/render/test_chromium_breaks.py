"""Held by Chromium: lines may end where it ends them, in every language but Khmer and Lao.

These two are segmented by other dictionaries there; tests/render/word_tables.py decides instead.
"""

from __future__ import annotations

import csv
import html
import re
import shutil
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unicodedata import category

import babel
import pytest

import memeloc.survey
from memeloc.locales import default
from memeloc.render.typesetting.breaks import clusters, opportunities
from tests.render.sentences import SENTENCES
from tests.render.test_chromium import ARGUMENTS, CSS

ENOUGH = 0.999
"""Least share of the places between two characters at which both agree."""

OTHER_DICTIONARIES = {"km", "lo"}
DICTIONARIES = {"th", "my"}

DEVIATIONS = [
    # Whose break it is, what stands before and after it, and why memeloc does otherwise.
    ("theirs", r"\d[-–]", r"\d", "a range of numbers or years stays together (LB25)"),
    ("theirs", r"(^|[.!?]\s)[–—]\s?", r"\w", "a dash that opens a line of speech stays with it"),
    ("theirs", r"\w", r"—", "a dash that closes an aside begins no line"),
    ("theirs", r"(^|\s)-+", r"\w", "a hyphen that begins a word is its own (LB20a)"),
    ("theirs", r"«\s", r"\S", "a quotation mark stays with its word (LB15a)"),
    ("theirs", r"\s", r"[»:?!;]", "marks that French parts by a space begin no line (LB13)"),
    ("theirs", r"\d", r"～", "a full-width tilde is typed for a wave dash, which begins no line"),
    ("theirs", r"\u200d", r".", "a joiner joins, also behind a space"),
    ("ours", r".", r"“[{\w]", "in Chinese “ opens and ” closes, beside Latin letters too"),
    ("ours", r"[}\w]”", r".", "in Chinese “ opens and ” closes, beside Latin letters too"),
]

ENDS_AT_ONE_PIXEL = """
() => [...document.querySelectorAll('p')].map(block => {
  const node = block.firstChild, range = document.createRange(), ends = [];
  const top = block.getBoundingClientRect().top;
  let last = null, points = 0;
  for (let at = 0; at < node.length;) {
    const size = node.data.codePointAt(at) > 0xffff ? 2 : 1;
    range.setStart(node, at); range.setEnd(node, at + size);
    const box = [...range.getClientRects()].pop();
    if (box && box.width > 0) {
      const line = Math.round((box.top - top) / 100);
      if (last !== null && line !== last) ends.push(points);
      last = line;
    }
    at += size; points += 1;
  }
  return ends;
})
"""

ENDS_OF_FIRST_LINES = """
() => [...document.querySelectorAll('p')].map(block => {
  const node = block.firstChild, range = document.createRange(), n = node.length;
  const box = at => {
    range.setStart(node, at); range.setEnd(node, at + 1);
    return [...range.getClientRects()].pop();
  };
  block.style.whiteSpace = 'nowrap';
  const left = block.getBoundingClientRect().left, edges = [];
  for (let at = 0; at < n; at++) { const b = box(at); edges.push(b ? b.right - left : 0); }
  block.style.whiteSpace = 'normal';
  const ends = new Set();
  for (const edge of new Set(edges)) {
    block.style.width = (edge + 0.05) + 'px';
    const top = block.getBoundingClientRect().top;
    let low = 0, high = n;
    while (low < high) {
      let middle = (low + high) >> 1, b = box(middle), at = middle;
      while (at + 1 < high && !(b && b.width > 0)) { at += 1; b = box(at); }
      if (b && b.width > 0 && b.top - top > 60) high = middle; else low = at + 1;
    }
    if (low < n) ends.add([...node.data.slice(0, low)].length);
  }
  return [...ends].sort((a, b) => a - b);
})
"""
"""Where a dictionary cuts depends on where the text begins, so each end is of a first line."""


@dataclass(frozen=True)
class Case:
    """A text, and where Chromium ends its lines."""

    tag: str
    text: str
    theirs: list[int]


HARD = {
    "en": [
        "the years 1990-2020 and 10-15 cats",
        "a - dash and -minus",
        "tea / coffee in C++ at 5 km/h",
    ],
    "es": ["—el de Soria— dijo el gato"],
    "fr": [
        "— Encore ? — Encore !",
        "« oui » dit le chat : « non ! »",
        "Quoi ? Encore une réunion !",
    ],
    "ml": ["അംഗോളൻ \u200dക്വാൻസ"],
    "ru": ["Чай/кофе: 50/50, 2019-2020"],
    "zh-Hans": ["他说“OK”就走了", "我用API写了“hello”程序"],
    "ja": ["18～24歳の猫、「会議」（10時）"],
    "ko": ["개인(정치인), 선전·선동 ‘메모’라는 보고서_최종_v7"],
}
"""Text in which memeloc does otherwise than Chromium, besides what natural text has of it."""


def texts() -> Iterator[tuple[str, str]]:
    """Natural text in every language: sentences, captions, the survey's words, CLDR's names."""
    starter = Path(__file__).parents[2] / "examples" / "starter" / "captions.csv"
    with starter.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for locale in default():
        yield from ((locale.tag, text) for text in SENTENCES[locale.tag])
        yield from ((locale.tag, text) for text in HARD.get(locale.tag, []))
        column = {"zh-Hans": "zh"}.get(locale.tag, locale.tag)
        for row in rows:
            yield from ((locale.tag, part) for part in re.split(r"\s*//\s*", row.get(column) or ""))
        if locale.tag not in OTHER_DICTIONARIES | DICTIONARIES:
            names = babel.Locale.parse(locale.tag.replace("-", "_")).territories
            yield from ((locale.tag, name) for name in names.values())
    for path in sorted((Path(memeloc.survey.__file__).parent / "texts").glob("*.toml")):
        word = SENTENCES[path.stem][0][:2].strip()
        for text in strings(tomllib.loads(path.read_text(encoding="utf-8"))):
            text = re.sub(r"\{\w+\}", word, text)
            yield from ((path.stem, line) for line in text.split("\n"))


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.fail("chromium is missing: install the Debian package chromium.")
    from playwright.sync_api import sync_playwright

    pairs = dict.fromkeys((tag, re.sub(r"[ \n]+", " ", text).strip()) for tag, text in texts())
    pairs = {pair: None for pair in pairs if pair[1]}
    groups = {
        ENDS_AT_ONE_PIXEL: [pair for pair in pairs if pair[0] not in DICTIONARIES],
        ENDS_OF_FIRST_LINES: [
            pair for pair in pairs if pair[0] in DICTIONARIES and len(pair[1]) < 120
        ],
    }
    done = []
    folder = tmp_path_factory.mktemp("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for number, (script, group) in enumerate(groups.items()):
            page_file = folder / f"{number}.html"
            page_file.write_text(page_of(group), encoding="utf-8")
            page = browser.new_page()
            page.set_default_timeout(600_000)
            page.goto(page_file.as_uri())
            for (tag, text), theirs in zip(group, page.evaluate(script), strict=True):
                done.append(Case(tag, text, theirs))
        browser.close()
    return done


def page_of(group: list[tuple[str, str]]) -> str:
    blocks = [
        f'<p lang="{tag}" dir="{default().get(tag).direction}" style="{CSS.get(tag, "")}">'
        f"{html.escape(text)}</p>"
        for tag, text in group
    ]
    style = "p { position: absolute; margin: 0; width: 1px; font-size: 20px; line-height: 100px }"
    return f"<!doctype html><meta charset=utf-8><style>{style}</style>" + "\n".join(blocks)


def seen(text: str, ends: list[int]) -> set[int]:
    """Ends as the offset of the first visible character of the next line, as Chromium's are."""
    starts = set()
    for end in ends:
        while end < len(text) and (
            (text[end].isspace() and text[end] not in "\u00a0\u202f")
            or category(text[end]) in ("Cf", "Mn", "Me", "Mc")
        ):
            end += 1
        if 0 < end < len(text):
            starts.add(end)
    return starts


def listed(whose: str, text: str, end: int) -> set[tuple[str, str, str, str]]:
    """The deviations that a difference at an offset is an example of."""
    return {
        (kind, before, after, why)
        for kind, before, after, why in DEVIATIONS
        if whose == kind and re.search(f"(?:{before})$", text[:end]) and re.match(after, text[end:])
    }


@pytest.mark.slow
def test_chromium_ends_lines_at_the_same_places(cases: list[Case]) -> None:
    places: dict[str, int] = defaultdict(int)
    differing: dict[str, list[str]] = defaultdict(list)
    unlisted = []
    for case in cases:
        if case.tag in OTHER_DICTIONARIES:
            continue
        ours = seen(case.text, opportunities(case.text, default().get(case.tag)))
        theirs = seen(case.text, case.theirs)
        places[case.tag] += len(clusters(case.text)) - 1
        for end in sorted(ours ^ theirs):
            whose = "ours" if end in ours else "theirs"
            shown = f"{case.tag} {whose}: {case.text[:end]}¦{case.text[end:]}"
            differing[case.tag].append(shown)
            if not listed(whose, case.text, end):
                unlisted.append(shown)
    assert set(places) == {locale.tag for locale in default()} - OTHER_DICTIONARIES
    assert sum(places.values()) > 300_000
    agreement = {tag: 1 - len(differing[tag]) / count for tag, count in places.items()}
    assert not {tag: differing[tag] for tag, share in agreement.items() if share < ENOUGH}
    assert not unlisted
    assert sum(map(len, differing.values())) < 0.0003 * sum(places.values())


@pytest.mark.slow
def test_every_listed_deviation_is_met(cases: list[Case]) -> None:
    met = set()
    for case in cases:
        ours = seen(case.text, opportunities(case.text, default().get(case.tag)))
        for end in ours ^ seen(case.text, case.theirs):
            met |= listed("ours" if end in ours else "theirs", case.text, end)
    assert met == set(DEVIATIONS)
