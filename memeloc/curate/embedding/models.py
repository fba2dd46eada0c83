"""Embedding models by name. In: a model's kind and file or name. Out: an `Embedder`.

A model is given as KIND:WHERE, such as `onnx:models/resnet50.onnx`. A package outside adds a kind
through the entry point group `memeloc.embedders`: its value is a callable as `Build`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import InputError
from memeloc.plugins import Registry

Task = Literal["images", "texts"]
"""What a model embeds."""

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Makes vectors of pictures, or of texts.

    Attributes:
        name: the model and all settings that its vectors depend on, below 48 characters: vectors
            are stored under it.
    """

    name: str

    def embed(self, things: Sequence[Path] | Sequence[str]) -> Vectors:
        """A vector a thing, in their order, as rows; not of length 1 necessarily.

        Args:
            things: picture files that open, or texts.

        Raises:
            MemelocError: the model cannot be used.
        """
        ...


EMBEDDERS: Registry[Embedder] = Registry(
    "memeloc.embedders",
    {
        "onnx": "memeloc.curate.embedding.onnx:build",
        "sentence-transformers": "memeloc.curate.embedding.torch:build_sentence_transformer",
        "open_clip": "memeloc.curate.embedding.torch:build_open_clip",
    },
    "kind of embedding model",
)

Build = Callable[[Task, str, Mapping[str, Any]], Embedder]
"""What the registry and entry points name: task, what stands after the colon, and settings in.

Raises InputError for a wrong setting or file, MissingError for a package that is not installed."""


def create(task: Task, spec: str, settings: Mapping[str, Any] | None = None) -> Embedder:
    """The model that `spec` names.

    Raises:
        InputError: there is no such kind or file, or a setting is wrong.
        MissingError: what it needs is not installed; the sentence gives the pip line.
    """
    kind, _, where = spec.partition(":")
    if not where.strip():
        raise InputError(
            f"An embedding model is KIND:WHERE, as onnx:model.onnx, not {spec[:80]!r}. "
            f"Kinds: {', '.join(EMBEDDERS.names())}."
        )
    build: Build = EMBEDDERS.load(kind)
    return build(task, where.strip(), settings or {})


def cache_key_of(*parts: Any) -> str:
    """A short name for all that vectors depend on."""
    words = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def file_digest(path: Path) -> str:
    """SHA-256 of a model's file.

    Raises:
        InputError: there is no such file.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}); give a model's file", file=path
        ) from error


def pack(vector: Vectors) -> str:
    """A vector as a JSON value: its 32-bit floats, little-endian, in base64."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def unpack(value: str) -> Vectors:
    """The vector that `pack` wrote."""
    return np.frombuffer(base64.b64decode(value), dtype="<f4").astype(np.float32)
