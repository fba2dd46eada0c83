"""How one picture lies on another. In: the local features of both. Out: a map between them.

Corners that look alike are matched, and the map on which most of them agree is taken (RANSAC):
scaled, moved and squeezed, hardly turned, as copies of memes are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memeloc.curate.duplicates.local_features import EXTRA, LocalFeatures
from memeloc.embedding.models import library

Matrix = NDArray[np.float64]
"""2 x 3: from x, y, 1 in one picture to x, y in the other."""

ALIKE = 64
"""Bits of 256 in which two corners that are the same may differ."""
_LEAST_AGREEING = 10
_PIXELS = 2.5
"""From where the map says, a corner may lie so far away."""
_ROUNDS, _SURE = 1000, 0.995
_LEAST_SCALE, _MOST_SCALE = 0.3, 3.3
_SQUEEZED = 1.6
_TURNED = 0.12
"""The most that a map may turn or slant, as a share of its scale."""


def align(
    first: LocalFeatures, second: LocalFeatures, *, mirrored: bool = False
) -> tuple[Matrix, NDArray[np.float32]] | None:
    """Return the map from the second picture, in the mirror or not, to the first, and the corners
    of the first that agree on it; None when there is none.

    Pixels are those of the features' size.
    """
    cv2 = library("cv2", EXTRA)
    described = second.mirrored if mirrored else second.descriptors
    if min(len(first.points), len(described)) < _LEAST_AGREEING:
        return None
    matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
    pairs = [pair for pair in matcher.match(described, first.descriptors) if pair.distance < ALIKE]
    if len(pairs) < _LEAST_AGREEING:
        return None
    start = corners(second, mirrored=mirrored)[[pair.queryIdx for pair in pairs]]
    end = first.points[[pair.trainIdx for pair in pairs]]
    cv2.setRNGSeed(0)
    matrix, agreeing = cv2.estimateAffine2D(
        start, end, method=cv2.RANSAC, ransacReprojThreshold=_PIXELS, maxIters=_ROUNDS,
        confidence=_SURE
    )  # fmt: skip
    if matrix is None or int(agreeing.sum()) < _LEAST_AGREEING or not _plausible(matrix):
        return None
    return np.asarray(matrix, dtype=np.float64), end[agreeing.ravel() > 0]


def corners(features: LocalFeatures, *, mirrored: bool) -> NDArray[np.float32]:
    """Where the corners are, in the picture or in its mirror."""
    if not mirrored:
        return features.points
    x, y = features.points.T
    return np.stack([features.size[0] - 1 - x, y], axis=1)


def _plausible(matrix: Matrix) -> bool:
    (wide, slant, _), (turn, high, _) = matrix.tolist()
    return bool(
        _LEAST_SCALE < wide < _MOST_SCALE
        and _LEAST_SCALE < high < _MOST_SCALE
        and max(wide / high, high / wide) < _SQUEEZED
        and max(abs(slant), abs(turn)) < _TURNED * min(wide, high)
    )


def chained(outer: Matrix, inner: Matrix) -> Matrix:
    """The map that does `inner`, then `outer`."""
    return np.asarray(outer @ np.vstack([inner, [0.0, 0.0, 1.0]]))


def inverse(matrix: Matrix) -> Matrix:
    """The map the other way."""
    return np.asarray(np.linalg.inv(np.vstack([matrix, [0.0, 0.0, 1.0]]))[:2])
