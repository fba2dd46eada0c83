"""Texts as counts of letters in a row. In: texts of any language. Out: an `Embedder`, no model.

What it finds similar is similar in its letters, not in its sense: enough for texts that were read
with errors, or copied with a word more.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memeloc.embedding.models import Embedder, FunctionEmbedder, Task, Vectors
from memeloc.errors import InputError

_SIZE = 1024
"""Numbers of a vector; different sequences rarely share one."""
_LENGTHS = range(1, 9)


def build(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """Sequences of so many letters; see `memeloc.embedding.models.Build`."""
    if task != "texts" or not where.isdecimal() or int(where) not in _LENGTHS:
        raise InputError(
            "ngrams takes texts, by sequences of 1 to 8 letters, as ngrams:3, not "
            f"{task} by ngrams:{where[:20]}."
        )
    length = int(where)

    def embed(things: Sequence[Path] | Sequence[str]) -> Vectors:
        return np.stack([_vector(str(text), length) for text in things])

    return FunctionEmbedder(f"ngrams-{length}-1", embed)


def _vector(text: str, length: int) -> Vectors:
    whole = unicodedata.normalize("NFKC", f" {' '.join(text.split())} ").casefold()
    counts = Counter(whole[at : at + length] for at in range(max(1, len(whole) - length + 1)))
    vector = np.zeros(_SIZE, dtype=np.float32)
    for letters, count in counts.items():
        # No two sequences cancel each other out on average: the sign is of the hash, too.
        code = zlib.crc32(letters.encode("utf-8", "surrogatepass"))
        vector[code % _SIZE] += count if code >> 31 else -count
    return vector
