"""Perceptual hashes of pictures, and which are near. In: picture files. Out: hashes, pairs of them.

The hash is the DCT hash of the ImageHash package (`imagehash.phash`), 64 bits that survive small
changes: the picture in grey, 32 x 32, its discrete cosine transform's 8 x 8 lowest frequencies, and
a bit for each: above their median or not. A JPEG is decoded at a reduced size first;
guides/deduplication.md tells what difference that makes.

The search for near ones is exact. Bits are cut into blocks; two hashes that differ in at most
`distance` bits are equal in all blocks but `distance`, so for each choice of the others these are
put first, the hashes are sorted, and only neighbours that begin alike are compared. Equal hashes
are put together before: a thousand copies of one picture are one hash here, not half a million
pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from memeloc.errors import InputError
from memeloc.templates.pictures import open_grey

FEATURE = "phash-1"  # what the hash is called where it is kept: method and version

_SIDE, _LOW = 32, 8  # pixels a side, and frequencies each way: those of imagehash.phash
_LEAST_SIDE = 2 * _SIDE  # pixels that a picture decoded at a reduced size has on each side
_FINEST = 1000
"""The transform is rounded to this part of 1; its sums of 1,024 greys go up to a million. Where it
ought to be 0 (in a picture that is symmetric, or plain), its sign would be that of errors."""
_COSINES = 2 * np.cos(
    np.pi * np.arange(_LOW)[:, None] * (2 * np.arange(_SIDE)[None, :] + 1) / (2 * _SIDE)
)
"""The first rows of the DCT of type II, not normalised, as scipy.fft.dct has it."""


def hash_picture(path: Path) -> int:
    """Return the perceptual hash of a picture file; raise InputError if it cannot be read."""
    return hash_grey(open_grey(path, _LEAST_SIDE))


def hash_grey(picture: Image.Image) -> int:
    """Return the hash of a picture in mode L; the lowest frequency is the highest bit.

    It equals `imagehash.phash` of the same pixels, but where a frequency is 0 or at the median to
    three decimals.
    """
    small = picture.resize((_SIDE, _SIDE), Image.Resampling.LANCZOS)
    pixels = np.frombuffer(small.tobytes(), dtype=np.uint8).reshape(_SIDE, _SIDE)
    lowest = np.rint((_COSINES @ pixels.astype(np.float64) @ _COSINES.T).ravel() * _FINEST)
    ordered = np.sort(lowest)
    median = (ordered[_LOW * _LOW // 2 - 1] + ordered[_LOW * _LOW // 2]) / 2
    return int.from_bytes(np.packbits(lowest > median).tobytes(), "big")


def to_hex(value: int) -> str:
    """Return a hash as it is stored and shown, and as ImageHash writes it."""
    return f"{value:016x}"


def from_hex(text: str) -> int:
    """Return the hash that `to_hex` wrote."""
    return int(text, 16)


def bits_between(one: int, other: int) -> int:
    """Return how many bits differ."""
    return (one ^ other).bit_count()


Hashes = NDArray[np.uint64]
Indices = NDArray[np.int64]
Span = tuple[int, int]  # bits of a hash, from the first to before the second

BITS = _LOW * _LOW
NEAR = 5
"""Bits in which hashes of near pictures differ at most (charmemes, 4.3)."""
_TILE = 1 << 19  # comparisons that are held at a time
_CHUNK = 1 << 15  # hashes whose bits are moved at a time: they stay in the processor's cache
_SORT, _COMPARE, _TABLE = 40e-9, 20e-9, 2e-9
"""Seconds, about: to sort a hash into its place; to compare two neighbours; to do so in a table."""


class HashGroups(NamedTuple):
    """Hashes with the equal ones put together.

    Each is once in `values`, ascending; the places of those equal to `values[i]` begin at
    `starts[i]` in `order`, ascending. `starts` has one more, the end.
    """

    values: Hashes
    order: Indices
    starts: Indices


class NearPairs(NamedTuple):
    """Pairs of different hashes: `first[i]` and `second[i]` differ in `distance[i]` bits."""

    first: Indices
    second: Indices
    distance: NDArray[np.uint8]


def as_array(values: Iterable[int]) -> Hashes:
    """Return hashes as the functions below take them."""
    return np.fromiter(values, dtype=np.uint64)


def group_hashes(hashes: Hashes) -> HashGroups:
    """Put equal hashes together."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(hashes)])
    return HashGroups(ordered[begins], order, np.append(begins, len(hashes)))


def near_pairs(values: Hashes, distance: int, jobs: int = 1) -> Iterator[NearPairs]:
    """Yield all pairs of hashes that differ in at least one and at most `distance` bits of 64.

    `values` are ascending and have each hash once (`group_hashes`). Every pair is given once, in
    the same order in every run; places in `values`, the lesser first. Time grows with the number of
    pairs; ten million hashes that are spread evenly take some twenty seconds of one core, which
    `jobs` threads share.
    """
    if not 0 <= distance <= BITS:
        raise ValueError(f"a distance is 0 to {BITS} bits, not {distance}")
    if distance and len(values) > 1:
        yield from _search(values, distance, _block_count(len(values), distance), jobs)


