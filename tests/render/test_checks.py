"""Single checks of the proof: ink that lies on ink, letters that cannot be told from a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memeloc.model import Caption, Template, TextBox, TextStyle
from memeloc.render import Renderer
from memeloc.render.background import Background
from memeloc.render.checks import contrast_behind
from memeloc.render.proof import TextBoxes, TextShape, Word
from tests.each import each

STYLE = TextStyle(max_size=0.3)
LEFT = TextBox("one", 0, 0, 0.8, 1, align="left", style=STYLE)
RIGHT = TextBox("two", 0.2, 0, 0.8, 1, align="right", style=STYLE)
ABOVE = TextBox("one", 0, 0, 1, 0.5, valign="bottom", style=STYLE)
BELOW = TextBox("two", 0, 0.5, 1, 0.5, valign="top", style=STYLE)
ACROSS = TextBox("two", 0.3, 0.1, 0.4, 0.8, angle=90, style=STYLE)
RISING = TextBox("one", 0.0, 0.35, 0.7, 0.15, angle=-45, style=STYLE)
BESIDE = TextBox("two", 0.45, 0.6, 0.5, 0.2, style=STYLE)


@pytest.mark.parametrize(
    ("boxes", "texts", "touch"),
    [
        ((LEFT, RIGHT), ("a long line of words", "another long line"), True),
        ((LEFT, RIGHT), ("left", ""), False),
        ((LEFT, RIGHT), ("a", "b"), False),
        ((ABOVE, BELOW), ("MMMM", "MMMM"), False),  # no more than anti-aliasing
        ((ABOVE, ACROSS), ("a long line of words", "turned"), True),
        ((RISING, BESIDE), ("rising slowly", "right"), False),  # their upright frames do touch
    ],
)
def test_boxes_may_overlap_as_long_as_ink_does_not(
    tmp_path: Path, boxes: tuple[TextBox, ...], texts: tuple[str, ...], touch: bool
) -> None:
    image = tmp_path / "grey.png"
    Image.new("RGB", (300, 300), "#808080").save(image)
    proof = Renderer().render(Template("grey", image, boxes), Caption(texts), "en").proof
    expected = (("parts overlap", "two", "two lies on one"),) if touch else ()
    assert proof.findings == expected


BLACK = Background(np.zeros((100, 300), np.uint32))
HALVES = Background(np.repeat(np.array([[0] * 150 + [0xFFFFFF] * 150], np.uint32), 100, axis=0))
SPECK = Background(np.zeros((100, 300), np.uint32))
SPECK.pixels[40:46, 40:70] = 0xFFFFFF
ON_BLACK, ON_WHITE, TURNED = (20, 30, 90, 60), (200, 30, 290, 60), (40, 20, 60, 40, 40, 60, 20, 40)


@each(
    ("background", "words", "ratio"),
    [
        (BLACK, [ON_BLACK, ON_WHITE], 21),
        (HALVES, [ON_BLACK] * 30, 21),
        (HALVES, [ON_BLACK] * 30 + [ON_WHITE], 1),  # one word among thirty is lost
        (SPECK, [ON_BLACK], 21),  # a twelfth of a word is not
        (HALVES, [TURNED], 21),
        (HALVES, [tuple(np.array(TURNED) + (150, 0) * 4)], 1),
        (BLACK, [], 21),
    ],
)
def test_white_words_have_the_contrast_of_the_one_seen_least(
    background: Background, words: list[TextShape], ratio: float
) -> None:
    boxes = TextBoxes((), tuple(Word("word", 0, box) for box in words))
    assert contrast_behind(boxes, background, 1.0) == pytest.approx(ratio, abs=0.01)


def test_an_outline_thinner_than_a_pixel_counts_by_its_width() -> None:
    """White on white with 0.9 px of black around it is read; with 0.1 px it is not."""
    boxes = TextBoxes((), (Word("word", 0, ON_WHITE),))
    thick, thin = (contrast_behind(boxes, HALVES, 1.0, 0.0, width) for width in (0.9, 0.1))
    assert thick > 6
    assert thin < 1.2
