"""All pairs of near hashes. In: 64-bit hashes. Out: groups of equal ones, pairs of near ones.

The search is exact. Bits are cut into blocks; two hashes that differ in at most `distance` bits are
equal in all blocks but `distance`, so for each choice of the others these are put first, the hashes
are sorted, and only neighbours that begin alike are compared. Equal hashes are put together before:
a thousand copies of one picture are one hash here, not half a million pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Indices = NDArray[np.int64]
Span = tuple[int, int]
"""Bits of a hash, from the first to before the second."""

BITS = 64
_TILE = 1 << 19
"""Comparisons that are held at a time."""
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


def group_hashes(hashes: Hashes) -> HashGroups:
    """Put equal hashes together."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(hashes)])
    return HashGroups(ordered[begins], order, np.append(begins, len(hashes)))


def near_pairs(values: Hashes, distance: int) -> Iterator[NearPairs]:
    """Yield all pairs of hashes that differ in at least one and at most `distance` bits of 64.

    `values` are ascending and have each hash once (`group_hashes`). Every pair is given once, in
    the same order in every run; places in `values`, the lesser first. Time grows with the number of
    pairs; ten million hashes that are spread evenly take about a minute of one core.
    """
    if not 0 <= distance <= BITS:
        raise ValueError(f"a distance is 0 to {BITS} bits, not {distance}")
    if distance and len(values) > 1:
        yield from _search(values, distance, _block_count(len(values), distance))


def nearest(hashes: Hashes, known: Hashes, count: int = 1) -> tuple[Indices, NDArray[np.uint8]]:
    """Return the `count` nearest of some known hashes for each: places in `known`, and bits.

    A row a hash, the nearest first, equally near ones in the order of `known`. Every hash is
    compared with every known one, some 300 million comparisons a second.
    """
    count = min(count, len(known))
    places = np.zeros((len(hashes), count), dtype=np.int64)
    bits = np.zeros((len(hashes), count), dtype=np.uint8)
    rows = max(1, _TILE // max(1, len(known)))
    for start in range(0, len(hashes) if count else 0, rows):
        chunk = slice(start, start + rows)
        table = np.bitwise_count(hashes[chunk, None] ^ known[None, :])
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


def _search(values: Hashes, distance: int, blocks: int) -> Iterator[NearPairs]:
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
    edges = [round(BITS * number / blocks) for number in range(blocks, -1, -1)]
    spans = list(zip(edges[1:], edges, strict=False))
    masks = [np.uint64((1 << high) - (1 << low)) for low, high in spans]
    for chosen in combinations(range(blocks), blocks - distance):
        others = [at for at in range(blocks) if at not in chosen]
        order = _merged([spans[at] for at in (*chosen, *others)])
        # The hashes themselves are sorted, with their bits in another order, and no places beside.
        moved = _moved(values, order)
        moved.sort()
        rest = np.uint64(sum(spans[at][1] - spans[at][0] for at in others))
        for sides in _neighbours(moved, rest, distance):
            first, second = (_moved(side, order, back=True) for side in sides)
            difference = first ^ second
            # A pair that is equal in an earlier block, too, is found when that one is chosen.
            new = np.ones(len(first), dtype=bool)
            for at in others:
                new &= (difference & masks[at] != 0) | (at > chosen[-1])
            if new.any():
                places = [np.searchsorted(values, side[new]) for side in (first, second)]
                bits = np.bitwise_count(difference[new])
                yield NearPairs(np.minimum(*places), np.maximum(*places), bits)


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Return spans, those that follow each other downwards as one."""
    merged: list[Span] = []
    for low, high in spans:
        if merged and merged[-1][0] == high:
            merged[-1] = (low, merged[-1][1])
        else:
            merged.append((low, high))
    return merged


def _moved(values: Hashes, spans: Sequence[Span], *, back: bool = False) -> Hashes:
    """Return hashes whose spans of bits stand in this order, the first at the top, or stood so."""
    moved, top = np.zeros_like(values), BITS
    for low, high in spans:
        top -= high - low
        source, target = (top, low) if back else (low, top)
        bits = (values >> np.uint64(source)) & np.uint64((1 << (high - low)) - 1)
        moved |= bits << np.uint64(target)
    return moved


def _neighbours(ordered: Hashes, rest: np.uint64, distance: int) -> Iterator[tuple[Hashes, Hashes]]:
    """Yield near ones, of hashes in order, that are equal but for the last `rest` bits."""
    same = np.append((ordered[1:] ^ ordered[:-1]) >> rest == 0, False)
    first = np.flatnonzero(same)
    offset = 1
    while len(first):
        one, other = ordered[first], ordered[first + offset]
        near = np.bitwise_count(one ^ other) <= distance
        if near.any():
            yield one[near], other[near]
        # The next partner of a hash stands within the run when this one's does.
        first = first[same[first + offset]]
        offset += 1
