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
    picture, places = _with_bars(template, open_picture(template.image))
    width, height = picture.size
    line = max(2, min(picture.size) // 160)
    font = ImageFont.load_default(max(12, min(picture.size) // 28))
    layer = Image.new("RGBA", picture.size)
    draw = ImageDraw.Draw(layer)
    for number, (box, corners) in enumerate(zip(template.boxes, places, strict=True), 1):
        colour = _COLOURS[(number - 1) % len(_COLOURS)]
        draw.polygon(corners, fill=f"{colour}40", outline=colour, width=line)
        text = f"{number} {box.name}"
        left, top, right, bottom = draw.textbbox((0, 0), text, font=font)
        across, down = corners[0]
        across = min(max(across, 0), max(0, width - (right - left) - 4 * line))
        down = min(max(down, 0), max(0, height - (bottom - top) - 4 * line))
        draw.rectangle(
            (across, down, across + right - left + 4 * line, down + bottom - top + 4 * line),
            fill=colour,
        )
        draw.text((across + 2 * line - left, down + 2 * line - top), text, "#ffffff", font=font)
    return Image.alpha_composite(picture.convert("RGBA"), layer).convert("RGB")


def _with_bars(
    template: Template, picture: Image.Image
) -> tuple[Image.Image, list[list[tuple[float, float]]]]:
    """Return the picture with its bars, and the corners of each box in pixels of that."""
    width, height = picture.size
    bars = {box.bar.side: box.bar for box in template.boxes if box.bar}
    top, bottom = (
        round(min(PREVIEW_BAR, bars[side].most) * height) if side in bars else 0
        for side in ("top", "bottom")
    )
    whole = Image.new("RGB", (width, top + height + bottom), "white")
    for bar, place in ((bars.get("top"), (0, 0)), (bars.get("bottom"), (0, top + height))):
        if bar is not None:
            whole.paste(Image.new("RGB", (width, whole.height - place[1]), bar.colour), place)
    whole.paste(picture, (0, top))
    places = []
    for box in template.boxes:
        start, share = top, 1.0
        if box.bar:
            shown = top if box.bar.side == "top" else bottom
            start = 0 if box.bar.side == "top" else top + height
            share = shown / (box.height * height)
        corners = turned_corners(box, picture.size)
        places.append([(x * width, start + y * height * share) for x, y in corners])
    return whole, places


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
