"""East Asian spacing: marks that meet, marks at a line's edges, letters beside characters."""

from __future__ import annotations

import pytest

from memeloc.render.typesetting.fit import Bounds
from tests.each import each
from tests.render.typesetting.laying import laid, shaped


def width(text: str, tag: str = "ja") -> float:
    return shaped(text, tag).positions[-1]


@each(
    ("tag", "text", "ems"),
    [
        ("ja", "水。」水", 3.5),
        ("ja", "「『水』」", 4.0),
        ("ja", "水」「水", 3.5),
        ("ja", "水、「水", 3.5),
        ("ja", "水」・「水", 4.0),
        ("ja", "水」　「水", 4.0),
        ("ja", "水？」水", 4.0),
        ("ja", "「水」水", 4.0),
        ("zh-Hans", "说：“水！”", 5.0),
        ("zh-Hans", "水？！”水", 4.0),
        ("zh-Hans", "《水》、《水》", 6.0),
        ("zh-Hant", "水。」水", 4.0),
        ("zh-Hant", "水」。水", 3.5),
        ("en", "水。」水", 3.5),
    ],
)
def test_marks_that_meet_lose_their_blanks(tag: str, text: str, ems: float) -> None:
    assert width(text, tag) == pytest.approx(ems)


@each(
    ("tag", "text", "gap"),
    [
        ("ja", "水API", 0.25),
        ("ja", "カ10時", 0.5),
        ("ja", "éの", 0.25),
        ("zh-Hans", "用API", 0.125),
        ("zh-Hant", "10點", 0.125),
        ("ko", "水API", 0),
        ("en", "水API", 0),
    ],
)
def test_letters_beside_characters_get_space(tag: str, text: str, gap: float) -> None:
    parts = sum(width(char, tag) for char in text)
    assert width(text, tag) == pytest.approx(parts + gap, abs=0.03)  # Latin letters are kerned


def test_a_line_does_not_begin_or_end_with_blank() -> None:
    text = "「水水」水。"
    marks = shaped(text, "ja").spacing
    assert marks.lead[0] == marks.trail[3] == marks.trail[5] == 0.5
    size = laid(text, "ja", Bounds(208, 400, 40, 0.0, 1.2), "plain").size
    assert size * 5 <= 208 - 2 < size * 6
