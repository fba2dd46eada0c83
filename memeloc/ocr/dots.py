"""Dots that are read as zeros. In: a line of a picture. Out: dots, if nothing else stands there.

`wait ......` on a poster is read as `000000`, `oo0o` or `७७७`. A dot is about as wide as it is high
and has no hole; a zero is high, an o has a hole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from PIL import Image
from scipy import ndimage

from memeloc.ocr.masks import cut_line, find_letters
from memeloc.ocr.protocol import Quad

_ROUND = re.compile(r"(?:[0oOоО०০๐٠٥ه७]|[^\w])+")
"""What dots are read as: round letters and digits, and any punctuation."""
_ASPECT = 0.75, 1.33
"""Height of a dot in widths: round, give or take a pixel of four."""
_FILL = 0.68
"""Least share of its box that a dot fills; of a disc it is 0.79."""
_SIZES = 1.5
"""Most ratio of the heights of two dots in a row."""
_FEWEST = 3  # two may be a colon, one a full stop


def may_be_dots(text: str) -> bool:
    """Return whether a reading may be one of dots."""
    return len(text) > 1 and _ROUND.fullmatch(text) is not None


def dots_at(picture: Image.Image, quad: Quad) -> str:
    """Return the dots in a part of a picture; empty when anything else stands there."""
    line = cut_line(picture, quad)
    return "" if line is None else dots_in(find_letters(line)[:-1])


def dots_in(masks: Sequence[Image.Image]) -> str:
    """Return the dots that a mask of a line's letters (black on white) has; empty when none has
    only dots.

    Fewer than three are no row of dots.
    """
    return max(map(_dots, masks), key=len, default="")


def _dots(mask: Image.Image) -> str:
    regions, count = ndimage.label(np.asarray(mask.convert("L")) < 128)
    if count < _FEWEST:
        return ""
    heights = []
    for number, place in enumerate(ndimage.find_objects(regions), 1):
        region = regions[place] == number
        height, width = region.shape
        is_round = _ASPECT[0] <= height / width <= _ASPECT[1] and region.mean() >= _FILL
        if not is_round or (ndimage.binary_fill_holes(region) != region).any():
            return ""
        heights.append(height)
    return "." * count if max(heights) <= _SIZES * min(heights) else ""
