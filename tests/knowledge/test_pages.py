"""Pages of memes: whole, escaped, and free of scripts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html
from PIL import Image

from memeloc.knowledge.dimensions import read_recipe
from memeloc.knowledge.pages import write_pages
from memeloc.knowledge.statements import MemeKnowledge
from memeloc.language_models.pictures import picture_of
from memeloc.language_models.prompts import MemeInput
from tests.knowledge.some_memes import tea

HOSTILE = "<script>alert(1)</script>\x00\ud800\"'"
MEMES = [tea(), tea(HOSTILE, f"../{HOSTILE}"), replace(tea(meme="bare"), dimensions=())]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("pages")
    Image.new("RGB", (40, 30), "teal").save(folder / "tea.png")
    given = MemeInput("tea", "c", text="चाय // <b>", picture=picture_of(folder / "tea.png"))
    missing = MemeInput("bare", "c", picture=picture_of(folder / "tea.png", sha256="0" * 64))
    missing = replace(missing, picture=picture_of(folder / "gone.png", sha256="0" * 64))
    return write_pages(
        MEMES,
        folder / "out",
        inputs={("tea", "hi"): given, ("bare", "hi"): missing},
        dimensions=read_recipe("m-quest").by_id,
    )


def _page(pages: dict[str, Any], meme: MemeKnowledge) -> tuple[Path, str]:
    entries = html.fromstring(pages["index"].read_text("utf-8")).xpath("//li//p/a")
    (link,) = [entry.get("href") for entry in entries if entry.text_content() in meme.meme]
    file = pages["index"].parent / link
    return file, file.read_text("utf-8")


def test_nothing_of_a_text_becomes_markup(pages: dict[str, Any]) -> None:
    for file in pages["index"].parent.rglob("*.html"):
        text = file.read_text("utf-8")
        assert "<script" not in text
        assert "<b>" not in text
    assert all(file.parent.name == "memes" for file in pages["index"].parent.glob("*/*.html"))


def test_pages_allow_no_scripts_and_no_network(pages: dict[str, Any]) -> None:
    for file in pages["index"].parent.rglob("*.html"):
        assert "default-src 'none'; img-src 'self' file:;" in file.read_text("utf-8")


def test_svg_is_well_formed(pages: dict[str, Any]) -> None:
    _, page = _page(pages, MEMES[0])
    svg = page[page.index("<svg") : page.index("</svg>") + 6]
    assert etree.fromstring(svg).tag == "svg"
