"""A plain Pillow script. In: a scene. Out: its picture.

What is found in most scripts that make memes: try sizes from the largest downwards, wrap word by
word (sign by sign in Chinese), measure with `textbbox`, draw with `stroke_width`. Fonts are kept
once they are loaded.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from bench.peers import PixelBox, Stacks, pixel_boxes
from bench.scenes import Scene
from memeloc.model import Template
from memeloc.templates import open_picture

_SMALLEST = 8
_STEP = 2
"""Pixels from one size that is tried to the next."""


class PillowPeer:
    """Draws with ImageDraw alone."""

    name = "Pillow's ImageDraw"
    at_least = 8.0

    def __init__(self) -> None:
        self._stacks = Stacks()
        self._key_parts: dict[Template, Image.Image] = {}

    def draw(self, scene: Scene) -> Image.Image:
        """See `Peer.draw`."""
        background = self._key_parts.get(scene.template)
        if background is None:
            background = self._key_parts[scene.template] = open_picture(scene.template.image)
        image = background.copy()
        draw = ImageDraw.Draw(image)
        family = self._stacks.get(scene.locale).primary.source
        settings = tuple(sorted(family.poster.items()))
        between = "" if scene.locale.script in ("Hans", "Hani") else " "
        for text, box in zip(scene.drawn, pixel_boxes(scene.template, *image.size), strict=True):
            for size in range(int(box.largest), _SMALLEST - 1, -_STEP):
                font = load_font(family.path, family.index, settings, size)
                outline = box.outline * size
                lines = wrap(text, font, box.width - 2 * outline, between)
                left, top, right, bottom = draw.textbbox(
                    (0, 0), lines, font=font, stroke_width=outline, align="center"
                )
                if right - left <= box.width and bottom - top <= box.height:
                    break
            draw.text(
                _corner(box, left, top, right, bottom),
                lines,
                font=font,
                fill="white",
                stroke_fill="black",
                stroke_width=outline,
                align="center",
            )
        return image


def _corner(
    box: PixelBox, left: float, top: float, right: float, bottom: float
) -> tuple[float, float]:
    x = box.left + (box.width - (right - left)) / 2 - left
    y = (box.top + box.height - bottom) if box.below else (box.top - top)
    return x, y


def wrap(text: str, font: ImageFont.FreeTypeFont, width: float, between: str) -> str:
    """Fill lines with words until the next one would be too wide; the lines, one below another."""
    lines: list[str] = []
    line = ""
    for word in text.split() if between else list(text):
        longer = f"{line}{between}{word}" if line else word
        if line and font.getlength(longer) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return "\n".join([*lines, line])


@lru_cache(maxsize=512)
def load_font(
    path: Path, index: int, settings: tuple[tuple[str, float], ...], size: int
) -> ImageFont.FreeTypeFont:
    """The font at a size in pixels and at its poster weight."""
    font = ImageFont.truetype(str(path), size, index=index)
    if settings:
        wanted = dict(settings)
        axes = font.get_variation_axes()
        font.set_variation_by_axes(
            [wanted.get(_TAGS.get(_name(axis["name"]), ""), axis["default"] or 0) for axis in axes]
        )
    return font


_TAGS = {"Weight": "wght", "Width": "wdth"}


def _name(name: str | bytes | None) -> str:
    return name.decode() if isinstance(name, bytes) else name or ""
