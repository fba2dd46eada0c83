"""Glyphs kept between runs: the same as drawn ones, whatever became of their file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memeloc.fonts import FontLibrary
from memeloc.render.painting import glyphs
from memeloc.render.painting.glyphs import PHASES, GlyphCache
from memeloc.render.painting.pixels import Ink

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
