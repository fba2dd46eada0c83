"""The letters of a region, pixel by pixel. In: a picture, a region. Out: a mask, and its colours.

A region's letters are all of one colour, and what rings them is of one colour, too: an outline, or
a plain background. So the colours that are frequent within the region are tried in turn; the one
whose connected areas look most like letters along the lines is the fill. What lies around them at
growing distances says how wide the outline is. Areas of that colour that no outline rings (a cloud
behind white letters) are not letters.

On a plain background (a bar, a bubble, clear sky) everything that differs from it is masked, emoji
and shadows included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memeloc.localise.areas import (
    enclosed,
    grown,
    like_letters,
    of_one_colour,
    ringed,
    within_reach,
)
from memeloc.localise.beside import all_letters, continued, others, outlined_emoji, placed
from memeloc.localise.crops import (
    NEAR,
    Crop,
    Floats,
    between,
    colour_distance,
    cut_region,
    disc,
    peak,
)
from memeloc.localise.protocol import Mask, Pixels, RegionLine, TextRegion
from memeloc.localise.regions import tightened
from memeloc.localise.restoring import is_smooth
from memeloc.localise.stretching import stretched
from memeloc.registration import opencv

Colour = tuple[int, int, int]

_PLAIN_NEAR = 22.0
"""Distance in RGB within which a plain background lies after a JPEG."""
_PLAIN_SHARE = 0.8
"""Share of a line's edge that a plain background covers; a bubble's border may cross the rest."""
_FAINTEST = 24.0
"""Least distance in RGB within which pixels are one letter's: a JPEG moves them by 10 to 20."""
_SHARP, _LAID_OVER = 0.6, 0.8
"""Share of the middles of strokes with the very colour of the fill: letters of 20 pixels, of which
edges make the most, have 0.55 to 0.75, larger ones 0.85 to 1; shades and leaves 0.2 to 0.5 (141
lines of made memes)."""
_CANDIDATES = 7
"""Colours that are tried at most: each is a search through all connected areas."""
_PEAK = 28.0
"""Distance in RGB from a frequent colour of what is counted as it; two of them share nothing."""
_WIDEST_OUTLINE = 0.18
"""What rings letters further, in heights of a line, is what they stand on: a sign, a cloth."""
_BLENDED, _PUREST = 2.5, 85
"""Pixels of an outline's width below which most of it has blended into letters and background, and
the percentile, by the distance from the letters' colour, from which it has not."""
_SMALL_LINE = 40.0
"""Pixels of a line's height up to which an outline may be a pixel wide."""
_BIN = 0.3
"""Width of the pieces into which a line is cut to see whether letters stand in all of them."""
_RIM = 1.0
"""Pixels around letters and outline in which they still blend into the background."""
_PLAIN_RIM = 3
"""Pixels of the rim on a plain background: what is painted too much there does not show."""
_SMOOTH_RIM = 2.0
"""Pixels more on smooth backgrounds, which are guessed well, and where a JPEG's ripples show."""
_LEAST_INK = 0.75
"""Share of what differs from a plain background within the lines that is text, at least."""
_HOLLOW = 0.6
"""What strokes enclose, as a share of them, from which they are outlines: O and B have a half."""
_LEAST_COVER = 0.4
"""Share of a line's length in which letters stand, at least, for them to be its letters."""


@dataclass(frozen=True)
class Strokes:
    """The letters of a region.

    Attributes:
        left, top: where the masks begin in the picture, in pixels.
        letters: their fill alone.
        ink: letters, outline, and what else belongs to the text, as emoji.
        mask: the ink and the rim in which it blends into the background.
        fill, outline: colours; the outline is None where there is none to be seen.
        outline_width: in pixels of the picture; 0 without one.
        background: the colour of a plain background; None of any other.
        sure: 0 to 1, how much the masked areas look like a text of one colour along the lines.
        unread: what stands beside the lines, as a share of the letters: no reader saw it.
        laid_over: its letters have one very colour, as no cloth or sign in a photograph has.
        halo: how far a soft shadow or glow reaches, in pixels; 0 without one.
    """

    left: int
    top: int
    letters: Mask
    ink: Mask
    mask: Mask
    fill: Colour
    outline: Colour | None
    outline_width: float
    background: Colour | None
    sure: float
    unread: float
    halo: float = 0.0
    laid_over: bool = False

    def lay_on(self, mask: Mask) -> None:
        """Set what is masked in the mask of a whole picture."""
        height, width = self.mask.shape
        mask[self.top : self.top + height, self.left : self.left + width] |= self.mask


