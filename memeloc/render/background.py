"""A template's picture, ready to be written on. In: a file. Out: pixels and what lies where.

Pixels are uint32 words of RGBX, see `memeloc.render.painting.compose`.
"""

from __future__ import annotations

import math
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image

from memeloc.model import Template
from memeloc.render.bars import NO_BARS, Bars, with_bars
from memeloc.render.painting.compose import Pixels, rgb
from memeloc.templates import open_picture, picture_size

CELLS = 32
"""The luminance of a picture is kept as a grid of CELLS by CELLS means."""

BUDGET = 64 * 1024 * 1024
"""Bytes of template pictures kept in one process."""


def relative_luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, 0 to 1 (WCAG 2.2, definition of relative luminance)."""
    linear = _LINEAR[list(rgb(colour))]
    return float(linear @ _WEIGHTS)


def contrast(luminance: float, other: float) -> float:
    """Contrast ratio of two relative luminances, 1 to 21 (WCAG 2.2, contrast ratio)."""
    light, dark = max(luminance, other), min(luminance, other)
    return (light + 0.05) / (dark + 0.05)


_WEIGHTS = np.array([0.2126, 0.7152, 0.0722], np.float32)
_SRGB = np.arange(256) / 255
_LINEAR = np.where(_SRGB <= 0.04045, _SRGB / 12.92, ((_SRGB + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)


@dataclass(frozen=True, eq=False)
class Background:
    """A template's picture at the size it is rendered at.

    Attributes:
        pixels: shape (height, width), not to be changed.
    """

    pixels: Pixels = field(repr=False)

    @cached_property
    def luminance(self) -> NDArray[np.float32]:
        """Relative luminance, shape (CELLS, CELLS), means over cells of the picture.

        Worked out when it is asked for: text with an outline stands on that, not on the picture.
        """
        channels = self.pixels.view(np.uint8).reshape(*self.pixels.shape, 4)[..., :3]
        linear = (_LINEAR[channels] @ _WEIGHTS).astype(np.float32)
        grid = Image.fromarray(linear).resize((CELLS, CELLS), Image.Resampling.BOX)
        return np.asarray(grid)

    @property
    def height(self) -> int:
        """In pixels."""
        return int(self.pixels.shape[0])

    @property
    def width(self) -> int:
        """In pixels."""
        return int(self.pixels.shape[1])

    def lowest_contrast(self, colour: float, box: tuple[int, int, int, int]) -> float:
        """The lowest contrast of a colour, given by its luminance, with the cells under a box.

        Args:
            colour: relative luminance.
            box: left, top, right, bottom in pixels.
        """
        left, top, right, bottom = box
        across, down = CELLS / self.width, CELLS / self.height
        cells = self.luminance[
            int(top * down) : max(int(bottom * down), int(top * down)) + 1,
            int(left * across) : max(int(right * across), int(left * across)) + 1,
        ]
        light, dark = np.maximum(cells, colour), np.minimum(cells, colour)
        return float(((light + 0.05) / (dark + 0.05)).min())


def load_background(
    template: Template, max_side: int | None, image: Path | None = None
) -> Background:
    """Open a template's picture.

    Args:
        template: whose picture.
        max_side: the longer side is at most this many pixels, with the highest bars that the
            template can have; None leaves it as it is.
        image: which of its pictures; its usual one by default.

    Raises:
        InputError: the picture is missing, broken or too large.
    """
    image = image or template.image
    picture = open_picture(image, _side(template, image, max_side)).convert("RGBA")
    try:
        # Through Arrow, Pillow gives its memory as it is. (`flatten` would import pyarrow.compute.)
        words = np.frombuffer(pa.array(picture).values.buffers()[1], np.uint32)
    except ValueError:  # a large picture, which Pillow keeps in several pieces
        words = np.frombuffer(picture.tobytes(), np.uint32)
    return Background(words.reshape(picture.height, picture.width))


def _side(template: Template, image: Path, max_side: int | None) -> int | None:
    """The longer side of a template's picture without bars, one size whatever the caption."""
    bars = sum(box.bar.most for box in template.boxes if box.bar)
    if max_side is None or not bars:
        return max_side
    width, height = picture_size(image)
    # One less: the shorter side is rounded, and must not be rounded up.
    scale = min(1.0, max_side / width, (max_side - 1) / (height * (1 + bars)))
    return max(1, math.floor(max(width, height) * scale))


