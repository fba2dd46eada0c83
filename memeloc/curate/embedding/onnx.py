"""Embeddings by ONNX Runtime. In: a model's file, pictures or texts. Out: vectors.

A picture model takes one tensor of pixels; a text model takes token ids and their mask, and stands
beside the `tokenizer.json` of the tokenizers library. How pixels are prepared is in the settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from memeloc.curate.embedding.models import Embedder, Task, Vectors, cache_key_of, file_digest
from memeloc.curate.protocol import FilterSettings
from memeloc.errors import InputError, MissingError
from memeloc.settings import validate
from memeloc.templates.pictures import open_picture

Three = tuple[float, float, float]

_INSTALL = "pip install 'memeloc[embeddings]'"


class PictureSettings(FilterSettings):
    """How a picture becomes numbers; the defaults are those of models trained on ImageNet."""

    size: Annotated[
        int, Field(ge=0, le=2048, description="side of the square, 0 for what the model says")
    ] = 0
    fit: Annotated[
        Literal["crop", "squash", "pad"],
        Field(description="cut out the middle, squeeze, or add black at the edges"),
    ] = "crop"
    mean: Annotated[Three, Field(description="taken off red, green and blue, of 1")] = (
        0.485, 0.456, 0.406,
    )  # fmt: skip
    std: Annotated[Three, Field(description="that they are divided by then")] = (
        0.229, 0.224, 0.225,
    )  # fmt: skip
    layout: Annotated[
        Literal["NCHW", "NHWC"], Field(description="whether colours come before rows or last")
    ] = "NCHW"
    output: Annotated[str, Field(description="name of the output, empty for the first")] = ""


class TextSettings(FilterSettings):
    """How a text becomes numbers."""

    tokenizer: Annotated[
        str, Field(description="the tokenizer's file, empty for tokenizer.json beside the model")
    ] = ""
    length: Annotated[int, Field(ge=4, le=8192, description="tokens of a text at most")] = 128
    output: Annotated[str, Field(description="name of the output, empty for the first")] = ""


def build(task: Task, where: str, settings: Mapping[str, Any]) -> Embedder:
    """A model from a file; see `memeloc.curate.embedding.models.Build`."""
    if task == "images":
        return OnnxPictures(Path(where), validate(PictureSettings, settings, "dedup.images"))
    return OnnxTexts(Path(where), validate(TextSettings, settings, "dedup.texts"))


class _Model:
    """A session of ONNX Runtime, and one of its outputs."""

    def __init__(self, path: Path, output: str) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise MissingError(f"ONNX Runtime is not installed: {_INSTALL}.") from error
        self.digest = file_digest(path)
        self._path = path
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise InputError(
                f"is not a model that ONNX Runtime can load ({_first_line(error)})", file=path
            ) from error
        self.inputs = {tensor.name: tensor for tensor in self._session.get_inputs()}
        names = [tensor.name for tensor in self._session.get_outputs()]
        if output and output not in names:
            raise InputError(f"has no output {output!r}; it has {', '.join(names)}", file=path)
        self._output = output or names[0]

    def run(self, feed: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        try:
            (result,) = self._session.run([self._output], dict(feed))
        except Exception as error:
            raise InputError(
                f"cannot be run on this ({_first_line(error)}); check its settings in "
                "[curate.dedup]",
                file=self._path,
            ) from error
        return np.asarray(result, dtype=np.float32)


class OnnxPictures:
    """A picture model."""

    def __init__(self, path: Path, settings: PictureSettings) -> None:
        self._model = _Model(path, settings.output)
        if len(self._model.inputs) != 1:
            raise InputError(
                "takes more than a picture: " + ", ".join(self._model.inputs), file=path
            )
        ((self._input, described),) = self._model.inputs.items()
        height = described.shape[2 if settings.layout == "NCHW" else 1 : None]
        own = height[0] if height and isinstance(height[0], int) else 0
        self._size = settings.size or own or 224
        self._settings = settings
        self.name = f"onnx-{cache_key_of(self._model.digest, settings.model_dump(), self._size)}"

    def embed(self, things: Sequence[Path] | Sequence[str]) -> Vectors:
        """See `Embedder`; a map of features is averaged over its places."""
        pixels = np.stack([self._pixels(Path(path)) for path in things])
        if self._settings.layout == "NCHW":
            pixels = pixels.transpose(0, 3, 1, 2)
        result = self._model.run({self._input: np.ascontiguousarray(pixels)})
        if result.ndim == 4:
            places = (2, 3) if self._settings.layout == "NCHW" else (1, 2)
            result = result.mean(axis=places)
        return result.reshape(len(things), -1)

    def _pixels(self, path: Path) -> np.ndarray[Any, Any]:
        from PIL import Image, ImageOps

        square = self._size, self._size
        if self._settings.fit == "crop":
            picture = ImageOps.fit(open_picture(path), square, Image.Resampling.BICUBIC)
        elif self._settings.fit == "pad":
            picture = ImageOps.pad(open_picture(path), square, Image.Resampling.BICUBIC)
        else:
            picture = open_picture(path).resize(square, Image.Resampling.BICUBIC)
        values = np.asarray(picture, dtype=np.float32) / 255
        mean = np.array(self._settings.mean, dtype=np.float32)
        scaled: np.ndarray[Any, Any] = (values - mean) / np.array(
            self._settings.std, dtype=np.float32
        )
        return scaled


class OnnxTexts:
    """A text model."""

    def __init__(self, path: Path, settings: TextSettings) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingError(f"The tokenizers library is not installed: {_INSTALL}.") from error
        self._model = _Model(path, settings.output)
        words = Path(settings.tokenizer) if settings.tokenizer else path.parent / "tokenizer.json"
        digest = file_digest(words)
        try:
            self._tokenizer = Tokenizer.from_file(str(words))
        except Exception as error:
            raise InputError(f"is not a tokenizer ({_first_line(error)})", file=words) from error
        self._tokenizer.enable_truncation(settings.length)
        self._tokenizer.enable_padding()
        self.name = (
            f"onnx-{cache_key_of(self._model.digest, digest, settings.length, settings.output)}"
        )

    def embed(self, things: Sequence[Path] | Sequence[str]) -> Vectors:
        """See `Embedder`; vectors of tokens are averaged over the text."""
        encoded = self._tokenizer.encode_batch([_speakable(str(text)) for text in things])
        given = {
            "input_ids": np.array([text.ids for text in encoded], dtype=np.int64),
            "attention_mask": np.array([text.attention_mask for text in encoded], dtype=np.int64),
            "token_type_ids": np.array([text.type_ids for text in encoded], dtype=np.int64),
        }
        result = self._model.run(
            {name: value for name, value in given.items() if name in self._model.inputs}
        )
        if result.ndim == 3:
            mask = given["attention_mask"][:, :, None].astype(np.float32)
            result = (result * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)
        return result.reshape(len(things), -1)


def _speakable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:160]
