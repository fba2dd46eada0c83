"""The perceptual hash of pictures. In: picture files. Out: 64 bits each that survive small changes.

It is the DCT hash of the ImageHash package (`imagehash.phash`): the picture in grey, 32 x 32, its
discrete cosine transform's 8 x 8 lowest frequencies, and a bit for each: above their median or not.
A JPEG is decoded at a reduced size first; guides/curating.md tells what difference that makes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from memeloc.templates.pictures import open_grey

FEATURE = "phash-1"
"""What the hash is called where it is kept: method and version."""

_SIDE, _LOW = 32, 8
_LEAST_SIDE = 2 * _SIDE
"""Pixels that a picture decoded at a reduced size has at least on each side."""
_FINEST = 1000
"""The transform is rounded to this part of 1; its sums of 1,024 greys go up to a million. Where it
ought to be 0 (in a picture that is symmetric, or plain), its sign would be that of errors."""

_COSINES = 2 * np.cos(
    np.pi * np.arange(_LOW)[:, None] * (2 * np.arange(_SIDE)[None, :] + 1) / (2 * _SIDE)
)
"""The first rows of the DCT of type II, not normalised, as scipy.fft.dct has it."""


def hash_picture(path: Path) -> int:
    """The perceptual hash of a picture file, 64 bits.

    Raises:
        InputError: it is no picture, damaged, or too large (see `open_grey`).
    """
    return hash_grey(open_grey(path, _LEAST_SIDE))


def hash_grey(picture: Image.Image) -> int:
    """The perceptual hash of a picture in mode L, 64 bits; the lowest frequency is the highest bit.

    It equals `imagehash.phash` of the same pixels, but where a frequency is 0 or at the median to
    three decimals.
    """
    small = picture.resize((_SIDE, _SIDE), Image.Resampling.LANCZOS)
    pixels = np.frombuffer(small.tobytes(), dtype=np.uint8).reshape(_SIDE, _SIDE)
    lowest = (_COSINES @ pixels.astype(np.float64) @ _COSINES.T).ravel()
    lowest *= _FINEST
    np.rint(lowest, out=lowest)
    ordered = lowest.copy()
    ordered.sort()
    median = (ordered[_LOW * _LOW // 2 - 1] + ordered[_LOW * _LOW // 2]) / 2
    return int.from_bytes(np.packbits(lowest > median).tobytes(), "big")


def to_hex(value: int) -> str:
    """A hash as it is stored and shown, and as ImageHash writes it: 16 hexadecimal digits."""
    return f"{value:016x}"


def from_hex(text: str) -> int:
    """The hash that `to_hex` wrote."""
    return int(text, 16)


def as_array(values: Iterable[int]) -> NDArray[np.uint64]:
    """Hashes as `memeloc.curate.duplicates.near` takes them."""
    return np.fromiter(values, dtype=np.uint64)


def bits_between(one: int, other: int) -> int:
    """How many bits differ."""
    return (one ^ other).bit_count()