class Backgrounds:
    """The pictures used last, up to `BUDGET` bytes.

    Args:
        max_side: see `load_background`.
    """

    def __init__(self, max_side: int | None = None) -> None:
        self._max_side = max_side
        self._kept: OrderedDict[tuple[Template, Path, Bars], Background] = OrderedDict()
        self._bytes = 0

    def get(
        self, template: Template, image: Path | None = None, bars: Bars = NO_BARS
    ) -> Background:
        """A template's picture; see `load_background` for what it raises.

        Args:
            template: whose picture.
            image: which of its pictures; its usual one by default.
            bars: what is put above and below it.
        """
        key = (template, image or template.image, bars)
        background = self._kept.get(key)
        if background is not None:
            self._kept.move_to_end(key)
            return background
        if bars == NO_BARS:
            background = load_background(template, self._max_side, image)
        else:
            background = Background(with_bars(self.get(template, image).pixels, bars))
        self._kept[key] = background
        self._bytes += background.pixels.nbytes
        while self._bytes > BUDGET and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.pixels.nbytes
        return background


class Canvas:
    """A copy of a background's pixels, to paint one picture on.

    Attributes:
        background: what was copied.
        pixels: shape (height, width), to be read; `rows` gives those to be changed. The memory is
            used again when nothing holds this array: slices, which do not, are for the moment.
        touched: the rows given out by `rows`, the first and the one after the last of each time.
    """

    __slots__ = ("background", "pixels", "touched")

    def __init__(self, background: Background, pixels: Pixels) -> None:
        self.background = background
        self.pixels = pixels
        self.touched: list[tuple[int, int]] = []

    def rows(self, first: int, after: int) -> Pixels:
        """The rows from `first` up to `after`, to be painted on."""
        self.touched.append((first, after))
        return self.pixels[first:after]


class _Buffer:
    """Memory that is lent to one canvas after another."""

    __slots__ = ("_background", "_borrower", "_memory", "_touched", "shape")

    def __init__(self, background: Background) -> None:
        self._memory = background.pixels.copy()
        self.shape = self._memory.shape
        self._background = background
        self._touched: list[tuple[int, int]] = []
        self._borrower: weakref.ref[Pixels] | None = None

    def is_free(self) -> bool:
        """Whether neither the last canvas nor a picture of it is left."""
        return self._borrower is None or self._borrower() is None

    def lend(self, background: Background) -> Canvas:
        """A canvas of that background; only the rows that differ from it are copied."""
        if background is self._background:
            for first, after in self._touched:
                self._memory[first:after] = background.pixels[first:after]
        else:
            np.copyto(self._memory, background.pixels)
        canvas = Canvas(background, self._memory.view())
        # A picture made of these pixels holds this very view, as a canvas does.
        self._borrower = weakref.ref(canvas.pixels)
        self._background, self._touched = background, canvas.touched
        return canvas


class Canvases:
    """Memory for canvases, used again once the picture made in it is gone.

    A new buffer of a megabyte costs more in page faults than copying the template into it; and of a
    canvas of the same template, only the rows that text has touched are copied again.
    """

    _KEPT = 4

    def __init__(self) -> None:
        self._buffers: list[_Buffer] = []

    def canvas_of(self, background: Background) -> Canvas:
        """A canvas of a background that nobody else paints on."""
        shape = background.pixels.shape
        for buffer in self._buffers:
            if buffer.shape == shape and buffer.is_free():
                return buffer.lend(background)
        if len(self._buffers) >= self._KEPT:
            self._buffers.pop(0)
        self._buffers.append(_Buffer(background))
        return self._buffers[-1].lend(background)


def as_image(pixels: Pixels) -> Image.Image:
    """An RGB picture over the pixels, without a copy."""
    height, width = pixels.shape
    # Pillow keeps RGB as four bytes a pixel; through Arrow it takes our memory as it is.
    array = pa.Array.from_buffers(pa.uint32(), pixels.size, [None, pa.py_buffer(pixels)])
    return Image.fromarrow(array, "RGB", (width, height))
