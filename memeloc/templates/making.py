"""Making templates. In: a picture or a template. Out: a new folder, or a view of the boxes."""

from __future__ import annotations

from pathlib import Path

import tomli_w
from PIL import Image, ImageDraw, ImageFont

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.model import STYLES, Bar, Template, TextBox, check_tag_name
from memeloc.templates.definition import turned_corners
from memeloc.templates.loading import DEFINITION, TOP_BOTTOM
from memeloc.templates.names import name_from
from memeloc.templates.pictures import open_picture
from memeloc.templates.writing import boxes_toml, encode, plain, put_folder

_COLOURS = ("#d7263d", "#1b6ca8", "#1e8449", "#8e44ad", "#b9770e", "#117a8b")


def _box(name: str, x: float, y: float, width: float, height: float) -> TextBox:
    return TextBox(name, x, y, width, height, valign="bottom")


LAYOUTS: dict[str, tuple[TextBox, ...]] = {
    "top-bottom": TOP_BOTTOM,
    "caption": (_box("caption", 0.03, 0.73, 0.94, 0.25),),
    "side-by-side": (
        _box("left", 0.02, 0.73, 0.46, 0.25),
        _box("right", 0.52, 0.73, 0.46, 0.25),
    ),
    "bar": (TextBox("caption", 0.04, 0.0, 0.92, 0.5, style=STYLES["plain"], bar=Bar("top")),),
    "four": (
        _box("one", 0.02, 0.34, 0.46, 0.15),
        _box("two", 0.52, 0.34, 0.46, 0.15),
        _box("three", 0.02, 0.84, 0.46, 0.15),
        _box("four", 0.52, 0.84, 0.46, 0.15),
    ),
}
"""Boxes to begin with, as they are written into a new template.toml."""

PREVIEW_BAR = 0.2
"""Height of a bar in a preview, as a share of the picture's."""

_HEAD = """\
# A template of memeloc: a picture and the boxes that hold its text.

{title}# What the picture shows, in a sentence or two, for translators.
description = ""
keywords = []
image = "{image}"
# Where the picture is from, and under what terms.
source = ""
licence = ""

# One [[box]] for each part of a caption, in their order. x, y, width and height are fractions of
# the picture, from its top left. What a box may also have:
#   angle = 0            degrees, clockwise, around its middle
#   align = "center"     start, left, center, right, end (start and end follow the script)
#   valign = "middle"    top, middle, bottom
#   style = "poster"     poster (heavy, outlined), bubble (dark, centred), plain (dark, for chats),
#                        comic (friendly handwriting, outlined)
#   mirror = false       true: on the other side in right-to-left languages
#   bar = "top"          top or bottom: in place of y and height; a bar that grows with its text
# and, to change its style:
#   fill = "#ffffff"     outline = "#000000"     outline_width = 0.06     uppercase = true
#   face = "poster"      max_size = 0.15 (of the picture's height)        line_spacing = 1.0

"""


def add_template(
    image: Path, to: Path, *, name: str | None = None, layout: str = "top-bottom"
) -> Path:
    """Make a template of a picture: the folder `to`/NAME with the picture and a template.toml.

    It is called as the picture where no name is given, and has the boxes of a key of `LAYOUTS`.
    The picture is written anew, as by `write_template`.

    Raises:
        InputError: the picture cannot be read, the name is wrong, there is no such layout, or a
            template of that name is there already (it is never written over).
    """
    if layout not in LAYOUTS:
        raise InputError(f"there are no boxes {layout!r}; known are {', '.join(LAYOUTS)}")
    chosen = name_from(image) if name is None else check_tag_name(name, "a template's name")
    folder = to / chosen
    if folder.exists():
        raise InputError("is there already; choose another name", file=folder)
    picture = open_picture(image)
    file, encoded = encode(picture, image.read_bytes())
    title = (name or image.stem).replace("-", " ").replace("_", " ").strip().capitalize()
    text = _HEAD.format(title=tomli_w.dumps({"title": plain(title)}), image=file)
    text += boxes_toml(LAYOUTS[layout])
    put_folder(folder, {file: encoded, DEFINITION: text.encode()})
    return folder


def preview(template: Template) -> Image.Image:
    """The template's picture with its boxes drawn over it, each with its number and name.

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
    """The picture with its bars, and the corners of each box in pixels of that."""
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


def write_preview(template: Template, path: Path) -> None:
    """Write `preview` as a PNG to `path`, which then is there whole or not at all.

    Raises:
        InputError: the picture cannot be read, or the file cannot be written.
    """
    picture = preview(template)
    if path.is_dir():
        raise InputError("is a folder; give the name of a file", file=path)
    with replacing(path) as temporary:
        picture.save(temporary, "PNG")
