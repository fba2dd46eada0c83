"""Marks that belong to letters found. In: a region cut out, its letters. Out: more of them.

Dots and marks, letters that a reader cut off its lines, and, where the background is known, words
and emoji that stand in the lines or beside them.
"""

from __future__ import annotations

import numpy as np

from memeloc.localise.areas import (
    SAME,
    at_edge,
    enclosed,
    grown,
    half_thickness,
    of_one_colour,
    ringed,
    share_within,
)
from memeloc.localise.crops import NEAR, Crop, Floats, between, colour_distance
from memeloc.localise.protocol import Mask
from memeloc.registration import opencv

_NEXT = 0.3
"""Most space between a letter and the next, in heights of a line."""
_OWN = 0.9
"""Share of a letter that lies in a line's reach when it is one of the line's own."""
_FURTHER = 3
"""Letters beyond a line's end that are looked for."""
_HIGHEST = 1.6
"""Heights of a line that an emoji is high at most."""
_SMALLEST_EMOJI = 0.5
"""Heights of a line that an emoji on any background is high and wide at least."""
_FILLED = 0.5
"""Share of its upright box that an emoji covers at least; a disc has 0.78."""
_SPECK = 0.0018
"""Squared heights of a line that a dot covers at least."""
_RUNG = 0.9
"""Share of an emoji's edge that has the outline's very colour at least."""
_NEAR = 22.0
"""Distance in RGB within which what stands between letters is the background."""
_RIM = 3
"""Pixels around letters in which they blend into the background."""


def all_letters(
    crop: Crop,
    letters: Mask,
    fill: Floats,
    outline: Floats | None,
) -> Mask:
    """Return letters and whatever else in reach has their colour and ring: dots, marks, joined
    letters.

    Without an outline the letters that were found are all.
    """
    if outline is None:
        return letters
    cv2 = opencv()
    far = colour_distance(crop.pixels, fill)
    near = (far < 0.5 * between(fill, outline)) & (far < 1.4 * NEAR)
    labels = cv2.connectedComponents(near.astype(np.uint8), connectivity=4)[1]
    thickest = half_thickness(near, labels)
    usual = float(np.percentile(thickest[np.unique(labels[letters])], 90))
    fits = (share_within(labels, crop.reach) > _OWN) & (thickest <= 1.3 * usual)
    fits &= ~at_edge(labels, len(fits))
    fits[0] = False
    found = letters | (fits[labels] & ringed(crop, near, outline))
    return of_one_colour(crop, found, fill)


def placed(crop: Crop, letters: Mask, wide: Crop) -> Mask:
    """Return a mask of a crop in a wider one of the same region."""
    inside_wide: Mask = np.zeros_like(wide.core)
    x = round((crop.left - wide.left) * crop.scale)
    y = round((crop.top - wide.top) * crop.scale)
    inside = letters[: inside_wide.shape[0] - y, : inside_wide.shape[1] - x]
    inside_wide[y : y + inside.shape[0], x : x + inside.shape[1]] = inside
    return inside_wide


def continued(crop: Crop, letters: Mask, fill: Floats, outline: Floats) -> Mask:
    """Return letters, and those that stand next to them beyond the ends of their lines."""
    cv2 = opencv()
    far = colour_distance(crop.pixels, fill)
    near = (far < 0.5 * between(fill, outline)) & (far < 1.4 * NEAR)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        near.astype(np.uint8), connectivity=4
    )
    of_letters = stats[np.unique(labels[letters])]
    usual = float(np.percentile(of_letters[:, cv2.CC_STAT_HEIGHT], 75))
    thick = half_thickness(near, labels)
    high = stats[:, cv2.CC_STAT_HEIGHT]
    fits = (share_within(labels, crop.beside) > 0.9) & (high <= 1.15 * usual)
    fits &= (high >= 0.3 * usual) & (share_within(labels, crop.reach) <= _OWN)
    fits &= thick <= 1.3 * float(np.percentile(thick[np.unique(labels[letters])], 90))
    fits &= ~at_edge(labels, count)
    fits[0] = False
    like = of_one_colour(crop, fits[labels] & ringed(crop, near, outline), fill)
    for _ in range(_FURTHER):
        touched = np.unique(labels[like & grown(letters, _NEXT * crop.line_height)])
        letters = letters | (like & np.isin(labels, touched))
    return letters


