"""How many lines end with an article or a preposition. In: captions, sentences. Out: a table.

    python -m bench.hanging

The captions are the starter set's, on their templates; in languages that it lacks those of
hanging.csv, in boxes of several shapes. Beside memeloc's lines stand Chromium's with `text-wrap:
balance`, in the same font, at the same size, in a box of the same width. Run it with another
version of memeloc in PYTHONPATH for the figures of before.
"""

from __future__ import annotations

import csv
import html
import math
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from memeloc.locales import default
from memeloc.render import Renderer
from memeloc.templates import load_templates
from tests.render.test_chromium import ARGUMENTS, LINES_OF, css_settings

STARTER = Path(__file__).resolve().parent.parent / "examples" / "starter" / "captions.csv"
MORE = Path(__file__).with_suffix(".csv")
WORDS = {
    "en": (
        "a an the of in on at to for from by with into onto about over under between "
        "through during without against after before until since behind above near per "
        "than via "
    ),
    "de": (
        "der die das den dem des ein eine einen einem einer eines in im ins an am ans auf "
        "aus bei beim mit nach von vom vor zu zum zur für über unter um durch ohne gegen "
        "seit bis zwischen hinter neben wegen während trotz laut ab kein keine keinen "
    ),
    "fr": (
        "le la les l’ un une des du de d’ au aux à en dans sur sous par pour avec sans "
        "chez vers entre contre depuis pendant avant après dès "
    ),
    "es": (
        "el la los las un una unos unas de del a al en con por para sin sobre entre desde "
        "hasta hacia contra según ante tras "
    ),
    "it": (
        "il lo la i gli le l’ un uno una un’ di del dello della dei degli delle dell’ a "
        "al allo alla ai agli alle da dal dalla dai dalle in nel nello nella nei negli "
        "nelle con su sul sulla sui sulle per tra fra senza "
    ),
    "pt": (
        "o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo "
        "pela pelos pelas para pra pro com sem sobre entre até desde contra ao à aos às "
    ),
    "nl": (
        "de het een van in op aan te bij met naar voor over onder uit tot door om zonder "
        "tegen tussen achter na sinds per "
    ),
    "pl": ("w we z ze na do od po o u za przed przez przy pod nad bez dla między ku "),
    "ru": ("в во на с со к ко о об от до из у за по под над при без для про через между перед "),
    "sv": (
        "en ett den det de i på av till för med från om vid under över mellan utan mot "
        "efter hos genom "
    ),
    "cs": ("v ve z ze na do od po o u za před přes při pod nad bez pro mezi k ke s se "),
    "uk": ("в у на з із зі до від по о об за під над при без для про через між перед "),
    "ro": ("un o al a ai ale de din în la cu pe pentru prin fără sub peste între spre "),
    "el": (
        "ο η το οι τα του της των τον την τους τις ένα ένας μια μία σε στο στη στην στον "
        "στα στους στις από για με χωρίς ως κατά προς μετά πριν "
    ),
}
"""Articles and prepositions by language; of Slavic languages also `not` and `and` of one letter."""

SHAPES = [(0.4, 0.4), (0.6, 0.3), (0.8, 0.24), (0.96, 0.18)]
"""Widths and heights of boxes, as shares of the picture's."""


class Part(NamedTuple):
    """A part as memeloc set it: its lines, its size and the width of its box, in pixels."""

    lines: list[str]
    size: float
    width: float
    font: str


def parts(tag: str, renderer: Renderer) -> Iterator[Part]:
    """Lay out all texts of a language."""
    templates, _ = load_templates()
    jobs = [(templates[row["template"]], row[tag]) for row in _rows(STARTER) if row.get(tag)]
    if not jobs:
        sheet = templates["robot-chef"]
        for row in _rows(MORE):
            for width, height in SHAPES:
                box = replace(sheet.boxes[0], x=0.02, y=0.02, width=width, height=height)
                jobs.append((replace(sheet, boxes=(box,)), row[tag]))
    locale = default().get(tag)
    for template, caption in jobs:
        proof = renderer.render(template, caption, tag).proof
        boxes = {box.name: box for box in template.boxes}
        for part in proof.parts:
            if part.font_size:
                box = boxes[part.name]
                font = renderer.fonts.stack(locale, box.style.face).primary.family
                width = box.width * proof.width - 2 - 2 * box.style.outline_width * part.font_size
                yield Part(list(part.lines), part.font_size, width, font)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def hanging(lines: list[str], words: set[str]) -> int:
    """Count the lines but the last that end with one of the words.

    >>> hanging(["The cat on", "the mat"], {"on"})
    1
    """
    ends = [re.findall(r"[\w’]+$", line.strip()) for line in lines[:-1]]
    return sum(bool(end) and end[0].casefold().rpartition("’")[2] in words for end in ends)


def balanced(tag: str, done: list[Part], renderer: Renderer) -> list[list[str]]:
    """Break the same texts in Chromium."""
    from playwright.sync_api import sync_playwright

    locale = default().get(tag)
    families = {part.font: renderer.fonts.families[part.font] for part in done}
    rules = [
        f"@font-face {{ font-family: {name}; src: url('{family.path.as_uri()}') }}"
        for name, family in families.items()
    ]
    blocks = [
        f'<div lang="{locale.tag}" style="font: {part.size}px/60px {part.font}; '
        f"font-variation-settings: {css_settings(families[part.font])}; "
        f'width: {part.width}px">{html.escape(" ".join(part.lines))}</div>'
        for part in done
    ]
    style = "div { text-wrap: balance; font-kerning: normal; text-rendering: geometricPrecision }"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        page_file.write_text(
            f"<!doctype html><meta charset=utf-8><style>{style}{''.join(rules)}</style>"
            + "".join(blocks),
            encoding="utf-8",
        )
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )
        page = browser.new_page()
        page.goto(page_file.as_uri())
        page.evaluate("document.fonts.ready")
        lines: list[list[str]] = page.evaluate(LINES_OF)
        browser.close()
    return lines


def main() -> None:
    """Print the table."""
    renderer = Renderer()
    print("language  line ends  hanging %   mean size px   Chromium: line ends  hanging %")
    for tag in sys.argv[1:] or WORDS:
        words = set(WORDS[tag].split())
        done = [part for part in parts(tag, renderer) if len(part.lines) > 1]
        done = [part for part in done if not any(line[-1:] in "‐-" for line in part.lines)]
        cells = []
        for lines in ([part.lines for part in done], balanced(tag, done, renderer)):
            ends = sum(len(each) - 1 for each in lines)
            share = 100 * sum(hanging(each, words) for each in lines) / max(1, ends)
            cells.append(f"{ends:9}  {share:9.1f}")
        size = 2 ** mean(math.log2(part.size) for part in done)
        print(f"{tag:8} {cells[0]} {size:14.2f}   {cells[1]:>30}", flush=True)


if __name__ == "__main__":
    main()
