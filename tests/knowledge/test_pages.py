"""Pages of memes: whole, escaped, and free of scripts but for the one that draws the graph."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from PIL import Image

from memeloc.knowledge.dimensions import read_recipe
from memeloc.knowledge.pages import LIBRARY, graph, write_pages
from memeloc.knowledge.statements import DimensionKnowledge, Entity, MemeKnowledge, Statement
from memeloc.language_models.pictures import picture_of
from memeloc.language_models.prompts import MemeInput
from memeloc.pages import script_hash
from tests.knowledge.some_memes import tea

HOSTILE = "<script>alert(1)</script>\x00\ud800\"'"
MEMES = [tea(), tea(HOSTILE, f"../{HOSTILE}"), replace(tea(meme="bare"), dimensions=())]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("pages")
    Image.new("RGB", (40, 30), "teal").save(folder / "tea.png")
    given = MemeInput("tea", "c", text="चाय // <b>", picture=picture_of(folder / "tea.png"))
    gone = picture_of(folder / "gone.png", sha256="0" * 64)
    return write_pages(
        MEMES,
        folder / "out",
        inputs={("tea", "hi"): given, ("bare", "hi"): MemeInput("bare", "c", picture=gone)},
        dimensions=read_recipe("m-quest").by_id,
    )


def _pages(pages: dict[str, Any]) -> dict[Path, str]:
    return {file: file.read_text("utf-8") for file in pages["index"].parent.rglob("*.html")}


def test_nothing_of_a_text_becomes_markup(pages: dict[str, Any]) -> None:
    for file, text in _pages(pages).items():
        assert text.count("<script") == (2 if file.parent.name == "memes" else 0)
        assert "<b>" not in text
        assert "alert(1)</" not in text
    assert all(file.parent.name == "memes" for file in pages["index"].parent.glob("*/*.html"))


def test_pages_run_the_graphs_script_alone_and_have_no_network(pages: dict[str, Any]) -> None:
    assert (pages["index"].parent / LIBRARY).stat().st_size > 100_000
    for file, text in _pages(pages).items():
        page = html.fromstring(text)
        (policy,) = page.xpath("//meta[@http-equiv]/@content")
        allowed = "default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'"
        if file.parent.name == "memes":
            library, script = page.xpath("//script")
            assert library.get("src") == f"../{LIBRARY}"
            allowed += f"; script-src 'self' file: {script_hash(script.text)}"
        assert policy == allowed


def test_the_graph_has_all_that_was_found(pages: dict[str, Any]) -> None:
    texts = [text for text in _pages(pages).values() if "nextTo" in text]
    assert len(texts) == 2
    for text in texts:
        (elements,) = html.fromstring(text).xpath("//*[@id='graph']/@data-elements")
        kinds = Counter(each["data"]["kind"] for each in json.loads(elements))
        assert kinds == {"statement": 2, "entity": 2, "about": 2, "rests": 1, "relation": 1}


def test_an_entity_stands_beside_the_statements_about_it() -> None:
    things = tuple(Entity(f"e{n}", f"thing {n}", "", "scene") for n in range(3))
    about = ("e2",), ("e0",), ("e0", "e2")
    statements = tuple(Statement(f"scene-{n}", "scene", "x", ids) for n, ids in enumerate(about))
    scene = DimensionKnowledge("scene", "answered", things, (), statements)
    meme = MemeKnowledge("a", "", "en", "en", "m-quest", "tiny", (scene,))
    nodes = [each["data"] for each in graph(meme) if each["data"]["kind"] == "entity"]
    assert {each["text"]: each["row"] for each in nodes} == {
        "thing 2": 0,
        "thing 0": 1,
        "thing 1": 2,
    }