def find_strokes(
    picture: Pixels, region: TextRegion, unread: Sequence[RegionLine] = ()
) -> Strokes | None:
    """Return the letters of a region; None where nothing looks like any.

    What stands in unread lines next to it may be emoji of the same text. Letters without an outline
    show by their background: where a reader's box is much higher than they are, they are looked for
    once more, closely. Raise MissingError if OpenCV is not installed.
    """
    strokes = _strokes_in(picture, region, unread)
    if strokes is None or strokes.outline is not None:
        return strokes
    rows, columns = np.nonzero(strokes.letters)
    ink = np.stack([columns + strokes.left, rows + strokes.top], axis=1).astype(float)
    close = tightened(region, ink, (picture.shape[1], picture.shape[0]))
    again = None if close is None else _strokes_in(picture, close, unread)
    return again if again and again.letters.sum() >= strokes.letters.sum() else strokes


def _strokes_in(
    picture: Pixels, region: TextRegion, unread: Sequence[RegionLine]
) -> Strokes | None:
    crop = cut_region(picture, region)
    if crop is None:
        return None
    wide = cut_region(picture, region, wide=True, unread=unread) or crop
    background = _plain_background(crop)
    if background is not None:
        strokes = _on_plain(wide, background)
        if strokes is not None:
            return strokes
    return _on_any(crop, wide)


def _plain_background(crop: Crop) -> Floats | None:
    """Return the colour that runs along the edges of all lines; None where no colour does."""
    cv2 = opencv()
    edge = np.zeros(crop.core.shape, np.uint8)
    for line in crop.lines:
        cv2.polylines(edge, [np.round(line).astype(np.int32)], True, 1)
    # The edge between two lines of a text may run through letters.
    edge = (edge > 0) & (cv2.erode(crop.core.astype(np.uint8), disc(1.0)) == 0)
    return _one_colour(crop.pixels[edge])


def _one_colour(colours: Floats) -> Floats | None:
    """Return the colour that nearly all of some pixels have; None where none does."""
    if len(colours) < 8:
        return None
    colour = peak(colours)
    far = np.sqrt(((colours - colour) ** 2).sum(axis=1))
    return colour if (far < _PLAIN_NEAR).mean() >= _PLAIN_SHARE else None


def _on_plain(crop: Crop, background: Floats) -> Strokes | None:
    """Return everything that differs from a plain background, but for what comes in from
    outside."""
    cv2 = opencv()
    far = colour_distance(crop.pixels, background)
    noise = float(np.median(far[crop.core & (far < _PLAIN_NEAR)]))
    differs = far > max(12.0, 4 * noise)
    ink = within_reach(differs, crop, 0.3)
    in_lines = differs & crop.core
    if (in_lines & ink).sum() < _LEAST_INK * in_lines.sum():
        return None  # letters are joined to something that is no text
    # White letters with a dark outline on white: what the outline encloses are the letters.
    holes = enclosed(ink)
    hollow = bool(holes.sum() > _HOLLOW * ink.sum())
    radius = cv2.distanceTransform(ink.astype(np.uint8), cv2.DIST_L2, 5)
    thick = float(np.percentile(radius[ink], 90))
    core_colour = peak(crop.pixels[ink & (radius >= 0.7 * thick)])
    fill = background if hollow else core_colour
    near = min(NEAR, 0.5 * between(core_colour, background))
    like_fill = colour_distance(crop.pixels, fill) < near
    letters = holes if hollow else within_reach(like_fill, crop, 0.3)
    outline, width = (core_colour, 2 * thick) if hollow else _outline(crop, letters, fill)
    if outline is None or between(outline, background) < NEAR:
        outline, width = None, 0.0
    elif not hollow:
        letters = of_one_colour(crop, letters & ringed(crop, letters, outline), fill)
    cover = _cover(crop, letters)
    if not letters.any() or cover < _LEAST_COVER:
        return None
    strokes = grown(letters, width + _RIM)
    # Emoji and shadows; what stands there anyway, as a cloud, reaches out of the lines.
    rest = within_reach(differs & ~strokes, crop, 0.85)
    mask = cv2.dilate((strokes | rest).astype(np.uint8), disc(_PLAIN_RIM)) > 0
    mask &= ~(differs & ~strokes & ~rest)
    more = others(crop, letters, mask, fill, background, outlined=outline is not None)
    strokes_found = _strokes(crop, letters, more, mask, fill, outline, width, background, cover)
    return replace(strokes_found, laid_over=cover >= 0.9)


