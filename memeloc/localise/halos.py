"""Soft shadows and glow around letters. In: a picture, strokes. Out: strokes whose mask has them.

What surrounds the letters is expected to go on as it does farther away. Where it is darker or
lighter instead, on the mean of many pixels, and the less the farther they are, it is a shadow or a
glow: it ends where the mean is as expected. Shadows are cast to one side, so that each of eight
directions has its own end. The mean is not moved by a pattern, as leaves, behind the letters.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from memeloc.localise.protocol import Mask, Pixels
from memeloc.localise.stretching import directions, stretched
from memeloc.localise.strokes import Strokes
from memeloc.registration import opencv

Sums = npt.NDArray[np.float64]

_REACH = 0.5
"""Heights of a line that a shadow or glow reaches at most; what goes on is the picture's."""
_LEAST = 5.0
"""8-bit levels of a halo at least: below, nobody sees it, and a JPEG has it."""
_SURE = 3.0
"""Standard errors of a mean by which it is not by chance."""
_PATCH = 20
"""Pixels of a picture that say as much as one: neighbours are alike."""
_SIDES = 8
"""Directions that a shadow may be cast to: programs offer these."""
_GLOWS = 4
"""Sides that must be lit for a glow: a cloud behind the letters lights some of them."""
_EVEN, _LONG = 0.75, 6
"""Share of its darkest that a card has at three quarters of its way, and pixels of that way from
which this can be told: halos have 0.2 to 0.6 there, cards of made memes 0.95 to 1."""
_DEEP = 20.0
"""8-bit levels of a halo that a person sees; an uneven sky has 5 to 10."""
_NARROWEST = 2
"""Pixels from the mask from which a halo is more than the letters' blurred edge."""
_BEYOND = 6
"""Pixels beyond a halo's reach that say what is expected."""


def with_halo(picture: Pixels, strokes: Strokes, line_height: float, texts: Mask) -> Strokes:
    """Return the strokes, their mask widened by the shadow or glow around the letters.

    Args:
        line_height: in pixels of the picture.
        texts: the masks of all texts in the picture; what they hide says nothing.
    """
    cv2 = opencv()
    reach = max(4, round(_REACH * line_height))
    height, width = strokes.mask.shape
    top, left = max(0, strokes.top - reach - _BEYOND), max(0, strokes.left - reach - _BEYOND)
    bottom = min(picture.shape[0], strokes.top + height + reach + _BEYOND)
    right = min(picture.shape[1], strokes.left + width + reach + _BEYOND)
    part = picture[top:bottom, left:right].astype(np.float32)

    def placed(mask: Mask) -> Mask:
        larger = np.zeros(part.shape[:2], np.bool_)
        y, x = strokes.top - top, strokes.left - left
        larger[y : y + height, x : x + width] = mask
        return larger

    mask, hidden = placed(strokes.mask), texts[top:bottom, left:right]
    away = cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, 5)
    around = (away <= reach) & ~mask & ~hidden
    outside = (away > reach) & ~hidden
    if not around.any() or not outside.any():
        return strokes
    shade = (part - stretched(part, outside, directions(part, outside))).mean(axis=2)
    across, down = (cv2.Sobel(away, cv2.CV_32F, *axis) for axis in ((1, 0), (0, 1)))
    side = np.rint(np.arctan2(down, across) / (2 * np.pi) * _SIDES).astype(int) % _SIDES
    ring = np.ceil(away).astype(int)
    cells = side[around] * (reach + 1) + np.minimum(ring[around], reach)
    shape = _SIDES, reach + 1
    count, total, squares = (
        np.asarray(np.bincount(cells, values, _SIDES * (reach + 1)).reshape(shape), np.float64)
        for values in (np.ones(len(cells)), shade[around], shade[around] ** 2)
    )
    sign = np.sign(total[:, : _NARROWEST + 1].sum())

    def ends(count: Sums, total: Sums, squares: Sums) -> tuple[Sums, Sums]:
        """Return where a halo ends, without a gap, before what is looked at does; and its depth.

        The depth is what it has of its darkest at three quarters: a card is dark up to its edge.
        """
        mean = total / np.maximum(count, 1)
        spread = np.sqrt(np.maximum(squares / np.maximum(count, 1) - mean**2, 0))
        clear = np.maximum(_LEAST, _SURE * spread / np.sqrt(np.maximum(count / _PATCH, 1)))
        shaded = (sign * mean > clear)[..., 1:]
        end = np.where(shaded.all(axis=-1), 0, shaded.argmin(axis=-1))
        late = np.take_along_axis(mean, np.maximum(3 * end // 4, 1)[..., None], axis=-1)[..., 0]
        depth = np.abs(late) / np.maximum(np.abs(mean[..., 1:]).max(axis=-1), 1e-6)
        return np.where(end < _NARROWEST, 0, end).astype(np.float64), depth

    end, depth = ends(count, total, squares)
    if np.count_nonzero((end >= _LONG) & (depth > _EVEN)) >= 2:  # above and below, as a rule
        return strokes
    if sign < 0:  # on a pattern the sides together say what no side says
        end = np.maximum(end, ends(count.sum(0), total.sum(0), squares.sum(0))[0])
    elif np.count_nonzero(end) < _GLOWS:
        return strokes
    if not end.any():
        return strokes
    deepest = float((sign * total[:, 1:4] / np.maximum(count[:, 1:4], 1)).max())
    halo = around & (away <= end[side] + 1)
    wide = cv2.dilate((mask | halo).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return replace(
        strokes,
        left=left,
        top=top,
        letters=placed(strokes.letters),
        ink=placed(strokes.ink),
        mask=wide,
        halo=float(end.max()) if deepest >= _DEEP else 0.0,
    )