def near_pictures(pictures: Sequence[Path], distance: int = NEAR) -> Iterator[tuple[int, int]]:
    """Yield pairs of pictures whose hashes differ in few bits, by their numbers: equal ones, then
    the others. A file that cannot be read is near to none."""
    hashes: dict[int, int] = {}
    for number, path in enumerate(pictures):
        with suppress(InputError):
            hashes[number] = hash_picture(path)
    values, order, starts = group_hashes(as_array(hashes.values()))
    groups = np.split(np.array([*hashes], dtype=int)[order], starts[1:-1])
    for equal in groups:
        yield from combinations(equal.tolist(), 2)
    for near in near_pairs(values, distance):
        for first, second in zip(near.first, near.second, strict=True):
            yield from product(groups[first].tolist(), groups[second].tolist())


def nearest(hashes: Hashes, others: Hashes, count: int = 1) -> tuple[Indices, NDArray[np.uint8]]:
    """Return the `count` nearest of some other hashes for each: places in `others`, and bits.

    A row a hash, the nearest first, equally near ones in the order of `others`. Every hash is
    compared with every other, some 300 million comparisons a second.
    """
    count = min(count, len(others))
    places = np.zeros((len(hashes), count), dtype=np.int64)
    bits = np.zeros((len(hashes), count), dtype=np.uint8)
    rows = max(1, _TILE // max(1, len(others)))
    for start in range(0, len(hashes) if count else 0, rows):
        chunk = slice(start, start + rows)
        table = np.bitwise_count(hashes[chunk, None] ^ others[None, :])
        best = np.argsort(table, axis=1, kind="stable")[:, :count]
        places[chunk] = best
        bits[chunk] = np.take_along_axis(table, best, axis=1)
    return places, bits


def _block_count(count: int, distance: int) -> int:
    """Return into how many blocks to cut the bits; 0 is to compare all with all."""
    every = count * (count - 1) / 2
    costs = {0: 2 * every * _TABLE}
    for blocks in range(distance + 1, min(distance + 5, BITS) + 1):
        equal = blocks - distance
        candidates = every / 2.0 ** (equal * BITS / blocks)
        costs[blocks] = math.comb(blocks, equal) * (count * _SORT + candidates * _COMPARE)
    return min(costs, key=lambda blocks: costs[blocks])


def _search(values: Hashes, distance: int, blocks: int, jobs: int = 1) -> Iterator[NearPairs]:
    if blocks == 0:
        rows = max(1, _TILE // len(values))
        for start in range(0, len(values) - 1, rows):
            difference = values[start : start + rows, None] ^ values[None, start:]
            rows_near, columns = np.nonzero(np.bitwise_count(difference) <= distance)
            after = columns > rows_near
            near = rows_near[after], columns[after]
            if after.any():
                bits = np.bitwise_count(difference[near])
                yield NearPairs(start + near[0], start + near[1], bits)
        return
    choices = combinations(range(blocks), blocks - distance)
    equal_in = partial(_equal_in, values, distance, blocks)
    if jobs == 1:
        found = map(equal_in, choices)
        yield from (pairs for of_choice in found for pairs in of_choice)
        return
    with ThreadPoolExecutor(jobs) as pool:  # numpy sorts and compares without Python's lock
        yield from (pairs for of_choice in pool.map(equal_in, choices) for pairs in of_choice)


def _equal_in(
    values: Hashes, distance: int, blocks: int, chosen: tuple[int, ...]
) -> list[NearPairs]:
    """Return near pairs that are equal in the chosen blocks, and not in an earlier choice."""
    edges = [round(BITS * number / blocks) for number in range(blocks, -1, -1)]
    spans = list(zip(edges[1:], edges, strict=False))
    others = [at for at in range(blocks) if at not in chosen]
    order: list[Span] = []
    for low, high in (spans[at] for at in (*chosen, *others)):
        if order and order[-1][0] == high:  # it follows downwards: one span with the last
            order[-1] = (low, order[-1][1])
        else:
            order.append((low, high))
    # The hashes themselves are sorted, with their bits in another order, and no places beside.
    moved = _moved(values, order)
    moved.sort()
    rest = np.uint64(sum(spans[at][1] - spans[at][0] for at in others))
    same = np.append((moved[1:] ^ moved[:-1]) >> rest == 0, False)
    first, offset, found = np.flatnonzero(same), 1, []
    while len(first):
        sides = moved[first], moved[first + offset]
        near = np.bitwise_count(sides[0] ^ sides[1]) <= distance
        if near.any():
            one, other = (_moved(side[near], order, back=True) for side in sides)
            difference = one ^ other
            # A pair that is equal in an earlier block, too, is found when that one is chosen.
            new = np.ones(len(one), dtype=bool)
            for at in others:
                mask = np.uint64((1 << spans[at][1]) - (1 << spans[at][0]))
                new &= (difference & mask != 0) | (at > chosen[-1])
            if new.any():
                places = [np.searchsorted(values, side[new]) for side in (one, other)]
                bits = np.bitwise_count(difference[new])
                found.append(NearPairs(np.minimum(*places), np.maximum(*places), bits))
        # The next partner of a hash stands within the run when this one's does.
        first = first[same[first + offset]]
        offset += 1
    return found


def _moved(values: Hashes, spans: Sequence[Span], *, back: bool = False) -> Hashes:
    """Return hashes whose spans of bits stand in this order, the first at the top, or stood so."""
    moved = np.zeros_like(values)
    for start in range(0, len(values), _CHUNK):
        source, target, top = values[start : start + _CHUNK], moved[start : start + _CHUNK], BITS
        for low, high in spans:
            top -= high - low
            begin, end = (top, low) if back else (low, top)
            bits = source >> np.uint64(begin)
            bits &= np.uint64((1 << (high - low)) - 1)
            bits <<= np.uint64(end)
            target |= bits
    return moved
