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
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Indices = NDArray[np.int64]

BITS = 64
_DIGIT = 16
"""Bits that one pass of a sort takes."""
_SLAB = 1 << 17
"""Hashes that are sorted at a time, about, where that can be chosen: half a megabyte of them."""
_LONG = 48
"""From this many hashes of one key on, all of them are compared as a table, not by offsets."""
_TILE = 1 << 19
"""Comparisons held at a time."""
_CHUNK = 1 << 20
"""Pairs that are given at a time, about."""
_SORT, _COMPARE, _TABLE = 12e-9, 60e-9, 2e-9
"""Seconds, about: to sort a hash into its place; to compare two of a run; to do so in a table."""


@dataclass(frozen=True, slots=True)
class HashGroups:
    """Hashes with the equal ones put together.

    Attributes:
        values: each hash once, ascending.
        order: places in the hashes given, those of equal hashes together, in the order of `values`
            and then as given.
        starts: where the group of each value begins in `order`; one more than values, the end.
    """

    values: Hashes
    order: Indices
    starts: Indices

    def members(self, group: int) -> Indices:
        """The places of the hashes that are `values[group]`, ascending."""
        return self.order[self.starts[group] : self.starts[group + 1]]


@dataclass(frozen=True, slots=True)
class NearPairs:
    """Pairs of different hashes: `first[i]` and `second[i]` differ in `distance[i]` bits."""

    first: Indices
    second: Indices
    distance: NDArray[np.uint8]


def group_hashes(hashes: Hashes) -> HashGroups:
    """Put equal hashes together."""
    order = _order(hashes, [(0, BITS)])
    begins = _begins(order.values, np.uint64((1 << BITS) - 1))
    return HashGroups(order.values[begins], order.places, np.append(begins, len(hashes)))


def near_pairs(values: Hashes, distance: int) -> Iterator[NearPairs]:
    """All pairs of hashes that differ in at least one and at most `distance` bits.

    A million hashes that are spread evenly take some 0.7 seconds and 110 MB. Time grows with the
    number of pairs found, so put equal hashes together first (`group_hashes`).

    Args:
        values: hashes, each once.
        distance: bits, 0 to 64.

    Yields:
        Every pair once, in chunks of about a million at most; `first` and `second` are places in
        `values`, the lesser first. The order is the same in every run.
    """
    if not 0 <= distance <= BITS:
        raise ValueError(f"a distance is 0 to {BITS} bits, not {distance}")
    if distance == 0 or len(values) < 2:
        return
    blocks = _plan(len(values), distance)
    yield from _chunked(_found(values, distance, blocks))


def nearest(hashes: Hashes, known: Hashes, count: int = 1) -> tuple[Indices, NDArray[np.uint8]]:
    """The `count` nearest of some known hashes for each hash.

    Every hash is compared with every known one, some 300 million comparisons a second.

    Returns:
        Places in `known` and distances in bits, a row a hash, the nearest first; equally near ones
        in the order of `known`.
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


def _plan(count: int, distance: int) -> int:
    """Into how many blocks to cut the bits; 0 is to compare all with all."""
    every = count * (count - 1) / 2
    costs = {0: 2 * every * _TABLE}
    for blocks in range(distance + 1, min(distance + 5, BITS) + 1):
        equal = blocks - distance
        candidates = every / 2.0 ** (equal * BITS / blocks)
        costs[blocks] = math.comb(blocks, equal) * (count * _SORT + candidates * _COMPARE)
    return min(costs, key=lambda blocks: costs[blocks])


_Triple = tuple[Indices, Indices, Hashes]
"""Places of pairs, and the bits in which they differ."""


def _found(values: Hashes, distance: int, blocks: int) -> Iterator[NearPairs]:
    if blocks == 0:
        for first, second, difference in _table(values, distance):
            yield _pairs(first, second, difference)
        return
    edges = [round(BITS * number / blocks) for number in range(blocks + 1)]
    cut = [(low, high - low) for low, high in itertools.pairwise(edges)]
    masks = [np.uint64(((1 << size) - 1) << low) for low, size in cut]
    for tail, heads in itertools.groupby(_choices(cut, blocks - distance), key=itemgetter(0)):
        by_tail = _order(values, [cut[at] for at in tail])
        slabs = _slabs(by_tail.values, _union(masks[at] for at in tail))
        for _, head in heads:
            chosen = (*head, *tail)
            mask = _union(masks[at] for at in chosen)
            earlier = [masks[at] for at in range(chosen[-1]) if at not in chosen]
            for slab in slabs:
                order = _order(by_tail.values[slab], [cut[at] for at in head])
                places = by_tail.places[slab]
                for first, second, difference in _neighbours(order.values, distance, mask, earlier):
                    # A pair that is equal in a block before the last of these, and not one of
                    # these, is found when that block is one of those chosen.
                    new = np.ones(len(first), dtype=bool)
                    for other in earlier:
                        new &= (difference & other) != 0
                    if new.any():
                        first, second = order.places[first[new]], order.places[second[new]]
                        yield _pairs(places[first], places[second], difference[new])


def _choices(
    cut: Sequence[tuple[int, int]], count: int
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each choice of blocks as tail and head; those of one tail stand together.

    The head is what one pass of the sort can take; the tail is sorted by before it, once for all.
    """
    choices = []
    for chosen in itertools.combinations(range(len(cut)), count):
        widths = list(itertools.accumulate(cut[at][1] for at in chosen))
        head = max(1, bisect_right(widths, _DIGIT))
        choices.append((chosen[head:], chosen[:head]))
    return sorted(choices)


