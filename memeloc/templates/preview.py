"""The view of a template's boxes. In: a template. Out: its picture with the boxes over it."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.model import Template
from memeloc.templates.definition import turned_corners
from memeloc.templates.pictures import open_picture

_COLOURS = ("#d7263d", "#1b6ca8", "#1e8449", "#8e44ad", "#b9770e", "#117a8b")

PREVIEW_BAR = 0.2
"""Height of a bar in a preview, as a share of the picture's."""


def preview(template: Template) -> Image.Image:
    """Return the template's picture with its boxes drawn over it, each with its number and name.

    Bars stand above and below it, `PREVIEW_BAR` of its height or as high as they may be.

    Raises:
        InputError: the picture cannot be read.
    """
    picture = open_picture(template.image)
    width, height = picture.size
    bars = {box.bar.side: box.bar for box in template.boxes if box.bar}
    heights = {side: round(min(PREVIEW_BAR, bar.most) * height) for side, bar in bars.items()}
    top = heights.get("top", 0)
    whole = Image.new("RGB", (width, height + sum(heights.values())))
    for side, bar in bars.items():
        y = 0 if side == "top" else top + height
        whole.paste(bar.colour, (0, y, width, y + heights[side]))
    whole.paste(picture, (0, top))
    line, font_size = max(2, min(whole.size) // 160), max(12, min(whole.size) // 28)
    layer = Image.new("RGBA", whole.size)
    draw = ImageDraw.Draw(layer)
    for number, box in enumerate(template.boxes, 1):
        start, share = float(top), 1.0
        if box.bar:
            start = 0.0 if box.bar.side == "top" else float(top + height)
            share = heights[box.bar.side] / (box.height * height)
        corners = [
            (x * width, start + y * height * share) for x, y in turned_corners(box, picture.size)
        ]
        colour = _COLOURS[(number - 1) % len(_COLOURS)]
        draw.polygon(corners, fill=f"{colour}40", outline=colour, width=line)
        across, down = (max(0, value) + 2 * line for value in corners[0])
        draw.text(
            (min(across, width - font_size), min(down, whole.height - font_size)),
            f"{number} {box.name}",
            "#ffffff",
            font=ImageFont.load_default(font_size),
            stroke_width=line,
            stroke_fill=colour,
        )
    return Image.alpha_composite(whole.convert("RGBA"), layer).convert("RGB")


def write_preview(template: Template, path: str | Path) -> None:
    """Write `preview` as a PNG to `path`, which then is there whole or not at all.

    Raises:
        InputError: the picture cannot be read, or the file cannot be written.
    """
    path, picture = Path(path), preview(template)
    if path.is_dir():
        raise InputError("is a folder; give the name of a file", file=path)
    with replacing(path) as temporary:
        picture.save(temporary, "PNG")
