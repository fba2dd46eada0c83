"""The search for near hashes, held by comparing every hash with every other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.curate.duplicates import hashing as near
from memeloc.curate.duplicates.hashing import HashGroups, group_hashes, near_pairs, nearest

Found = dict[tuple[int, int], int]


def found_pairs(values: np.ndarray, distance: int) -> Found:
    pairs: Found = {}
    for chunk in near_pairs(values, distance):
        for first, second, bits in zip(chunk.first, chunk.second, chunk.distance, strict=True):
            assert first < second
            assert (first, second) not in pairs, "a pair is given once"
            pairs[int(first), int(second)] = int(bits)
    return pairs


def compared(values: np.ndarray, distance: int) -> Found:
    numbers = [int(value) for value in values]
    return {
        (first, second): bits
        for first, second in itertools.combinations(range(len(numbers)), 2)
        if (bits := (numbers[first] ^ numbers[second]).bit_count()) <= distance
    }


def members_of(groups: HashGroups) -> list[np.ndarray]:
    return [groups.order[start:stop] for start, stop in itertools.pairwise(groups.starts)]


def flipped(values: np.ndarray, bits: int, random: np.random.Generator) -> np.ndarray:
    """The hashes with so many different bits turned over in each."""
    places = np.argsort(random.random((len(values), 64)), axis=1)[:, :bits].astype(np.uint64)
    return values ^ np.bitwise_or.reduce(np.uint64(1) << places, axis=1, initial=0)


@given(
    centres=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4),
    flips=st.lists(st.sets(st.integers(0, 63), max_size=7), max_size=60),
    distance=st.integers(0, 9),
    blocks=st.integers(0, 4),
)
def test_every_pair_is_found_once_whatever_the_blocks(
    centres: list[int], flips: list[set[int]], distance: int, blocks: int
) -> None:
    hashes = list(centres)
    for number, places in enumerate(flips):
        hashes.append(centres[number % len(centres)] ^ sum(1 << place for place in places))
    values = np.unique(np.array(hashes, dtype=np.uint64))
    cut = distance + blocks if blocks else 0
    chosen = list(near._search(values, distance, cut)) if distance else []
    pairs = [(int(a), int(b)) for some in chosen for a, b in zip(*some[:2], strict=True)]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == set(compared(values, distance))
    assert found_pairs(values, distance) == compared(values, distance)


@pytest.mark.parametrize("blocks", [6, 7, 8, 9])
def test_dense_clusters_are_found_whole(blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "_TILE", 1000)
    random = np.random.default_rng(blocks)
    centres = random.integers(0, 2**64, 6, dtype=np.uint64)
    crowd = flipped(np.repeat(centres[:2], 150), 3, random)
    values = np.unique(np.concatenate([crowd, centres, random.integers(0, 2**64, 300, np.uint64)]))
    given_ = [
        (int(a), int(b))
        for some in near._search(values, 5, blocks)
        for a, b in zip(*some[:2], strict=True)
    ]
    assert len(given_) == len(set(given_))
    assert set(given_) == set(compared(values, 5))


def test_planted_pairs_among_many_are_all_search() -> None:
    random = np.random.default_rng(7)
    values = random.integers(0, 2**64, 300_000, dtype=np.uint64)
    planted = {}
    for bits in range(1, 8):
        there = np.arange(bits * 1000, bits * 1000 + 200)
        values[there + 100_000] = flipped(values[there], bits, random)
        both = zip(values[there].tolist(), values[there + 100_000].tolist(), strict=True)
        planted.update({(min(pair), max(pair)): bits for pair in both})
    values = np.unique(values)
    found = found_pairs(values, 5).items()
    pairs = {(int(values[one]), int(values[other])): bits for (one, other), bits in found}
    expected = {pair: bits for pair, bits in planted.items() if bits <= 5}
    assert {pair: pairs[pair] for pair in expected} == expected
    # Two of 300,000 hashes by chance: 4.5e10 pairs, a chance of 4.5e-13 each.
    assert len(pairs) == len(expected)


def test_equal_hashes_are_groups_and_are_not_compared() -> None:
    random = np.random.default_rng(3)
    values = random.integers(0, 2**64, 20, dtype=np.uint64)
    hashes = values[random.integers(0, 20, 200_000)]
    groups = group_hashes(hashes)
    assert not found_pairs(groups.values, 5)
    assert groups.values.tolist() == sorted(values.tolist())
    assert sorted(groups.order.tolist()) == list(range(200_000))
    for value, members in zip(groups.values, members_of(groups), strict=True):
        assert (np.diff(members) > 0).all()
        assert (hashes[members] == value).all()


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_groups_hold_every_place_once(hashes: list[int]) -> None:
    groups = group_hashes(np.array(hashes, dtype=np.uint64))
    members = [places.tolist() for places in members_of(groups)]
    again = dict(zip(groups.values.tolist(), members, strict=True))
    expected: dict[int, list[int]] = {}
    for place, value in enumerate(hashes):
        expected.setdefault(value, []).append(place)
    assert again == expected
    assert list(again) == sorted(again)


def test_the_extremes() -> None:
    values = np.array([0, 1, 2**64 - 1], dtype=np.uint64)
    assert found_pairs(values, 0) == {}
    assert found_pairs(values, 1) == {(0, 1): 1}
    assert found_pairs(values, 64) == {(0, 1): 1, (0, 2): 64, (1, 2): 63}
    assert found_pairs(values[:1], 5) == found_pairs(values[:0], 5) == {}
    with pytest.raises(ValueError, match="0 to 64"):
        list(near_pairs(values, 65))


@given(
    st.lists(st.integers(0, 2**64 - 1), max_size=20),
    st.lists(st.integers(0, 2**64 - 1), max_size=20),
    st.integers(1, 3),
)
def test_the_nearest_known_hashes(hashes: list[int], stored: list[int], count: int) -> None:
    places, bits = nearest(
        np.array(hashes, dtype=np.uint64), np.array(stored, dtype=np.uint64), count
    )
    for row, value in enumerate(hashes):
        expected = sorted(((value ^ other).bit_count(), at) for at, other in enumerate(stored))[
            :count
        ]
        assert list(zip(bits[row].tolist(), places[row].tolist(), strict=True)) == expected
