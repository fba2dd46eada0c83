"""Two pictures laid on each other. In: their pixels, and how one lies on the other. Out: the same?

Wherever both show something, small windows are correlated. Compression, filters, faint marks and a
pixel's shift leave a window's correlation near 1; another letter does not. What only one of the two
shows must be plain, or the edge of a picture that was cut off; a bar with something on it may hold
the text of another meme.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memeloc.registration import Grey, Map, chained, inverse, opencv

Outcome = Literal["same", "doubtful", "different"]

VERSION = 1  # of what comparisons rest on; stored ones of another version are made anew

_WINDOW = 11  # side of a window in pixels, of `SIDE` pixels of a picture: about a letter
_MARGIN = 4
"""Pixels at the edge of what both show that are not compared: what is left of a frame is there."""
_CONTRAST = 10  # standard deviation of a window's greys from which on something is drawn in it
_INK = 45  # greys by which a letter that is there to be read differs from what was there without it
_CORRELATED = 0.8
"""Of a window that is the same, at least. Measured: another digit gives 0.65 at most, and of
compressed, scaled, framed, mirrored and cropped copies at least 0.9; filters go down to 0.5."""
_FEW = 0.0002  # share of differing windows below which nothing differs: some 30 pixels
_SMALL = 0.08  # share up to which a watermark, a logo or a word may be all that differs
_CLEARLY = 0.12  # share, at half the size, from which on two pictures need no closer look
_LEAST_CORNERS = 10  # by which the map is refined
_CUT = 0.25  # share of a picture that a crop of it may lack
_BOTH_CUT = 0.02  # share that both may lack
_BAR = 0.5
"""Share of one grey, to eight of 256, in what is rather a bar with text on it than a picture."""
_READABLE = 180  # pixels of the longer side from which on letters can be told apart

_Floats = NDArray[np.float32]
_Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The features that two pictures have in common.

    Attributes:
        outcome: whether they are the same, differ in little, or are different.
        differing: share of what both show, 0 to 1.
        lost: share of one picture that the other does not show, not counting what is plain.
    """

    outcome: Outcome
    differing: float
    lost: float

    @property
    def differs(self) -> bool:
        """Return whether something differs in what both show."""
        return self.differing > _FEW


def compare(first: Grey, second: Grey, matrix: Map, corners: NDArray[np.float32]) -> Comparison:
    """Compare two pictures, in grey and trimmed.

    Args:
        first: the better one.
        second: the other one, in a mirror where it is to be.
        matrix: maps the second to the first, to some pixels.
        corners: of the second, a row x, y each, by which the map is refined.
    """
    cv2 = opencv()
    rough = _rough(cv2, first, second, matrix)
    if rough > _CLEARLY:
        return Comparison("different", round(rough, 5), 0.0)
    scale = math.sqrt(abs(float(np.linalg.det(matrix[:, :2]))))
    # The finer one is made as soft as the coarser one.
    one = cv2.GaussianBlur(first, (0, 0), 0.3 + 0.5 * math.sqrt(max(scale**2 - 1, 0)))
    other = cv2.GaussianBlur(second, (0, 0), 0.3 + 0.5 * math.sqrt(max(scale**-2 - 1, 0)))
    matrix = _refined(cv2, one, other, matrix, corners)
    common = _covered(cv2, second, matrix, first.shape)
    differing = _differing(cv2, one, _laid(cv2, other, matrix, first.shape), common)
    beyond = ~_covered(cv2, first, inverse(matrix), second.shape)
    lost, other_lost = _lost(cv2, first, ~common), _lost(cv2, second, beyond)
    bar = _is_bar(first, ~common, lost) or _is_bar(second, beyond, other_lost)
    most, least = max(lost, other_lost), min(lost, other_lost)
    outcome: Outcome = "same"
    if differing > _SMALL:
        outcome = "different"
    elif (
        differing > _FEW
        or bar
        or most > _CUT
        or least > _BOTH_CUT
        or max(second.shape) * min(scale, 1) < _READABLE
        or max(first.shape) / max(scale, 1) < _READABLE
    ):
        outcome = "doubtful"
    return Comparison(outcome, round(differing, 5), round(most, 4))


