"""All pairs of near hashes. In: 64-bit hashes. Out: groups of equal ones, pairs of near ones.

The search is exact. Bits are cut into blocks; two hashes that differ in at most `distance` bits are
equal in all blocks but `distance`, so for each choice of that many blocks the hashes are sorted by
what stands in them, and only neighbours of equal key are compared. Equal hashes are put together
first: a thousand copies of one picture are one hash here, not half a million pairs.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Indices = NDArray[np.int64]

BITS = 64
_SLAB = 1 << 17
"""Hashes that are sorted at a time, about, where that can be chosen: half a megabyte of them."""
_LONG = 48
"""From this many hashes of one key on, all of them are compared as a table, not by offsets."""
_TILE = 1 << 19
"""Comparisons held at a time."""
_CHUNK = 1 << 20
"""Pairs that are held and given at a time, about."""
_SORT, _COMPARE, _TABLE = 12e-9, 60e-9, 2e-9
"""Seconds, about: to sort a hash into its place; to compare two of a run; to do so in a table."""


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
    """All pairs of hashes that differ in at least one and at most `distance` bits of 64.

    A million hashes that are spread evenly take about a second and 150 MB. Time grows with the
    number of pairs, so `values` must have each hash once (`group_hashes`). Every pair is given
    once, in chunks of about a million, in the same order in every run; places in `values`, the
    lesser first.
    """
    if not 0 <= distance <= BITS:
        raise ValueError(f"a distance is 0 to {BITS} bits, not {distance}")
    if distance == 0 or len(values) < 2:
        return
    yield from _in_chunks(_search(values, distance, _block_count(len(values), distance)))


def _in_chunks(found: Iterable[_Triple]) -> Iterator[NearPairs]:
    """What a search finds, in chunks of about a million pairs."""
    waiting: list[_Triple] = []
    count = 0
    for piece in found:
        waiting.append(piece)
        count += len(piece[0])
        if count >= _CHUNK:
            yield _joined(waiting)
            waiting, count = [], 0
    if waiting:
        yield _joined(waiting)


def nearest(hashes: Hashes, known: Hashes, count: int = 1) -> tuple[Indices, NDArray[np.uint8]]:
    """The `count` nearest of some known hashes for each hash: places in `known`, and bits.

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


_Triple = tuple[Indices, Indices, Hashes]
"""Places of pairs, and the bits in which they differ."""


def _joined(pieces: Sequence[_Triple]) -> NearPairs:
    first, second, difference = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return NearPairs(
        np.minimum(first, second), np.maximum(first, second), np.bitwise_count(difference)
    )


def _block_count(count: int, distance: int) -> int:
    """Into how many blocks to cut the bits; 0 is to compare all with all."""
    every = count * (count - 1) / 2
    costs = {0: 2 * every * _TABLE}
    for blocks in range(distance + 1, min(distance + 5, BITS) + 1):
        equal = blocks - distance
        candidates = every / 2.0 ** (equal * BITS / blocks)
        costs[blocks] = math.comb(blocks, equal) * (count * _SORT + candidates * _COMPARE)
    return min(costs, key=lambda blocks: costs[blocks])


def _search(values: Hashes, distance: int, blocks: int) -> Iterator[_Triple]:
    if blocks == 0:
        yield from _table(values, distance)
        return
    for last in range(blocks - distance - 1, blocks):
        by_last = np.argsort(_block_of(values, blocks, last), kind="stable")
        yield from _near_in_block(values, by_last, distance, blocks, last)


