"""Connected areas of a mask. In: a mask, a crop. Out: the areas that may be letters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from memeloc.localise.crops import NEAR, Crop, Floats, colour_distance, disc
from memeloc.localise.protocol import Mask
from memeloc.registration import opencv

Labels = npt.NDArray[np.int32]

SAME = 36.0
"""Distance in RGB within which pixels of one colour lie after a JPEG."""
_WIDEST_STROKE = 0.26
"""Half of the thickest stroke, in heights of a line: a heavy poster face has 0.12."""
_TALLEST = 1.6
"""Heights of a line that the shorter side of a letter has at most."""
_RINGED = 0.6
"""Share of a letter's surroundings that has the outline's colour; letters touch at times."""


def like_letters(crop: Crop, colour: Floats, near: Floats) -> Mask | None:
    """Return the connected areas of a colour that may be letters by place, size and strokes.

    Args:
        crop: the lines cut out.
        colour: of the letters.
        near: distance in RGB within which a pixel is of that colour.
    """
    cv2 = opencv()
    like = np.asarray(colour_distance(crop.pixels, colour) < near)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        like.astype(np.uint8), connectivity=4
    )
    area = stats[:, cv2.CC_STAT_AREA]
    tall = np.minimum(stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_WIDTH])
    least = max(4.0, (0.06 * crop.line_height) ** 2)
    fits = (share_within(labels, crop.core) > 0.6) & (area >= least)
    fits &= (tall <= _TALLEST * crop.line_height) & ~at_edge(labels, count)
    fits &= half_thickness(like, labels) <= _WIDEST_STROKE * crop.line_height
    fits[0] = False
    letters = fits[labels]
    return letters if letters.any() else None


def within_reach(differs: Mask, crop: Crop, least: float) -> Mask:
    """Return the connected areas of a mask within reach of the lines, a share of them in the
    lines."""
    cv2 = opencv()
    labels = cv2.connectedComponents(differs.astype(np.uint8))[1]
    is_text = (share_within(labels, crop.core) > least) & (share_within(labels, crop.reach) > 0.95)
    is_text[0] = False
    return np.asarray(is_text[labels])


def grown(letters: Mask, distance: float) -> Mask:
    """Return a mask and what is within a distance of it, in pixels."""
    cv2 = opencv()
    away = cv2.distanceTransform((~letters).astype(np.uint8), cv2.DIST_L2, 5)
    return np.asarray(away <= distance)


def enclosed(ink: Mask) -> Mask:
    """Return what a mask encloses: pixels from which no way leads to the edge."""
    cv2 = opencv()
    count, labels = cv2.connectedComponents((~ink).astype(np.uint8), connectivity=4)
    enclosed = ~at_edge(labels, count)
    enclosed[0] = False
    return np.asarray(enclosed[labels])


def half_thickness(mask: Mask, labels: Labels) -> Floats:
    """Return half of the greatest thickness of each labelled area, in pixels."""
    cv2 = opencv()
    radius = cv2.distanceTransform(mask.astype(np.uint8), cv2.DIST_L2, 5)
    thickest = np.zeros(int(labels.max()) + 1, np.float32)
    np.maximum.at(thickest, labels.ravel(), radius.ravel())
    return thickest


def share_within(labels: Labels, where: Mask) -> npt.NDArray[np.float64]:
    """Return the share of each labelled area that lies within a mask."""
    area = np.bincount(labels.ravel())
    return np.asarray(np.bincount(labels[where], minlength=len(area)) / np.maximum(area, 1))


def at_edge(labels: Labels, count: int) -> Mask:
    """Return which labelled areas the edge of the crop cuts."""
    cut = np.zeros(count, bool)
    for edge in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
        cut[edge] = True
    return cut


def ringed(crop: Crop, areas: Mask, outline: Floats) -> Mask:
    """Return the connected areas of a mask that the outline's colour surrounds."""
    cv2 = opencv()
    count, labels = cv2.connectedComponents(areas.astype(np.uint8), connectivity=4)
    near = cv2.dilate(labels.astype(np.float32), disc(3.0)).astype(int)
    # The pixels next to an area are of both colours.
    around = (near > 0) & ~grown(areas, 1.5)
    edge = np.bincount(near[around], minlength=count)
    like = colour_distance(crop.pixels, outline) < 1.5 * NEAR
    ringed = np.bincount(near[around & like], minlength=count) > _RINGED * edge
    ringed[0] = False
    return np.asarray(ringed[labels])


def of_one_colour(crop: Crop, areas: Mask, fill: Floats) -> Mask:
    """Return the connected areas that have the fill's very colour in a quarter of their pixels.

    Text that was laid over a picture is of one colour; what is only like it belongs to the picture.
    """
    cv2 = opencv()
    labels = cv2.connectedComponents(areas.astype(np.uint8), connectivity=4)[1]
    same = share_within(labels, colour_distance(crop.pixels, fill) < SAME) >= 0.25
    same[0] = False
    return np.asarray(same[labels])
