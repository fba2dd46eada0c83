"""Looking at pictures closely. In: a workspace's items. Out: their local features, comparisons.

Both are stored as they are computed: a run that was killed goes on where it was, and the next run
looks only at what is new.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from memeloc.curate.duplicates import local_features
from memeloc.curate.duplicates.alignment import align, corners
from memeloc.curate.duplicates.comparison import VERSION, Comparison, compare
from memeloc.curate.duplicates.copies import Look, Looking, PicturePair
from memeloc.curate.duplicates.local_features import Grey, LocalFeatures
from memeloc.curate.pictures import map_pictures
from memeloc.embedding.models import library
from memeloc.engine import PROCESSES, Engine
from memeloc.items import Item
from memeloc.store.computed import Computed
from memeloc.workspace.folder import Phases

_COMPARED = f"copies-{VERSION}-{local_features.FEATURE}"
_OPEN = 400
"""Pictures that are held at a time, some 100 KB each."""


def looking(computed: Computed, jobs: int, on_progress: Phases, engine: Engine = PROCESSES) -> Look:
    """What looks at pictures, by up to `jobs` processes of an engine, or threads here.

    Raises:
        MissingError: OpenCV is not installed.
    """
    cv2 = library("cv2", local_features.EXTRA)
    cv2.setNumThreads(1)

    def look(items: Sequence[Item]) -> Looking:
        features = stored_features(computed, items, engine, jobs, on_progress)
        return Looking(features, _comparing(computed, features, jobs, on_progress))

    return look


def stored_features(
    computed: Computed, items: Sequence[Item], engine: Engine, jobs: int, on_progress: Phases
) -> dict[str, LocalFeatures]:
    """Return the local features of items by their pictures, and store those that are new."""
    files = {item.picture: item.path for item in items if item.picture and item.path is not None}
    stored = computed.features(local_features.FEATURE, list(files))
    missing = {sha: path for sha, path in files.items() if sha not in stored}

    def keep(values: dict[str, str], unreadable: dict[str, str]) -> None:
        computed.add_features(local_features.FEATURE, values)
        on_progress("looking at pictures", len(values) + len(unreadable), len(missing))

    made, _ = map_pictures(
        local_features.local_features, missing, jobs=jobs, shard_map=engine.map_shards, on_done=keep
    )
    return {sha: local_features.unpack(value) for sha, value in {**stored, **made}.items()}


def _comparing(
    computed: Computed, features: dict[str, LocalFeatures], jobs: int, on_progress: Phases
) -> Callable[[Sequence[PicturePair]], list[Comparison | None]]:
    opened = functools.lru_cache(_OPEN)(local_features.open_trimmed)

    def compared(pair: PicturePair) -> Comparison | None:
        one, other = features[pair.first.picture], features[pair.second.picture]
        aligned = align(one, other, mirrored=pair.mirrored)
        if aligned is None or pair.first.path is None or pair.second.path is None:
            return None
        second = _mirrored(opened, pair.second.path) if pair.mirrored else opened(pair.second.path)
        there = corners(other, mirrored=pair.mirrored)
        return compare(opened(pair.first.path), second, aligned[0], there)

    def compare_all(pairs: Sequence[PicturePair]) -> list[Comparison | None]:
        keys = [_key(pair) for pair in pairs]
        stored = computed.features(_COMPARED, keys)
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in stored}
        with ThreadPoolExecutor(max_workers=jobs) as pool:
            made = dict(zip(missing, pool.map(compared, missing.values()), strict=True))
        computed.add_features(_COMPARED, {key: _packed(value) for key, value in made.items()})
        on_progress("comparing pictures", len(made), None)
        return [made[key] if key in made else _unpacked(stored[key]) for key in keys]

    return compare_all


def _mirrored(opened: Callable[[Path], Grey], path: Path) -> Grey:
    return np.ascontiguousarray(opened(path)[:, ::-1])


def _key(pair: PicturePair) -> str:
    content = f"{pair.first.picture}|{pair.second.picture}|{pair.mirrored}"
    return hashlib.sha256(content.encode()).hexdigest()


def _packed(comparison: Comparison | None) -> list[object]:
    if comparison is None:
        return []
    return [comparison.outcome, comparison.differing, comparison.lost]


def _unpacked(value: list[object]) -> Comparison | None:
    return Comparison(*value) if value else None  # type: ignore[arg-type]
