"""Alignment of two pictures. In: pictures with different texts. Out: the map between them.

Corners that both have say how (`memeloc.registration`), or their frames do. Then all pixels that
agree make it exact to a part of a pixel (ECC, Evangelidis and Psarakis 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memeloc import registration
from memeloc.localise.protocol import Mask, Pixels
from memeloc.registration import Grey, LocalFeatures, Map, find_features, inverse, opencv, plausible
from memeloc.templates import open_picture

LONGEST = 1600
"""Longer side in pixels to which larger pictures are shrunk."""
SIDE = 640
"""Longer side in pixels at which points are looked for."""
_OF_CELL = 20
"""Corners that are kept of each part of a picture: more than for copies, for texts hide some."""
_MOST_SCALE = 5.0
"""How many times as large one picture may be as the other."""
_LEAST_OVERLAP = 0.25
"""Least share of either picture that lies on the other."""
_LEAST_AGREEING = 0.3
"""How much of the overlap must look the same at least; the rest is text, bars and marks."""
_LEAST_SURE = 0.6
"""The same, where no points lead to the map."""
_LEAST_CONTRAST = 8.0
"""Standard deviation of the greys that agree: plain paper looks the same in all pictures."""
_CELLS_LOOKED_AT = 12
"""Rows and columns of parts of a picture in which structure is looked for: a part is about as high
as a line of a caption."""
_TEXTURE = 2.0
"""Least standard deviation of smoothed greys in a part with structure; paper in a JPEG has less."""
_GROUND, _OF_PICTURE, _OF_PART = 10, 0.25, 0.35
"""Greys in which plain ground may differ, its least share of a picture that has any, and of a part
that is letters, lines and signs on it."""
_ALIKE, _NEAR = 0.85, 12.0
"""Least correlation and most mean difference of greys of a part that both pictures show."""
_SHOWN, _SPREAD, _OF_STRUCTURE = 0.2, 0.4, 0.25
"""Least share of parts that both show, of rows and columns that have one, and of the parts in which
either has structure. Memes of the starter set and of made backgrounds, scaled, cropped and with
bars, have 0.29, 0.50 and 0.29 at least; posts of different people 0.01, 0.08 and 0.02 at most, a
sky and a valley of the same colours 0.16, 0.50 and 0.18. A gradient and a bare wall are below."""
_PLAIN, _BAR = 12, 0.6
"""Greys in which a bar's pixels may differ, and the least share of a row of it that is not text."""
_EDGE = 40
"""Edges that are stronger, as those of letters, count no more."""
_DIFFERENT = 24
"""Greys in which smoothed pixels of the same may differ."""
_BLUR = 0.35
"""Sigma, for each pixel that shrinking leaves out beside one that it keeps."""
_REFINED = 800
"""Longer side in pixels at which a map is refined."""
_ROUNDS, _ENOUGH = 25, 5e-5
"""Steps of refining at most, and the gain in correlation from which a step is worth it."""
_COMPARED = 12
"""Groups with which a picture is compared at most: a bar or a crop changes many bits of a hash, and
each comparison takes some tenths of a second."""


@dataclass(frozen=True)
class Points:
    """The points that a picture is recognised by.

    Attributes:
        size: width and height of the picture, in its own pixels.
        features: in pixels of the small picture.
        small: the picture in grey, `SIDE` pixels long at most.
    """

    size: tuple[int, int]
    features: LocalFeatures = field(repr=False)
    small: Grey


def open_pixels(path: Path) -> Pixels:
    """Return a picture in RGB, `LONGEST` pixels long at most. Raise InputError if it is no picture,
    damaged, or too large."""
    return np.asarray(open_picture(path, LONGEST)).copy()


def find_points(picture: Pixels) -> Points:
    """Return what a picture is recognised by."""
    cv2 = opencv()
    height, width = picture.shape[:2]
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    small = _resized(grey, min(1.0, SIDE / max(width, height)))
    return Points((width, height), find_features(small, _OF_CELL), small)


def _resized(picture: Any, scale: float) -> Any:
    cv2 = opencv()
    size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)


