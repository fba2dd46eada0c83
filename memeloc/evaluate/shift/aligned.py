"""Aligned training sets. In: a dataset, another's size. Out: a sample of the size of the other.

charmemes 5.3 trains on a random sample of itself that matches the target in size and time span,
and nearly in the counts of its classes (Table 4).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AlignedSample:
    """A sample as near to what was wanted as the dataset has items.

    Attributes:
        items: in the order of the dataset.
        counts: how many of them have each label.
        lacking: by label how many fewer than wanted; others of the window stand in for them.
        in_window: how many items there were to choose from.
    """

    items: tuple[str, ...]
    counts: Mapping[str, int]
    lacking: Mapping[str, int]
    in_window: int


def aligned_sample(
    items: Sequence[str],
    labels: Mapping[str, str],
    counts: Mapping[str, int],
    *,
    years: Mapping[str, int] | None = None,
    window: tuple[int, int] | None = None,
    seed: int = 0,
) -> AlignedSample:
    """A simple random sample within each label.

    Where a label has fewer items than wanted, items of the other labels make up the size; where
    the window has fewer items than wanted altogether, it is all of them.

    Args:
        counts: by label how many are wanted: those of the target's training set.
        years: of items; used with a window only.
        window: the first and the last year, both in; items without a year are outside it.
    """
    if window is not None:
        first, last = window
        dated = years or {}
        items = [item for item in items if first <= dated.get(item, first - 1) <= last]
    drawn = random.Random(seed)
    order = drawn.sample(items, len(items))
    missing = Counter(counts)
    chosen: set[str] = set()
    for item in order:
        if missing[labels[item]] > 0:
            missing[labels[item]] -= 1
            chosen.add(item)
    lacking = {label: count for label, count in missing.items() if count > 0}
    others = (item for item in order if item not in chosen)
    chosen.update(item for item, _ in zip(others, range(sum(lacking.values())), strict=False))
    sample = tuple(item for item in items if item in chosen)
    return AlignedSample(sample, Counter(labels[item] for item in sample), lacking, len(items))
