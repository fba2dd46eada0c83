"""What memeloc is compared with. In: a scene. Out: its picture, by other means.

A peer gets the same font files at the same weights, the same boxes, largest sizes and outline
widths, and text that is in its final case already. It neither proves, nor hashes, nor writes a
file: the comparison leaves that to memeloc alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

from PIL import Image

from bench.scenes import Scene
from memeloc.fonts import FontLibrary, FontStack
from memeloc.model import Locale, Template


class Peer(Protocol):
    """Another way to make the picture of a scene.

    Attributes:
        name: for the table.
        at_least: how many times faster memeloc is to be, if it is held to that.
    """

    name: str
    at_least: float | None

    def draw(self, scene: Scene) -> Image.Image:
        """The picture, at the size of its template, ready to be encoded."""


@dataclass(frozen=True, slots=True)
class PixelBox:
    """A text box in pixels.

    Attributes:
        left, top, width, height: the region.
        below: whether the text stands at the region's foot, not at its head.
        largest: the largest font size.
        outline: its width outside the letters, in ems.
    """

    left: float
    top: float
    width: float
    height: float
    below: bool
    largest: float
    outline: float


def pixel_boxes(template: Template, width: int, height: int) -> list[PixelBox]:
    """A template's boxes in pixels of a picture of the given size."""
    return [
        PixelBox(
            box.x * width,
            box.y * height,
            box.width * width,
            box.height * height,
            box.valign == "bottom",
            box.style.max_size * height,
            box.style.outline_width,
        )
        for box in template.boxes
    ]


class Stacks:
    """The poster font stack of each locale, as memeloc has it."""

    def __init__(self) -> None:
        self._library = FontLibrary()

    def get(self, locale: Locale) -> FontStack:
        """The stack of a locale."""
        return self._library.stack(locale, "poster")


def peers() -> tuple[list[Peer], list[str]]:
    """The peers that are installed, and a sentence for each that is not."""
    from bench.pillow_peer import PillowPeer

    drawing: list[Peer] = []
    lacking = []
    packages = ("cairocffi", "pangocffi", "pangocairocffi")
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        lacking.append(f"Pango with Cairo is not compared: pip install {' '.join(missing)}")
    else:
        try:
            from bench.pango_peer import PangoPeer

            drawing.append(PangoPeer())
        except OSError as error:
            lacking.append(
                f"Pango with Cairo is not compared ({error}): "
                "apt install libpango-1.0-0 libpangocairo-1.0-0 libcairo2"
            )
    drawing += [PillowPeer(), PillowPeer(fit=False)]
    return drawing, lacking
