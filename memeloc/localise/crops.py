"""A region cut out of its picture. In: a picture, a region. Out: a `Crop`, and colours compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from memeloc.localise.protocol import Mask, Pixels, RegionLine, TextRegion
from memeloc.localise.regions import corners_of
from memeloc.registration import opencv

Floats = npt.NDArray[np.float32]

NEAR = 64.0
"""Distance in RGB below which two colours are the same: edges and JPEG blur them."""

_LEAST_HEIGHT = 48
"""Pixels of a line's height; a smaller one is enlarged first, so that its strokes have a middle."""
_LARGEST_SCALE = 3
"""Times that a crop is enlarged at most: lines of 16 pixels, below which letters have no middle."""
_MARGIN = 0.45
"""What is looked at around the lines, in heights of a line: outlines, accents, shadows."""
_BESIDE = 5.0
"""What a line is continued by on both sides, in its heights: readers cut first and last letters."""
_REACH = 0.28
"""How far outside its line's box a letter may reach, in heights of a line."""


@dataclass(frozen=True)
class Crop:
    """A region cut out, enlarged by `scale`, with the boxes of its lines in pixels of the cut.

    `core` is within the lines, `reach` what their letters reach, `level` their continuation.
    """

    left: int
    top: int
    scale: float
    pixels: Floats
    lines: tuple[npt.NDArray[np.float64], ...] = field(repr=False)
    line_height: float
    core: Mask
    reach: Mask
    level: Mask

    @property
    def beside(self) -> Mask:
        """Pixels that letters reach, and those in which the lines go on."""
        return self.reach | self.level


def cut_region(
    picture: Pixels, region: TextRegion, *, wide: bool = False, unread: Sequence[RegionLine] = ()
) -> Crop | None:
    """Return a region with some room around it; None where it is too small to have letters.

    A wide one has the continuation of its lines, too, and of unread ones next to them.
    """
    cv2 = opencv()
    height, width = picture.shape[:2]
    quads = [np.asarray(line.corners) * (width, height) for line in region.lines]
    quads = quads or [corners_of(region.box, region.angle, (width, height))]
    line_height = float(np.median([np.hypot(*(quad[3] - quad[0])) for quad in quads]))
    if line_height < 4:
        return None
    margin = _MARGIN * line_height
    ends = [end(np.concatenate(quads), axis=0) for end in (np.min, np.max)]
    next_to = [
        quad
        for quad in (np.asarray(line.corners) * (width, height) for line in unread)
        if (np.abs(quad.mean(axis=0) - np.clip(quad.mean(axis=0), *ends)) < line_height).all()
    ]
    longer = [_lengthened(quad, _BESIDE * line_height) for quad in [*quads, *next_to]]
    points = np.concatenate([*quads, *longer] if wide else quads)
    left, top = np.maximum(np.floor(points.min(axis=0) - margin), 0).astype(int)
    right, bottom = np.ceil(points.max(axis=0) + margin).astype(int)
    part = picture[top:bottom, left:right]
    if min(part.shape[:2]) < 4:
        return None
    scale = float(np.clip(np.ceil(_LEAST_HEIGHT / line_height), 1, _LARGEST_SCALE))
    if scale > 1:
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    lines = tuple((quad - (left, top)) * scale for quad in quads)
    core = np.zeros(part.shape[:2], np.uint8)
    for line in lines:
        cv2.fillConvexPoly(core, np.round(line).astype(np.int32), 1)
    reach = cv2.dilate(core, disc(_REACH * line_height * scale))
    level = core.copy()
    for quad in longer:
        corners = np.round((quad - (left, top)) * scale).astype(np.int32)
        cv2.fillConvexPoly(level, corners, 1)
    return Crop(
        int(left),
        int(top),
        scale,
        part.astype(np.float32),
        lines,
        line_height * scale,
        core > 0,
        reach > 0,
        level > 0,
    )


def _lengthened(quad: npt.NDArray[np.float64], by: float) -> npt.NDArray[np.float64]:
    """Return a line's corners with so many pixels more at its begin and its end."""
    across = quad[1] - quad[0]
    step = across / max(float(np.hypot(*across)), 1.0) * by
    return np.asarray(quad + np.array([-step, step, step, -step]))


def disc(radius: float) -> Any:
    """Return what OpenCV dilates and erodes with: a disc of that radius in pixels."""
    cv2 = opencv()
    side = 2 * max(1, round(radius)) + 1
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))


def colour_distance(pixels: Floats, colour: npt.ArrayLike) -> Floats:
    """Return the distance of each pixel from a colour, in RGB."""
    difference = pixels - np.asarray(colour, np.float32)
    return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", difference, difference)), np.float32)


def between(colour: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return the distance of two colours in RGB."""
    return float(np.linalg.norm(np.asarray(colour, float) - np.asarray(other, float)))


def peak(colours: Floats) -> Floats:
    """Return the most frequent colour: the median of what is near the fullest of 16 levels a
    channel."""
    keys = (colours.astype(np.uint8) >> 4).astype(np.int32)
    flat = (keys[:, 0] << 8) | (keys[:, 1] << 4) | keys[:, 2]
    fullest = np.median(colours[flat == np.bincount(flat).argmax()], axis=0)
    near = ((colours - fullest) ** 2).sum(axis=1) < 24.0**2
    return np.asarray(np.median(colours[near], axis=0), np.float32)
