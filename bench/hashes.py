"""Near hashes among ten million, by one process. In: hashes of a seed. Out: seconds and memory.

Run apart: its peak memory is the operating system's word for the process that measures.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.figures import Bound, Figure
from memeloc.curate.duplicates.hashing import group_hashes, near_pairs

_DISTANCE, _PLANTED = 5, 5000


def measure(
    *, say: Callable[[str], None] = lambda _: None, pictures: int = 10_000_000
) -> list[Figure]:
    """Return the CPU seconds and memory of the search, and how many planted pairs it misses."""
    say(f"near hashes among {pictures:,}")
    hashes, planted = draw_hashes(pictures)
    begin = time.process_time()
    groups = group_hashes(hashes)
    pairs = list(near_pairs(groups.values, _DISTANCE))
    seconds = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    missed = len(planted) - _found(groups, pairs, planted)
    group, name = "Near hashes, distance 5, one process", f"{pictures:,} hashes"
    return [
        Figure(group, f"{name}, CPU", seconds, "s"),
        Figure(group, f"{name}, planted pairs missed", missed, "", Bound("at most", 0)),
        Figure(group, f"{name}, peak memory", memory, "MB", Bound("at most", 2000)),
    ]


def draw_hashes(count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return hashes of a seed, and the places of planted pairs, 0 to 5 bits apart."""
    random = np.random.default_rng(count)
    hashes = random.integers(0, 2**64, count, dtype=np.uint64)
    planted = min(_PLANTED, count // 4)
    first = count - 1 - np.arange(planted)
    second = count // 2 - 1 - np.arange(planted)
    turned = np.argsort(random.random((planted, 64)), axis=1)[:, :_DISTANCE].astype(np.uint64)
    wanted = np.arange(_DISTANCE) < random.integers(0, _DISTANCE + 1, (planted, 1))
    bits = np.where(wanted, np.uint64(1) << turned, np.uint64(0))
    hashes[second] = hashes[first] ^ np.bitwise_or.reduce(bits, axis=1)
    return hashes, np.stack([second, first], axis=1)


def _found(groups: Any, pairs: list[Any], planted: np.ndarray[Any, Any]) -> int:
    """Return how many of the planted pairs were found, or are equal."""
    group = np.empty(len(groups.order), dtype=np.int64)
    group[groups.order] = np.repeat(np.arange(len(groups.values)), np.diff(groups.starts))
    found = {
        (int(a), int(b)) for some in pairs for a, b in zip(some.first, some.second, strict=True)
    }
    lower, higher = np.sort(group[planted], axis=1).T
    return sum(
        a == b or (a, b) in found for a, b in zip(lower.tolist(), higher.tolist(), strict=True)
    )
