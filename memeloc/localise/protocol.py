"""Records that the steps of localising hand on. In: entities. Out: regions, restorers, clean
pictures.

A finished meme is read (`TextRegion`s), its picture without the text is looked for in several ways
(`CleanPictureSource`s, the best first), of which the last restores what stood behind the text
(`Restorer`s).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from memeloc.model import Template

Pixels = npt.NDArray[np.uint8]
"""A picture: height x width x 3, RGB."""

Mask = npt.NDArray[np.bool_]
"""Height x width; True where something is meant."""

FractionBox = tuple[float, float, float, float]
"""x, y, width and height in fractions of the picture (origin at the top left), before it is turned
around its own middle: as `memeloc.model.TextBox` has them."""

How = Literal["template", "recovered", "restored"]
"""Where a clean picture comes from: a known template, several memes on one picture, or painted over
by a `Restorer`."""


@dataclass(frozen=True, slots=True)
class RegionLine:
    """A line of a region, as it was read.

    Attributes:
        corners: top left, top right, bottom right and bottom left of the text, as (x, y) in
            fractions of the picture, turned as the text is; with a little space around the ink.
        confidence: the reader's own, 0 to 1.
    """

    text: str
    corners: tuple[tuple[float, float], ...]
    confidence: float = 1.0

    def extent(self, size: tuple[int, int]) -> tuple[float, float]:
        """Return its length and height in pixels of a picture of a width and height."""
        left_top, right_top, _, left_bottom = np.asarray(self.corners) * size
        return float(np.hypot(*(right_top - left_top))), float(np.hypot(*(left_bottom - left_top)))


@dataclass(frozen=True, slots=True)
class TextRegion:
    """A block of text in a picture: what becomes a part of the caption and a box of the template.

    Attributes:
        box: around the lines; once the letters are known, around their ink, outlines included.
        angle: how far the box is turned around its middle, in degrees, clockwise.
        lines: in reading order.
        text: of all lines, joined as the script has it; empty where text was seen and not read.
        confidence: the mean over the characters, 0 to 1.
    """

    box: FractionBox
    angle: float
    lines: tuple[RegionLine, ...]
    text: str
    confidence: float


class Restorer(Protocol):
    """Painter of what stood behind the text.

    - `restore(picture, mask)` returns a new picture of the same size; it changes no pixel outside
      the mask, and neither of its arguments.
    - The same picture and mask give the same result.
    - Making one may load a model; what is not installed is a MissingError with the pip line.

    A package outside adds one through the entry point group `memeloc.restorers`: its value is a
    callable that returns a restorer.
    """

    name: str

    def restore(self, picture: Pixels, mask: Mask) -> Pixels:
        """Return the picture (RGB) with what is masked painted anew."""


@dataclass(frozen=True)
class FinishedMeme:
    """A picture with text in it, opened.

    Attributes:
        name: what it is called in tables and folders: safe as a file name.
        path: the file.
        sha256: of the file, in hex.
        regions: its text, in reading order, without what is excluded.
    """

    name: str
    path: Path
    sha256: str
    pixels: Pixels = field(repr=False)
    regions: tuple[TextRegion, ...] = ()


@dataclass(frozen=True)
class CleanPicture:
    """A meme's picture without its text.

    Attributes:
        pixels: of the size of the meme, unless a known template's own picture is taken.
        how: where it comes from.
        by: what it was made by: the template's name, the names of the memes, or the restorer's.
        template: the known template, whose boxes and captions are used instead of new ones; None
            of other ways.
        uncertain: where nobody can tell what stood there; None where nothing is known of it.
    """

    pixels: Pixels = field(repr=False)
    how: How
    by: str
    template: Template | None = None
    uncertain: Mask | None = field(default=None, repr=False)


class CleanPictureSource(Protocol):
    """A way to a meme's clean picture; several are asked in turn, and the first answer is taken."""

    def find(self, meme: FinishedMeme, mask: Mask) -> CleanPicture | None:
        """Return the picture without text, or None where this way does not lead to it.

        `mask` is True on the letters of the meme's regions, their outlines and rims included.
        """
