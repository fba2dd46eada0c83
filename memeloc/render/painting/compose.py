"""Putting letters on pixels. In: masks and colours. Out: the same pixels, changed in place.

A picture is uint32 here, one word a pixel, red in the lowest byte (RGBX in memory). With o the
coverage of letter and outline together and f that of the letter alone (f <= o everywhere), a pixel
becomes  background * (1 - o) + outline * (o - f) + fill * f,  the same as painting the outline and
then the letter over it. Two bytes are worked on at a time within a word, in buffers that are kept:
fresh arrays of this size cost more in page faults than the arithmetic does.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint32]

_ODD = np.uint32(0x00FF00FF)
_EVEN = np.uint32(0xFF00FF00)
_EIGHT = np.uint32(8)
_WHOLE = np.uint32(256)
_GREY = np.uint32(0x00010101)
_BYTE = np.uint32(255)

if sys.byteorder != "little":  # pragma: no cover - no such machine has the wheels
    raise ImportError("memeloc needs a little-endian machine")


class Ink:
    """Two colours, as tables from coverage to the colour's share of a pixel.

    Args:
        fill, outline: `#rrggbb`.
    """

    def __init__(self, fill: str, outline: str) -> None:
        self.fill = _table(fill)
        self.outline = _table(outline)
        self.white = fill.lower() == "#ffffff"
        self.black_outline = outline == "#000000"


def _table(colour: str) -> NDArray[np.uint32]:
    red, green, blue = rgb(colour)
    share = np.arange(256, dtype=np.uint32)

    def part(value: int) -> NDArray[np.uint32]:
        return (share * np.uint32(value) + np.uint32(127)) // np.uint32(255)

    table: NDArray[np.uint32] = (
        part(red) | part(green) << np.uint32(8) | part(blue) << np.uint32(16)
    )
    return table


def rgb(colour: str) -> tuple[int, int, int]:
    """The red, green and blue of `#rrggbb`, 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


class Compositor:
    """Blends masks into pictures, with buffers that are used again and again."""

    def __init__(self) -> None:
        self._size = 0
        self._buffers: list[NDArray[np.uint32]] = []
        self._planes = np.empty(0, np.uint8)
        self._sheets = np.empty(0, np.uint8)

    def planes(self, count: int, height: int, width: int) -> NDArray[np.uint8]:
        """Zeroed masks of shape (height, width, count), good until the next call."""
        size = count * height * width
        if self._planes.size < size:
            self._planes = np.empty(size + size // 2, np.uint8)
        planes = self._planes[:size].reshape(height, width, count)
        planes.fill(0)
        return planes

    def sheets(self, height: int, width: int) -> NDArray[np.uint8]:
        """Three zeroed sheets, shape (3, height, width), good until the next call."""
        size = 3 * height * width
        if self._sheets.size < size:
            self._sheets = np.empty(size + size // 2, np.uint8)
        sheets = self._sheets[:size].reshape(3, height, width)
        sheets.fill(0)
        return sheets

    def blend(self, pixels: Pixels, planes: NDArray[np.uint8], ink: Ink) -> None:
        """Paint masks of shape (height, width, planes) into pixels of shape (height, width).

        With two planes the first is letter and outline, the second the letter; with one there is
        no outline.
        """
        a, t, u, v = self._scratch(*pixels.shape)
        outlined = planes.shape[2] == 2
        # Both masks of a pixel are widened at once: reading every other byte takes four times that.
        np.copyto(u, planes.view(np.uint16)[..., 0] if outlined else planes[..., 0])
        if outlined:
            np.bitwise_and(u, _BYTE, out=a)
            np.subtract(_WHOLE, a, out=a)
        else:
            np.subtract(_WHOLE, u, out=a)
        np.bitwise_and(pixels, _ODD, out=t)
        np.multiply(t, a, out=t)
        np.right_shift(t, _EIGHT, out=t)
        np.bitwise_and(t, _ODD, out=t)
        np.right_shift(pixels, _EIGHT, out=v)
        np.bitwise_and(v, _ODD, out=v)
        np.multiply(v, a, out=v)
        np.bitwise_and(v, _EVEN, out=v)
        np.bitwise_or(t, v, out=t)
        letter = planes[..., -1]
        if outlined and not ink.black_outline:
            np.take(ink.outline, planes[..., 0] - letter, out=a)
            np.add(t, a, out=t)
        if not ink.white:
            np.take(ink.fill, letter, out=a)
        elif outlined:
            np.right_shift(u, _EIGHT, out=a)
            np.multiply(a, _GREY, out=a)
        else:
            np.multiply(u, _GREY, out=a)
        np.add(t, a, out=pixels)

    def _scratch(self, height: int, width: int) -> list[NDArray[np.uint32]]:
        size = height * width
        if size > self._size:
            self._size = size + size // 2
            self._buffers = [np.empty(self._size, np.uint32) for _ in range(4)]
        return [buffer[:size].reshape(height, width) for buffer in self._buffers]
