"""Vectors of pictures and texts. In: what is to be embedded, a model. Out: vectors, stored.

They are stored in batches as they are computed, so a run that was killed goes on where it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.embedding.models import EmbedBatch, Task, Vectors, create, pack, unpack
from memeloc.engine import Checked, Engine, ShardResult, seeing
from memeloc.errors import ServiceError
from memeloc.store.computed import Computed
from memeloc.workspace.folder import Phases

_BATCH = 32
"""Things that a model is given, and vectors that are stored, at a time."""


class Embedding:
    """A model, and the store of the vectors that it made.

    A model uses all processors of this machine by itself: only an engine of other machines is
    given batches.

    Args:
        task: "images" or "texts".
        spec: the model, as KIND:WHERE.
        engine: what spreads the batches, on `jobs` processes.

    Raises:
        InputError: the model cannot be loaded.
        MissingError: what it needs is not installed.
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
        self._computed = computed
        self._task: Task = task
        self._embedder = create(task, spec, settings)
        self.name = self._embedder.name
        self._elsewhere = EmbedBatch(task, spec, settings, self.name) if engine.elsewhere else None
        self._engine, self._jobs = engine, jobs

    def vectors(self, things: Mapping[str, Any], on_progress: Phases) -> dict[str, Vectors]:
        """The vectors of files or texts, by key: a SHA-256, or the text itself."""
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
                raise ServiceError(
                    self.name, f"a batch has no vectors: {result.failure}", retryable=True
                )
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
