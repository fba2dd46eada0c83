"""The search for near hashes in shards gives what the search in memory gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memeloc.curate.duplicates import near_shards
from memeloc.curate.duplicates.near import Hashes, NearPairs, near_pairs
from memeloc.curate.duplicates.near_shards import near_pairs_in_shards
from memeloc.engine import ShardResult, map_shards
from memeloc.errors import InputError

Found = dict[tuple[int, int], int]


def clustered(count: int, seed: int) -> Hashes:
    """Hashes of which a third lie within some bits of another."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 2**64, count, dtype=np.uint64)
    third = count // 3
    turned = np.argsort(random.random((third, 64)), axis=1)[:, :6].astype(np.uint64)
    flips = np.where(random.random((third, 6)) < 0.6, np.uint64(1) << turned, np.uint64(0))
    values[:third] = values[third : 2 * third] ^ np.bitwise_or.reduce(flips, axis=1)
    return np.unique(values)


def as_dict(pairs: Iterable[NearPairs]) -> Found:
    found: Found = {}
    for chunk in pairs:
        for first, second, bits in zip(*(column.tolist() for column in chunk), strict=True):
            assert first < second
            assert (first, second) not in found, "a pair is given once"
            found[first, second] = bits
    return found


@pytest.mark.parametrize(("distance", "count"), [(1, 3000), (3, 3000), (5, 6000), (9, 1000)])
@pytest.mark.parametrize("size", [100, 100_000])
def test_shards_find_what_the_search_in_memory_finds(
    distance: int, count: int, size: int, tmp_path: Path
) -> None:
    values = clustered(count, distance)
    pairs = near_pairs_in_shards(values, distance, tmp_path, jobs=1, shard_hashes=size)
    expected = as_dict(near_pairs(values, distance))
    assert as_dict(pairs) == expected
    assert len(expected) > 5


def test_processes_give_the_same_pairs_in_the_same_order(tmp_path: Path) -> None:
    values = clustered(5000, 2)
    orders = [
        as_dict(near_pairs_in_shards(values, 5, tmp_path / str(jobs), jobs=jobs, shard_hashes=2000))
        for jobs in (1, 2)
    ]
    assert list(orders[0].items()) == list(orders[1].items())


def test_finished_shards_are_not_searched_again(tmp_path: Path) -> None:
    values = clustered(3000, 4)
    expected = as_dict(near_pairs_in_shards(values, 5, tmp_path, jobs=1, shard_hashes=500))
    files = sorted(tmp_path.glob("pairs-*"))
    files[0].unlink()
    files[-1].unlink()
    searched: list[Any] = []

    def spread(
        function: Callable[[Any], Any],
        shards: Iterable[Any],
        *,
        jobs: int,
        on_done: Callable[[ShardResult[Any, Any]], None],
    ) -> None:
        searched.extend(shards)
        map_shards(function, searched, jobs=jobs, on_done=on_done)

    again = near_pairs_in_shards(values, 5, tmp_path, jobs=1, shard_hashes=500, shard_map=spread)
    assert as_dict(again) == expected
    assert sorted(shard.file for shard in searched) == [files[0].name, files[-1].name]


def test_other_hashes_in_the_folder_are_refused(tmp_path: Path) -> None:
    list(near_pairs_in_shards(clustered(300, 5), 5, tmp_path, jobs=1))
    with pytest.raises(InputError, match="holds other hashes"):
        list(near_pairs_in_shards(clustered(300, 6), 5, tmp_path, jobs=1))


def test_too_many_hashes_and_wrong_distances_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="1 to 63"):
        list(near_pairs_in_shards(clustered(9, 1), 64, tmp_path, jobs=1))
    monkeypatch.setattr(near_shards, "MOST_HASHES", 5)
    with pytest.raises(InputError, match="can be searched"):
        list(near_pairs_in_shards(clustered(9, 1), 5, tmp_path, jobs=1))
