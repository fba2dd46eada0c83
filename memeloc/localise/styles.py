"""The style of a text. In: a region, its strokes. Out: a text box with a style, as templates have
it.

Face and size are told by measuring the text as it was read in memeloc's own faces: in the right one
the height of its letters and the width of its lines give the same size.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt
import uharfbuzz as hb

from memeloc.errors import MemelocError
from memeloc.fonts import FontLibrary
from memeloc.localise.protocol import TextRegion
from memeloc.localise.regions import turned
from memeloc.localise.strokes import Colour, Strokes
from memeloc.model import STYLES, Align, FaceName, Locale, TextStyle
from memeloc.registration import opencv

_JOINED = frozenset(("Arab", "Deva", "Beng", "Guru", "Mong", "Syrc", "Nkoo"))
"""Scripts whose letters hang together: a connected area is a word, its height no letter's."""
_HIGH = 80
"""Percentile of the heights of letters that is compared: capitals and ascenders, no commas."""
_SAME_EDGE, _SAME_MIDDLE = 0.2, 0.5
"""How far the middles of lines may lie apart and the lines still be centred, in heights of a line:
in any text, and in capitals."""
_LEAST_OUTLINE, _MOST_OUTLINE = 0.02, 0.5
"""Width of an outline in em: less is not seen, and more is what the letters stand on."""
_FOR_HALO = 0.06
"""Width in em of the outline in place of a shadow or glow."""
_BY_WIDTH = 0.94
"""Share of the size by letters' height that one by a line's width has at least: the text may have
been read with too many letters."""
_SIZES = 0.005, 1.0
"""Font size as a share of the picture's height: what a template may have."""


def style_of(
    region: TextRegion,
    strokes: Strokes,
    size: tuple[int, int],
    locale: Locale,
    face: FaceName | None = None,
) -> TextStyle:
    """Return the style of a region's text in a picture of `size` (width, height in pixels).

    Args:
        region: the text.
        strokes: its letters.
        size: of the picture.
        locale: of the text.
        face: that it has; None is the one whose measures fit best.
    """
    faces: tuple[FaceName, ...] = ("poster", "plain") if face is None else (face,)
    face, pixels = _face_and_size(region, strokes, size, locale, faces)
    name: Literal["poster", "bubble", "plain"] = "poster"
    if strokes.outline is None and face == "plain":
        name = "bubble" if alignment(region, size, locale) == "center" else "plain"
    usual = STYLES[name]
    outline = usual.outline if strokes.outline is None else _hex(strokes.outline)
    width = 0.0
    if strokes.outline is not None:
        # Half a pixel on each side of an edge blends.
        share = (strokes.outline_width - 0.5) / max(pixels, 1.0)
        width = float(np.clip(round(share, 3), _LEAST_OUTLINE, _MOST_OUTLINE))
    elif strokes.halo:  # the renderer has no soft shadow; letters were legible by it
        outline = "#000000" if sum(strokes.fill) > 3 * 127 else "#ffffff"
        width = _FOR_HALO
    return replace(
        usual,
        face=face,
        fill=_hex(strokes.fill),
        outline=outline,
        outline_width=width,
        uppercase=is_upper(region.text) if region.text else locale.uppercase,
        max_size=float(np.clip(round(pixels / size[1], 4), *_SIZES)),
    )


def is_upper(text: str) -> bool:
    """Return whether a text is in capitals, as far as its script has them.

    >>> is_upper("ONE ONION, 2 LAMPS"), is_upper("One"), is_upper("12"), is_upper("一")
    (True, False, False, False)
    """
    upper = sum(unicodedata.category(char) == "Lu" for char in text)
    lower = sum(unicodedata.category(char) == "Ll" for char in text)
    # A reader takes a capital for a small letter now and then.
    return upper > 0 and lower <= 0.6 * upper


