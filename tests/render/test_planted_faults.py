"""Faults planted in pictures and texts: the proof names each."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from memeloc.fonts import FontLibrary
from memeloc.model import Template, TextBox, TextStyle
from memeloc.render import Renderer

PLAIN = TextStyle("plain", "plain", "#111111", "#ffffff", 0.0, False, 0.1, 1.2)
WIDE = TextBox("top", 0.05, 0.1, 0.9, 0.3, style=PLAIN)
LOW = TextBox("bottom", 0.05, 0.6, 0.9, 0.3, style=PLAIN)


class Plant(NamedTuple):
    """A fault, how it is planted, and the kind of finding that must name it.

    `source` is the caption that `caption` translates; `picture` and `boxes` what it is drawn on.
    """

    name: str
    kind: str
    caption: str
    locale: str = "en"
    source: str = ""
    boxes: tuple[TextBox, ...] = (WIDE,)
    picture: str = "white"
    fonts: tuple[str, ...] = ()


def _styled(**changes: object) -> tuple[TextBox, ...]:
    return (TextBox("top", 0.05, 0.1, 0.9, 0.3, style=TextStyle(**{**_PLAIN, **changes})),)


_PLAIN = {"name": "plain", "face": "plain", "fill": "#111111", "outline_width": 0.0,
          "uppercase": False, "max_size": 0.1}  # fmt: skip
TWO = (WIDE, LOW)

PLANTS = (
    Plant("dark text on noise", "low contrast", "hard to read", picture="noise"),
    Plant("white text on stripes", "low contrast", "hard to read",
          boxes=_styled(fill="#ffffff"), picture="stripes"),
    Plant("outline of the letters' own colour", "low contrast", "hard to read",
          boxes=_styled(fill="#eeeeee", outline="#dddddd", outline_width=0.06)),
    Plant("small on a phone", "too small", "a caption for a wall, shown on a phone",
          boxes=_styled(max_size=0.02), picture="large"),
    Plant("turned over the edge", "clipped", "over the edge",
          boxes=(TextBox("sign", 0.0, 0.0, 0.6, 0.2, angle=60),)),
    Plant("one part on the other", "parts overlap", "a long line of words // another long line",
          boxes=(WIDE, TextBox("bottom", 0.1, 0.15, 0.9, 0.3, style=PLAIN))),
    Plant("no font has it", "missing glyph", "so \U00012000"),
    Plant("lost before", "replacement character", "caf\ufffd"),
    Plant("a flag in one colour", "lost colour", "so \U0001f1e9\U0001f1ea", fonts=("noto-emoji",)),
    Plant("UTF-8 read as Latin-1", "damaged text", "FÃ¼r die StraÃŸe", "de"),
    Plant("character references", "damaged text", "c&#39;est la vie &amp; voil&agrave;", "fr"),
    Plant("reversed Arabic", "damaged text", "ﻢﻟﺎﻌﻟﺎﺑ ﺎﺒﺣﺮﻣ", "ar"),
    Plant("a part left out", "missing part", "तब", "hi", "then // now", TWO),
    Plant("a pipe between parts", "missing part", "damals | heute", "de", "then // now", TWO),
    Plant("vowel sign on the wrong base", "dotted circle", "अॅपमुळे फोन बंद", "mr"),
)  # fmt: skip


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pictures to plant faults in: white, noise, stripes, large."""
    folder = tmp_path_factory.mktemp("pictures")
    noise = np.random.default_rng(7).integers(0, 256, (400, 500), np.uint8)
    Image.fromarray(noise).convert("RGB").save(folder / "noise.png")
    stripes = np.zeros((400, 500), np.uint8)
    stripes[:, ::2] = 255
    stripes[:, 1::4] = 255
    Image.fromarray(stripes).convert("RGB").save(folder / "stripes.png")
    Image.new("L", (2400, 1600), 255).convert("RGB").save(folder / "large.png")
    Image.new("RGB", (500, 400), "#ffffff").save(folder / "white.png")
    return folder


NOT_YET = {"dark text on noise", "small on a phone", "UTF-8 read as Latin-1", "reversed Arabic",
           "character references", "a part left out", "a pipe between parts",
           "vowel sign on the wrong base"}  # fmt: skip


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(plant, id=plant.name, marks=[pytest.mark.xfail] * (plant.name in NOT_YET))
        for plant in PLANTS
    ],
)
def test_a_planted_fault_is_named(pictures: Path, plant: Plant) -> None:
    template = Template("planted", pictures / f"{plant.picture}.png", plant.boxes)
    renderer = Renderer(FontLibrary(plant.fonts))
    rendered = renderer.render(template, plant.caption, plant.locale)
    assert plant.kind in rendered.proof.problems
