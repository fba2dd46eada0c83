"""Restoring what stood behind the text. In: a picture, a mask. Out: the picture, what is masked
painted anew.

A plain background is filled with its colour, evenly lit or not, which is exact; which is there is
seen from what surrounds the mask. Any other is continued (`memeloc.localise.stretching`): measured
against the picture before its text, that is nearer than OpenCV's two ways on every kind of
background, and as fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memeloc.errors import InputError
from memeloc.localise.protocol import Mask, Pixels, Restorer
from memeloc.localise.stretching import Floats, directions, stretched
from memeloc.plugins import Registry
from memeloc.registration import opencv

RESTORERS: Registry[Restorer] = Registry(
    "memeloc.restorers",
    {
        "auto": "memeloc.localise.restoring:Auto",
        "laplace": "memeloc.localise.restoring:Laplace",
        "telea": "memeloc.localise.restoring:Telea",
        "navier-stokes": "memeloc.localise.restoring:NavierStokes",
        "onnx": "memeloc.localise.onnx:OnnxRestorer",
    },
    "restorer",
    "ocr",
)

_RADIUS = 5
"""Pixels around one that is painted which count: 3, the usual, is 0.2 to 2 dB worse."""
_RING = 4
"""Pixels around the mask that say what the background is."""
_PLAIN = 10.0
"""Distance in RGB of a plain background's pixels from their median, 97 of 100 of them."""
_STEP = 14.0
"""8-bit levels by which neighbours on a smooth background differ, 98 of 100 of them."""
_LEAST = 16
"""Pixels from which a background is judged."""
_AROUND = 12
"""Pixels around letters that are looked at; those that share them are restored as one."""


class Laplace:
    """Laplace's equation: each pixel is the mean of those around it, as a stretched skin has it.

    Where stripes and contours meet the mask, it is the mean of those along them.
    """

    name = "laplace"

    def restore(self, picture: Pixels, mask: Mask) -> Pixels:
        """See `Restorer`."""
        painted = picture.copy()
        for part, here in _parts(mask):
            values, visible = picture[part].astype(np.float32), ~mask[part]
            painted[part][here] = _levels(stretched(values, visible, directions(values, visible)))[
                here
            ]
        return painted


class Telea:
    """Telea's fast marching (2004), as OpenCV has it."""

    name = "telea"

    def restore(self, picture: Pixels, mask: Mask) -> Pixels:
        """See `Restorer`."""
        return _inpaint(picture, mask, opencv().INPAINT_TELEA)


class NavierStokes:
    """Bertalmio, Bertozzi and Sapiro's way by fluid dynamics (2001), as OpenCV has it."""

    name = "navier-stokes"

    def restore(self, picture: Pixels, mask: Mask) -> Pixels:
        """See `Restorer`."""
        return _inpaint(picture, mask, opencv().INPAINT_NS)


class Auto:
    """Plain and smooth backgrounds as they need, the rest by another restorer, text by text."""

    name = "auto"

    def __init__(self, other: Restorer | None = None) -> None:
        self.other: Restorer = other or Laplace()
        self.name = "auto" if other is None else other.name

    def restore(self, picture: Pixels, mask: Mask) -> Pixels:
        """See `Restorer`."""
        restored, left = picture.copy(), mask.copy()
        for part, here in _parts(mask):
            painted = _painted(picture[part], here, mask[part])
            if painted is not None:
                restored[part][here] = painted[here]
                left[part] &= ~here
        return self.other.restore(restored, left) if left.any() else restored


def make_restorer(name: str) -> Restorer:
    """Return the restorer of a name, or of the file of an ONNX model.

    Plain and smooth backgrounds are restored as `auto` does, whatever paints the rest.

    Raises:
        InputError: there is no such restorer or file, or the model is none that paints pictures.
        MissingError: what it needs is not installed.
    """
    if name == "auto":
        return Auto()
    if name.lower().endswith(".onnx"):
        path = Path(name)
        if not path.is_file():
            raise InputError("there is no such model", file=path)
        return Auto(RESTORERS.make("onnx", {"path": path}))
    if name == "onnx":
        raise InputError("give the model's file instead: a path that ends in .onnx")
    return Auto(RESTORERS.make(name))


def _inpaint(picture: Pixels, mask: Mask, method: int) -> Pixels:
    if not mask.any():
        return picture.copy()
    cv2 = opencv()
    painted = cv2.inpaint(np.ascontiguousarray(picture), mask.astype(np.uint8), _RADIUS, method)
    return np.where(mask[..., None], painted, picture)


def _parts(mask: Mask) -> Iterator[tuple[tuple[slice, slice], Mask]]:
    """Yield where pieces of a mask stand that lie apart, with what is around them, and each
    piece."""
    cv2 = opencv()
    around = np.ones((2 * _AROUND + 1, 2 * _AROUND + 1), np.uint8)
    near = cv2.dilate(mask.astype(np.uint8), around)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(near)
    for label in range(1, count):
        x, y, width, height = stats[label, :4]
        part = slice(y, y + height), slice(x, x + width)
        yield part, mask[part] & (labels[part] == label)


def _levels(values: Floats) -> Pixels:
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)


def is_smooth(picture: npt.NDArray[np.generic], where: Mask) -> bool:
    """Return whether neighbouring pixels differ little, as in sky, walls and gradients after a
    JPEG."""
    levels = picture.astype(np.float32)
    steps = []
    for axis in (0, 1):
        first = tuple(slice(0, -1) if each == axis else slice(None) for each in (0, 1))
        second = tuple(slice(1, None) if each == axis else slice(None) for each in (0, 1))
        both = where[first] & where[second]
        steps.append(np.abs(levels[first][both] - levels[second][both]).max(axis=-1))
    joined = np.concatenate(steps)
    return len(joined) >= _LEAST and bool(np.percentile(joined, 98) <= _STEP)


def _painted(part: Pixels, mask: Mask, all_masked: Mask) -> Pixels | None:
    """Return a plain or smooth background painted; None of any other."""
    cv2 = opencv()
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _RING + 1, 2 * _RING + 1))
    ring = (cv2.dilate(mask.astype(np.uint8), disc) > 0) & ~all_masked
    colours = part[ring].astype(np.float32)
    if len(colours) < _LEAST:
        return None
    far = np.sqrt(((colours - np.median(colours, axis=0)) ** 2).sum(axis=1))
    if np.percentile(far, 97) <= _PLAIN:
        rows, columns = np.indices(mask.shape)
        plane = np.dstack([np.ones(mask.shape), columns, rows])
        slope, *_ = np.linalg.lstsq(plane[ring], colours, rcond=None)
        return _levels(plane @ slope)
    if is_smooth(part, ring):
        return _levels(stretched(part.astype(np.float32), ~all_masked))
    return None
