"""Bars grow with their text, and boxes and pictures turn round: what a picture then looks like."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memeloc.model import STYLES, Bar, Template, TextBox
from memeloc.render import Renderer

SIZE = (400, 240)


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
