"""Shaping. In: a paragraph's runs. Out: glyphs in display order, and what each character takes up.

A paragraph is shaped once, in units of the em, by HarfBuzz; widths at any size are arithmetic over
that. Where HarfBuzz says that a break would change the glyphs, the layout shapes the line again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import uharfbuzz as hb

from memeloc.fonts import Face
from memeloc.render.itemize import Run

_UNSAFE = int(hb.GlyphFlags.UNSAFE_TO_BREAK)


class Glyph(NamedTuple):
    """One glyph, in ems; `y` is up, `cluster` the code point offset in the paragraph."""

    id: int
    cluster: int
    unsafe: int
    x: float
    y: float
    advance: float


@dataclass(frozen=True, slots=True)
class ShapedRun:
    """A run with its glyphs in display order, left to right."""

    start: int
    end: int
    level: int
    script: str
    face: Face
    glyphs: list[Glyph]


@dataclass(frozen=True, slots=True)
class ShapedText:
    """A shaped paragraph.

    Attributes:
        text: the paragraph.
        level: its embedding level.
        runs: in logical order.
        positions: position of each code point if all were on one line in logical order, in ems:
            the text from a to b is positions[b] - positions[a] wide. One more than code points.
        unsafe: offsets at which a break changes glyphs.
        ascent, descent: the ink's greatest distance above and below the baseline, in ems.
    """

    text: str
    level: int
    runs: list[ShapedRun]
    positions: list[float]
    unsafe: frozenset[int]
    ascent: float
    descent: float


def ink(face: Face, glyph: int) -> tuple[float, float, float, float]:
    """A glyph's ink in ems, y up: left, bottom, right, top; all 0 where there is none."""
    known = _INK.setdefault(face.key, {})
    box = known.get(glyph)
    if box is None:
        extents = face.font.get_glyph_extents(glyph)
        if extents is None:
            box = (0.0, 0.0, 0.0, 0.0)
        else:
            em = face.upem
            left, top = extents.x_bearing / em, extents.y_bearing / em
            box = (left, top + extents.height / em, left + extents.width / em, top)
        known[glyph] = box
    return box


_INK: dict[str, dict[int, tuple[float, float, float, float]]] = {}


def shape_run(text: str, run: Run, language: str) -> ShapedRun:
    """Shape one run, with the rest of its paragraph as context for joining."""
    buffer = hb.Buffer()
    buffer.add_str(text, run.start, run.end - run.start)
    buffer.direction = "rtl" if run.level & 1 else "ltr"
    buffer.script = run.script
    buffer.language = language
    hb.shape(run.face.font, buffer)
    scale = 1.0 / run.face.upem
    glyphs = [
        Glyph(
            info.codepoint,
            info.cluster,
            info.flags & _UNSAFE,
            at[0] * scale,
            at[1] * scale,
            at[2] * scale,
        )
        for info, at in zip(
            buffer.glyph_infos, [p.position for p in buffer.glyph_positions], strict=True
        )
    ]
    return ShapedRun(run.start, run.end, run.level, run.script, run.face, glyphs)


def shape(text: str, level: int, runs: list[Run], language: str) -> ShapedText:
    """Shape a paragraph.

    Args:
        text: the paragraph.
        level: its embedding level.
        runs: its runs, in logical order.
        language: BCP 47 tag, for the face's language-dependent forms.
    """
    advances = [0.0] * (len(text) + 1)
    unsafe: set[int] = set()
    ascent = descent = 0.0
    shaped = []
    for run in runs:
        done = shape_run(text, run, language)
        shaped.append(done)
        known = _INK.setdefault(run.face.key, {})
        for glyph in done.glyphs:
            gid, cluster, is_unsafe, _, y, advance = glyph
            advances[cluster + 1] += advance
            if is_unsafe:
                unsafe.add(cluster)
            box = known.get(gid) or ink(run.face, gid)
            if box[3] + y > ascent:
                ascent = box[3] + y
            if box[1] + y < -descent:
                descent = -box[1] - y
    positions = list(accumulate(advances))
    return ShapedText(text, level, shaped, positions, frozenset(unsafe), ascent, descent)
