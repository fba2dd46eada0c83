"""Pixels and colours. A picture is uint32, shape (height, width), a word a pixel, RGBX in memory.

Skia is told that these words are BGRA, its own order, in which alone it blends by fast code (a
fifth of the time); so it gets colours with red and blue exchanged.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import MissingError

try:
    import skia
except ImportError as error:  # pragma: no cover - depends on the machine
    raise MissingError(
        f"Skia cannot be loaded ({error}). On Debian and Ubuntu: apt install libegl1 libgl1; "
        "on Fedora: dnf install mesa-libEGL mesa-libGL"
    ) from error

if sys.byteorder != "little":  # pragma: no cover - no such machine has the wheels
    raise ImportError("memeloc needs a little-endian machine")

Pixels = NDArray[np.uint32]


class Ink(NamedTuple):
    """The colours of letters and of the outline around them, `#rrggbb`."""

    fill: str
    outline: str


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the red, green and blue of `#rrggbb`, 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def brush(colour: str) -> skia.Paint:
    """Return what Skia fills with a colour, antialiased."""
    red, green, blue = rgb(colour)
    return skia.Paint(AntiAlias=True, Color=skia.Color(blue, green, red))


def tints(colour: str) -> Pixels:
    """Return what a pixel is of which 0 to 255 are covered with a colour: premultiplied, BGRA."""
    cover = np.arange(256)
    red, green, blue, alpha = (
        (cover * value + 127) // 255 << shift
        for value, shift in zip((*rgb(colour), 255), (0, 8, 16, 24), strict=True)
    )
    return (red | green | blue | alpha).astype(np.uint32)


def image_info(width: int, height: int) -> skia.ImageInfo:
    """Return how Skia is to see pixels."""
    return skia.ImageInfo.Make(width, height, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)


def canvas_on(pixels: Pixels, left: int = 0, top: int = 0) -> skia.Canvas:
    """Return what draws on pixels, in place, of which the first is the picture's (left, top)."""
    height, width = pixels.shape
    surface = skia.Surface.MakeRasterDirect(image_info(width, height), pixels, pixels.strides[0])
    canvas = surface.getCanvas()
    canvas.translate(-left, -top)
    return canvas
