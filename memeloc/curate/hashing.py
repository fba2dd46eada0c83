"""The perceptual hash of pictures. In: picture files. Out: 64 bits each that survive small changes.

It is the DCT hash of the ImageHash package (`imagehash.phash`): the picture in grey, 32 x 32, its
discrete cosine transform's 8 x 8 lowest frequencies, and a bit for each: above their median or not.
A JPEG is decoded at a reduced size first; guides/deduplication.md tells what difference that makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import InputError
from memeloc.templates.pictures import open_grey

if TYPE_CHECKING:
    from PIL import Image

FEATURE = "phash-1"
"""What the hash is called where it is kept: method and version."""

_SIDE, _LOW = 32, 8
_LEAST_SIDE = 2 * _SIDE
"""Pixels that a picture decoded at a reduced size has at least on each side."""
_FINEST = 1000
"""The transform is rounded to this part of 1; its sums of 1,024 greys go up to a million. Where it
ought to be 0 (in a picture that is symmetric, or plain), its sign would be that of errors."""
_SHARD = 64
"""Pictures that a process takes at a time."""

_COSINES = 2 * np.cos(
    np.pi * np.arange(_LOW)[:, None] * (2 * np.arange(_SIDE)[None, :] + 1) / (2 * _SIDE)
)
"""The first rows of the DCT of type II, not normalised, as scipy.fft.dct has it."""


@dataclass(frozen=True, slots=True)
class HashedPicture:
    """One picture's hash.

    Attributes:
        key: identifies it, such as its SHA-256.
        value: its hash; None when it cannot be read.
        problem: why not, a sentence; else empty.
    """

    key: str
    value: int | None
    problem: str = ""


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
    from PIL import Image

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
    """A hash as it is stored and shown, and as ImageHash writes it: 16 hexadecimal digits.

    >>> to_hex(10)
    '000000000000000a'
    """
    return f"{value:016x}"


def from_hex(text: str) -> int:
    """The hash that `to_hex` wrote."""
    return int(text, 16)


def as_array(values: Iterable[int]) -> NDArray[np.uint64]:
    """Hashes as `memeloc.curate.near` takes them."""
    return np.fromiter(values, dtype=np.uint64)


def bits_between(one: int, other: int) -> int:
    """How many bits differ.

    >>> bits_between(0b1011, 0b0010)
    2
    """
    return (one ^ other).bit_count()


def hash_pictures(
    pictures: Mapping[str, Path],
    *,
    jobs: int,
    on_done: Callable[[Sequence[HashedPicture]], None],
) -> None:
    """Hash many pictures on several processes.

    Args:
        pictures: files by key.
        jobs: processes, at least 1.
        on_done: gets some at a time, in any order, as they are hashed; what it has stored need
            not be hashed again by a later run.
    """
    from memeloc.engine import ShardResult, map_shards

    def settle(ended: ShardResult[_Shard, list[HashedPicture]]) -> None:
        if ended.value is None:
            on_done([HashedPicture(key, None, ended.failure) for key, _ in ended.shard])
        else:
            on_done(ended.value)

    map_shards(_hash_shard, _shards(pictures), jobs=jobs, on_done=settle)


_Shard = tuple[tuple[str, str], ...]


def _shards(pictures: Mapping[str, Path]) -> Iterator[_Shard]:
    rows = [(key, str(path)) for key, path in pictures.items()]
    for start in range(0, len(rows), _SHARD):
        yield tuple(rows[start : start + _SHARD])


def _hash_shard(shard: _Shard) -> list[HashedPicture]:
    done = []
    for key, path in shard:
        try:
            done.append(HashedPicture(key, hash_picture(Path(path))))
        except InputError as error:
            done.append(HashedPicture(key, None, error.message))
    return done
