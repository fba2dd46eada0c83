"""Parts that lie on each other: ink, not boxes of the template, and turned as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from memeloc.model import Caption, Template, TextBox, TextStyle
from memeloc.render import Renderer

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
