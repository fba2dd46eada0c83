"""East Asian spacing: marks that meet, marks at a line's edges, letters beside characters."""

from __future__ import annotations

from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from memeloc.fonts import Face, Family, FontLibrary
from memeloc.locales import default
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import PartLayout, lay_out
from memeloc.render.typesetting.lines import set_line
from memeloc.render.typesetting.shape import UNCHANGED, ShapedText, blanks_of, shape
from tests.each import each

FONTS = FontLibrary()


def shaped(text: str, tag: str) -> ShapedText:
    locale = default().get(tag)
    level, runs, _ = Itemizer(FONTS.stack(locale, "plain")).runs(text, locale.direction)
    return shape(text, level, runs, tag)


def width(text: str, tag: str = "ja") -> float:
    return shaped(text, tag).positions[-1]


def laid(text: str, tag: str, box: float) -> PartLayout:
    locale = default().get(tag)
    bounds = Bounds(box, 400, 40, 0.0, 1.2)
    return lay_out(text, locale, Itemizer(FONTS.stack(locale, "plain")), bounds)


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


def test_the_rest_of_a_line_moves_by_as_much() -> None:
    alone = set_line(shaped("水「『水", "ja"), 0, 4, default().get("ja"))
    (run,) = alone.runs
    assert [round(x, 3) for _, x, _ in run.glyphs] == [0, 1, 1.5, 2.5]


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


@each("text", ["水 API", "水　API", "水（A）", "水%", "水、A", "ＡＰＩ水"])
def test_space_comes_in_only_where_there_is_none(text: str) -> None:
    assert set(shaped(text, "ja").spacing.trail.values()) <= {0.0, 0.5}


def test_a_line_does_not_begin_or_end_with_blank() -> None:
    text = "「水水」水。"
    marks = shaped(text, "ja").spacing
    assert marks.lead[0] == marks.trail[3] == marks.trail[5] == 0.5
    size = laid(text, "ja", 208).size
    assert size * 5 <= 208 - 2 < size * 6


def test_characters_fill_a_box_to_its_edge_beside_marks() -> None:
    # Six characters with a bracket at the begin and a full stop at the end take five squares.
    assert len(laid("「水水水水。", "ja", 40 * 5 + 4).lines) == 1


def test_a_letters_space_is_none_at_a_lines_end() -> None:
    text = "水水水API"
    paragraph = shaped(text, "ja")
    assert paragraph.spacing.trail[2] == 0.25
    line = set_line(paragraph, 0, 3, default().get("ja"))
    assert line.right < 3


def test_centred_lines_are_centred_by_their_ink() -> None:
    line = set_line(shaped("「水水水」", "ja"), 0, 5, default().get("ja"))
    assert line.left > 0.5
    assert (line.left + line.right) / 2 == pytest.approx(2.5, abs=0.02)


@pytest.mark.parametrize(
    ("tag", "text"), [("ko", "안녕! (네) API"), ("ar", "سلام (API)"), ("en", "“a”")]
)
def test_other_scripts_cost_nothing(tag: str, text: str) -> None:
    assert shaped(text, tag).spacing is UNCHANGED


def face_without_halt(folder: Path) -> Face:
    """A face whose marks are boxes in their squares, as an old font draws them."""
    boxes = {
        ".notdef": (0, 0, 10, 10),
        "opening": (600, 0, 950, 800),
        "closing": (50, 0, 400, 800),
        "middle": (400, 300, 600, 500),
        "wide": (200, 0, 800, 800),
        "narrow": (50, 0, 100, 800),
    }
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(list(boxes))
    builder.setupCharacterMap(dict(zip(map(ord, "「」・？“"), list(boxes)[1:], strict=True)))
    glyphs = {}
    for name, (left, bottom, right, top) in boxes.items():
        pen = TTGlyphPen(None)
        pen.moveTo((left, bottom))
        for corner in ((left, top), (right, top), (right, bottom)):
            pen.lineTo(corner)
        pen.closePath()
        glyphs[name] = pen.glyph()
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(
        {name: (400 if name == "narrow" else 1000, box[0]) for name, box in boxes.items()}
    )
    builder.setupHorizontalHeader(ascent=880, descent=-120)
    builder.setupPost()
    path = folder / "old.ttf"
    builder.save(path)
    return Face(Family("old", file=str(path), scripts=("Hani",)), "plain")


def test_a_font_without_halt_is_measured(tmp_path: Path) -> None:
    face = face_without_halt(tmp_path)
    blanks = {mark: tuple(blanks_of(face, mark, "Hani", "ja")) for mark in "「」・？“"}
    assert blanks == {
        "「": (0.5, 0.0),
        "」": (0.0, 0.5),
        "・": (0.25, 0.25),
        "？": (0.0, 0.0),
        "“": (0.0, 0.0),
    }
