"""Lines become blocks of text, turned as they are."""

from __future__ import annotations

import numpy as np
import pytest

from memeloc.locales import default
from memeloc.localise.regions import corners_of, find_regions, turned
from memeloc.ocr.protocol import Line

EN, AR = default().get("en"), default().get("ar")
SIZE = (800, 600)


def line(text: str, x: float, y: float, width: float = 200, height: float = 40,
         angle: float = 0) -> Line:  # fmt: skip
    """A line around the middle of its box, turned."""
    level = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
    middle = level.mean(axis=0)
    points = turned(level, angle, (middle[0], middle[1]))
    corners = tuple((float(a), float(b)) for a, b in points)
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return Line(text, (left, top, right, bottom), 0.9, corners=corners)


def test_lines_below_one_another_are_a_region() -> None:
    regions = find_regions([line("on the first try", 50, 500), line("top", 50, 10),
                            line("of it", 60, 55)], SIZE, EN)  # fmt: skip
    assert [region.text for region in regions] == ["top of it", "on the first try"]
    assert [len(region.lines) for region in regions] == [2, 1]
    assert regions[0].box == pytest.approx((50 / 800, 10 / 600, 210 / 800, 85 / 600))


def test_texts_side_by_side_are_two_regions() -> None:
    lines = [line("then all", 40, 400, 330), line("was well", 40, 445, 330),
             line("now all", 385, 400, 330), line("is new", 385, 445, 330)]  # fmt: skip
    assert [region.text for region in find_regions(lines, SIZE, EN)] == [
        "then all was well",
        "now all is new",
    ]
    assert find_regions(lines, SIZE, AR)[0].text == "now all is new"


def test_a_turned_text_keeps_its_angle_and_its_box() -> None:
    middle = np.array([[400.0, 280.0], [400.0, 330.0]])
    centres = turned(middle, -12, (400, 305))
    texts = ("more wheels", "fewer meetings")
    lines = [
        line(text, x - 100, y - 20, angle=-12) for text, (x, y) in zip(texts, centres, strict=True)
    ]
    (region,) = find_regions(lines, SIZE, EN)
    assert region.text == "more wheels fewer meetings"
    assert region.angle == pytest.approx(-12, abs=0.1)
    assert region.box[2] * 800 == pytest.approx(200, abs=2)
    assert region.box[3] * 600 == pytest.approx(90, abs=2)
    corners = corners_of(region.box, region.angle, SIZE)
    assert corners.mean(axis=0) == pytest.approx((400, 305), abs=1)


def test_a_small_slant_is_level() -> None:
    assert find_regions([line("nearly level", 50, 50, angle=2)], SIZE, EN)[0].angle == 0
