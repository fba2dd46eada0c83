"""Embedding models by name. In: a model's kind and file or name. Out: an `Embedder`.

A model is given as KIND:WHERE, such as `onnx:models/resnet50.onnx`. A package outside adds a kind
through the entry point group `memeloc.embedders`: its value is a callable as `Build`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError, MissingError
from memeloc.plugins import Registry
from memeloc.settings import validate
from memeloc.templates.pictures import open_picture

Task = Literal["images", "texts"]
"""What a model embeds."""
Vectors = NDArray[np.float32]
Things = Sequence[Path] | Sequence[str]

_NGRAM_SIZE = 1024  # numbers of a vector; different sequences of letters rarely share one
_TORCH_EXTRA = "torch-models"


@dataclass(slots=True)
class Embedder:
    """A model of pictures or of texts.

    `embed` makes a row a picture file or text, in their order, not of length 1 necessarily, or
    raises MemelocError. `name` has the model and all settings that its vectors depend on, in less
    than 48 characters: vectors are stored under it.
    """

    name: str
    embed: Callable[[Things], Vectors]


Build = Callable[[Task, str, Mapping[str, Any]], Embedder]
"""What the registry and entry points name: task, what stands after the colon, and settings in.

Raises InputError for a wrong setting or file, MissingError for a package that is not installed."""

EMBEDDERS: Registry[Embedder] = Registry(
    "memeloc.embedders",
    {
        "onnx": "memeloc.embedding.onnx:build",
        "efficientnet": "memeloc.embedding.efficientnet:build",
        "ngrams": "memeloc.embedding.models:build_ngrams",
        "sentence-transformers": "memeloc.embedding.models:build_sentence_transformer",
    },
    "kind of embedding model",
)


def create(task: Task, spec: str, settings: Mapping[str, Any] | None = None) -> Embedder:
    """Return the model that `spec` names; raise as `Build`, and InputError for an unknown kind."""
    kind, _, where = spec.partition(":")
    if not where.strip():
        raise InputError(
            f"An embedding model is KIND:WHERE, as onnx:model.onnx, not {spec[:80]!r}. "
            f"Kinds: {', '.join(EMBEDDERS.names())}."
        )
    build: Build = EMBEDDERS.load(kind)
    return build(task, where.strip(), settings or {})


@dataclass(frozen=True)
class EmbedBatch:
    """A model, named `name` where this was made, that each process makes itself: a loaded one
    cannot be pickled. The others are the arguments of `create`."""

    task: Task
    spec: str
    settings: Mapping[str, Any]
    name: str

    @cached_property
    def _embedder(self) -> Embedder:
        return create(self.task, self.spec, self.settings)

    def __call__(self, things: Sequence[Any]) -> Vectors:
        if self._embedder.name != self.name:
            raise InputError(
                f"The model {self.spec} is another on the machine {platform.node()}: put the same "
                "file on every machine, or on a disk that they share."
            )
        return self._embedder.embed(things)


def library(name: str, extra: str) -> Any:
    """Return an optional package, or raise MissingError with its pip line."""
    try:
        return import_module(name)
    except ImportError as error:
        message = f"{name} is not installed: pip install 'memeloc[{extra}]'."
        raise MissingError(message) from error


def cache_key_of(*parts: Any) -> str:
    """Return a short name for all that vectors depend on."""
    content = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def first_line(error: Exception) -> str:
    """Return what a library says went wrong."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:160]


def pack(vector: Vectors) -> str:
    """Return a vector as a JSON value: its 32-bit floats, little-endian, in base64."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def unpack(value: str) -> Vectors:
    """Return the vector that `pack` wrote."""
    return np.frombuffer(base64.b64decode(value), dtype="<f4").astype(np.float32)


def build_ngrams(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """Return a model that counts sequences of so many letters; see `Build`.

    What it finds similar is similar in its letters, not in its sense: enough for texts that were
    read with errors, or copied with a word more.
    """
    if task != "texts" or where not in [*"12345678"]:
        raise InputError(
            "ngrams takes texts, by sequences of 1 to 8 letters, as ngrams:3, not "
            f"{task} by ngrams:{where[:20]}."
        )
    length = int(where)

    def embed(texts: Things) -> Vectors:
        rows = np.zeros((len(texts), _NGRAM_SIZE), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            whole = unicodedata.normalize("NFKC", f" {' '.join(str(text).split())} ").casefold()
            ends = range(length, max(length, len(whole)) + 1)
            for letters, count in Counter(whole[end - length : end] for end in ends).items():
                # No two sequences cancel each other out on average: the sign is of the hash, too.
                code = zlib.crc32(letters.encode("utf-8", "surrogatepass"))
                row[code % _NGRAM_SIZE] += count if code >> 31 else -count
        return rows

    return Embedder(f"ngrams-{length}-1", embed)


class TorchSettings(BaseModel):
    """The settings of a model that PyTorch runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    device: str = Field("cpu", description="where it runs, as cpu or cuda")


def build_sentence_transformer(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """Return a model of sentence-transformers, fetched by its name or in a folder; see `Build`."""
    device = validate(TorchSettings, settings, f"dedup.{task}").device
    package = library("sentence_transformers", _TORCH_EXTRA)
    try:
        model = package.SentenceTransformer(where, device=device)
    except Exception as error:
        message = f"sentence-transformers cannot load the model {where!r}: {first_line(error)}"
        raise InputError(message) from error

    def embed(things: Things) -> Vectors:
        inputs = [open_picture(Path(path)) for path in things] if task == "images" else [*things]
        vectors = model.encode(inputs, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32).reshape(len(things), -1)

    return Embedder(f"st-{cache_key_of(task, where)}", embed)
