"""Text boxes of a template. In: a meme's texts. Out: boxes in which translations find room.

A box is the ink of the text and what is free around it: a translation is often longer. It never
gets larger letters than the text had (`TextStyle.max_size`), only more lines or longer ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memeloc.localise.protocol import FractionBox, Pixels
from memeloc.localise.styles import alignment
from memeloc.localise.texts import Text
from memeloc.model import Align, Locale, TextBox, TextStyle, VAlign
from memeloc.templates.definition import turned_corners

_WIDER = 0.5
"""What a box on any background gains on each side, in widths of the ink."""
_LEAST_WIDER = 3.0
"""What it gains at least, in letters' sizes: a translation of "I" may have ten letters."""
_HIGHER = 0.6
"""What it gains towards the picture's middle, in letters' sizes."""
_PLAIN_WIDER, _PLAIN_HIGHER = 1.0, 1.5
"""The same on a plain background, as far as that reaches; higher on both sides."""
_MARGIN = 0.02
"""What stays free at the picture's edge, of its side."""
_PLAIN = 24.0
"""Distance in RGB up to which a background is of one colour."""
_BARE, _UNEVEN = 0.6, 2.5
"""Share of a text's box without ink, at least, and how far single pixels differ more than those."""
_SHRINK = 0.97
"""What a turned box that reaches out of the picture is scaled by until it does not."""
_IN_THE_MIDDLE = 0.015
"""How far from the picture's middle a line is that was centred in it, of its width."""
_AT_A_SIDE = 0.66
"""Share of the free room on one side that the other has at least where a line is centred."""

_Edges = list[float]


def text_boxes(pixels: Pixels, texts: Sequence[Text], locale: Locale) -> tuple[TextBox, ...]:
    """Return the boxes of a template for texts, in their order, each named for its place in it."""
    size = pixels.shape[1], pixels.shape[0]
    boxes = []
    for text in texts:
        others = [other.region.box for other in texts if other is not text]
        boxes.append(_box(pixels, text, others, size, locale))
    return tuple(boxes)


def _box(
    pixels: Pixels,
    text: Text,
    others: Sequence[FractionBox],
    size: tuple[int, int],
    locale: Locale,
) -> TextBox:
    region, style = text.region, text.style or TextStyle()
    plain = text.strokes is not None and text.strokes.background is not None
    edges = _edges(region.box)
    if not region.angle:
        wanted = _wider(edges, style, plain, size)
        edges = _free(pixels, edges, wanted, text) if plain else wanted
        edges = _apart(edges, _edges(region.box), others)
    align = alignment(region, size, locale)
    if plain and not region.angle:
        one_line = len(region.lines) == 1
        align = _beside(edges, _edges(region.box), None if one_line else align, locale)
    valign: VAlign = "middle"
    if not plain and not region.angle:
        valign = "top" if (edges[1] + edges[3]) / 2 < 0.5 else "bottom"
    name = f"text {text.number}"
    x, y, width, height = _inside(edges)
    box = TextBox(name, x, y, width, height, region.angle, align, valign, style)
    while region.angle and not _fits(box, size):
        width, height = box.width * _SHRINK, box.height * _SHRINK
        x, y = box.x + (box.width - width) / 2, box.y + (box.height - height) / 2
        box = TextBox(name, x, y, width, height, region.angle, align, valign, style)
    return box


def _beside(edges: _Edges, ink: _Edges, align: Align | None, locale: Locale) -> Align:
    """Return how lines stand on a card or bar, and let them begin where they began.

    A line in the middle has about as much free on both sides; text in the middle stays there.
    """
    free = ink[0] - edges[0], edges[2] - ink[2]
    to_left: Align = "start" if locale.direction == "ltr" else "end"
    to_right: Align = "end" if locale.direction == "ltr" else "start"
    if align is None:
        centred = abs(ink[0] + ink[2] - 1) < 2 * _IN_THE_MIDDLE or max(free) < _MARGIN
        centred = centred or min(free) > _AT_A_SIDE * max(free)
        align = "center" if centred else to_left if free[0] < free[1] else to_right
    if align == "center":
        edges[0], edges[2] = ink[0] - min(free), ink[2] + min(free)
    else:
        side = 0 if align == to_left else 2
        edges[side] = ink[side]
    return align


def _edges(box: FractionBox) -> _Edges:
    x, y, width, height = box
    return [x, y, x + width, y + height]