def _rough(cv2: Any, first: Grey, second: Grey, matrix: Map) -> float:
    """Return what differs at half the size: most memes on one template are told apart by it."""
    small = cv2.resize(first, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    laid = _laid(cv2, second, 0.5 * matrix, small.shape)
    return _differing(cv2, small, laid, _covered(cv2, second, 0.5 * matrix, small.shape))


def _laid(cv2: Any, picture: Grey, matrix: Map, shape: tuple[int, ...]) -> Grey:
    size = shape[1], shape[0]
    laid: Grey = cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    return laid


def _covered(cv2: Any, picture: Grey, matrix: Map, shape: tuple[int, ...]) -> _Mask:
    size = shape[1], shape[0]
    full = np.full(picture.shape, 255, dtype=np.uint8)
    mask: _Mask = cv2.warpAffine(full, matrix, size, flags=cv2.INTER_NEAREST) > 0
    return mask


def _shrunk(cv2: Any, mask: _Mask, side: int) -> _Mask:
    """Return where a square of that side is in the mask as a whole; the picture's edge is none."""
    square = np.ones((side, side), dtype=np.uint8)
    smaller: _Mask = cv2.erode(
        mask.astype(np.uint8), square, borderType=cv2.BORDER_CONSTANT, borderValue=1
    ) > 0  # fmt: skip
    return smaller


def _refined(cv2: Any, one: Grey, other: Grey, matrix: Map, points: NDArray[np.float32]) -> Map:
    """Return the map to a fraction of a pixel: corners of one picture are followed to the other."""
    laid = _laid(cv2, other, matrix, one.shape)
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    mapped = mapped[((mapped > 0) & (mapped < [one.shape[1], one.shape[0]])).all(axis=1)]
    if len(mapped) < _LEAST_CORNERS:
        return matrix
    corners = mapped.astype(np.float32).reshape(-1, 1, 2)
    moved, found, _ = cv2.calcOpticalFlowPyrLK(
        laid, one, corners, None, winSize=(_WINDOW, _WINDOW), maxLevel=1
    )
    near = (found.ravel() == 1) & (np.abs(moved - corners).reshape(-1, 2).max(axis=1) < 3)
    if near.sum() < _LEAST_CORNERS:
        return matrix
    cv2.setRNGSeed(0)
    better, _ = cv2.estimateAffine2D(
        corners[near], moved[near], method=cv2.RANSAC, ransacReprojThreshold=0.7
    )
    return matrix if better is None else chained(better, matrix)


def _differing(cv2: Any, one: Grey, laid: Grey, common: _Mask) -> float:
    """Return the share of windows, of those where both pictures are, in which they differ."""
    margin = 2 * (_WINDOW // 2 + _MARGIN) + 1
    inside = _shrunk(cv2, common, margin)
    if not inside.any():
        return 1.0
    first = cv2.GaussianBlur(one, (0, 0), 0.8).astype(np.float32)
    second = _same_tones(first, cv2.GaussianBlur(laid, (0, 0), 0.8).astype(np.float32), inside)

    def mean(values: _Floats) -> _Floats:
        averaged: _Floats = cv2.boxFilter(values, -1, (_WINDOW, _WINDOW))
        return averaged

    means = mean(first), mean(second)
    variances = [mean(of * of) - m * m for of, m in zip((first, second), means, strict=True)]
    shared = mean(first * second) - means[0] * means[1]
    correlation = shared / np.sqrt(np.maximum(variances[0] * variances[1], 1))
    ink = cv2.dilate(cv2.absdiff(first, second), np.ones((_WINDOW, _WINDOW), np.uint8)) > _INK
    drawn = np.maximum(*variances) > _CONTRAST**2
    different = inside & drawn & ink & (correlation < _CORRELATED)
    return float(different.sum() / inside.sum())


def _same_tones(first: _Floats, second: _Floats, inside: _Mask) -> _Floats:
    """Return the second with the brightness and contrast of the first, by what most pixels say."""
    some = inside[::4, ::4]
    target, values = first[::4, ::4][some], second[::4, ::4][some]
    gain, offset = 1.0, 0.0
    for _ in range(3):
        spread = float(values.var())
        if spread < 1:
            break
        gain = float(((values - values.mean()) * (target - target.mean())).mean()) / spread
        offset = float(target.mean() - gain * values.mean())
        off = np.abs(target - gain * values - offset)
        near = off <= max(10.0, float(np.quantile(off, 0.8)))
        target, values = target[near], values[near]
    return (gain * second + offset).astype(np.float32)


def _lost(cv2: Any, picture: Grey, uncovered: _Mask) -> float:
    if not uncovered.any():
        return 0.0
    values = picture.astype(np.float32)
    mean = cv2.boxFilter(values, -1, (_WINDOW, _WINDOW))
    variance = cv2.boxFilter(values * values, -1, (_WINDOW, _WINDOW)) - mean * mean
    # Windows that reach into what both show would see its letters.
    drawn = _shrunk(cv2, uncovered, _WINDOW) & (variance > _CONTRAST**2)
    return float(uncovered.mean()) if drawn.mean() > _FEW else 0.0


def _is_bar(picture: Grey, uncovered: _Mask, lost: float) -> bool:
    if lost == 0:
        return False
    counts = np.bincount(picture[uncovered] >> 2, minlength=64)
    return bool((counts[:-1] + counts[1:]).max() > _BAR * counts.sum())
