"""Near hashes of more pictures than fit memory. In: 64-bit hashes. Out: pairs, in files of shards.

The search is that of `memeloc.curate.duplicates.near`. A shard of it is a block of bits and a range
of what stands there: the hashes that are equal in that block are in one shard, so shards know
nothing of each other, and each pair is found by one of them. The hashes are a file that every
process maps into its memory; a shard takes out its own, and leaves its pairs as a file whose
presence says that the shard is done. So any number of processes, and of machines that see the
folder, search together, and what was finished is not done twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memeloc.curate.duplicates.near import (
    BITS,
    CHUNK,
    Hashes,
    NearPairs,
    block_count,
    block_of,
    in_chunks,
    near_in_block,
)
from memeloc.engine import ShardMap, ShardResult, map_shards
from memeloc.errors import InputError
from memeloc.files import naming, replacing

SHARD_HASHES = 1 << 22
"""Hashes that a shard compares, about: some 200 MB of a process's memory."""
_BITS = 16
"""Of a block, at most, by which it is cut into ranges."""
_SCANNED = 1 << 22
"""Hashes of the file that are looked through at a time."""
_RECORD = np.dtype([("first", "<u4"), ("second", "<u4"), ("distance", "u1")])
MOST_HASHES = 1 << 32
"""How many can be searched: places have 32 bits in the files."""


@dataclass(frozen=True, slots=True)
class HashShard:
    """Hashes that may be near each other.

    Attributes:
        block: the block of bits in which they are equal, of so many `blocks`.
        low, high: what stands there in its highest bits, 16 at most; `high` itself is another's.
    """

    blocks: int
    block: int
    low: int
    high: int

    @property
    def file(self) -> str:
        """Of its pairs."""
        return f"pairs-{self.blocks:02d}-{self.block:02d}-{self.low:05x}-{self.high:05x}.bin"


@dataclass(frozen=True, slots=True)
class SearchShard:
    """Finds the near pairs of a shard.

    Attributes:
        hashes: the file, 64 bits each and each hash once.
        folder: for the pairs.
        distance: bits.
    """

    hashes: Path
    folder: Path
    distance: int

    def __call__(self, shard: HashShard) -> int:
        """Write the pairs of a shard, and return how many there are."""
        mapped: Hashes = np.load(self.hashes, mmap_mode="r")
        places = _places(mapped, shard)
        values = np.asarray(mapped[places])
        key = block_of(values, shard.blocks, shard.block)
        by_block = np.argsort(key, kind="stable")
        found = near_in_block(values, by_block, self.distance, shard.blocks, shard.block)
        count = 0
        path = self.folder / shard.file
        with replacing(path) as temporary, naming(path), temporary.open("wb") as file:
            for pairs in in_chunks(found):
                records = np.empty(len(pairs.first), _RECORD)
                records["first"] = places[pairs.first]
                records["second"] = places[pairs.second]
                records["distance"] = pairs.distance
                records.tofile(file)
                count += len(records)
        return count


def near_pairs_in_shards(
    values: Hashes,
    distance: int,
    folder: Path,
    *,
    jobs: int,
    shard_map: ShardMap = map_shards,
    shard_hashes: int = SHARD_HASHES,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[NearPairs]:
    """All pairs of hashes that differ in at least one and at most `distance` bits of 64.

    The pairs are those of `near_pairs`, in another order that is the same in every run.

    Args:
        values: each hash once, ascending (`group_hashes`).
        distance: bits, 1 to 63.
        folder: for the hashes and the pairs; what an earlier run of the same hashes, distance and
            size of shards finished there is not done again.
        shard_hashes: about how many hashes a shard has; a process's memory is some 100 bytes each.
        on_progress: gets how many shards of how many are done.

    Raises:
        InputError: more hashes than places of 32 bits, other hashes in the folder, or a shard
            whose process died twice.
    """
    if not 1 <= distance < BITS:
        raise ValueError(f"a distance is 1 to {BITS - 1} bits, not {distance}")
    if len(values) >= MOST_HASHES:
        raise InputError(f"There are {len(values):,} hashes; {MOST_HASHES:,} can be searched.")
    hashes = folder / "hashes.npy"
    _keep_hashes(hashes, values)
    blocks = max(distance + 1, block_count(len(values), distance))
    shards = list(_shards(values, distance, blocks, shard_hashes))
    done = {shard.file for shard in shards if (folder / shard.file).exists()}
    count = len(done)

    def note(result: ShardResult[HashShard, int]) -> None:
        nonlocal count
        if result.failure:
            raise InputError(f"The search for near hashes failed: {result.failure}", file=folder)
        count += 1
        on_progress(count, len(shards))

    missing = [shard for shard in shards if shard.file not in done]
    if missing:
        search = SearchShard(hashes, folder, distance)
        shard_map(search, missing, jobs=min(jobs, len(missing)), on_done=note)
    for shard in shards:
        yield from _read_pairs(folder / shard.file)


def _keep_hashes(path: Path, values: Hashes) -> None:
    """Write the hashes where each process finds them, unless they are there."""
    if path.exists():
        if not np.array_equal(np.load(path, mmap_mode="r"), values):
            raise InputError("holds other hashes; name another folder.", file=path)
        return
    with replacing(path) as temporary, naming(path), temporary.open("wb") as file:
        np.save(file, values)


def _shards(values: Hashes, distance: int, blocks: int, size: int) -> Iterator[HashShard]:
    """Ranges of what stands in each block, of about so many hashes; one value is never cut."""
    for block in range(blocks - distance - 1, blocks):
        counts = _counts(values, blocks, block)
        low = held = 0
        for key, count in enumerate(counts.tolist()):
            if held and held + count > size:
                yield HashShard(blocks, block, low, key)
                low, held = key, 0
            held += count
        if held:
            yield HashShard(blocks, block, low, len(counts))


def _counts(values: Hashes, blocks: int, block: int) -> NDArray[np.int64]:
    """How many hashes have each value in a block."""
    counts = np.zeros(0, dtype=np.int64)
    for start in range(0, len(values), _SCANNED):
        some = np.bincount(_range_key(values[start : start + _SCANNED], blocks, block))
        if len(some) > len(counts):
            counts = np.pad(counts, (0, len(some) - len(counts)))
        counts[: len(some)] += some
    return counts


def _range_key(values: Hashes, blocks: int, block: int) -> NDArray[Any]:
    """The highest bits of a block."""
    key = block_of(values, blocks, block)
    more = max(0, math.ceil(BITS / blocks) - _BITS)
    return (key >> np.uint64(more)).astype(np.int64) if more else key


def _places(values: Hashes, shard: HashShard) -> NDArray[np.uint32]:
    """The places of a shard's hashes."""
    pieces: list[Any] = []
    for start in range(0, len(values), _SCANNED):
        key = _range_key(values[start : start + _SCANNED], shard.blocks, shard.block)
        places = np.flatnonzero((key >= shard.low) & (key < shard.high))
        pieces.append((places + start).astype(np.uint32))
    return np.concatenate(pieces)


def _read_pairs(path: Path) -> Iterator[NearPairs]:
    with path.open("rb") as file:
        while len(records := np.fromfile(file, _RECORD, CHUNK)):
            first, second = (records[name].astype(np.int64) for name in ("first", "second"))
            yield NearPairs(first, second, records["distance"].copy())
