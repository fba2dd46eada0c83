"""Bars above and below a picture. In: laid out text, a picture. Out: their heights, a background.

A bar is as high as its text needs, so that a picture's size depends on its caption. Heights are
whole rows of a JPEG's blocks: a template then has a handful of backgrounds, one for each number of
lines, and of each the rows that no text touches are encoded once, as those of any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from memeloc.model import Bar, TextBox
from memeloc.render.painting.pixels import Pixels, rgb
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import ink_extent

ROWS = 16
"""Heights of bars are multiples of it, in pixels: the height of a JPEG's blocks of colour (ITU-T
T.81, A.1.1, for the usual 4:2:0)."""

_PADDING = 0.5
"""Above and below a bar's text, as a share of its largest font size."""
_LEAST_TEXT = 0.5
"""Share of the highest bar that is left to its text whatever the padding."""


class Bars(NamedTuple):
    """The bars of one picture: their heights in pixels, 0 for none, and their colours."""

    top: int = 0
    bottom: int = 0
    top_colour: str = ""
    bottom_colour: str = ""

    def span(self, bar: Bar | None, top: int, bottom: int, picture_height: int) -> tuple[int, int]:
        """The first row and the one after the last, in the whole, of a box or of a bar.

        Args:
            bar: or None for a box on the picture, with its `top` and `bottom` in the picture.
        """
        if bar is None:
            return top + self.top, bottom + self.top
        if bar.side == "top":
            return 0, self.top
        return self.top + picture_height, self.top + picture_height + self.bottom


NO_BARS = Bars()


def most_height(box: TextBox, bar: Bar, picture_height: int) -> tuple[int, int]:
    """The greatest height of a bar, and of the text in it, in pixels."""
    most = math.floor(bar.most * picture_height + 1e-6)
    return most, most - 2 * _padding(box, most, picture_height)


def bars_of(parts: Iterable[tuple[TextBox, PartLayout]], picture_height: int) -> Bars:
    """The bars of a caption.

    Args:
        parts: the boxes that are bars, each with its text laid out.
        picture_height: in pixels.
    """
    bars = NO_BARS
    for box, layout in parts:
        bar = box.bar
        if bar is None or not layout.lines:
            continue
        height = _height(box, bar, layout, picture_height)
        if bar.side == "top":
            bars = bars._replace(top=height, top_colour=bar.colour)
        else:
            bars = bars._replace(bottom=height, bottom_colour=bar.colour)
    return bars


def _height(box: TextBox, bar: Bar, layout: PartLayout, picture_height: int) -> int:
    most, _ = most_height(box, bar, picture_height)
    above, below = ink_extent(layout.lines, layout.baselines)
    # A line of small letters gets the bar of any other line.
    text = max(above + below, layout.baselines[-1] + 1.0) * layout.size
    text += 2 * box.style.outline_width * layout.size
    needed = text + 2 * _padding(box, most, picture_height)
    least = max(needed, bar.least * picture_height)
    return min(math.ceil(least / ROWS) * ROWS, most)


def _padding(box: TextBox, most: int, picture_height: int) -> int:
    wanted = _PADDING * box.style.max_size * picture_height
    return int(min(wanted, (1 - _LEAST_TEXT) * most / 2))


def with_bars(pixels: Pixels, bars: Bars) -> Pixels:
    """A picture with its bars put on."""
    height, width = pixels.shape
    whole = np.empty((bars.top + height + bars.bottom, width), np.uint32)
    if bars.top:
        whole[: bars.top] = _word(bars.top_colour)
    whole[bars.top : bars.top + height] = pixels
    if bars.bottom:
        whole[bars.top + height :] = _word(bars.bottom_colour)
    return whole


def _word(colour: str) -> int:
    """A colour as a pixel of RGBX."""
    return int.from_bytes((*rgb(colour), 255), "little")