def _on_any(crop: Crop, wide: Crop) -> Strokes | None:
    """Return letters of the colour that looks most like letters, on a background of any kind."""
    candidates = _candidates(crop)
    if not candidates:
        return None
    best = max(candidates, key=lambda candidate: candidate.score)
    letters = best.letters
    fill = np.asarray(np.median(crop.pixels[letters], axis=0), np.float32)
    outline, width = _outline(crop, letters, fill)
    letters = all_letters(crop, letters, fill, outline)
    crop, letters = wide, placed(crop, letters, wide)
    if outline is not None:
        letters = continued(crop, letters, fill, outline)
    if not letters.any():
        return None
    rim = _RIM * max(1.0, crop.scale * 0.75)
    mask = grown(letters, width + rim)
    wider = grown(mask, _SMOOTH_RIM)
    more: Mask = np.zeros_like(mask)
    behind: Floats | None = None
    if outline is not None:
        more = outlined_emoji(crop, letters, mask, outline, width)
    else:  # of a card that a loose box leaves, what is between the letters shows the colour
        behind = _one_colour(crop.pixels[crop.core & ~wider])
    if behind is None and is_smooth(crop.pixels, crop.core & ~wider):
        behind = stretched(crop.pixels, ~(crop.beside | wider))
    if behind is not None:
        mask = wider
        more = more | others(crop, letters, mask, fill, behind, outlined=outline is not None)
    sure = best.cover * min(1.0, best.sharp / _SHARP)
    laid_over = best.cover >= 0.9 and best.sharp >= _LAID_OVER
    strokes = _strokes(crop, letters, more, mask, fill, outline, width, None, sure)
    return replace(strokes, laid_over=laid_over)


@dataclass(frozen=True)
class _Candidate:
    """A colour that letters may have, and the letters.

    Attributes:
        score: how much they look like a text of one colour, from 0 to 1.25.
        ring: the usual colour around them.
        sharp: how far the middles of strokes have one colour, 0 to 1.
        cover: share of the lines' length in which they stand, 0 to 1.
    """

    score: float
    colour: Floats
    letters: Mask
    ring: Floats
    sharp: float
    cover: float


def _candidates(crop: Crop) -> list[_Candidate]:
    """Return the colours that letters may have."""
    found = []
    behind = stretched(crop.pixels, ~crop.core)
    for colour in _frequent(crop):
        # Letters differ from what is around the line by far, or their shadow's edge says where.
        half_way = np.clip(0.5 * colour_distance(behind, colour), _FAINTEST, NEAR)
        usual = np.full_like(half_way, NEAR)
        faint = bool(np.median(half_way[crop.core]) < 0.9 * NEAR)
        for near in (half_way, usual) if faint else (usual,):
            letters = like_letters(crop, colour, near)
            if letters is None:
                continue
            ring, uniform = _ring(crop, letters, colour)
            cover = _cover(crop, letters)
            sharp = _sharpness(crop, letters)
            score = cover * (0.25 + uniform) * min(1.0, between(colour, ring) / 120)
            if enclosed(letters).sum() > _HOLLOW * letters.sum():
                score /= 2  # an outline around letters of another colour
            score *= 0.15 + 0.85 * sharp**2
            found.append(_Candidate(score, colour, letters, ring, sharp, cover))
    # Where small letters meet what rings them their edges have a third colour.
    return [
        candidate
        for candidate in found
        if not any(
            other.cover > 0.9
            and other.sharp >= max(0.5, candidate.sharp - 0.15)
            and other.score > 0.4 * candidate.score
            and _blends(candidate.colour, other.colour, other.ring)
            for other in found
        )
    ]