def align(first: Points, second: Points) -> Map | None:
    """Return the map from the second picture's pixels to the first's; None where there is none.

    Of several maps the one is taken after which most pixels look the same. Where there are no
    corners, as in a sky, the pictures have at least the same frame.
    """
    aligned = registration.align(first.features, second.features)
    shrinking = [np.array(of.size) / of.small.shape[1::-1] for of in (first, second)]
    of_points = [] if aligned is None else [_scaled(aligned[0], *shrinking)]
    by_points = [(_agreeing(first, second, map_), map_) for map_ in of_points]
    by_frame = [(_agreeing(first, second, map_), map_) for map_ in _by_frame(first, second)]
    maps = [pair for pair in by_points if pair[0] >= _LEAST_AGREEING]
    maps += [pair for pair in by_frame if pair[0] >= _LEAST_SURE]
    return max(maps, key=lambda pair: pair[0])[1] if maps else None


def _by_frame(first: Points, second: Points) -> list[Map]:
    """Return the maps that lay frame on frame, with and without plain bars, and the same pixels on
    the same, moved so that both look most alike."""
    maps = []
    for mine, other in zip(_frames(first), _frames(second), strict=True):
        scales = [(mine[2 + i] - mine[i]) / (other[2 + i] - other[i]) for i in (0, 1)]
        shifts = [mine[i] - scales[i] * other[i] + 0.5 * (scales[i] - 1) for i in (0, 1)]
        maps.append(np.array([[scales[0], 0, shifts[0]], [0, scales[1], shifts[1]]]))
    for scale in {1.0, *(round(map_[0, 0], 3) for map_ in maps)}:
        maps.append(_moved(first, second, scale))
    return [map_ for map_ in maps if plausible(map_, _MOST_SCALE)]


def _frames(points: Points) -> tuple[tuple[float, float, float, float], ...]:
    """Return left, top, right and bottom of the picture, and of what is left without plain bars."""
    grey = points.small
    height, width = grey.shape
    left, top, right, bottom = (
        _plain_rows(side) for side in (grey.T, grey, grey.T[::-1], grey[::-1])
    )
    if left + right > width / 2 or top + bottom > height / 2:
        left = top = right = bottom = 0
    across, down = (full / part for full, part in zip(points.size, (width, height), strict=True))
    trimmed = (left * across, top * down, (width - right) * across, (height - bottom) * down)
    return (0.0, 0.0, float(points.size[0]), float(points.size[1])), trimmed


def _plain_rows(grey: Grey) -> int:
    """Return how many rows, from the first on, are a bar with or without text: mostly of one
    grey."""
    same = np.abs(grey.astype(np.int16) - int(np.median(grey[0]))) < _PLAIN
    plain = same.mean(axis=1) > _BAR
    return len(plain) if plain.all() else int(plain.argmin())


def _moved(first: Points, second: Points, scale: float) -> Map:
    """Return the map that scales and then moves so that edges meet (Kuglin and Hines 1975)."""
    cv2 = opencv()
    shrinking = max(first.small.shape) / max(first.size)
    shrunk = scale * shrinking * max(second.size) / max(second.small.shape)
    laid = _resized(second.small, shrunk)
    height, width = np.maximum(first.small.shape, laid.shape)
    padded = np.zeros((2, height, width), np.float32)
    for place, grey in zip(padded, (laid, first.small), strict=True):
        edges = cv2.Laplacian(grey, cv2.CV_32F, ksize=3)
        place[: grey.shape[0], : grey.shape[1]] = np.clip(edges, -_EDGE, _EDGE)
    (across, down), _ = cv2.phaseCorrelate(padded[0], padded[1])
    half = 0.5 * (scale - 1)
    shift = half + across / shrinking, half + down / shrinking
    return np.array([[scale, 0, shift[0]], [0, scale, shift[1]]])


def scale_of(matrix: Map) -> float:
    """Return how many times as large the map makes a picture."""
    return float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))


