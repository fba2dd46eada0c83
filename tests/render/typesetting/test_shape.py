"""Shaping: widths add up, letters join, languages choose their forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.fonts import FaceName, FontLibrary
from memeloc.locales import default
from memeloc.render.typesetting.itemize import Itemizer, Run
from memeloc.render.typesetting.shape import ShapedText, inks, shape, shape_runs
from tests.each import each
from tests.render.sentences import SENTENCES

FONTS = FontLibrary()


def shaped(text: str, tag: str, face: FaceName = "plain") -> ShapedText:
    locale = default().get(tag)
    level, runs, _ = Itemizer(FONTS.stack(locale, face)).runs(text, locale.direction)
    return shape(text, level, runs, tag)


@each("tag", sorted(SENTENCES))
def test_positions_are_the_running_sum_of_the_advances(tag: str) -> None:
    for text in SENTENCES[tag]:
        done = shaped(text, tag)
        advances = sum(glyph[4] for run in done.runs for glyph in run.glyphs)
        assert len(done.positions) == len(text) + 1
        assert done.positions[0] == 0
        assert done.positions == sorted(done.positions)
        assert done.positions[-1] == pytest.approx(advances)
        for run in done.runs:
            clusters = [glyph[1] for glyph in run.glyphs]
            assert clusters == sorted(clusters, reverse=run.level % 2 == 1)


@each("tag", sorted(SENTENCES))
def test_ascent_and_descent_bound_all_ink(tag: str) -> None:
    for text in SENTENCES[tag]:
        done = shaped(text, tag)
        for run in done.runs:
            boxes = inks(run.face)
            assert all(glyph[3] + boxes[glyph[0]][3] <= done.ascent for glyph in run.glyphs)
            assert all(glyph[3] + boxes[glyph[0]][1] >= -done.descent for glyph in run.glyphs)
        assert 0.3 < done.ascent < 2.0  # Nastaliq slopes


def test_ink_is_that_of_the_outline() -> None:
    from fontTools.pens.boundsPen import BoundsPen

    face = FONTS.face("noto-sans-devanagari", "poster")
    for letter in "कगिॐ":
        glyph = face.font.get_nominal_glyph(ord(letter))
        pen = BoundsPen(None)
        face.font.draw_glyph_with_pen(glyph, pen)
        expected = [value / face.upem for value in pen.bounds]
        assert inks(face)[glyph] == pytest.approx(expected, abs=1.5 / face.upem)
    assert inks(face)[0] == (0, 0, 0, 0)  # .notdef is never drawn


def test_a_ligature_is_unsafe_to_break_and_a_space_is_not() -> None:
    run = shaped("سلام عليكم", "ar").runs[0]
    assert not run.breaks_at(1)  # between joined letters
    assert run.breaks_at(5)  # after the space


def test_a_letter_joins_across_the_end_of_its_run() -> None:
    text = "بب"
    (whole,) = shaped(text, "ar").runs
    for at in (0, 1):
        ((part,), _) = shape_runs(text, [Run(at, at + 1, 1, whole.script, whole.face)], "ar")
        assert [glyph[0] for glyph in part.glyphs] == [
            glyph[0] for glyph in whole.glyphs if glyph[1] == at
        ]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=30))
def test_any_text_has_widths(text: str) -> None:
    done = shaped(text, "ar")
    assert len(done.positions) == len(text) + 1
    assert done.positions == sorted(done.positions)