def _blends(colour: Floats, first: Floats, second: Floats) -> bool:
    """Return whether a colour lies between two others."""
    way = second - first
    share = float((colour - first) @ way / max(float(way @ way), 1.0))
    return 0.1 < share < 0.9 and between(colour, first + share * way) < 30


def _sharpness(crop: Crop, letters: Mask) -> float:
    """Return how far the middles of strokes have one colour, 0 to 1.

    What a program lays over a picture has one colour; shades and things have many.
    """
    cv2 = opencv()
    radius = cv2.distanceTransform(letters.astype(np.uint8), cv2.DIST_L2, 5)
    middle = letters & (radius >= cv2.dilate(radius, np.ones((3, 3), np.uint8)))
    colours = crop.pixels[middle]
    far = np.sqrt(((colours - peak(colours)) ** 2).sum(axis=1))
    return float((far < 20).mean())


def _frequent(crop: Crop) -> list[Floats]:
    """Return the most frequent colours within the lines, those of the sharpest peaks first."""
    colours = crop.pixels[crop.core]
    keys = np.clip(colours, 0, 255).astype(np.int32) >> 4
    flat = (keys[:, 0] << 8) | (keys[:, 1] << 4) | keys[:, 2]
    counts = np.bincount(flat, minlength=4096).reshape(16, 16, 16).astype(np.float32)
    # A peak may lie between two levels.
    padded = np.pad(counts, 1)
    summed = sum(
        padded[x : x + 16, y : y + 16, z : z + 16]
        for x in range(3)
        for y in range(3)
        for z in range(3)
    )
    found: list[Floats] = []
    order = np.argsort(-np.asarray(summed).ravel() - counts.ravel())[:200]
    for key in order:
        level = np.array([key >> 8, key >> 4 & 15, key & 15], np.float32) * 16 + 8
        if all(between(level, other) > 2 * _PEAK for other in found):
            near = ((colours - level) ** 2).sum(axis=1) < _PEAK**2
            if near.sum() < 0.015 * len(colours):
                continue
            found.append(np.asarray(np.median(colours[near], axis=0), np.float32))
        if len(found) == _CANDIDATES:
            break
    return found


def _ring(crop: Crop, letters: Mask, colour: Floats) -> tuple[Floats, float]:
    """Return the colour around letters, and how much of what is around them has it, 0 to 1."""
    cv2 = opencv()
    distance = cv2.distanceTransform((~letters).astype(np.uint8), cv2.DIST_L2, 5)
    blend = 1.2 * crop.scale
    # Of small letters an outline is hardly wider than the edge that blends.
    bands = [(blend, max(blend + 1.3, 0.05 * crop.line_height)), (0.7 * crop.scale, blend + 0.3)]
    best = colour, 0.0
    for near, far in bands[: 1 if crop.line_height > _SMALL_LINE * crop.scale else 2]:
        ring = crop.pixels[(distance > near) & (distance <= far)]
        if len(ring) >= 8:
            usual = peak(ring)
            share = float((((ring - usual) ** 2).sum(axis=1) < NEAR**2).mean())
            if share > best[1]:
                best = usual, share
    return best


def _cover(crop: Crop, letters: Mask) -> float:
    """Return the share of the lines' length in which letters stand, 0 to 1; spaces are forgiven."""
    rows, columns = np.nonzero(letters)
    points = np.stack([columns, rows], axis=1).astype(float)
    hit = total = 0
    for line in crop.lines:
        across, down = line[1] - line[0], line[3] - line[0]
        length, height = float(np.hypot(*across)), float(np.hypot(*down))
        if min(length, height) < 1:
            continue
        along = (points - line[0]) @ (across / length)
        below = (points - line[0]) @ (down / height)
        bins = max(1, round(length / (_BIN * height)))
        here = (along >= 0) & (along < length) & (below >= 0) & (below < height)
        hit += len(np.unique((along[here] / length * bins).astype(int)))
        total += bins
    return min(1.0, 1.15 * hit / total) if total else 0.0


