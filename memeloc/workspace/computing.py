"""What is computed of pictures and texts. In: a store, files or texts. Out: values, stored.

All is stored as it is computed: a run that was killed goes on where it was, and the next one looks
only at what is new.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from memeloc import registration
from memeloc.curate.duplicates import hashing
from memeloc.curate.duplicates.comparison import VERSION, Comparison, compare
from memeloc.curate.duplicates.copies import Look, Looking, PicturePair
from memeloc.curate.pictures import map_pictures
from memeloc.embedding.models import EmbedBatch, Task, Vectors, create, pack, unpack
from memeloc.engine import PROCESSES, Checked, Engine, ShardResult, seeing
from memeloc.errors import ServiceError
from memeloc.items import Item
from memeloc.registration import LocalFeatures, align, corners, opencv
from memeloc.store.computed import Computed
from memeloc.workspace.folder import Phases, silent

_COMPARED = f"copies-{VERSION}-{registration.FEATURE}"
_OPEN = 400  # pictures that are held at a time, some 100 KB each
_BATCH = 32  # things that a model is given, and vectors that are stored, at a time


def _of_pictures(
    computed: Computed,
    items: Sequence[Item],
    feature: str,
    function: Callable[[Path], str],
    phase: str,
    jobs: int,
    engine: Engine,
    on_progress: Phases,
) -> tuple[dict[str, str], dict[str, str]]:
    """Return a feature of items' pictures by SHA-256, and by item why there is none."""
    files = {item.picture: item.path for item in items if item.picture and item.path is not None}
    stored = computed.features(feature, list(files))
    missing = {sha: path for sha, path in files.items() if sha not in stored}

    def keep(values: dict[str, str], unreadable: dict[str, str]) -> None:
        computed.add_features(feature, values)
        on_progress(phase, len(values) + len(unreadable), len(missing))

    made, problems = map_pictures(
        function, missing, jobs=jobs, shard_map=engine.map_shards, on_done=keep
    )
    unreadable = {item.id: problems[item.picture] for item in items if item.picture in problems}
    return {**stored, **made}, unreadable


def _hash(path: Path) -> str:
    return hashing.to_hex(hashing.hash_picture(path))


def hash_items(
    computed: Computed,
    items: Sequence[Item],
    jobs: int,
    on_progress: Phases = silent,
    engine: Engine = PROCESSES,
) -> tuple[dict[str, int], dict[str, str]]:
    """Return the perceptual hashes of items' pictures by SHA-256, and by item why there is none."""
    values, unreadable = _of_pictures(
        computed, items, hashing.FEATURE, _hash, "hashing", jobs, engine, on_progress
    )
    return {sha: hashing.from_hex(value) for sha, value in values.items()}, unreadable


def stored_features(
    computed: Computed, items: Sequence[Item], engine: Engine, jobs: int, on_progress: Phases
) -> dict[str, LocalFeatures]:
    """Return the local features of items by their pictures."""
    find, phase = registration.local_features, "looking at pictures"
    values, _ = _of_pictures(
        computed, items, registration.FEATURE, find, phase, jobs, engine, on_progress
    )
    return {sha: registration.unpack(value) for sha, value in values.items()}


def looking(computed: Computed, jobs: int, on_progress: Phases, engine: Engine = PROCESSES) -> Look:
    """Return what looks at pictures, by up to `jobs` processes of an engine, or threads here.
    Raise MissingError if OpenCV is not installed."""
    opencv()

    def look(items: Sequence[Item]) -> Looking:
        features = stored_features(computed, items, engine, jobs, on_progress)
        opened = functools.lru_cache(_OPEN)(registration.open_trimmed)

        def compared(pair: PicturePair) -> list[Any]:
            one, other = features[pair.first.picture], features[pair.second.picture]
            aligned = align(one, other, mirrored=pair.mirrored)
            if aligned is None or pair.first.path is None or pair.second.path is None:
                return []
            second = opened(pair.second.path)
            second = np.ascontiguousarray(second[:, ::-1]) if pair.mirrored else second
            points = corners(other, mirrored=pair.mirrored)
            found = compare(opened(pair.first.path), second, aligned[0], points)
            return [found.outcome, found.differing, found.lost]

        def compare_all(pairs: Sequence[PicturePair]) -> list[Comparison | None]:
            names = (f"{p.first.picture}|{p.second.picture}|{p.mirrored}" for p in pairs)
            keys = [hashlib.sha256(name.encode()).hexdigest() for name in names]
            stored = computed.features(_COMPARED, keys)
            missing = {key: p for key, p in zip(keys, pairs, strict=True) if key not in stored}
            with ThreadPoolExecutor(max_workers=jobs) as pool:
                made = dict(zip(missing, pool.map(compared, missing.values()), strict=True))
            computed.add_features(_COMPARED, made)
            on_progress("comparing pictures", len(made), None)
            values = (made.get(key, stored.get(key)) for key in keys)
            return [Comparison(*value) if value else None for value in values]

        return Looking(features, compare_all)

    return look


class Embedding:
    """A model, given as KIND:WHERE, and the store of the vectors that it made.

    A model uses all processors of this machine by itself: only an engine of other machines is
    given batches, on `jobs` processes. Raises InputError for a model that cannot be loaded,
    MissingError for what is not installed.
    """

    def __init__(
        self,
        computed: Computed,
        task: Task,
        spec: str,
        settings: Mapping[str, Any],
        engine: Engine,
        jobs: int,
    ) -> None:
        self._computed, self._engine, self._jobs = computed, engine, jobs
        self._task: Task = task
        self._embedder = create(task, spec, settings)
        self.name = self._embedder.name
        self._elsewhere = EmbedBatch(task, spec, settings, self.name) if engine.elsewhere else None

    def vectors(self, things: Mapping[str, Any], on_progress: Phases) -> dict[str, Vectors]:
        """Return the vectors of files or texts, by key: a SHA-256, or the text itself."""
        feature = f"embedding-{self.name}"
        # A feature belongs to a SHA-256; that of a text is its own.
        shas = {key: _sha(key) for key in things}
        stored = self._computed.features(feature, list(shas.values()))
        ready = {key: unpack(stored[sha]) for key, sha in shas.items() if sha in stored}
        missing = [key for key in things if key not in ready]
        batches = [missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)]

        def keep(keys: Sequence[str], rows: Vectors) -> None:
            ready.update(zip(keys, rows, strict=True))
            self._computed.add_features(feature, {shas[key]: pack(ready[key]) for key in keys})
            on_progress(f"embedding {self._task}", len(keys), len(missing))

        def settle(result: ShardResult[list[Any], Vectors]) -> None:
            if result.value is None:
                problem = f"a batch has no vectors: {result.failure}"
                raise ServiceError(self.name, problem, retryable=True)
            keep(batches[result.index], result.value)

        if self._elsewhere is None or len(batches) <= 1:
            for keys in batches:
                keep(keys, self._embedder.embed([things[key] for key in keys]))
        else:
            first = things[missing[0]]
            self._engine.map_shards(
                Checked(self._elsewhere, [seeing([first] if isinstance(first, Path) else [])]),
                ([things[key] for key in keys] for keys in batches),
                jobs=self._jobs,
                on_done=settle,
            )
        return ready


def _sha(key: str) -> str:
    is_sha = len(key) == 64 and not set(key) - set("0123456789abcdef")
    return key if is_sha else hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
