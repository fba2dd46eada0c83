"""Shaping. In: a paragraph's runs. Out: glyphs in display order, and what each character takes up.

A paragraph is shaped once, in units of the em, by HarfBuzz; widths at any size are arithmetic over
that. Where HarfBuzz says that a break would change the glyphs, the layout shapes the line again.

Full-width punctuation stands in a square that is blank on one side or both. As JLREQ (3.1.2 to
3.1.4, 3.1.9) and CLREQ (3.1.6) ask, that blank goes where two such marks meet, so that no hole
opens between them, and at the beginning and the end of a line. Between Chinese characters or kana
and Latin letters or digits a little space comes in (JLREQ 3.2.6; CSS Text 4, text-autospace).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from operator import add, itemgetter, neg
from typing import NamedTuple

import uharfbuzz as hb

from memeloc.fonts import Face
from memeloc.render.typesetting.itemize import Run

LETTER_SPACE: Mapping[str, float] = {"ja": 0.25, "zh": 0.125}
"""Space between a Chinese character or kana and a letter or digit of another script, in ems, by
language: JLREQ 3.2.6 asks for a quarter; CSS Text 4 gives an eighth, and CLREQ no more than a
quarter. Korean has spaces between its words and needs none."""

_OPENING = "（「『【〔〈《［｛｟〖〘〚“‘〝"
_CLOSING = "）」』】〕〉》］｝｠〗〙〛”’〞〟、。，．：；"
_ENDING = "！？"
_BLANK = "\u3000"
_MARKS = f"[{_OPENING}{_CLOSING}・{_ENDING}]"

_IDEOGRAPHS = (
    "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTERS = (
    "0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u0373\u0376-\u037d"
    "\u0386-\u0481\u048a-\u052f\u1e00-\u1fbc"
)
_MEETING = f"[{_IDEOGRAPHS}](?=[{_LETTERS}])|[{_LETTERS}][\u0300-\u036f]*(?=[{_IDEOGRAPHS}])"


class Spacing(NamedTuple):
    """The change of the glyph of the character at an offset, in ems.

    `moved` is added to its position and its advance; `lead` is the blank at its left that goes
    where a line begins with it, `trail` that at its right where a line ends with it.
    """

    moved: Mapping[int, tuple[float, float]]
    lead: Mapping[int, float]
    trail: Mapping[int, float]


UNCHANGED = Spacing({}, {}, {})
_SOLID = (0.0, 0.0)  # no blank before the mark and none behind it, in ems


def spacing(text: str, runs: Sequence[Run], language: str) -> Spacing:
    """Return the spacing of a paragraph in a language (BCP 47)."""
    if not any(run.script == "Hani" for run in runs):  # as kana and Bopomofo are in `itemize`
        return UNCHANGED
    blanks = {
        match.start(): mark
        for run in runs
        if not run.level & 1
        for match in re.compile(_MARKS).finditer(text, run.start, run.end)
        if (mark := blanks_of(run.face, match[0], run.script, language)) is not _SOLID
    }
    moved: dict[int, tuple[float, float]] = {}
    lead: dict[int, float] = {}
    trail: dict[int, float] = {}
    closing = {at for at, (left, right) in blanks.items() if right > 2 * left}
    for at, (left, right) in blanks.items():
        before, after = text[at - 1] if at else "", text[at + 1 : at + 2]
        follows = at - 1 in blanks and before not in _ENDING and at - 1 not in closing
        lost = left if left > 2 * right and (follows or before == _BLANK) else 0.0
        lost_after = right if at in closing and (at + 1 in blanks or after == _BLANK) else 0.0
        if lost or lost_after:
            moved[at] = (-lost, -lost - lost_after)
        lead[at], trail[at] = left - lost, right - lost_after
    space = LETTER_SPACE.get(language.partition("-")[0], 0.0)
    for match in re.finditer(_MEETING, text) if space else ():
        moved[match.end() - 1] = (0.0, space)
        trail[match.end() - 1] = space
    return Spacing(moved, lead, trail)


@cache
def blanks_of(face: Face, mark: str, script: str, language: str) -> tuple[float, float]:
    """Return a mark's blank at its left and right, in ems: what `halt` takes, or its bearings."""

    def measured(halved: bool) -> tuple[int, float, float]:
        buffer = hb.Buffer()
        buffer.add_str(mark)
        buffer.direction, buffer.script, buffer.language = "ltr", script, language
        hb.shape(face.font, buffer, {"halt": halved})
        position = buffer.glyph_positions[0]
        return buffer.glyph_infos[0].codepoint, position.x_offset / em, position.x_advance / em

    em = face.upem
    (glyph, _, full), (_, moved, half) = map(measured, (False, True))
    if half < full:
        return -moved, full - half + moved
    extents = face.font.get_glyph_extents(glyph)
    if extents is None or not glyph or full < 0.9:
        return _SOLID
    left = extents.x_bearing / em
    right = full - left - extents.width / em
    for at_left, at_right in ((0.5, 0.0), (0.0, 0.5), (0.25, 0.25)):
        if left >= at_left * full and right >= at_right * full:
            return at_left * full, at_right * full
    return _SOLID


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