def _outline(
    crop: Crop,
    letters: Mask,
    fill: Floats,
) -> tuple[Floats | None, float]:
    """Return the colour and the width of what rings the letters; None and 0 where nothing does.

    The share of pixels of the ring's colour falls at the outline's edge from nearly all to what the
    background has of it.
    """
    cv2 = opencv()
    colour, uniform = _ring(crop, letters, fill)
    if uniform < 0.55 or between(colour, fill) < 60:
        return None, 0.0
    way = (colour - fill) / between(colour, fill)
    distance = cv2.distanceTransform((~letters).astype(np.uint8), cv2.DIST_L2, 5)
    far = 0.3 * crop.line_height
    levels = np.round(distance).astype(int)
    like = colour_distance(crop.pixels, colour) < np.minimum(
        NEAR * 1.25, 0.5 * between(colour, fill)
    )
    top = max(4, round(far))
    seen = np.bincount(np.minimum(levels, top + 1).ravel(), minlength=top + 2)
    of_colour = np.bincount(np.minimum(levels, top + 1)[like].ravel(), minlength=top + 2)
    share = of_colour / np.maximum(seen, 1)
    best = int(share[1 : max(3, top // 2) + 1].argmax()) + 1
    beyond = float(share[top])
    if share[best] - beyond < 0.15:
        # The background is of that colour as well: an outline of the usual width, if there is any.
        return None, (0.06 * crop.line_height if beyond > 0.5 else 0.0)
    half = beyond + (share[best] - beyond) / 2
    end = best
    while end < top and share[end + 1] > half:
        end += 1
    if end > _WIDEST_OUTLINE * crop.line_height:
        return None, 0.06 * crop.line_height
    step = (share[end] - half) / max(share[end] - share[end + 1], 1e-6)
    width = float(end + min(step, 1.0))
    if width < _BLENDED * crop.scale:
        ring = crop.pixels[(distance > 0) & (distance <= width + 0.5)]
        far = (ring - fill) @ way
        pure = ring[far >= np.percentile(far, _PUREST)]
        return np.asarray(np.median(pure, axis=0), np.float32), width
    return colour, width


def _strokes(
    crop: Crop,
    letters: Mask,
    more: Mask,
    mask: Mask,
    fill: Floats,
    outline: Floats | None,
    width: float,
    background: Floats | None,
    sure: float,
) -> Strokes:
    cv2 = opencv()
    # An emoji beside a line, which has colours of its own, is no letter that was not read.
    words = letters | of_one_colour(crop, more, fill)
    unread = float((words & ~crop.reach).sum() / letters.sum())
    ink = grown(letters, width + 0.5) | more
    if more.any():
        mask = mask | grown(more, _PLAIN_RIM)
    if crop.scale > 1:
        size = round(mask.shape[1] / crop.scale), round(mask.shape[0] / crop.scale)

        def small(of: Mask, share: float) -> Mask:
            resized = cv2.resize(of.astype(np.float32), size, interpolation=cv2.INTER_AREA)
            return np.asarray(resized > share)

        letters, ink, mask = small(letters, 0.4), small(ink, 0.4), small(mask, 0.05)
    return Strokes(
        crop.left,
        crop.top,
        letters,
        ink,
        mask,
        _colour(fill),
        None if outline is None else _colour(outline),
        width / crop.scale,
        None if background is None else _colour(background),
        sure,
        unread,
    )


def _colour(colour: Floats) -> Colour:
    """In whole numbers; what is nearly black or white is meant to be that."""
    values = [round(float(value)) for value in colour]
    if max(values) <= 28:
        return (0, 0, 0)
    if min(values) >= 232:
        return (255, 255, 255)
    red, green, blue = (min(255, max(0, value)) for value in values)
    return (red, green, blue)