def same_picture(first: Points, second: Points) -> bool:
    """Return whether two memes stand on one picture: both show the same structure, outside text,
    spread over the picture.

    A frame, plain ground and what is drawn or written on it say nothing: posts of different people
    have the same signs at the same places.
    """
    matrix = align(first, second)
    if matrix is None:
        return False
    laid, covered, _ = _small_on(first, second, matrix)
    smooth = [opencv().blur(grey, (5, 5)).astype(np.float32) for grey in (first.small, laid)]
    ground = np.logical_or.reduce([_ground(grey, covered) for grey in smooth])
    rows, columns = (
        np.linspace(0, side, _CELLS_LOOKED_AT + 1).astype(int) for side in covered.shape
    )
    structured = 0
    shown = np.zeros((_CELLS_LOOKED_AT, _CELLS_LOOKED_AT), np.bool_)
    for row, column in np.ndindex(shown.shape):
        part = np.s_[rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
        inside = covered[part]
        if inside.mean() < 0.5:
            continue
        one, other = (grey[part][inside] for grey in smooth)
        least, most = sorted((float(one.std()), float(other.std())))
        structured += most > _TEXTURE
        if least > _TEXTURE and ground[part][inside].mean() <= _OF_PART:
            alike = np.corrcoef(one, other)[0, 1] > _ALIKE
            shown[row, column] = alike and np.abs(one - other).mean() < _NEAR
    spread = min(shown.any(axis=0).mean(), shown.any(axis=1).mean())
    share = shown.sum() / max(1, structured)
    return bool(shown.mean() >= _SHOWN and spread >= _SPREAD and share >= _OF_STRUCTURE)


def _ground(grey: npt.NDArray[np.float32], covered: Mask) -> Mask:
    """Return where a picture is plain: of the grey that much of it has."""
    counts = np.bincount(grey[covered].astype(np.int64) // 4, minlength=65)
    pairs = counts[:-1] + counts[1:]
    most = int(pairs.argmax())
    if pairs[most] < _OF_PICTURE * covered.sum():
        return np.zeros_like(covered)
    return np.asarray(np.abs(grey - 4 * (most + 1)) < _GROUND)


def _small_on(first: Points, second: Points, matrix: Map) -> tuple[Grey, Mask, float]:
    """Return the second small picture laid on the first, where it covers it, and how it is
    scaled."""
    cv2 = opencv()
    shrunk = [np.array(of.small.shape[1::-1]) / of.size for of in (first, second)]
    small = _scaled(matrix, *shrunk)
    size = first.small.shape[1::-1]
    covered = cv2.warpAffine(np.full_like(second.small, 255), small, size) > 254
    return cv2.warpAffine(second.small, small, size), covered, scale_of(small)


def _agreeing(first: Points, second: Points, matrix: Map) -> float:
    """Return how much of the overlap looks the same, 0 to 1; 0 for too little of it."""
    cv2 = opencv()
    laid, covered, scale = _small_on(first, second, matrix)
    if covered.sum() < _LEAST_OVERLAP * max(first.small.size, second.small.size * scale**2):
        return 0.0
    smooth = [cv2.blur(picture, (5, 5)) for picture in (first.small, laid)]
    differing = cv2.absdiff(*smooth)[covered]
    if smooth[0][covered][differing < _DIFFERENT].std() < _LEAST_CONTRAST:
        return 0.0
    return float(np.maximum(0, 1 - differing / _DIFFERENT).mean())


def _shrinking(picture: Pixels, small: Grey) -> npt.NDArray[np.float64]:
    """Return how many times as wide and as high the small picture is."""
    return np.asarray(np.array(small.shape[1::-1]) / np.array(picture.shape[1::-1]))


def _scaled(matrix: Map, first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> Map:
    """Return the map between two pictures after each was scaled across and down.

    A pixel is a square: the middle of the first stands at a half, which is x = 0.
    """
    linear = matrix[:, :2] * first[:, None] / second[None, :]
    middle = matrix[:, :2] @ (0.5 / second - 0.5) + matrix[:, 2]
    return np.column_stack([linear, (middle + 0.5) * first - 0.5])


def lay_on(picture: Pixels, matrix: Map, size: tuple[int, int]) -> tuple[Pixels, Mask]:
    """Return a picture laid on another of a width and height, and where it covers it."""
    cv2 = opencv()
    sigma = _BLUR * (1 / scale_of(matrix) - 1)
    if sigma > 0.1:  # warpAffine does not average the pixels that it leaves out
        picture = cv2.GaussianBlur(picture, (0, 0), sigma)
    laid = cv2.warpAffine(
        picture, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    inside = np.full(picture.shape[:2], 255, np.uint8)
    return laid, cv2.warpAffine(inside, matrix, size, flags=cv2.INTER_LINEAR) > 254


def refine(first: Pixels, second: Pixels, matrix: Map) -> Map:
    """Return the map made exact by the pixels of both pictures that agree."""
    cv2 = opencv()
    height, width = first.shape[:2]
    scale = min(1.0, _REFINED / max(width, height))
    fixed = _resized(cv2.cvtColor(first, cv2.COLOR_RGB2GRAY), scale)
    moving = cv2.cvtColor(second, cv2.COLOR_RGB2GRAY)
    moving = _resized(moving, min(1.0, scale * scale_of(matrix)))
    shrunk = _shrinking(first, fixed), _shrinking(second, moving)
    start = _scaled(matrix, *shrunk)
    before, same = _difference(fixed, moving, start)
    if not same.any():
        return matrix
    backward = inverse(start).astype(np.float32)
    shape = moving.shape[1::-1]
    usable = cv2.warpAffine(same.astype(np.uint8), backward, shape, flags=cv2.INTER_NEAREST)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _ROUNDS, _ENOUGH)
    try:
        _, exact = cv2.findTransformECC(
            fixed, moving, backward, cv2.MOTION_AFFINE, criteria, usable, 3
        )
    except cv2.error:  # it does not converge where nearly nothing is there to see
        return matrix
    refined = inverse(np.asarray(exact, dtype=np.float64))
    after, _ = _difference(fixed, moving, refined)
    if not plausible(refined, _MOST_SCALE) or after >= before:
        return matrix
    return _scaled(refined, 1 / shrunk[0], 1 / shrunk[1])


def _difference(fixed: Grey, moving: Grey, matrix: Map) -> tuple[float, Mask]:
    """Return the median difference of greys where both are, and the pixels that agree."""
    cv2 = opencv()
    size = fixed.shape[1::-1]
    laid = cv2.warpAffine(moving, matrix, size, flags=cv2.INTER_LINEAR)
    covered = cv2.warpAffine(np.full_like(moving, 255), matrix, size) > 254
    differing = cv2.absdiff(cv2.blur(fixed, (3, 3)), cv2.blur(laid, (3, 3)))
    same = covered & (cv2.blur(differing, (5, 5)) < _DIFFERENT)
    if not covered.any():
        return float("inf"), same
    values = differing[covered].astype(np.float64)
    return float(np.minimum(values, 2 * _DIFFERENT).mean()), same


def group_pictures(
    hashes: Mapping[Path, int], on_progress: Callable[[int, int | None], None] = lambda *_: None
) -> list[list[Path]]:
    """Return pictures in groups that stand on one picture each, in their order.

    A picture is compared with the first of each group, those of near hashes first, and joins the
    first on which it lies. Raise InputError if a file is no picture; MissingError if OpenCV is not
    installed.

    Args:
        hashes: the perceptual hash of each, 64 bits.
        on_progress: gets how many more are grouped, and of how many.
    """
    groups: list[list[Path]] = []
    points: list[Points] = []
    for path, value in hashes.items():
        found = find_points(open_pixels(path))
        order = sorted(
            range(len(groups)), key=lambda group: (value ^ hashes[groups[group][0]]).bit_count()
        )
        near = (group for group in order[:_COMPARED] if same_picture(points[group], found))
        group = next(near, None)
        if group is None:
            groups.append([path])
            points.append(found)
        else:
            groups[group].append(path)
        on_progress(1, len(hashes))
    return groups