def _wider(edges: _Edges, style: TextStyle, plain: bool, size: tuple[int, int]) -> _Edges:
    left, top, right, bottom = edges
    across = (_PLAIN_WIDER if plain else _WIDER) * (right - left)
    across = max(across, _LEAST_WIDER * style.max_size * size[1] / size[0])
    down = (_PLAIN_HIGHER if plain else _HIGHER) * style.max_size
    upper = plain or (top + bottom) / 2 >= 0.5
    lower = plain or (top + bottom) / 2 < 0.5
    if not plain:  # as much on both sides, so that a text in the middle stays there
        across = max(0.0, min(across, left - _MARGIN, 1 - _MARGIN - right))
    return [
        max(left - across, min(left, _MARGIN)),
        top - down * upper if top - down * upper > _MARGIN else min(top, _MARGIN),
        min(right + across, max(right, 1 - _MARGIN)),
        bottom + down * lower if bottom + down * lower < 1 - _MARGIN else max(bottom, 1 - _MARGIN),
    ]


def _free(pixels: Pixels, edges: _Edges, wanted: _Edges, text: Text) -> _Edges:
    """Return how far towards `wanted` a plain background reaches, each side by itself."""
    assert text.strokes is not None
    colour = np.asarray(text.strokes.background, np.float32)
    height, width = pixels.shape[:2]
    scale = (width, height, width, height)
    now = [round(edge * side) for edge, side in zip(edges, scale, strict=True)]
    goal = [round(edge * side) for edge, side in zip(wanted, scale, strict=True)]
    now = [max(now[0], 0), max(now[1], 0), min(now[2], width), min(now[3], height)]
    # A card that lets the picture through is as uneven as between its letters.
    left, top, right, bottom = now
    inside = np.sqrt(((pixels[top:bottom, left:right] - colour) ** 2).sum(axis=-1))
    limit = max(_PLAIN, _UNEVEN * float(np.percentile(inside, 100 * _BARE)))
    growing, start = [True] * 4, list(now)
    step = max(1, round(0.004 * max(width, height)))
    while any(growing):
        for side in range(4):
            if not growing[side]:
                continue
            outward = -step if side < 2 else step
            new = now[side] + outward
            past = new < goal[side] if side < 2 else new > goal[side]
            strip = _strip(now, side, new)
            part = pixels[strip].reshape(-1, 3).astype(np.float32)
            far = np.sqrt(((part - colour) ** 2).sum(axis=1))
            # The edge of the outermost letter blends into the first pixels.
            close = abs(new - start[side]) <= step
            if past or not len(part) or ((far < limit).mean() < 0.99 and not close):
                growing[side] = False
            else:
                now[side] = new
    # A little off the border that stopped it, but never into the ink.
    inset = [-1, -1, 1, 1]
    shrunk = [edge - sign * 2 * step for edge, sign in zip(now, inset, strict=True)]
    free = [edge / side for edge, side in zip(shrunk, scale, strict=True)]
    return [min(free[0], edges[0]), min(free[1], edges[1]), max(free[2], edges[2]),
            max(free[3], edges[3])]  # fmt: skip


def _strip(edges: Sequence[int], side: int, new: int) -> tuple[slice, slice]:
    """Return the pixels that one side of a box gains when it moves to `new`."""
    left, top, right, bottom = edges
    if side in (0, 2):
        across = slice(max(new, 0), left) if side == 0 else slice(right, new)
        return slice(top, bottom), across
    down = slice(max(new, 0), top) if side == 1 else slice(bottom, new)
    return down, slice(left, right)


def _apart(edges: _Edges, ink: _Edges, others: Sequence[FractionBox]) -> _Edges:
    """Return edges drawn back to half the way to the ink of other texts."""
    left, top, right, bottom = edges
    for other in map(_edges, others):
        if other[0] < right and other[2] > left and other[1] < bottom and other[3] > top:
            if other[2] <= ink[0]:
                left = max(left, (other[2] + ink[0]) / 2)
            elif other[0] >= ink[2]:
                right = min(right, (other[0] + ink[2]) / 2)
            elif other[3] <= ink[1]:
                top = max(top, (other[3] + ink[1]) / 2)
            elif other[1] >= ink[3]:
                bottom = min(bottom, (other[1] + ink[3]) / 2)
    return [left, top, right, bottom]


def _inside(edges: _Edges) -> FractionBox:
    left, top, right, bottom = (min(1.0, max(0.0, edge)) for edge in edges)
    return left, top, max(right - left, 0.001), max(bottom - top, 0.001)


def _fits(box: TextBox, size: tuple[int, int]) -> bool:
    corners = turned_corners(box, size)
    return all(0 <= x <= 1 and 0 <= y <= 1 for x, y in corners) or box.width < 0.01


def overlap(box: FractionBox, other: FractionBox) -> float:
    """Return the share of a box that another one covers, 0 to 1."""
    left, top, right, bottom = _edges(box)
    second = _edges(other)
    across = min(right, second[2]) - max(left, second[0])
    down = min(bottom, second[3]) - max(top, second[1])
    area = (right - left) * (bottom - top)
    return across * down / area if across > 0 and down > 0 and area > 0 else 0.0