def _slabs(values: Hashes, mask: np.uint64) -> list[slice]:
    """Hashes in the order of the bits of `mask`, cut where these change, for the cache's sake."""
    begins = _begins(values, mask)
    cuts = begins[np.searchsorted(begins, np.arange(_SLAB, max(_SLAB, begins[-1]), _SLAB))]
    edges = [0, *np.unique(cuts).tolist(), len(values)]
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def _begins(values: Hashes, mask: np.uint64) -> Indices:
    """Where each run of hashes that are equal in the bits of `mask` begins."""
    new = np.ones(len(values), dtype=bool)
    np.not_equal((values[1:] ^ values[:-1]) & mask, 0, out=new[1:])
    return np.flatnonzero(new)


def _union(masks: Iterable[np.uint64]) -> np.uint64:
    return functools.reduce(np.bitwise_or, masks, np.uint64(0))


def _bits(values: Hashes, low: int, size: int) -> NDArray[np.uint16]:
    """Some neighbouring bits of each hash, 16 at the most, as a number."""
    part = (values >> np.uint64(low)).astype(np.uint16)
    np.bitwise_and(part, np.uint16((1 << size) - 1), out=part)
    return part


@dataclass(frozen=True, slots=True)
class _Sorted:
    values: Hashes
    places: Indices


def _order(values: Hashes, ranges: Sequence[tuple[int, int]]) -> _Sorted:
    """Hashes in the order of some of their bits: ranges of lowest bit and number of bits.

    numpy sorts 16-bit numbers by their digits, ten times as fast as it sorts 64-bit numbers.
    """
    digits: list[list[tuple[int, int]]] = [[]]
    room = _DIGIT
    for start, size in reversed(ranges):
        low, left = start, size
        while left:
            if not room:
                digits.append([])
                room = _DIGIT
            taken = min(left, room)
            digits[-1].append((low, taken))
            low, left, room = low + taken, left - taken, room - taken
    places: Indices = np.arange(len(values))
    for number, parts in enumerate(digits if ranges else []):
        digit = _bits(values, *parts[0])
        filled = parts[0][1]
        for low, size in parts[1:]:
            part = _bits(values, low, size)
            np.left_shift(part, np.uint16(filled), out=part)
            np.bitwise_or(digit, part, out=digit)
            filled += size
        order = np.argsort(digit, kind="stable")
        values = values[order]
        places = places[order] if number else order
    return _Sorted(values, places)


def _neighbours(
    values: Hashes, distance: int, mask: np.uint64, earlier: Sequence[np.uint64]
) -> Iterator[_Triple]:
    """Near pairs among hashes that stand in the order of the bits of `mask`, and are equal there.

    Runs of equal bits that are also equal in one of the `earlier` masks are left out.
    """
    same = ((values[1:] ^ values[:-1]) & mask) == 0
    # Where runs of one key begin and end; few hashes are in one.
    edge = np.flatnonzero(np.diff(same, prepend=False, append=False))
    begins, ends = edge[0::2], edge[1::2] + 1
    sizes = ends - begins
    long = sizes > _LONG
    for begin, end in zip(begins[long].tolist(), ends[long].tolist(), strict=True):
        run = values[begin:end]
        spread = np.bitwise_or.reduce(run ^ run[0])
        if all(spread & other for other in earlier):
            for first, second, difference in _table(run, distance):
                yield begin + first, begin + second, difference
    begins, sizes = begins[~long], sizes[~long]
    for offset in range(1, int(sizes.max(initial=1))):
        # Each hash of a run but its last `offset` has a partner at this offset.
        partners = sizes - offset
        shift = np.repeat(begins - (np.cumsum(partners) - partners), partners)
        first = shift + np.arange(len(shift))
        difference = values[first] ^ values[first + offset]
        near = np.bitwise_count(difference) <= distance
        if near.any():
            first = first[near]
            yield first, first + offset, difference[near]
        longer = sizes > offset + 1
        begins, sizes = begins[longer], sizes[longer]


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


def _pairs(first: Indices, second: Indices, difference: Hashes) -> NearPairs:
    return NearPairs(
        np.minimum(first, second), np.maximum(first, second), np.bitwise_count(difference)
    )


def _chunked(pieces: Iterator[NearPairs]) -> Iterator[NearPairs]:
    """The same pairs in fewer pieces."""
    waiting: list[NearPairs] = []
    count = 0
    for piece in pieces:
        waiting.append(piece)
        count += len(piece.first)
        if count >= _CHUNK:
            yield _joined(waiting)
            waiting, count = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(pieces: Sequence[NearPairs]) -> NearPairs:
    return NearPairs(
        np.concatenate([piece.first for piece in pieces]),
        np.concatenate([piece.second for piece in pieces]),
        np.concatenate([piece.distance for piece in pieces]),
    )
