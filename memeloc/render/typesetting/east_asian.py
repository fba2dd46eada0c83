"""Spacing of Chinese and Japanese. In: a paragraph's runs. Out: changed advances, blanks at edges.

Full-width punctuation stands in a square that is blank on one side or both. As JLREQ (3.1.2 to
3.1.4, 3.1.9) and CLREQ (3.1.6) ask, that blank goes where two such marks meet, so that no hole
opens between them, and at the beginning and the end of a line. Between Chinese characters or kana
and Latin letters or digits a little space comes in (JLREQ 3.2.6; CSS Text 4, text-autospace).

How much of a mark is blank its font says by the OpenType feature `halt`; where it has none, the
bearings of the glyph do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
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
    """What becomes of the glyph of the character at an offset, in ems.

    `moved` is added to its position and its advance; `lead` is the blank at its left that goes
    where a line begins with it, `trail` that at its right where a line ends with it.
    """

    moved: Mapping[int, tuple[float, float]]
    lead: Mapping[int, float]
    trail: Mapping[int, float]


UNCHANGED = Spacing({}, {}, {})
_SOLID = (0.0, 0.0)


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
