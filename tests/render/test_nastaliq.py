"""Urdu in Nastaliq where it is found: sloped lines that do not touch; else Naskh, and named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.model import Template, TextBox, TextStyle
from memeloc.render import Renderer
from memeloc.render.background import Backgrounds, Canvases
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import lay_out

URDU = default().get("ur")
TEXT = "اور میٹنگ ابھی باقی ہو تو بلی بھی سو جاتی ہے، آپ کیا کریں گے"
needs_nastaliq = pytest.mark.skipif(
    not FontLibrary().families["nastaliq-bold"].found, reason="no Nastaliq font on this system"
)


@pytest.fixture
def template(tmp_path: Path) -> Template:
    image = tmp_path / "grey.png"
    Image.new("RGB", (400, 300), "#808080").save(image)
    return Template("grey", image, (TextBox("box", 0, 0, 1, 1, style=TextStyle()),))


@needs_nastaliq
def test_sloped_lines_do_not_touch(template: Template) -> None:
    stack = FontLibrary().stack(URDU, "poster")
    layout = lay_out(TEXT, URDU, Itemizer(stack), Bounds(400, 300, 45.0, 0.06, 1.0))
    assert len(layout.lines) > 1
    background = Backgrounds(None).get(template)
    area = Area(0, 0, 400, 300, 0.0, "center", "middle", 0.06)
    inked = np.zeros((300, 400), int)
    for shown in layout.lines:
        lines = [line if line is shown else line._replace(runs=[]) for line in layout.lines]
        canvas = Canvases().canvas_of(background)
        before = canvas.pixels.copy()
        painter = Painter()
        painter.paint(canvas, layout._replace(lines=lines), area, Ink("#ffffff", "#000000"))
        inked += canvas.pixels != before
    assert inked.max() == 1


@needs_nastaliq
def test_urdu_is_in_nastaliq(template: Template) -> None:
    proof = Renderer().render(template, TEXT, "ur").proof
    assert proof.parts[0].fonts == ("nastaliq-bold",)
    assert not proof.findings


def test_naskh_in_its_place_is_named(template: Template) -> None:
    without = replace(URDU, poster=("no-nastaliq", *URDU.poster[1:]))
    fonts = FontLibrary()
    fonts.families["no-nastaliq"] = replace(
        fonts.families["nastaliq"], name="no-nastaliq", system=("No Such Nastaliq",)
    )
    renderer = Renderer(fonts)
    proof = renderer.render(template, TEXT, without).proof
    (finding,) = proof.findings
    assert (finding.kind, finding.detail) == ("substitute font", "not found: No Such Nastaliq")
    assert renderer.render(template, "OK", without).proof.problems == ()
