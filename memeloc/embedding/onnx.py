"""Embeddings by ONNX Runtime. In: a model's file, pictures or texts. Out: vectors.

A picture model takes one tensor of pixels; a text model takes token ids and their mask, and stands
beside the `tokenizer.json` of the tokenizers library. How pixels are prepared is in the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image, ImageOps
from pydantic import BaseModel, ConfigDict, Field

from memeloc.embedding.models import (
    Embedder,
    Task,
    Things,
    Vectors,
    cache_key_of,
    first_line,
    library,
)
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.settings import validate
from memeloc.templates.pictures import open_picture

Three = tuple[float, float, float]

_EXTRA = "embeddings"


class PictureSettings(BaseModel):
    """Settings by which a picture becomes numbers; the defaults are those of models trained on
    ImageNet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: int = Field(0, ge=0, le=2048, description="side of the square, 0 for what the model says")
    fit: Literal["crop", "squash", "pad"] = Field(
        "crop", description="cut out the middle, squeeze, or add black at the edges"
    )
    mean: Three = Field((0.485, 0.456, 0.406), description="taken off red, green and blue, of 1")
    std: Three = Field((0.229, 0.224, 0.225), description="that they are divided by then")
    layout: Literal["NCHW", "NHWC"] = Field("NCHW", description="colours before rows, or last")
    output: str = Field("", description="name of the output, empty for the first")


class TextSettings(BaseModel):
    """Settings by which a text becomes numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokenizer: str = Field("", description="file; empty: tokenizer.json beside the model")
    length: int = Field(128, ge=4, le=8192, description="tokens of a text at most")
    output: str = Field("", description="name of the output, empty for the first")


def build(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """Return a model from a file; see `memeloc.embedding.models.Build`."""
    if task == "images":
        return picture_embedder(Path(where), settings, Path(where))
    path, chosen = Path(where), validate(TextSettings, settings, "the model of texts")
    tokenizers = library("tokenizers", _EXTRA)
    model = _Model(path, chosen.output, path)
    words = Path(chosen.tokenizer) if chosen.tokenizer else path.parent / "tokenizer.json"
    digest = _digest(words)
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(words))
    except Exception as error:
        raise InputError(f"is not a tokenizer ({first_line(error)})", file=words) from error
    tokenizer.enable_truncation(chosen.length)
    tokenizer.enable_padding()

    def embed(things: Things) -> Vectors:
        # A lone surrogate is no text to the library.
        texts = [str(text).encode("utf-8", "replace").decode() for text in things]
        encoded = tokenizer.encode_batch(texts)
        feed = {
            "input_ids": np.array([text.ids for text in encoded], dtype=np.int64),
            "attention_mask": np.array([text.attention_mask for text in encoded], dtype=np.int64),
            "token_type_ids": np.array([text.type_ids for text in encoded], dtype=np.int64),
        }
        result = model.run({name: feed[name] for name in feed if name in model.inputs})
        if result.ndim == 3:  # vectors of tokens, averaged over the text
            weights = feed["attention_mask"][:, :, None].astype(np.float32)
            result = (result * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return result.reshape(len(things), -1)

    key = cache_key_of(model.digest, digest, chosen.length, chosen.output)
    return Embedder(f"onnx-{key}", embed)


class _Model:
    """A session of ONNX Runtime, one of its outputs, and the digest of the file it comes from."""

    def __init__(self, model: Path | bytes, output: str, path: Path) -> None:
        onnxruntime = library("onnxruntime", _EXTRA)
        self.digest, self._path = _digest(path), path
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        content = str(model) if isinstance(model, Path) else model
        try:
            self._session = onnxruntime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            message = f"is not a model that ONNX Runtime can load ({first_line(error)})"
            raise InputError(message, file=path) from error
        self.inputs = {tensor.name: tensor for tensor in self._session.get_inputs()}
        names = [tensor.name for tensor in self._session.get_outputs()]
        if output and output not in names:
            raise InputError(f"has no output {output!r}; it has {', '.join(names)}", file=path)
        self._output = output or names[0]

    def run(self, feed: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        try:
            (result,) = self._session.run([self._output], dict(feed))
        except Exception as error:
            message = f"cannot be run on this ({first_line(error)}); check its settings"
            raise InputError(message, file=self._path) from error
        return np.asarray(result, dtype=np.float32)


def picture_embedder(model: Path | bytes, values: Mapping[str, Any], path: Path) -> Embedder:
    """Return a picture model by its file or content; a map of features is averaged over its places.

    `values` are those of `PictureSettings`; `path` is what errors name, and what the vectors depend
    on besides these.
    """
    settings = validate(PictureSettings, values, "the model of pictures")
    session = _Model(model, settings.output, path)
    if len(session.inputs) != 1:
        raise InputError("takes more than a picture: " + ", ".join(session.inputs), file=path)
    ((name, tensor),) = session.inputs.items()
    rows_first = settings.layout == "NHWC"
    height = tensor.shape[1 if rows_first else 2 :][:1]
    size = settings.size or (height[0] if height and isinstance(height[0], int) else 224)
    mean, std = np.array([settings.mean, settings.std], dtype=np.float32)

    def pixels_of(path: Path) -> np.ndarray[Any, Any]:
        picture, bicubic = open_picture(path), Image.Resampling.BICUBIC
        if settings.fit == "squash":
            picture = picture.resize((size, size), bicubic)
        else:
            fit = ImageOps.fit if settings.fit == "crop" else ImageOps.pad
            picture = fit(picture, (size, size), bicubic)
        pixels: np.ndarray[Any, Any] = (np.asarray(picture, dtype=np.float32) / 255 - mean) / std
        return pixels

    def embed(things: Things) -> Vectors:
        pixels = np.stack([pixels_of(Path(path)) for path in things])
        if not rows_first:
            pixels = np.ascontiguousarray(pixels.transpose(0, 3, 1, 2))
        result = session.run({name: pixels})
        if result.ndim == 4:
            result = result.mean(axis=(1, 2) if rows_first else (2, 3))
        return result.reshape(len(things), -1)

    return Embedder(f"onnx-{cache_key_of(session.digest, settings.model_dump(), size)}", embed)


def _digest(path: Path) -> str:
    try:
        return file_sha256(path)
    except OSError as error:
        message = f"cannot be read ({error.strerror}); give a model's file"
        raise InputError(message, file=path) from error
