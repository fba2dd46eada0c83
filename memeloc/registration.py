"""How pictures lie on each other. In: pictures. Out: their local features, and maps between them.

Features are ORB's (Rublee et al. 2011), by OpenCV: corners at several scales, each with 256 bits of
its surroundings, which stay nearly the same when a picture is cropped, framed, scaled, compressed
or written on elsewhere. Each corner is described a second time as a mirror shows it. The strongest
of each part of the picture are kept, so that a caption's letters do not take all.

Corners that look alike are matched, and the map on which most of them agree is taken (RANSAC,
Fischler and Bolles 1981): scaled, moved and squeezed, hardly turned, as copies of memes are.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from memeloc.errors import MissingError
from memeloc.templates.pictures import open_picture

Map = NDArray[np.float64]
"""2 x 3: from x, y, 1 in one picture to x, y in another."""
Grey = NDArray[np.uint8]

FEATURE = "orb-1"
"""What local features are called where they are kept: method and version."""

SIDE = 400
"""Pixels of the longer side at which pictures are looked at."""
_DETECTED, _CELLS, _OF_CELL = 1500, 7, 7
"""Corners that are looked for; rows and columns of parts; corners that are kept of each part."""
_STEPS = 32
"""Positions are kept in this part of a pixel."""
_PLAIN_RANGE, _MOST_PLAIN = 24, 0.8
"""Greys in which pixels of a plain row may differ, and the share of a side that may be plain."""
_BLENDED = 3
"""Rows beside a plain bar that compression and scaling mix with it."""
_BITS = 32
"""Bytes of a descriptor."""

ALIKE = 64
"""Bits of 256 in which two corners that are the same may differ."""
_LEAST_AGREEING = 10
"""Corners that agree on a map at least: six numbers of a map are found by three by chance."""
_PIXELS = 2.5
"""From where the map says, a corner may lie so far away."""
_ROUNDS, _SURE = 1000, 0.995
"""Samples that RANSAC draws at most, and how sure it is to have drawn a good one when it stops."""
_MOST_SCALE, _SQUEEZED = 3.3, 1.6
"""Times that a copy is larger or smaller, and that it is squeezed in one direction, at most."""
_TURNED = 0.12
"""The most that a map may turn or slant, as a share of its scale."""


def opencv() -> Any:
    """Return OpenCV, which uses one thread. Raise MissingError if it is not installed."""
    try:
        import cv2
    except ImportError as error:
        raise MissingError(
            "OpenCV is not installed: pip install 'memeloc[copies]', or 'memeloc[localise]'"
        ) from error
    cv2.setNumThreads(1)
    return cv2


@dataclass(frozen=True, slots=True)
class LocalFeatures:
    """Corners of a picture at `SIDE` pixels.

    Attributes:
        size: width and height in pixels.
        points: a row x, y each.
        descriptors: 32 bytes each.
        mirrored: the descriptors that the corners have in a mirror.
    """

    size: tuple[int, int]
    points: NDArray[np.float32] = field(repr=False)
    descriptors: NDArray[np.uint8] = field(repr=False)
    mirrored: NDArray[np.uint8] = field(repr=False)


def open_trimmed(path: Path) -> Grey:
    """Return a picture in grey without plain bars at its sides, then `SIDE` pixels long at most.
    Raise InputError if it cannot be read."""
    picture = open_picture(path, 2 * SIDE).convert("L")
    grey = np.asarray(picture)
    top, bottom, left, right = (
        _plain_rows(side) for side in (grey, grey[::-1], grey.T, grey.T[::-1])
    )
    if top + bottom > _MOST_PLAIN * grey.shape[0] or left + right > _MOST_PLAIN * grey.shape[1]:
        top = bottom = left = right = 0
    box = left, top, picture.width - right, picture.height - bottom
    scale = min(1.0, SIDE / max(box[2] - box[0], box[3] - box[1]))
    size = (max(1, round((box[2] - box[0]) * scale)), max(1, round((box[3] - box[1]) * scale)))
    return np.asarray(picture.resize(size, Image.Resampling.LANCZOS, box=box, reducing_gap=3.0))


def _plain_rows(grey: Grey) -> int:
    """Return how many rows from the first on are plain, with those mixed with them."""
    low, high = grey.min(axis=1).astype(int), grey.max(axis=1).astype(int)
    mean = grey.mean(axis=1)
    plain = (high - low <= _PLAIN_RANGE) & (abs(mean - mean[0]) <= _PLAIN_RANGE / 2)
    count = len(plain) if plain.all() else int(plain.argmin())
    return count + _BLENDED if count else 0


def local_features(path: Path) -> str:
    """Return the packed features of a picture file; see `unpack`. Raise InputError if it is no
    picture, damaged, or too large; MissingError if OpenCV is not installed."""
    return pack(find_features(open_trimmed(path)))


def find_features(grey: Grey, of_cell: int = _OF_CELL) -> LocalFeatures:
    """Return the features of a picture in grey, at most so many of each part of it."""
    cv2 = opencv()
    height, width = grey.shape
    detector = cv2.ORB_create(
        nfeatures=_DETECTED * of_cell // _OF_CELL, edgeThreshold=19, fastThreshold=10
    )
    detected = _spread(detector.detect(grey, None), width, height, of_cell)
    empty = np.zeros((0, _BITS), dtype=np.uint8)
    if not detected:
        points = np.zeros((0, 2), dtype=np.float32)
        return LocalFeatures((width, height), points, empty, empty)
    across = [
        cv2.KeyPoint(
            width - 1 - point.pt[0], point.pt[1], point.size, (540 - point.angle) % 360,
            point.response, point.octave, number
        )
        for number, point in enumerate(detected)
    ]  # fmt: skip
    for number, point in enumerate(detected):
        point.class_id = number
    described, descriptors = detector.compute(grey, detected)
    also, mirrored = detector.compute(np.ascontiguousarray(grey[:, ::-1]), across)
    rows = {point.class_id: row for row, point in enumerate(also)}
    both = [row for row, point in enumerate(described) if point.class_id in rows]
    return LocalFeatures(
        (width, height),
        np.array([described[row].pt for row in both], dtype=np.float32).reshape(-1, 2),
        descriptors[both] if both else empty,
        mirrored[[rows[described[row].class_id] for row in both]] if both else empty,
    )


def _spread(points: Any, width: int, height: int, of_cell: int) -> list[Any]:
    """Return the strongest of each part of the picture, the strongest of all first."""
    taken: dict[tuple[int, int], int] = {}
    strongest = []
    for point in sorted(points, key=lambda corner: (-corner.response, corner.pt)):
        x, y = point.pt
        cell = int(x * _CELLS / width), int(y * _CELLS / height)
        taken[cell] = taken.get(cell, 0) + 1
        if taken[cell] <= of_cell:
            strongest.append(point)
    return strongest


def pack(features: LocalFeatures) -> str:
    """Return features as a JSON value: size, then positions and both descriptors, in base64."""
    positions = np.rint(features.points * _STEPS).astype("<u2")
    header = np.array(features.size, dtype="<u2")
    parts = header, positions, features.descriptors, features.mirrored
    return base64.b64encode(b"".join(part.tobytes() for part in parts)).decode("ascii")


def unpack(value: str) -> LocalFeatures:
    """Return the features that `pack` wrote."""
    content = base64.b64decode(value)
    width, height = np.frombuffer(content, dtype="<u2", count=2).tolist()
    count = (len(content) - 4) // (4 + 2 * _BITS)
    positions = np.frombuffer(content, dtype="<u2", count=2 * count, offset=4)
    bits = np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * count).reshape(2, count, _BITS)
    points = positions.reshape(count, 2).astype(np.float32) / np.float32(_STEPS)
    return LocalFeatures((width, height), points, bits[0], bits[1])


def align(
    first: LocalFeatures, second: LocalFeatures, *, mirrored: bool = False
) -> tuple[Map, NDArray[np.float32]] | None:
    """Return the map from the second picture, in the mirror or not, to the first, and the corners
    of the first that agree on it; None when there is none.

    Pixels are those of the features' size.
    """
    cv2 = opencv()
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
    if matrix is None or int(agreeing.sum()) < _LEAST_AGREEING or not plausible(matrix):
        return None
    return np.asarray(matrix, dtype=np.float64), end[agreeing.ravel() > 0]


def corners(features: LocalFeatures, *, mirrored: bool) -> NDArray[np.float32]:
    """Return where the corners are, in the picture or in its mirror."""
    if not mirrored:
        return features.points
    x, y = features.points.T
    return np.stack([features.size[0] - 1 - x, y], axis=1)


def plausible(matrix: Map, most_scale: float = _MOST_SCALE) -> bool:
    """Return whether a map scales, moves and squeezes a picture, and hardly turns it."""
    (wide, slant, _), (turn, high, _) = matrix.tolist()
    return bool(
        1 / most_scale < min(wide, high)
        and max(wide, high) < most_scale
        and max(wide / high, high / wide) < _SQUEEZED
        and max(abs(slant), abs(turn)) < _TURNED * min(wide, high)
    )


def chained(outer: Map, inner: Map) -> Map:
    """Return the map that does `inner`, then `outer`."""
    return np.asarray(outer @ np.vstack([inner, [0.0, 0.0, 1.0]]))


def inverse(matrix: Map) -> Map:
    """Return the map the other way."""
    return np.asarray(np.linalg.inv(np.vstack([matrix, [0.0, 0.0, 1.0]]))[:2])
