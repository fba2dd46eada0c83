"""Bars grow with their text, and boxes and pictures turn round: what a picture then looks like."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memeloc.locales import default
from memeloc.model import STYLES, Bar, Template, TextBox
from memeloc.render import Renderer

SIZE = (400, 240)
LONG = "five lines of text that say at some length how the tea went cold while we talked about it "


def bar(side: str, **limits: float) -> TextBox:
    made = Bar(side, **limits)  # type: ignore[arg-type]
    return TextBox(side, 0.04, 0.0, 0.92, made.most, style=STYLES["plain"], bar=made)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer()


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Green on the left, blue on the right."""
    path = tmp_path_factory.mktemp("bars") / "picture.png"
    image = Image.new("RGB", SIZE, "#008000")
    image.paste("#0000ff", (SIZE[0] // 2, 0, *SIZE))
    image.save(path)
    return path


@pytest.fixture
def barred(picture: Path) -> Template:
    on_it = TextBox("on it", 0, 0.5, 1, 0.4)
    return Template("barred", picture, (bar("top"), on_it, bar("bottom")))


def test_the_picture_stands_whole_between_its_bars(renderer: Renderer, barred: Template) -> None:
    rendered = renderer.render(barred, "above //  // below this", "en")
    top, _, bottom = rendered.proof.parts
    assert top.ink is not None
    assert bottom.ink is not None
    pixels = np.asarray(rendered.image)
    rows = np.flatnonzero((pixels[:, 0] == (0, 128, 0)).all(axis=-1))
    assert len(rows) == SIZE[1]
    assert top.ink[3] < rows[0]
    assert bottom.ink[1] > rows[-1]
    assert (pixels[0, 0] == 255).all()
    assert min(top.contrast or 0, bottom.contrast or 0) > 15


def test_text_on_the_picture_moves_along(renderer: Renderer, barred: Template) -> None:
    alone = renderer.render(barred, " // here", "en").proof.parts[1].ink
    rendered = renderer.render(barred, "above // here", "en").proof
    moved = rendered.parts[1].ink
    assert alone is not None
    assert moved is not None
    down = rendered.height - SIZE[1]
    assert moved == (alone[0], alone[1] + down, alone[2], alone[3] + down)


def test_the_fingerprint_is_of_the_languages_own_picture(
    renderer: Renderer, picture: Path, tmp_path: Path
) -> None:
    other = tmp_path / "rtl.png"
    english, arabic = (default().get(tag) for tag in ("en", "ar"))
    prints = []
    for colour in ("#ff0000", "#ffff00"):
        Image.new("RGB", SIZE, colour).save(other)
        template = Template("t", picture, (bar("top"),), pictures=(("rtl", other),))
        fresh = Renderer()
        prints.append([fresh.fingerprint(template, locale) for locale in (english, arabic)])
    assert prints[0][0] == prints[1][0]
    assert prints[0][1] != prints[1][1]
    mirrored = replace(template, boxes=(replace(bar("top"), mirror=True),))
    assert renderer.fingerprint(mirrored, english) != prints[1][0]
