"""Embeddings by sentence-transformers and open_clip. In: a model's name. Out: vectors.

Both fetch a model by its name when it is not on this machine yet, and both need PyTorch: an extra
of its own, for it is large.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memeloc.embedding.models import (
    Embedder,
    FunctionEmbedder,
    Task,
    Vectors,
    cache_key_of,
    first_line,
    library,
)
from memeloc.errors import InputError
from memeloc.settings import validate
from memeloc.templates.pictures import open_picture

_EXTRA = "torch-models"


class TorchSettings(BaseModel):
    """The settings of such a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    device: str = Field("cpu", description="where it runs, as cpu or cuda")


def build_sentence_transformer(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """A model of sentence-transformers by name or folder: of texts, or of both, as CLIP's."""
    chosen = validate(TorchSettings, settings, f"dedup.{task}")
    package = library("sentence_transformers", _EXTRA)
    try:
        model = package.SentenceTransformer(where, device=chosen.device)
    except Exception as error:
        raise _unusable("sentence-transformers", where, error) from error

    def embed(things: Sequence[Path] | Sequence[str]) -> Vectors:
        given = [open_picture(Path(path)) for path in things] if task == "images" else [*things]
        vectors = model.encode(given, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32).reshape(len(things), -1)

    return FunctionEmbedder(f"st-{cache_key_of(task, where)}", embed)


def build_open_clip(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """A model of open_clip as MODEL/WEIGHTS, such as ViT-B-32/laion2b_s34b_b79k.

    WEIGHTS is a name that open_clip knows for the model, or a file.
    """
    chosen = validate(TorchSettings, settings, f"dedup.{task}")
    package = library("open_clip", _EXTRA)
    name, _, weights = where.partition("/")
    if not weights:
        raise InputError(
            f"An open_clip model is MODEL/WEIGHTS, as ViT-B-32/laion2b_s34b_b79k, not {where!r}."
        )
    try:
        model, _, prepare = package.create_model_and_transforms(
            name, pretrained=weights, device=chosen.device
        )
        tokenizer = package.get_tokenizer(name)
    except Exception as error:
        raise _unusable("open_clip", where, error) from error
    model.eval()

    def embed(things: Sequence[Path] | Sequence[str]) -> Vectors:
        import torch

        with torch.no_grad():
            if task == "images":
                pixels = torch.stack([prepare(open_picture(Path(path))) for path in things])
                vectors = model.encode_image(pixels.to(chosen.device))
            else:
                vectors = model.encode_text(tokenizer([*things]).to(chosen.device))
        return np.asarray(vectors.float().cpu().numpy(), dtype=np.float32)

    return FunctionEmbedder(f"clip-{cache_key_of(task, where)}", embed)


def _unusable(package: str, where: str, error: Exception) -> InputError:
    return InputError(f"{package} cannot load the model {where!r}: {first_line(error)}")
