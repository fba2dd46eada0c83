"""A template's picture, ready to be written on. In: a file. Out: pixels and what lies where.

Pixels are uint32 words of RGBX, see `memeloc.render.compose`.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image

from memeloc.model import Template
from memeloc.render.compose import Pixels, rgb
from memeloc.templates import open_picture

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
        return (
            min(contrast(colour, float(cells.min())), contrast(colour, float(cells.max())))
            if not (cells.min() < colour < cells.max())
            else float(min(contrast(colour, float(cell)) for cell in cells.flat))
        )


def load_background(template: Template, max_side: int | None) -> Background:
    """Open a template's picture.

    Args:
        template: whose picture.
        max_side: the longer side is at most this many pixels; None leaves it as it is.

    Raises:
        InputError: the picture is missing, broken or too large.
    """
    image = open_picture(template.image, max_side)
    words = np.frombuffer(image.convert("RGBA").tobytes(), np.uint32)
    return Background(words.reshape(image.height, image.width))


class Backgrounds:
    """The pictures used last, up to `BUDGET` bytes.

    Args:
        max_side: see `load_background`.
    """

    def __init__(self, max_side: int | None = None) -> None:
        self._max_side = max_side
        self._kept: OrderedDict[Template, Background] = OrderedDict()
        self._bytes = 0

    def get(self, template: Template) -> Background:
        """The picture of a template; see `load_background` for what it raises."""
        background = self._kept.get(template)
        if background is not None:
            self._kept.move_to_end(template)
            return background
        background = self._kept[template] = load_background(template, self._max_side)
        self._bytes += background.pixels.nbytes
        while self._bytes > BUDGET and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.pixels.nbytes
        return background


class Canvas:
    """A copy of a background's pixels, to paint one picture on.

    Attributes:
        background: what was copied.
        pixels: shape (height, width), to be read; `rows` gives those to be changed.
        touched: the rows given out by `rows`, the first and the one after the last of each time.
    """

    def __init__(self, background: Background) -> None:
        self.background = background
        self.pixels = background.pixels.copy()
        self.touched: list[tuple[int, int]] = []

    def rows(self, first: int, after: int) -> Pixels:
        """The rows from `first` up to `after`, to be painted on."""
        self.touched.append((first, after))
        return self.pixels[first:after]


def as_image(pixels: Pixels) -> Image.Image:
    """An RGB picture over the pixels, without a copy."""
    height, width = pixels.shape
    # Pillow keeps RGB as four bytes a pixel; through Arrow it takes our memory as it is.
    array = pa.Array.from_buffers(pa.uint32(), pixels.size, [None, pa.py_buffer(pixels)])
    return Image.fromarrow(array, "RGB", (width, height))
