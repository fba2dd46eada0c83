"""Painting a layout, of drawn and of kept glyphs: nothing but its own pixels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memeloc.fonts import FontLibrary
from memeloc.model import Align, VAlign
from memeloc.render.background import Background, Canvas
from memeloc.render.painting import glyphs
from memeloc.render.painting.glyphs import PHASES, GlyphCache
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.typesetting.fit import Bounds
from tests.each import each
from tests.render.typesetting.laying import laid

AREA = Area(20, 30, 220, 130, 0.0, "center", "middle", 0.06)


BLACK_ON_WHITE = Ink("#000000", "#000000")


BOX = Bounds(200, 100, 30.0, 0.06, 1.0)


def white() -> Canvas:
    return Canvas(Background(np.full((160, 240), 0xFFFFFFFF, np.uint32)))


@each("tag", ["en", "ar"])
@each("align", ["start", "left", "center", "right", "end"])
@each("valign", ["top", "middle", "bottom"])
def test_alignment_is_of_the_ink(tag: str, align: Align, valign: VAlign) -> None:
    layout, canvas = laid("made it" if tag == "en" else "نجحنا", tag, BOX), white()
    Painter().paint(canvas, layout, replace(AREA, align=align, valign=valign), BLACK_ON_WHITE)
    ink = (canvas.pixels & 255) < 200
    rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    left, top, right, bottom = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
    side = {"start": "left", "end": "right"}.get(align, align)
    if tag == "ar" and align in ("start", "end"):
        side = {"left": "right", "right": "left"}[side]
    if side == "left":
        assert 20 <= left <= 23
    elif side == "right":
        assert 217 <= right <= 220
    else:
        assert abs((left + right) / 2 - 120) <= 1
    if valign == "top":
        assert 30 <= top <= 33
    elif valign == "bottom":
        assert 127 <= bottom <= 130
    else:
        assert abs((top + bottom) / 2 - 80) <= 1.5


def test_what_lies_outside_the_picture_is_clipped_and_reported() -> None:
    layout, canvas = laid("far out", "en", BOX), white()
    outside = Area(-150, 30, 50, 130, 0.0, "left", "middle", 0.06)
    assert Painter().paint(canvas, layout, outside, BLACK_ON_WHITE).clipped
    far = Area(1000, 1000, 1200, 1100, 0.0, "left", "middle", 0.06)
    before = canvas.pixels.copy()
    assert Painter().paint(canvas, layout, far, BLACK_ON_WHITE).clipped
    assert (canvas.pixels == before).all()
    assert not Painter().paint(canvas, layout, AREA, BLACK_ON_WHITE).clipped


FACE = FontLibrary().face("anton", "poster")


KEY = FACE.font.get_nominal_glyph(ord("R")) * PHASES


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "memeloc" / "glyphs"


def drawn(cache: GlyphCache) -> list[NDArray[np.uint8]]:
    outline, letter, _ = cache.strike(FACE, 40.0, 0.06, Ink("#12ab9f", "#aa0000")).make(KEY)
    assert outline is not None
    return [np.array(outline.image), np.array(letter.image)]


def kept_file(place: Path) -> Path:
    cache = GlyphCache()
    drawn(cache)
    cache.keep()
    (file,) = place.iterdir()
    return file


def test_a_kept_glyph_is_the_one_that_was_drawn(place: Path) -> None:
    before = drawn(GlyphCache())
    assert len(glyphs.read_kept(kept_file(place))) == 2
    after = drawn(GlyphCache())
    assert all((a == b).all() for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[:40],
        lambda content: content[:9] + b"\xff" + content[10:],
        lambda content: content[:4] + b"\xff\xff\xff\x7f" + content[8:],
        lambda content: b"no glyphs at all, but a text of somebody else's",
    ],
)
def test_a_damaged_file_is_as_good_as_none(place: Path, damage: Callable[[bytes], bytes]) -> None:
    file = kept_file(place)
    file.write_bytes(damage(file.read_bytes()))
    assert glyphs.read_kept(file) == {}
    assert drawn(GlyphCache())


def test_nothing_is_kept_where_nothing_can_be_written(place: Path) -> None:
    place.parent.write_text("a file where the folder would be")
    cache = GlyphCache()
    drawn(cache)
    cache.keep()
    assert place.parent.is_file()
