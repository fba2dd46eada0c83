"""Embeddings by sentence-transformers and open_clip. In: a model's name. Out: vectors.

Both fetch a model by its name when it is not on this machine yet, and both need PyTorch: an extra
of its own, for it is large.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from memeloc.curate.embedding.models import Embedder, Task, Vectors, cache_key_of
from memeloc.curate.protocol import FilterSettings
from memeloc.errors import InputError, MissingError
from memeloc.settings import validate
from memeloc.templates.pictures import open_picture

_INSTALL = "pip install 'memeloc[torch-models]'"


class TorchSettings(FilterSettings):
    """The settings of such a model."""

    device: Annotated[str, Field(description="where it runs, as cpu or cuda")] = "cpu"


def build_sentence_transformer(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """A model of sentence-transformers by name or folder: of texts, or of both, as CLIP's."""
    chosen = validate(TorchSettings, settings, f"dedup.{task}")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingError(f"sentence-transformers is not installed: {_INSTALL}.") from error
    try:
        model = SentenceTransformer(where, device=chosen.device)
    except Exception as error:
        raise _unusable("sentence-transformers", where, error) from error
    return _SentenceTransformer(task, where, model)


def build_open_clip(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """A model of open_clip as MODEL/WEIGHTS, such as ViT-B-32/laion2b_s34b_b79k.

    WEIGHTS is a name that open_clip knows for the model, or a file.
    """
    chosen = validate(TorchSettings, settings, f"dedup.{task}")
    try:
        import open_clip
    except ImportError as error:
        raise MissingError(f"open_clip is not installed: {_INSTALL}.") from error
    name, slash, weights = where.partition("/")
    if not slash or not weights:
        raise InputError(
            f"An open_clip model is MODEL/WEIGHTS, as ViT-B-32/laion2b_s34b_b79k, not {where!r}."
        )
    try:
        model, _, prepare = open_clip.create_model_and_transforms(
            name, pretrained=weights, device=chosen.device
        )
        tokenizer = open_clip.get_tokenizer(name)
    except Exception as error:
        raise _unusable("open_clip", where, error) from error
    model.eval()
    return _OpenClip(task, where, model, prepare, tokenizer, chosen.device)


class _SentenceTransformer:
    def __init__(self, task: Task, where: str, model: Any) -> None:
        self._task = task
        self._model = model
        self.name = f"st-{cache_key_of(task, where)}"

    def embed(self, things: Sequence[Path] | Sequence[str]) -> Vectors:
        """See `Embedder`."""
        given = (
            [open_picture(Path(path)) for path in things]
            if self._task == "images"
            else [str(text) for text in things]
        )
        vectors = self._model.encode(given, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32).reshape(len(things), -1)


class _OpenClip:
    def __init__(
        self, task: Task, where: str, model: Any, prepare: Any, tokenizer: Any, device: str
    ) -> None:
        self._task = task
        self._model = model
        self._prepare = prepare
        self._tokenizer = tokenizer
        self._device = device
        self.name = f"clip-{cache_key_of(task, where)}"

    def embed(self, things: Sequence[Path] | Sequence[str]) -> Vectors:
        """See `Embedder`."""
        import torch

        with torch.no_grad():
            if self._task == "images":
                pixels = [self._prepare(open_picture(Path(path))) for path in things]
                vectors = self._model.encode_image(torch.stack(pixels).to(self._device))
            else:
                tokens = self._tokenizer([str(text) for text in things])
                vectors = self._model.encode_text(tokens.to(self._device))
        return np.asarray(vectors.float().cpu().numpy(), dtype=np.float32)


def _unusable(library: str, where: str, error: Exception) -> InputError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
    return InputError(f"{library} cannot load the model {where!r}: {reason}")
