"""What stood behind the text. In: a picture, a mask. Out: the picture, what is masked painted anew.

A plain background is filled with its colour, which is exact; which is there is seen from what
surrounds the mask. Any other is continued by Laplace's equation: measured against the picture
before its text, that is nearer than OpenCV's two ways on every kind of background, and faster.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from memeloc.errors import InputError
from memeloc.localise.opencv import opencv
from memeloc.localise.protocol import Mask, Pixels, Restorer
from memeloc.plugins import Registry

Colour = tuple[int, int, int]

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

_SWEEPS = 16
"""Of smoothing at each size of the picture: with 100 the result is no nearer."""
_RADIUS = 5
"""Pixels around one that is painted which count: 3, the usual, is 0.2 to 2 dB worse."""
_RING = 4
"""Pixels around the mask that say what the background is."""
_PLAIN = 10.0
"""Distance in RGB of a plain background's pixels from their median, of nine in ten of them."""
_STEP = 14.0
"""8-bit levels by which neighbours on a smooth background differ, 98 of 100 of them."""
_LEAST = 16
"""Pixels from which a background is judged."""
_TOGETHER = 12
"""Pixels between two letters that are restored as one."""


class Laplace:
    """Laplace's equation: each pixel is the mean of those around it, as a stretched skin has it.

    Solved from coarse to fine: Burt, "Moment images, polynomial fit filters, and the problem of
    surface interpolation" (CVPR 1988).
    """

    name = "laplace"

    def restore(self, picture: Pixels, mask: Mask) -> Pixels:
        """See `Restorer`."""
        if not mask.any():
            return picture.copy()
        painted = stretched(picture.astype(np.float32), ~mask)
        return np.asarray(np.clip(np.rint(painted), 0, 255), np.uint8)


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
        cv2 = opencv()
        restored, left = picture.copy(), mask.copy()
        smooth = np.zeros_like(mask)
        near = cv2.dilate(mask.astype(np.uint8), np.ones((_TOGETHER, _TOGETHER), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(near)
        for label in range(1, count):
            x, y, width, height = stats[label, :4]
            top, left_side = max(0, y - _RING), max(0, x - _RING)
            part = slice(top, y + height + _RING), slice(left_side, x + width + _RING)
            here = mask[part] & (labels[part] == label)
            background = _background(picture[part], here, mask[part])
            if background == "any":
                continue
            left[part] &= ~here
            if background == "smooth":
                smooth[part] |= here
            else:
                restored[part][here] = background
        restored = Laplace().restore(restored, smooth)
        return self.other.restore(restored, left) if left.any() else restored


def make_restorer(name: str) -> Restorer:
    """The restorer of a name, or of the file of an ONNX model.

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


def stretched(values: npt.NDArray[np.float32], known: Mask) -> npt.NDArray[np.float32]:
    """Values (height x width x channels), those that are not known continued from the others."""
    cv2 = opencv()
    if known.all() or max(known.shape) < 3:
        return values
    weight = known.astype(np.float32)
    weights = cv2.pyrDown(weight)
    means = cv2.pyrDown(values * weight[..., None]) / np.maximum(weights, 1e-6)[..., None]
    coarse = stretched(means, weights > 1e-3)
    painted = cv2.pyrUp(coarse, dstsize=(known.shape[1], known.shape[0]))
    fixed = known.astype(np.uint8)
    cv2.copyTo(values, fixed, painted)
    for _ in range(_SWEEPS):
        painted = cv2.blur(painted, (3, 3))
        cv2.copyTo(values, fixed, painted)
    return np.asarray(painted, np.float32)


def is_smooth(picture: npt.NDArray[np.generic], where: Mask) -> bool:
    """Whether neighbouring pixels differ little, as in sky, walls and gradients after a JPEG."""
    levels = picture.astype(np.float32)
    steps = []
    for axis in (0, 1):
        first = tuple(slice(0, -1) if each == axis else slice(None) for each in (0, 1))
        second = tuple(slice(1, None) if each == axis else slice(None) for each in (0, 1))
        both = where[first] & where[second]
        steps.append(np.abs(levels[first][both] - levels[second][both]).max(axis=-1))
    joined = np.concatenate(steps)
    return len(joined) >= _LEAST and bool(np.percentile(joined, 98) <= _STEP)


def _background(part: Pixels, mask: Mask, all_masked: Mask) -> Colour | Literal["smooth", "any"]:
    """What surrounds the mask: one colour, or something smooth, or anything."""
    cv2 = opencv()
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _RING + 1, 2 * _RING + 1))
    ring = (cv2.dilate(mask.astype(np.uint8), disc) > 0) & ~all_masked
    colours = part[ring].astype(np.float32)
    if len(colours) < _LEAST:
        return "any"
    median = np.median(colours, axis=0)
    far = np.sqrt(((colours - median) ** 2).sum(axis=1))
    if np.percentile(far, 97) <= _PLAIN:
        red, green, blue = (round(float(value)) for value in median)
        return red, green, blue
    return "smooth" if is_smooth(part, ring) else "any"
