"""Sprites of glyphs: where the ink is, its colours, and what is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memeloc.fonts import FontLibrary
from memeloc.render.painting.glyphs import PHASES, GlyphCache, Sprite, Strike
from memeloc.render.painting.pixels import Ink, canvas_on, rgb
from memeloc.render.typesetting.shape import inks
from tests.each import each

FONTS = FontLibrary()
WHITE = Ink("#ffffff", "#000000")
COLOURS = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}")


def glyph(family: str, letter: str) -> int:
    glyph: int = FONTS.face(family, "poster").font.get_nominal_glyph(ord(letter))
    return glyph


def strike(family: str, size: float, outline: float = 0.0, ink: Ink = WHITE) -> Strike:
    return GlyphCache().strike(FONTS.face(family, "poster"), size, outline, ink)


def alpha(sprite: Sprite) -> NDArray[np.int64]:
    return np.array(sprite.image)[..., 3].astype(int)


@each(("family", "letter"), [("anton", "H"), ("noto-sans-thai", "ก")])
@each("size", [14.0, 40.0, 100.0])
def test_a_sprite_lies_where_the_outline_is(family: str, letter: str, size: float) -> None:
    gid = glyph(family, letter)
    _, sprite, _ = strike(family, size).make(gid * PHASES)
    left, bottom, right, top = (value * size for value in inks(FONTS.face(family, "poster"))[gid])
    rows, columns = np.flatnonzero(alpha(sprite).any(1)), np.flatnonzero(alpha(sprite).any(0))
    assert sprite.left + columns[0] == pytest.approx(left, abs=1.01)
    assert sprite.left + columns[-1] + 1 == pytest.approx(right, abs=1.01)
    assert sprite.top + rows[0] == pytest.approx(-top, abs=1.01)
    assert sprite.top + rows[-1] + 1 == pytest.approx(-bottom, abs=1.01)


def test_a_phase_moves_the_sprite_by_part_of_a_pixel() -> None:
    small = strike("anton", 30.0)
    gid = glyph("anton", "O")
    centres = []
    for phase in range(PHASES):
        _, sprite, _ = small.make(gid * PHASES + phase)
        weight = alpha(sprite).sum(0)
        middle = (np.arange(len(weight)) + 0.5) @ weight / weight.sum()
        centres.append(sprite.left + middle)
    assert np.diff(centres) == pytest.approx(1 / PHASES, abs=0.03)


@pytest.mark.parametrize("outline", [0.03, 0.06, 0.2])
def test_the_outline_surrounds_the_letter_by_its_width(outline: float) -> None:
    size = 80.0
    around, letter, _ = strike("anton", size, outline).make(glyph("anton", "I") * PHASES)
    assert around is not None
    stem = alpha(letter)[letter.image.height() // 2].sum() / 255
    wide = alpha(around)[around.image.height() // 2].sum() / 255
    assert wide == pytest.approx(stem + 2 * outline * size, abs=0.3)


@given(
    COLOURS,
    COLOURS,
    st.integers(0, 0xFFFFFF),
)
def test_letters_and_outlines_have_their_colours(fill: str, outline: str, under: int) -> None:
    """In full where they cover a pixel, in part at their edges: exactly, but for two levels."""
    anton = strike("anton", 40.0, 0.06, Ink(fill, outline))
    around, letter, _ = anton.make(glyph("anton", "O") * PHASES)
    for colour, sprite in ((outline, around), (fill, letter)):
        assert sprite is not None
        cover = alpha(sprite)[..., None] / 255
        pixels = np.full(cover.shape[:2], 0xFF000000 + under, np.uint32)
        channels = pixels.view(np.uint8).reshape(*pixels.shape, 4)[..., :3]
        expected = channels * (1 - cover) + np.array(rgb(colour)) * cover
        canvas_on(pixels).drawImage(sprite.image, 0, 0)
        assert np.abs(channels - expected).max() <= 2


def test_overlapping_contours_leave_no_hole() -> None:
    around, letter, _ = strike("noto-sans-devanagari", 100.0, 0.06).make(
        glyph("noto-sans-devanagari", "क") * PHASES
    )
    assert around is not None
    under = alpha(around)
    left, top = letter.left - around.left, letter.top - around.top
    inner = under[top : top + letter.image.height(), left : left + letter.image.width()]
    assert (inner[alpha(letter) == 255] == 255).all()


def test_strikes_used_long_ago_go_first() -> None:
    cache = GlyphCache(budget=40_000)
    face = FONTS.face("anton", "poster")
    first = cache.strike(face, 50.0, 0.06, WHITE)
    first.make(glyph("anton", "A") * PHASES)
    assert cache.strike(face, 50.0, 0.06, WHITE) is first
    for size in (60.0, 70.0, 80.0):
        cache.strike(face, size, 0.06, WHITE).make(glyph("anton", "A") * PHASES)
    assert cache.strike(face, 80.0, 0.06, WHITE).sprites
    assert cache.strike(face, 50.0, 0.06, WHITE) is not first
