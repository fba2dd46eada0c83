"""The interface of readers of pictures. In: pictures, a locale. Out: `Line`s and their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from memeloc.model import Locale

Quad = npt.NDArray[np.float64]
"""Four corners (x, y) in pixels: top left, top right, bottom right, bottom left of the text."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels of the picture."""

Corners = tuple[tuple[float, float], ...]
"""The same as a `Quad`, in plain numbers."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, or a piece of one, as it was read.

    Attributes:
        text: in logical order.
        box: around it, upright, with about a fifth of its height to spare above and below.
        confidence: the reader's own, 0 to 1.
        doubtful: letters within it or beside it were not read, or its words were read in another
            order than they stand in.
        corners: of the line, turned as it is; empty where the reader knows only its box.
    """

    text: str
    box: Box
    confidence: float
    doubtful: bool = False
    corners: Corners = ()


def mean_confidence(lines: Sequence[Line]) -> float:
    """Return the mean over the characters, 0 to 1; 0 when there are none."""
    total = sum(len(line.text) * line.confidence for line in lines)
    return total / max(1, sum(len(line.text) for line in lines))


class Reader(Protocol):
    """Reader of the text of pictures.

    - Making one loads nothing but what it needs to answer `lacks`, and never fetches anything: what
      is not installed is a MissingError with the line that installs it.
    - `lacks(locale)` says in a sentence why it cannot read a locale, or nothing when it can.
    - `read(pictures, locale)` gives one list a picture, in their order, of lines in any order. A
      picture without text gives an empty list. It raises ServiceError when the program failed.
    - The same picture gives the same lines, whatever pictures are read with it.

    A package outside adds one through the entry point group `memeloc.readers`: its value is a
    callable without arguments that returns a reader.
    """

    name: str
    version: str

    def lacks(self, locale: Locale) -> str:
        """Return why it cannot read a locale; empty when it can."""

    def read(self, pictures: Sequence[Image.Image], locale: Locale) -> list[list[Line]]:
        """Return the lines of each picture (RGB)."""
