"""Embedding models by name. In: a model's kind and file or name. Out: an `Embedder`.

A model is given as KIND:WHERE, such as `onnx:models/resnet50.onnx`. A package outside adds a kind
through the entry point group `memeloc.embedders`: its value is a callable as `Build`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import InputError, MissingError
from memeloc.plugins import Registry

Task = Literal["images", "texts"]
"""What a model embeds."""

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Makes vectors of pictures, or of texts.

    `name` has the model and all settings that its vectors depend on, in less than 48 characters:
    vectors are stored under it.
    """

    name: str

    def embed(self, things: Sequence[Path] | Sequence[str], /) -> Vectors:
        """A vector a picture file or text, in their order, as rows; not of length 1 necessarily.

        Raises:
            MemelocError: the model cannot be used.
        """


@dataclass(slots=True)
class FunctionEmbedder:
    """An embedder made of a function."""

    name: str
    embed: Callable[[Sequence[Path] | Sequence[str]], Vectors]


@dataclass(frozen=True)
class EmbedBatch:
    """Embeds by a model that each process makes itself: a loaded one cannot be pickled.

    Args:
        task, spec, settings: those of `create`.
        name: of the model where this was made.
    """

    task: Task
    spec: str
    settings: Mapping[str, Any]
    name: str

    @cached_property
    def _embedder(self) -> Embedder:
        return create(self.task, self.spec, self.settings)

    def __call__(self, things: Sequence[Any]) -> Vectors:
        """Vectors as `Embedder.embed` makes them.

        Raises:
            InputError: the model here is another than where this was made.
        """
        if self._embedder.name != self.name:
            raise InputError(
                f"The model {self.spec} is another on the machine {platform.node()}: put the same "
                "file on every machine, or on a disk that they share."
            )
        return self._embedder.embed(things)


EMBEDDERS: Registry[Embedder] = Registry(
    "memeloc.embedders",
    {
        "onnx": "memeloc.embedding.onnx:build",
        "efficientnet": "memeloc.embedding.efficientnet:build",
        "ngrams": "memeloc.embedding.ngrams:build",
        "sentence-transformers": "memeloc.embedding.torch:build_sentence_transformer",
        "open_clip": "memeloc.embedding.torch:build_open_clip",
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


def library(name: str, extra: str) -> Any:
    """An optional package.

    Raises:
        MissingError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        message = f"{name} is not installed: pip install 'memeloc[{extra}]'."
        raise MissingError(message) from error


def cache_key_of(*parts: Any) -> str:
    """A short name for all that vectors depend on."""
    content = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def first_line(error: Exception) -> str:
    """What a library says went wrong."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:160]


def pack(vector: Vectors) -> str:
    """A vector as a JSON value: its 32-bit floats, little-endian, in base64."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def unpack(value: str) -> Vectors:
    """The vector that `pack` wrote."""
    return np.frombuffer(base64.b64decode(value), dtype="<f4").astype(np.float32)
