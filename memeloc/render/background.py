"""A template's picture, ready to be written on. In: a file. Out: pixels and what lies where.

Pixels are uint32 words of RGBX, see `memeloc.render.painting.pixels`. A bar above or below a
picture is as high as its text needs, so that a picture's size depends on its caption. Heights are
whole rows of a JPEG's blocks: a template then has a handful of backgrounds, one for each number of
lines, and of each the rows that no text touches are encoded once, as those of any other.
"""

from __future__ import annotations

import math
import weakref
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image

from memeloc.model import Bar, Template, TextBox
from memeloc.render.painting.pixels import Pixels, rgb, tints
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import ink_extent
from memeloc.templates import open_picture, picture_size

BLOCK = 16
"""Height in pixels of a row of blocks of a JPEG, or twice that where colours are not halved (ITU-T
T.81, A.1.1); heights of bars are multiples of it."""

BUDGET = 64 * 1024 * 1024
"""Bytes of template pictures kept in one process."""

_PADDING = 0.5
"""Above and below a bar's text, as a share of its largest font size."""
_LEAST_TEXT = 0.5
"""Share of the highest bar that is left to its text whatever the padding."""

_WEIGHTS = np.array([0.2126, 0.7152, 0.0722], np.float32)
_SRGB = np.arange(256) / 255
_LINEAR = np.where(_SRGB <= 0.04045, _SRGB / 12.92, ((_SRGB + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)
_SHARES = [_LINEAR * weight for weight in _WEIGHTS]
"""What each value of red, green and blue adds to the luminance."""


@cache
def relative_luminance(colour: str) -> float:
    """Return the relative luminance of `#rrggbb`, 0 to 1 (WCAG 2.2, its definition)."""
    return float(_LINEAR[list(rgb(colour))] @ _WEIGHTS)


def contrast(luminance: float, other: float) -> float:
    """Return the contrast ratio of two relative luminances, 1 to 21 (WCAG 2.2)."""
    light, dark = max(luminance, other), min(luminance, other)
    return (light + 0.05) / (dark + 0.05)


class Bars(NamedTuple):
    """The bars of one picture: their heights in pixels, 0 for none, and their colours."""

    top: int = 0
    bottom: int = 0
    top_colour: str = "#000000"
    bottom_colour: str = "#000000"

    def span(self, bar: Bar | None, top: int, bottom: int, picture_height: int) -> tuple[int, int]:
        """Return the first row and the one after the last, in the whole, of a bar or of a box."""
        if bar is None:
            return top + self.top, bottom + self.top
        if bar.side == "top":
            return 0, self.top
        return self.top + picture_height, self.top + picture_height + self.bottom

    @classmethod
    def of(cls, parts: Iterable[tuple[TextBox, PartLayout]], picture_height: int) -> Bars:
        """Return the bars of a caption, of its boxes and what is laid out in each."""
        bars = cls()
        for box, layout in parts:
            bar = box.bar
            if bar is None or not layout.lines:
                continue
            most, padding = cls.most(box, bar, picture_height)
            above, below = ink_extent(layout.lines, layout.baselines)
            # A line of small letters gets the bar of any other line.
            text = max(above + below, layout.baselines[-1] + 1.0) + 2 * box.style.outline_width
            least = max(text * layout.size + 2 * padding, bar.least * picture_height)
            height = min(math.ceil(least / BLOCK) * BLOCK, most)
            if bar.side == "top":
                bars = bars._replace(top=height, top_colour=bar.colour)
            else:
                bars = bars._replace(bottom=height, bottom_colour=bar.colour)
        return bars

    @staticmethod
    def most(box: TextBox, bar: Bar, picture_height: int) -> tuple[int, int]:
        """Return the greatest height of a bar, and its padding above and below text, in pixels."""
        most = math.floor(bar.most * picture_height + 1e-6)
        wanted = _PADDING * box.style.max_size * picture_height
        return most, int(min(wanted, (1 - _LEAST_TEXT) * most / 2))


NO_BARS = Bars()


@dataclass(frozen=True, eq=False)
class Background:
    """A template's picture at the size it is rendered at; its pixels are not to be changed."""

    pixels: Pixels = field(repr=False)

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    def luminance(self, x: NDArray[np.intp], y: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the relative luminance of pixels, of any pixel for one outside."""
        words = self.pixels.take(y * self.width + x, mode="clip")
        luminance: NDArray[np.float32] = _SHARES[0].take(words & 255)
        luminance += _SHARES[1].take(words >> 8 & 255)
        luminance += _SHARES[2].take(words >> 16 & 255)
        return luminance

    def with_bars(self, bars: Bars) -> Background:
        """Return the picture with its bars put on."""
        top, bottom = (
            np.full((height, self.width), tints(colour)[-1])
            for height, colour in ((bars.top, bars.top_colour), (bars.bottom, bars.bottom_colour))
        )
        return Background(np.concatenate([top, self.pixels, bottom]))


def load_background(
    template: Template, max_side: int | None, image: Path | None = None
) -> Background:
    """Open a template's picture. Raise InputError if the picture is missing, broken or too large.

    Args:
        max_side: the longer side is at most this many pixels, with the highest bars that the
            template can have; None leaves it as it is.
        image: which of its pictures; its usual one by default.
    """
    image = image or template.image
    bars = sum(box.bar.most for box in template.boxes if box.bar)
    if max_side is not None and bars:  # one size, whatever the caption
        width, height = picture_size(image)
        # One less: the shorter side is rounded, and must not be rounded up.
        scale = min(1.0, max_side / width, (max_side - 1) / (height * (1 + bars)))
        max_side = max(1, math.floor(max(width, height) * scale))
    picture = open_picture(image, max_side).convert("RGBA")
    try:
        # Through Arrow, Pillow gives its memory as it is. (`flatten` would import pyarrow.compute.)
        words = np.frombuffer(pa.array(picture).values.buffers()[1], np.uint32)
    except ValueError:  # a large picture, which Pillow keeps in several pieces
        words = np.frombuffer(picture.tobytes(), np.uint32)
    return Background(words.reshape(picture.height, picture.width))


class Backgrounds:
    """The pictures used last, up to `BUDGET` bytes; for `max_side` see `load_background`."""

    def __init__(self, max_side: int | None = None) -> None:
        self._max_side = max_side
        self._kept: OrderedDict[tuple[Template, Path, Bars], Background] = OrderedDict()
        self._bytes = 0

    def get(
        self, template: Template, image: Path | None = None, bars: Bars = NO_BARS
    ) -> Background:
        """Return a template's picture with its bars; see `load_background` for what it raises."""
        key = (template, image or template.image, bars)
        background = self._kept.get(key)
        if background is not None:
            self._kept.move_to_end(key)
            return background
        if bars == NO_BARS:
            background = load_background(template, self._max_side, image)
        else:
            background = self.get(template, image).with_bars(bars)
        self._kept[key] = background
        self._bytes += background.pixels.nbytes
        while self._bytes > BUDGET and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.pixels.nbytes
        return background


class Canvas:
    """A background that one picture is painted on. It has a copy of the rows painted on only.

    Args:
        memory: as wide as the background, for rows; what does not fit into it gets its own.

    Attributes:
        bands: pixels of the rows that may differ from the background, by the first row and the one
            after the last. A band begins and ends with a row of a JPEG's blocks, or the picture.
    """

    __slots__ = ("__weakref__", "_memory", "_used", "background", "bands")

    def __init__(self, background: Background, memory: Pixels | None = None) -> None:
        self.background = background
        self.bands: dict[tuple[int, int], Pixels] = {}
        self._memory = background.pixels[:0] if memory is None else memory
        self._used = 0

    def rows(self, first: int, after: int) -> Pixels:
        """Return rows from `first` up to `after`, to be painted on until others are asked for."""
        for (top, bottom), pixels in self.bands.items():
            if top <= first and after <= bottom:
                return pixels[first - top : after - top]
        top = first // BLOCK * BLOCK
        bottom = min(-(-after // BLOCK) * BLOCK, self.background.height)
        near = [span for span in self.bands if span[0] < bottom and top < span[1]]
        top = min([top, *(span[0] for span in near)])
        bottom = max([bottom, *(span[1] for span in near)])
        self._used += bottom - top
        if self._used > len(self._memory):
            pixels = np.empty((bottom - top, self.background.width), np.uint32)
        else:
            pixels = self._memory[self._used - (bottom - top) : self._used]
        pixels[:] = self.background.pixels[top:bottom]
        for begin, end in near:
            pixels[begin - top : end - top] = self.bands.pop((begin, end))
        self.bands[top, bottom] = pixels
        return pixels[first - top : after - top]

    def strip(self) -> Pixels:
        """Return the bands as one picture, from top to bottom; good until the next is asked for."""
        spans = sorted(self.bands)
        height = sum(bottom - top for top, bottom in spans)
        if spans == list(self.bands) and height == self._used <= len(self._memory):
            return self._memory[:height]
        return np.concatenate([self.bands[span] for span in spans])

    @property
    def pixels(self) -> Pixels:
        """Return a copy of the whole picture, shape (height, width)."""
        pixels = self.background.pixels.copy()
        for (top, bottom), band in self.bands.items():
            pixels[top:bottom] = band
        return pixels


class Canvases:
    """Memory for one canvas after another: page faults of new memory cost a fifth of a picture."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint32)
        self._canvas: weakref.ref[Canvas] | None = None

    def canvas_of(self, background: Background) -> Canvas:
        """Return a canvas, in the memory of the last one unless that is still held."""
        size = 2 * background.pixels.size  # bands that grow together are copied
        if self._memory.size < size or (self._canvas and self._canvas()):
            self._memory = np.empty(size, np.uint32)
        canvas = Canvas(background, self._memory[:size].reshape(-1, background.width))
        self._canvas = weakref.ref(canvas)
        return canvas


def as_image(pixels: Pixels) -> Image.Image:
    """Return an RGB picture over the pixels, without a copy."""
    height, width = pixels.shape
    # Pillow keeps RGB as four bytes a pixel; through Arrow it takes our memory as it is.
    array = pa.Array.from_buffers(pa.uint32(), pixels.size, [None, pa.py_buffer(pixels)])
    return Image.fromarrow(array, "RGB", (width, height))