def _near_in_block(
    values: Hashes, by_last: Indices, distance: int, blocks: int, last: int
) -> Iterator[_Triple]:
    """The near pairs among some hashes whose last chosen block is a certain one.

    Args:
        values: hashes, each once.
        by_last: places of those that are compared, sorted by what stands in the block `last`; for
            each, all that have the same there.
        distance: bits.
        blocks: into how many the bits are cut.
        last: the block, from `blocks - distance - 1` on: fewer come before the others.
    """
    edges = _edges(blocks)
    masks = [np.uint64((1 << high) - (1 << low)) for low, high in itertools.pairwise(edges)]
    # Sorted by the last block once, then by the others in slabs that fit the cache.
    heads = list(itertools.combinations(range(last), blocks - distance - 1))
    for places in _slabs(values, by_last, masks[last]):
        slab = values[places]
        keys = [_block_of(slab, blocks, at) for at in range(last)]
        for head in heads:
            order = np.lexsort([keys[at] for at in head]) if head else np.arange(len(slab))
            mask = functools.reduce(np.bitwise_or, (masks[at] for at in (*head, last)))
            earlier = [masks[at] for at in range(last) if at not in head]
            for first, second, difference in _neighbours(slab[order], distance, mask, earlier):
                # A pair that is equal in a block before the last of these, and not one of
                # these, is found when that block is one of those chosen.
                new = np.ones(len(first), dtype=bool)
                for other in earlier:
                    new &= (difference & other) != 0
                if new.any():
                    first, second = places[order[first[new]]], places[order[second[new]]]
                    yield first, second, difference[new]


def _edges(blocks: int) -> list[int]:
    """The bits at which blocks begin, and the end."""
    return [round(BITS * number / blocks) for number in range(blocks + 1)]


def _block_of(values: Hashes, blocks: int, block: int) -> NDArray[Any]:
    """What stands in a block of each hash; numpy sorts 16 bits many times as fast as 64."""
    low, high = _edges(blocks)[block : block + 2]
    size = high - low
    key = (values >> np.uint64(low)) & np.uint64((1 << size) - 1)
    return key.astype(np.uint8 if size <= 8 else np.uint16 if size <= 16 else np.uint64)


def _slabs(values: Hashes, order: Indices, mask: np.uint64) -> Iterator[Indices]:
    """The order in slices, cut where the bits of `mask` change."""
    ordered = values[order] & mask
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    cuts = begins[np.searchsorted(begins, np.arange(_SLAB, max(_SLAB, begins[-1]), _SLAB))]
    yield from np.split(order, np.unique(cuts))


def _neighbours(
    values: Hashes, distance: int, mask: np.uint64, earlier: Sequence[np.uint64]
) -> Iterator[_Triple]:
    """Near pairs among hashes that stand in the order of the bits of `mask`, and are equal there.

    Runs of equal bits that are also equal in one of the `earlier` masks are left out.
    """
    same = np.append(((values[1:] ^ values[:-1]) & mask) == 0, False)
    # Where runs of one key begin and end.
    edge = np.flatnonzero(np.diff(same, prepend=False))
    begins, ends = edge[0::2], edge[1::2] + 1
    long = ends - begins > _LONG
    for begin, end in zip(begins[long].tolist(), ends[long].tolist(), strict=True):
        run = values[begin:end]
        same[begin:end] = False
        spread = np.bitwise_or.reduce(run ^ run[0])
        if all(spread & other for other in earlier):
            for first, second, difference in _table(run, distance):
                yield begin + first, begin + second, difference
    first = np.flatnonzero(same)
    offset = 1
    while len(first):
        difference = values[first] ^ values[first + offset]
        near = np.bitwise_count(difference) <= distance
        if near.any():
            yield first[near], first[near] + offset, difference[near]
        # The next partner of a hash stands within the run when this one's does.
        first = first[same[first + offset]]
        offset += 1


def _table(values: Hashes, distance: int) -> Iterator[_Triple]:
    """Near pairs of some hashes, each compared with each that comes after it."""
    count = len(values)
    start = 0
    while start < count - 1:
        stop = min(count - 1, start + max(1, _TILE // (count - start)))
        difference = values[start:stop, None] ^ values[None, start:]
        near = np.bitwise_count(difference) <= distance
        rows, columns = np.nonzero(near)
        after = columns > rows
        rows, columns = rows[after], columns[after]
        if len(rows):
            yield start + rows, start + columns, difference[rows, columns]
        start = stop