def alignment(region: TextRegion, size: tuple[int, int], locale: Locale) -> Align:
    """Return how the lines stand to each other; a single line is centred."""
    width, height = size
    middle = width / 2, height / 2
    spans = []
    for line in region.lines:
        level = turned(np.asarray(line.corners) * size, -region.angle, middle)
        spans.append((level[:, 0].min(), level[:, 0].max(), np.ptp(level[:, 1])))
    if len(spans) < 2:
        return "center"
    left, right, high = np.array(spans).T
    # Text in capitals, as posters have it, is hardly ever set flush to a side.
    near = (_SAME_MIDDLE if is_upper(region.text) else _SAME_EDGE) * float(np.median(high))
    spread = {"center": np.ptp(left + right) / 2, "start": np.ptp(left), "end": np.ptp(right)}
    if locale.direction == "rtl":
        spread["start"], spread["end"] = spread["end"], spread["start"]
    best: Align = min(("center", "start", "end"), key=lambda name: float(spread[name]))
    # Centred lines of about one length share their edges as well.
    return "center" if spread["center"] < near else best


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


@cache
def _fonts() -> FontLibrary:
    return FontLibrary()


def _face_and_size(
    region: TextRegion,
    strokes: Strokes,
    size: tuple[int, int],
    locale: Locale,
    faces: Sequence[FaceName],
) -> tuple[FaceName, float]:
    """Return the face whose measures fit best, and the font size in pixels."""
    high, across, tall = _measured_ink(region, strokes, size)
    text = max(region.lines, key=lambda line: line.extent(size)[0]).text
    best: tuple[float, FaceName, float] | None = None
    for face in faces:
        measured = _measure(text, locale, face)
        if measured is None:
            continue
        letter, width, line = measured
        by_height, by_width = high / letter, across / width
        if locale.script in _JOINED:
            fits = (face == "poster") == (strokes.outline is not None)
            # A text that was read too short would be set too large.
            off, pixels = 0.0 if fits else 1.0, min(by_width, tall / line)
        else:
            off = abs(float(np.log(by_height / by_width)))
            # Both err by some per cent; no text is to be larger than it was.
            pixels = max(min(by_height, by_width), _BY_WIDTH * by_height)
        if best is None or off < best[0]:
            best = off, face, pixels
    if best is None:
        return ("poster" if strokes.outline is not None else "plain"), high / 0.75
    return best[1], best[2]


def _measured_ink(
    region: TextRegion, strokes: Strokes, size: tuple[int, int]
) -> tuple[float, float, float]:
    """Return the height of capitals and ascenders, the length of the longest line's letters, and
    the usual height of a line's, with marks above and below, in pixels."""
    cv2 = opencv()
    stats = cv2.connectedComponentsWithStats(strokes.letters.astype(np.uint8))[2][1:]
    heights = stats[:, cv2.CC_STAT_HEIGHT]
    tall = heights[heights >= 0.4 * heights.max()] if len(heights) else np.array([1])
    rows, columns = np.nonzero(strokes.letters)
    points = np.stack([columns + strokes.left, rows + strokes.top], axis=1).astype(float)
    middle = size[0] / 2, size[1] / 2
    level = turned(points, -region.angle, middle)
    middles = [
        turned(np.asarray(line.corners) * size, -region.angle, middle)[:, 1].mean()
        for line in region.lines
    ]
    nearest = np.abs(level[:, 1:] - middles).argmin(axis=1)
    inks = [np.ptp(level[nearest == line, 1]) + 1 for line in np.unique(nearest)]
    across = float(np.ptp(level[:, 0])) + 1 if len(level) else 1.0
    return float(np.percentile(tall, _HIGH)), across, float(np.median(inks)) if inks else np.inf


def _measure(text: str, locale: Locale, face: FaceName) -> tuple[float, float, float] | None:
    """Return height of tall letters, width and height of a line in em; None without a face."""
    try:
        found = _fonts().stack(locale, face).font_for_all(text)
    except MemelocError:
        return None
    if found is None or not text:  # text that was seen and not read
        return None
    buffer = hb.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    hb.shape(found.font, buffer)
    advance = sum(position.x_advance for position in buffer.glyph_positions)
    extents = [found.font.get_glyph_extents(info.codepoint) for info in buffer.glyph_infos]
    drawn = [each for each in extents if each is not None and each.height]
    heights = np.array([-each.height for each in drawn])
    if not len(heights) or not advance:
        return None
    tall: npt.NDArray[np.int_] = heights[heights >= 0.4 * heights.max()]
    tops = [each.y_bearing for each in drawn]
    bottoms = [each.y_bearing + each.height for each in drawn]
    ink = max(tops) - min(bottoms)
    upem = found.upem
    return float(np.percentile(tall, _HIGH)) / upem, advance / upem, ink / upem
