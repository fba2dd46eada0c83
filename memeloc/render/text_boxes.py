"""Where text stands in the picture. In: placed lines. Out: a box for each line and each word.

A box goes around the ink, its outline included; in a text box that is turned it is turned, too, see
`memeloc.render.proof.TextShape`. Words that the order of right-to-left text tears apart get the
box around all their pieces, which may go over other words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from memeloc.locales.words import word_spans
from memeloc.model import Locale
from memeloc.render.painting.paint import Area, Placed
from memeloc.render.proof import TextBoxes, TextShape, Word
from memeloc.render.typesetting.lines import Line
from memeloc.render.typesetting.shape import inks


def text_boxes(
    lines: Sequence[Line], placed: Sequence[Placed], area: Area, size: float, locale: Locale
) -> TextBoxes:
    """The boxes of a part's lines and words.

    Args:
        lines: of its layout.
        placed: where those with ink stand.
        area: the part's text box.
        size: font size in pixels.
        locale: whose words they are.
    """
    boxes: list[TextShape | None] = []
    words: list[Word] = []
    places = {id(item.line): item for item in placed}
    outline = area.margin * size
    for number, line in enumerate(lines):
        item = places.get(id(line))
        if item is None:
            boxes.append(None)
            continue
        boxes.append(_turned(item.ink, area))
        spans = word_spans(line.text, locale)
        if len(spans) == 1:
            words.append(Word(line.text[slice(*spans[0])], number, _turned(item.ink, area)))
            continue
        for (start, end), extent in zip(spans, _extents(line, spans), strict=True):
            left, right, top, bottom = extent
            if left < right:
                box = (
                    math.floor(item.x + left * size - outline - 0.5),
                    math.floor(item.y - top * size - outline - 0.5),
                    math.ceil(item.x + right * size + outline + 0.5),
                    math.ceil(item.y - bottom * size + outline + 0.5),
                )
                words.append(Word(line.text[start:end], number, _turned(box, area)))
    return TextBoxes(tuple(boxes), tuple(words))


def _extents(line: Line, spans: Sequence[tuple[int, int]]) -> list[list[float]]:
    """The ink of each word: left, right, top, bottom in ems as those of `Line`."""
    extents = [[math.inf, -math.inf, -math.inf, math.inf] for _ in spans]
    of_offset: list[list[float] | None] = [None] * len(line.text)
    for extent, (start, end) in zip(extents, spans, strict=True):
        of_offset[start:end] = [extent] * (end - start)
    last = len(of_offset) - 1
    for run in line.runs:
        boxes = inks(run.face)
        for (glyph, x, y), offset in zip(run.glyphs, run.offsets, strict=True):
            word = of_offset[offset if offset < last else last]
            if word is None:
                continue
            low_x, low_y, high_x, high_y = boxes[glyph]
            if x + low_x < word[0]:
                word[0] = x + low_x
            if x + high_x > word[1]:
                word[1] = x + high_x
            if y + high_y > word[2]:
                word[2] = y + high_y
            if y + low_y < word[3]:
                word[3] = y + low_y
    return extents


def _turned(box: tuple[int, int, int, int], area: Area) -> TextShape:
    """The box as it is, or its corners after the turn of its text box."""
    if not area.angle % 360:
        return box
    left, top, right, bottom = box
    across, down = (area.left + area.right) / 2, (area.top + area.bottom) / 2
    sine, cosine = math.sin(math.radians(area.angle)), math.cos(math.radians(area.angle))
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return tuple(
        round(value)
        for x, y in corners
        for value in (
            across + (x - across) * cosine - (y - down) * sine,
            down + (x - across) * sine + (y - down) * cosine,
        )
    )
