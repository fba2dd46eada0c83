"""Texts as the renderer shapes them and lays them out, for tests of typesetting."""

from __future__ import annotations

from dataclasses import replace

from memeloc.fonts import FaceName, FontLibrary
from memeloc.locales import default
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import PartLayout, lay_out
from memeloc.render.typesetting.shape import ShapedText, shape

FONTS = FontLibrary()


def shaped(text: str, tag: str, face: FaceName = "plain") -> ShapedText:
    """A paragraph that is shaped in its locale's fonts."""
    locale = default().get(tag)
    level, runs, _ = Itemizer(FONTS.stack(locale, face)).runs(text, locale.direction)
    return shape(text, level, runs, tag)


def laid(
    text: str, tag: str, bounds: Bounds, face: FaceName = "poster", **changes: str
) -> PartLayout:
    """A text in a box; `changes` are of its locale."""
    locale = replace(default().get(tag), **changes)  # type: ignore[arg-type]
    return lay_out(text, locale, Itemizer(FONTS.stack(locale, face)), bounds)


def texts(layout: PartLayout) -> list[str]:
    """The lines' texts."""
    return [line.text for line in layout.lines]
