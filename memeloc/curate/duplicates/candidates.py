"""Pictures that may show the same. In: local features of many. Out: pairs worth a closer look.

An index of bits: a key is some bits of a descriptor, chosen by seed, and two pictures with several
equal keys may show the same. Each picture is paired with the best one that has its key and with the
one before it, not with all, so the number of pairs grows as the number of corners does, however
many pictures have one template in common. Sorting takes n log n, a table at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memeloc.registration import LocalFeatures

_TABLES = 8  # choices of bits
_LEAST_BITS, _MOST_BITS = 16, 30  # fewer are equal by chance; a key has 31 beside a place
_PLACE_BITS = 33  # of a picture's place, and whether it is in a mirror, beside its key in 64 bits
_SPARE_BITS = 2  # more bits than number the corners, so that few keys are equal by chance
_OF_EACH = 6
"""Pairs of a picture that are looked at, those that share the most and the rarest keys first."""
_SEED = 15  # any number, always the same


class Candidate(NamedTuple):
    """Two pictures by their places, the lesser first, and whether one is to be mirrored."""

    first: int
    second: int
    mirrored: bool


def candidates(features: Sequence[LocalFeatures]) -> list[Candidate]:
    """Return pairs that share corners, by place: the best pair of every picture, then the second
    best."""
    counts = [len(of.points) for of in features]
    total = sum(counts)
    if total == 0 or len(features) < 2:
        return []
    plain = np.concatenate([of.descriptors for of in features]).T.copy()
    mirrored = np.concatenate([of.mirrored for of in features]).T.copy()
    place = np.repeat(np.arange(len(features), dtype=np.int64), counts)
    places = np.concatenate([place, place])
    in_mirror = np.repeat(np.array([False, True]), total)
    bits = min(_MOST_BITS, max(_LEAST_BITS, math.ceil(math.log2(total)) + _SPARE_BITS))
    chance = np.random.default_rng(_SEED)
    codes = np.zeros(0, dtype=np.int64)
    votes = np.zeros(0, dtype=np.float64)
    for _ in range(_TABLES):
        chosen = chance.permutation(8 * len(plain))[:bits]
        keys = np.concatenate([_keys(columns, chosen) for columns in (plain, mirrored)])
        pairs, weights = _pairs(keys, places, in_mirror, len(features))
        codes, votes = _summed(np.append(codes, pairs), np.append(votes, weights))
    return _best(codes, votes, len(features))


def _keys(columns: NDArray[np.uint8], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    keys = np.zeros(columns.shape[1], dtype=np.int64)
    for bit in chosen.tolist():
        keys <<= 1
        keys |= (columns[bit >> 3] >> (bit & 7)) & 1
    return keys


def _pairs(
    keys: NDArray[np.int64], places: NDArray[np.int64], in_mirror: NDArray[np.bool_], count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the pairs that one table of keys gives, each as a number, and what each is worth.

    A key that few pictures have tells more than one of many, as a letter's.
    """
    # By key, and of one key the pictures as they are before those in a mirror, the best first: one
    # number is sorted several times as fast as three columns.
    whole = (keys << _PLACE_BITS) | (in_mirror.astype(np.int64) << (_PLACE_BITS - 1)) | places
    whole.sort()
    keys = whole >> _PLACE_BITS
    equal = keys[1:] == keys[:-1]
    # A key that one corner has pairs nothing.
    shared = np.append(equal, False) | np.append(False, equal)
    whole, keys = whole[shared], keys[shared]
    if len(keys) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float64)
    in_mirror = (whole >> (_PLACE_BITS - 1)) & 1 == 1
    places = whole & ((1 << (_PLACE_BITS - 1)) - 1)
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    lengths = np.diff(np.append(begins, len(keys)))
    start, length = np.repeat(begins, lengths), np.repeat(lengths, lengths)
    at = np.arange(len(keys))
    made, worth = [], []
    for partner in (start, np.maximum(at - 1, start)):
        # Two in a mirror are a pair as they are, too.
        fits = ~in_mirror[partner] & (places[partner] != places)
        first, second, mirror = places[partner[fits]], places[fits], in_mirror[fits]
        lesser, greater = np.minimum(first, second), np.maximum(first, second)
        made.append(((greater * count + lesser) << 1) | mirror)
        worth.append(1 / length[fits])
    return _summed(np.concatenate(made), np.concatenate(worth))


def _summed(
    codes: NDArray[np.int64], votes: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    once, places = np.unique(codes, return_inverse=True)
    sums = np.bincount(places, weights=votes, minlength=len(once))
    return once, np.asarray(sums, dtype=np.float64)


def _best(codes: NDArray[np.int64], votes: NDArray[np.float64], count: int) -> list[Candidate]:
    order = np.lexsort((codes, -votes, (codes >> 1) // count))
    second = ((codes >> 1) // count)[order]
    begins = np.flatnonzero(np.append(True, second[1:] != second[:-1])[: len(second)])
    rank = np.arange(len(second)) - np.repeat(begins, np.diff(np.append(begins, len(second))))
    chosen = rank < _OF_EACH
    best = order[chosen][np.argsort(rank[chosen], kind="stable")]
    return [
        Candidate(code // 2 % count, code // 2 // count, bool(code % 2))
        for code in codes[best].tolist()
    ]
