"""Continuing values where they are hidden. In: values, where they are visible. Out: the others,
continued.

Values are stretched over what is hidden, as Laplace's equation has it, from coarse to fine: Burt,
"Moment images, polynomial fit filters, and the problem of surface interpolation" (CVPR 1988). Lines
that end there, as stripes and contours, go on as such when smoothing follows them: Weickert,
"Coherence-enhancing diffusion filtering" (IJCV 1999).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from memeloc.localise.protocol import Mask
from memeloc.registration import opencv

_SWEEPS = 16
"""Of smoothing at each size of the picture: with 100 the result is no nearer."""
_NEAR = 4.0
"""Pixels around each, as a Gaussian's sigma, in which lines have one direction."""
_EDGE = 7
"""Pixels across which letters change a gradient."""
_STRIDE = 5
"""Pixels to what is before and behind on a line: from 3 to 7 the result is about as near."""

Floats = npt.NDArray[np.float32]


def stretched(values: Floats, visible: Mask, directions: Floats | None = None) -> Floats:
    """Return values (height x width x channels), those that are hidden continued from the
    others.

    Args:
        values: what stands where they are hidden does not count.
        visible: where they are not.
        directions: of lines to follow, as the function of that name gives them.
    """
    cv2 = opencv()
    if visible.all() or max(visible.shape) < 3:
        return values
    weight = visible.astype(np.float32)
    weights = cv2.pyrDown(weight)
    means = cv2.pyrDown(values * weight[..., None]) / np.maximum(weights, 1e-6)[..., None]
    coarse = None if directions is None else cv2.pyrDown(directions)
    painted = cv2.pyrUp(stretched(means, weights > 1e-3, coarse), dstsize=visible.shape[::-1])
    fixed = visible.astype(np.uint8)
    cv2.copyTo(values, fixed, painted)
    lines = None if directions is None else _Lines(directions)
    for _ in range(_SWEEPS):
        smooth = cv2.blur(painted, (3, 3))
        painted = smooth if lines is None else lines.followed(painted, smooth)
        cv2.copyTo(values, fixed, painted)
    return np.asarray(painted, np.float32)


def directions(picture: Floats, visible: Mask) -> Floats:
    """Return which way lines go at each pixel (RGB), as its structure tensor, continued where
    hidden.

    That is the square of the gradient across, across times down, and the square of it down, each
    the mean of what is near.
    """
    cv2 = opencv()
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), (0, 0), 1)
    across, down = (cv2.Sobel(grey, cv2.CV_32F, *axis) for axis in ((1, 0), (0, 1)))
    tensor = np.dstack([across * across, across * down, down * down])
    clear = cv2.erode(visible.astype(np.uint8), np.ones((_EDGE, _EDGE))).astype(np.float32)
    weight = cv2.GaussianBlur(clear, (0, 0), _NEAR)
    near = cv2.GaussianBlur(tensor * clear[..., None], (0, 0), _NEAR)
    return stretched(near / np.maximum(weight, 1e-6)[..., None], weight > 0.02)


class _Lines:
    """Places of lines, and what is before and behind each pixel on its line."""

    def __init__(self, directions: Floats) -> None:
        cv2 = opencv()
        across, both, down = cv2.split(directions)
        coherence = np.hypot(across - down, 2 * both) / (across + down + 1)
        self._share = coherence[..., None] ** 2
        angle = 0.5 * np.arctan2(2 * both, across - down) + np.pi / 2
        stride = _STRIDE * np.dstack([np.cos(angle), np.sin(angle)])
        rows, columns = np.indices(angle.shape)
        place = np.dstack([columns, rows])
        self._ways = [
            cv2.convertMaps((place + way).astype(np.float32), None, cv2.CV_16SC2)
            for way in (stride, -stride)
        ]

    def followed(self, values: Floats, smooth: Floats) -> Floats:
        """Return what is smooth; on a line the mean of what is before and behind."""
        cv2 = opencv()
        before, behind = (
            cv2.remap(values, *way, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for way in self._ways
        )
        return np.asarray(smooth + self._share * ((before + behind) / 2 - smooth), np.float32)
