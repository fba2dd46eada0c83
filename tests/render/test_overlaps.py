"""Parts that lie on each other: ink, not boxes of the template, and turned as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from memeloc.model import Caption, Template, TextBox, TextStyle
from memeloc.render import Renderer
from memeloc.render.overlaps import PartInk, overlapping


def ink(*lines: tuple[int, int, int, int], angle: float = 0.0) -> PartInk:
    return PartInk((-100, -100, 200, 200) if lines else None, lines, angle, (50.0, 50.0))


@pytest.mark.parametrize(
    ("other", "touches"),
    [
        (ink((20, 20, 60, 40)), True),
        (ink((0, 60, 100, 80)), False),
        (ink((0, 29, 100, 60)), False),  # a pixel of anti-aliasing
        (ink(), False),
        (ink((0, 40, 100, 60), angle=90.0), True),  # stands upright through the other
        (ink((60, 10, 100, 12), (0, 10, 100, 30)), True),
        (ink((60, 60, 140, 68), angle=45.0), False),  # its upright frame would touch
    ],
)
def test_ink_that_lies_on_other_ink_is_found(other: PartInk, touches: bool) -> None:
    assert overlapping([ink((0, 0, 60, 30)), other]) == [[], [0] if touches else []]


@pytest.mark.parametrize(
    ("texts", "problems"),
    [
        (("a long line of words", "another long line"), ("parts overlap",)),
        (("left", ""), ()),
        (("a", "b"), ()),
    ],
)
def test_boxes_may_overlap_as_long_as_ink_does_not(
    tmp_path: Path, texts: tuple[str, ...], problems: tuple[str, ...]
) -> None:
    image = tmp_path / "grey.png"
    Image.new("RGB", (300, 100), "#808080").save(image)
    style = TextStyle(max_size=0.3)
    boxes = (
        TextBox("one", 0, 0, 0.8, 1, align="left", style=style),
        TextBox("two", 0.2, 0, 0.8, 1, align="right", style=style),
    )
    proof = Renderer().render(Template("grey", image, boxes), Caption(texts), "en").proof
    assert proof.problems == problems
    assert proof.parts[1].overlaps == (("one",) if problems else ())
