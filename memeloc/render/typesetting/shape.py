"""Shaping. In: a paragraph's runs. Out: glyphs in display order, and what each character takes up.

A paragraph is shaped once, in units of the em, by HarfBuzz; widths at any size are arithmetic over
that. Where HarfBuzz says that a break would change the glyphs, the layout shapes the line again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache
from itertools import accumulate
from operator import add, itemgetter, neg
from typing import NamedTuple

import uharfbuzz as hb

from memeloc.fonts import Face
from memeloc.render.typesetting.east_asian import Spacing, spacing
from memeloc.render.typesetting.itemize import Run

_UNSAFE = int(hb.GlyphFlags.UNSAFE_TO_BREAK)
_cluster = itemgetter(1)

Box = tuple[float, float, float, float]
"""Ink in ems, y up: left, bottom, right, top."""

Glyph = tuple[int, int, float, float, float]
"""One glyph: its number in the font, the code point offset of its cluster in the paragraph, and in
ems its offset to the right and up, and its advance. Plain tuples, for there are so many."""


class ShapedRun(NamedTuple):
    """A run with its glyphs from left to right, and HarfBuzz's own records of them (`infos`)."""

    start: int
    end: int
    level: int
    script: str
    face: Face
    glyphs: list[Glyph]
    infos: list[hb.GlyphInfo]

    def breaks_at(self, offset: int) -> bool:
        """Return whether a line may begin at a code point offset without other glyphs than these.

        HarfBuzz's flags are dear to read, so they are read only where a line does break.
        """
        infos = self.infos[self.between(offset, offset + 1)]
        return not any(info.flags & _UNSAFE for info in infos)

    def between(self, start: int, end: int) -> slice:
        """Return where the glyphs of the characters start to end are among the run's.

        HarfBuzz's clusters go up from glyph to glyph, and down from right to left.
        """
        if start <= self.start and self.end <= end:
            return slice(None)
        if self.level & 1:
            ends = [bisect_right(self.glyphs, -at, key=lambda g: -g[1]) for at in (end, start)]
        else:
            ends = [bisect_left(self.glyphs, at, key=_cluster) for at in (start, end)]
        return slice(*ends)


class ShapedText(NamedTuple):
    """A paragraph shaped, its runs in logical order; all distances are in ems.

    Attributes:
        positions: of each code point if all were on one line in logical order: the text from a to b
            is positions[b] - positions[a] wide. One more than code points.
        spacing: what East Asian punctuation loses where a line begins or ends with it.
        ascent, descent: the ink's greatest distance above and below the baseline.
    """

    text: str
    level: int
    runs: list[ShapedRun]
    positions: list[float]
    spacing: Spacing
    ascent: float
    descent: float


class _Inks(dict[int, Box]):
    """A face's ink by glyph, asked of HarfBuzz once.

    All 0 where there is none, and for .notdef, which is never drawn.
    """

    def __init__(self, face: Face) -> None:
        self._face = face

    def __missing__(self, glyph: int) -> tuple[float, float, float, float]:
        box = (0.0, 0.0, 0.0, 0.0)
        if glyph and (extents := self._face.font.get_glyph_extents(glyph)):
            em = self._face.upem
            left, top = extents.x_bearing / em, extents.y_bearing / em
            box = (left, top + extents.height / em, left + extents.width / em, top)
        self[glyph] = box
        return box


inks = cache(_Inks)


def shape_runs(text: str, runs: list[Run], language: str) -> tuple[list[ShapedRun], Spacing]:
    """Shape a paragraph's runs, and space them as its East Asian marks and letters ask.

    Each is shaped with the rest of its paragraph as context for joining.
    """
    spaces = spacing(text, runs, language)
    shaped = []
    for run in runs:
        start, end, level, script, face = run
        buffer = hb.Buffer()
        buffer.add_str(text, start, end - start)
        buffer.direction = "rtl" if level & 1 else "ltr"
        buffer.script = script
        buffer.language = language
        hb.shape(face.font, buffer, face.features(language))
        scale = 1.0 / face.upem
        infos = buffer.glyph_infos
        glyphs = [
            (info.codepoint, info.cluster, x * scale, y * scale, advance * scale)
            for info, (x, y, advance, _) in zip(
                infos, [at.position for at in buffer.glyph_positions], strict=True
            )
        ]
        for offset, (right, wider) in () if level & 1 else spaces.moved.items():
            if start <= offset < end:
                index = bisect_right(glyphs, offset, key=_cluster) - 1
                gid, cluster, x, y, advance = glyphs[index]
                glyphs[index] = (gid, cluster, x + right, y, advance + wider)
        shaped.append(ShapedRun(*run, glyphs, infos))
    return shaped, spaces


def shape(text: str, level: int, runs: list[Run], language: str) -> ShapedText:
    """Shape a paragraph; the BCP 47 tag is for the face's language-dependent forms."""
    advances = [0.0] * (len(text) + 1)
    ascent = descent = 0.0
    shaped, spaces = shape_runs(text, runs, language)
    for run in shaped:
        if not run.glyphs:  # all its characters are ignorable, and its font has no space
            continue
        gids, clusters, _, ys, widths = zip(*run.glyphs, strict=True)
        for cluster, width in zip(clusters, widths, strict=True):
            advances[cluster + 1] += width
        _, bottoms, _, tops = zip(*map(inks(run.face).__getitem__, gids), strict=True)
        ascent = max(ascent, *map(add, tops, ys))
        descent = max(descent, *map(neg, map(add, bottoms, ys)))
    positions = list(accumulate(advances))
    return ShapedText(text, level, shaped, positions, spaces, ascent, descent)
