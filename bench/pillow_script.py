"""A plain Pillow script. In: a JSON file, a folder, "fit" or nothing. Out: pictures in the folder.

What is found in most scripts that make memes: wrap word by word (sign by sign in Chinese), measure
with `textbbox`, draw with `stroke_width`, and try sizes from the largest downwards until the text
fits, or just take one size. Fonts are kept once they are loaded.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw, ImageFont

_SMALLEST = 8
_STEP = 2
"""Pixels from one size that is tried to the next."""


def draw(image: Image.Image, parts: list[dict[str, Any]], *, fit: bool) -> None:
    """Draw texts into their boxes, in sizes that fit, or all in half the largest.

    A part is the fields of a `PixelBox`, a text, what is between its words, and `load_font`'s font.
    """
    pen = ImageDraw.Draw(image)
    for part in parts:
        largest = int(part["largest"])
        for size in range(largest, _SMALLEST - 1, -_STEP) if fit else [largest // 2]:
            font = load_font(*part["font"], size)
            outline = part["outline"] * size
            lines = wrap(part["text"], font, part["width"] - 2 * outline, part["between"])
            style: dict[str, Any] = {"font": font, "stroke_width": outline, "align": "center"}
            left, top, right, bottom = pen.textbbox((0, 0), lines, **style)
            if right - left <= part["width"] and bottom - top <= part["height"]:
                break
        x = part["left"] + (part["width"] - (right - left)) / 2 - left
        y = part["top"] + (part["height"] - bottom if part["below"] else -top)
        pen.text((x, y), lines, fill="white", stroke_fill="black", **style)


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
def load_font(path: str, index: int, weight: int, width: int, size: int) -> Any:
    """The font at a size in pixels, and at a weight and width where it has them (else 0)."""
    font = ImageFont.truetype(path, size, index=index)
    if weight or width:
        wanted = {"Weight": weight, "Width": width}
        values: list[float] = [
            wanted.get((axis["name"] or b"").decode()) or axis["default"] or 0
            for axis in font.get_variation_axes()
        ]
        font.set_variation_by_axes(values)
    return font


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as stream:  # noqa: PTH123 - a plain script
        pictures = json.load(stream)
    for number, (file, parts) in enumerate(pictures):
        picture = Image.open(file).convert("RGB")
        draw(picture, parts, fit=bool(sys.argv[3:]))
        picture.save(f"{sys.argv[2]}/{number}.jpg", quality=90)
