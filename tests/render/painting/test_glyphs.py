"""Masks of glyphs: where the ink is, and what is kept."""

from __future__ import annotations

import numpy as np
import pytest

from memeloc.fonts import FontLibrary
from memeloc.render.painting.glyphs import PHASES, GlyphCache
from memeloc.render.typesetting.shape import inks

FONTS = FontLibrary()


def glyph(family: str, letter: str) -> int:
    glyph: int = FONTS.face(family, "poster").font.get_nominal_glyph(ord(letter))
    return glyph


@pytest.mark.parametrize(("family", "letter"), [("anton", "H"), ("noto-sans-thai", "ก")])
@pytest.mark.parametrize("size", [14.0, 40.0, 100.0])
def test_a_mask_lies_where_the_outline_is(family: str, letter: str, size: float) -> None:
    face = FONTS.face(family, "poster")
    gid = glyph(family, letter)
    mask = GlyphCache().strike(face, size, 0.0).make(gid * PHASES)
    left, bottom, right, top = (value * size for value in inks(face)[gid])
    rows, columns = np.flatnonzero(mask.planes.any(1)), np.flatnonzero(mask.planes.any(0))
    assert mask.left + columns[0] == pytest.approx(left, abs=1.01)
    assert mask.left + columns[-1] + 1 == pytest.approx(right, abs=1.01)
    assert mask.top + rows[0] == pytest.approx(-top, abs=1.01)
    assert mask.top + rows[-1] + 1 == pytest.approx(-bottom, abs=1.01)


def test_a_phase_moves_the_mask_by_part_of_a_pixel() -> None:
    strike = GlyphCache().strike(FONTS.face("anton", "poster"), 30.0, 0.0)
    gid = glyph("anton", "O")
    centres = []
    for phase in range(PHASES):
        mask = strike.make(gid * PHASES + phase)
        weight = mask.planes.astype(float).sum(0)
        middle = (np.arange(len(weight)) + 0.5) @ weight / weight.sum()
        centres.append(mask.left + middle)
    assert np.diff(centres) == pytest.approx(1 / PHASES, abs=0.03)


@pytest.mark.parametrize("outline", [0.03, 0.06, 0.2])
def test_the_outline_surrounds_the_letter_by_its_width(outline: float) -> None:
    size = 80.0
    strike = GlyphCache().strike(FONTS.face("anton", "poster"), size, outline)
    mask = strike.make(glyph("anton", "I") * PHASES)
    around, letter = mask.planes[:, 0::2].astype(int), mask.planes[:, 1::2].astype(int)
    assert mask.width == 2 * around.shape[1]
    assert (around >= letter).all()
    row = mask.height // 2
    for plane, wide in ((around, outline * size), (letter, 0.0)):
        ink = plane[row].sum() / 255
        stem = letter[row].sum() / 255
        assert ink == pytest.approx(stem + 2 * wide, abs=0.3)


def test_overlapping_contours_leave_no_hole() -> None:
    face = FONTS.face("noto-sans-devanagari", "poster")
    gid = face.font.get_nominal_glyph(ord("क"))
    mask = GlyphCache().strike(face, 100.0, 0.06).make(gid * PHASES)
    assert (mask.planes[:, 0::2] >= mask.planes[:, 1::2]).all()
    assert mask.planes.max() == 255


def test_strikes_used_long_ago_go_first() -> None:
    cache = GlyphCache(budget=20_000)
    face = FONTS.face("anton", "poster")
    first = cache.strike(face, 50.0, 0.06)
    first.make(glyph("anton", "A") * PHASES)
    assert cache.strike(face, 50.0, 0.06) is first
    for size in (60.0, 70.0, 80.0):
        cache.strike(face, size, 0.06).make(glyph("anton", "A") * PHASES)
    assert cache.strike(face, 80.0, 0.06).masks
    assert cache.strike(face, 50.0, 0.06) is not first