def others(
    crop: Crop, letters: Mask, mask: Mask, fill: Floats, behind: Floats, *, outlined: bool
) -> Mask:
    """Return what else stands in the lines and beside them on a background that is known: emoji,
    words.

    `behind` is the background's colour, or what is there pixel by pixel. A thin line of
    another colour than the letters' is drawn, as the shade along a bubble's edge.
    """
    cv2 = opencv()
    nothing: Mask = np.zeros_like(mask)
    far = colour_distance(crop.pixels, behind)
    between_letters = crop.core & ~grown(mask, _RIM)
    if not between_letters.any() or np.percentile(far[between_letters], 75) > _NEAR:
        return nothing
    differs = far > 2 * _NEAR
    count, labels, stats, _ = cv2.connectedComponentsWithStats(differs.astype(np.uint8))
    fits = (share_within(labels, crop.beside) > 0.85) & ~at_edge(labels, count)
    if outlined:  # what is joined to letters nevertheless, as a cloud, belongs to the picture
        fits &= share_within(labels, mask) < 0.05
    fits &= stats[:, cv2.CC_STAT_HEIGHT] <= _HIGHEST * crop.line_height
    like_letters = share_within(labels, colour_distance(crop.pixels, fill) < SAME) >= 0.25
    # Above and below the lines stand accents, and the picture, where a card ends.
    fits &= like_letters | (share_within(labels, crop.reach & ~crop.level) < 0.5)
    wide, high = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    is_row = (high >= _SMALLEST_EMOJI * crop.line_height) & (
        stats[:, cv2.CC_STAT_AREA] >= _FILLED * wide * high
    )
    fits &= like_letters | is_row | (wide <= _HIGHEST * crop.line_height)
    fits &= stats[:, cv2.CC_STAT_AREA] >= _SPECK * crop.line_height**2
    fits[0] = False
    taken = _following(crop, letters, fits[labels])
    return taken | enclosed(taken)


def outlined_emoji(crop: Crop, letters: Mask, mask: Mask, outline: Floats, width: float) -> Mask:
    """Return emoji in the lines and beside them: what is rung as a whole by the letters'
    outline."""
    cv2 = opencv()
    rings = colour_distance(crop.pixels, outline) < SAME
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rings.astype(np.uint8))
    sides = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
    fits = (sides.min(axis=1) >= _SMALLEST_EMOJI * crop.line_height) & ~at_edge(labels, count)
    fits &= sides[:, 1] <= _HIGHEST * crop.line_height
    fits &= sides[:, 0] <= _FURTHER * _HIGHEST * crop.line_height  # several may touch
    fits &= (share_within(labels, crop.beside) > 0.85) & (share_within(labels, mask) < 0.3)
    fits[0] = False
    emoji: Mask = np.zeros_like(mask)
    for label in np.flatnonzero(fits):
        ring = labels == label
        inside = enclosed(ring)
        whole = ring | inside
        depth = cv2.distanceTransform(whole.astype(np.uint8), cv2.DIST_L2, 5)
        # The outermost pixels blend into the background, the innermost into the emoji.
        edge = (depth > 1) & (depth <= max(2.0, 0.6 * width))
        if (
            whole.sum() >= _FILLED * sides[label].prod()
            and inside.sum() >= _SPECK * crop.line_height**2
            and ring[edge].mean() >= _RUNG
        ):
            emoji |= whole
    return _following(crop, letters, emoji)


def _following(crop: Crop, letters: Mask, pieces: Mask) -> Mask:
    """Return the connected pieces of a mask that stand close to letters, or to such a piece."""
    labels = opencv().connectedComponents(pieces.astype(np.uint8))[1]
    taken: Mask = np.zeros_like(pieces)
    for _ in range(_FURTHER):
        near = grown(letters | taken, 2 * _NEXT * crop.line_height)
        taken = pieces & np.isin(labels, np.unique(labels[near & pieces]))
    return taken
