"""Painting by a neural network. In: the file of an ONNX model, a picture, a mask. Out: the picture.

Any model with two inputs and an output of pictures will do, as LaMa and its kind are exported:
float32, batch x channels x height x width; the picture with three channels from 0 to 1, the mask
with one, 1 where is to be painted; out comes a picture, from 0 to 1 or to 255.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.localise.protocol import Mask, Pixels
from memeloc.registration import opencv

_MULTIPLE = 8
"""Sides that a model of no fixed size gets are multiples of this: it halves them three times."""
_LONGEST = 1024
"""Pixels of the longer side that a model of no fixed size gets at most."""


class OnnxRestorer:
    """See `Restorer`: an inpainting model of the user's. Raise MissingError if ONNX Runtime is not
    installed; InputError if the file is not a model, or not one that takes a picture and a mask."""

    def __init__(self, path: Path) -> None:
        try:
            from onnxruntime import InferenceSession, SessionOptions
        except ImportError as error:
            raise MissingError(
                "Restoring by an ONNX model needs onnxruntime: pip install 'memeloc[localise]'"
            ) from error
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session: Any = InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # whatever ONNX Runtime raises of a broken file
            raise InputError("is not an ONNX model that can be run", file=path) from error
        self.name = path.stem
        by_channels = {_side(each.shape, 1): each for each in self._session.get_inputs()}
        if set(by_channels) != {1, 3} or len(self._session.get_inputs()) != 2:
            raise InputError(
                "this model does not take a picture with 3 channels and a mask with 1, as LaMa "
                "does",
                file=path,
            )
        self._picture, self._mask = by_channels[3].name, by_channels[1].name
        self._size = _side(by_channels[3].shape, 3), _side(by_channels[3].shape, 2)

    def restore(self, picture: Pixels, mask: Mask) -> Pixels:
        """See `Restorer`; the part around the mask is given to the model, at the size it takes."""
        if not mask.any():
            return picture.copy()
        cv2 = opencv()
        part = _around(mask)
        height, width = mask[part].shape
        size = self._given_size(width, height)
        small = cv2.resize(picture[part], size, interpolation=cv2.INTER_AREA)
        holes = cv2.resize(mask[part].astype(np.float32), size, interpolation=cv2.INTER_AREA) > 0
        painted = cv2.resize(self._paint(small, holes), (width, height), cv2.INTER_CUBIC)
        restored = picture.copy()
        restored[part][mask[part]] = painted[mask[part]]
        return restored

    def _given_size(self, width: int, height: int) -> tuple[int, int]:
        scale = min(1.0, _LONGEST / max(width, height))
        sides = (
            fixed or max(_MULTIPLE, round(side * scale / _MULTIPLE) * _MULTIPLE)
            for fixed, side in zip(self._size, (width, height), strict=True)
        )
        first, second = sides
        return first, second

    def _paint(self, picture: Pixels, holes: Mask) -> Pixels:
        levels: npt.NDArray[np.float32] = np.float32(1 / 255) * picture.transpose(2, 0, 1)[None]
        try:
            (out,) = self._session.run(
                None,
                {self._picture: levels, self._mask: holes[None, None].astype(np.float32)},
            )[:1]
        except Exception as error:  # whatever ONNX Runtime raises
            reason = str(error).strip().split("\n")[-1][:200]
            raise ServiceError(f"The model {self.name}", reason, retryable=False) from error
        values = np.asarray(out, np.float32)
        if values.shape != levels.shape:
            raise InputError(
                f"the model {self.name} gives {values.shape} where a picture of {levels.shape} is "
                "expected"
            )
        pixels = values[0].transpose(1, 2, 0) * (255 if values.max() <= 2 else 1)
        return np.asarray(np.clip(np.round(np.nan_to_num(pixels)), 0, 255), np.uint8)


def _side(shape: Any, index: int) -> int:
    """Return a side that a model fixes; 0 where it takes any."""
    side = shape[index] if len(shape) == 4 else 0
    return side if isinstance(side, int) else 0


def _around(mask: Mask) -> tuple[slice, slice]:
    """Return the part of a picture that holds what is masked, with as much again around it."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    spans = []
    for places, length in zip((rows, columns), mask.shape, strict=True):
        margin = max(32, (places[-1] - places[0]) // 2)
        spans.append(slice(max(0, places[0] - margin), min(length, places[-1] + 1 + margin)))
    return spans[0], spans[1]
