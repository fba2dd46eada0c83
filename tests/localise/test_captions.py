"""Lines on bars and cards: they begin where they began, and have the room beside them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from memeloc.localise.boxes import text_boxes
from memeloc.localise.texts import find_texts
from memeloc.ocr.protocol import Line
from tests.localise.drawn import EN

pytest.importorskip("cv2")


def set_text(ground: Image.Image, left: int, top: int, fill: str) -> Line:
    pen = ImageDraw.Draw(ground)
    pen.text((left, top), "Kettle on", fill, font_size=40)
    x, y, right, bottom = pen.textbbox((left, top), "Kettle on", font_size=40)
    return Line("Kettle on", (x - 3, y - 6, right + 3, bottom + 6), 0.98)


@pytest.mark.parametrize(("left", "align"), [(20, "start"), (214, "center"), (410, "end")])
def test_a_line_on_a_bar_keeps_to_its_side(left: int, align: str) -> None:
    bar = Image.new("RGB", (600, 480), "white")
    line = set_text(bar, left, 20, "#111111")
    texts = find_texts(np.asarray(bar), [line], EN)
    (box,) = text_boxes(np.asarray(bar), texts, EN)
    assert box.align == align
    ink = texts[0].region.box
    edge = {"start": box.x, "center": box.x + box.width / 2, "end": box.x + box.width}[align]
    drawn = {"start": ink[0], "center": ink[0] + ink[2] / 2, "end": ink[0] + ink[2]}[align]
    assert edge == pytest.approx(drawn, abs=0.01)
