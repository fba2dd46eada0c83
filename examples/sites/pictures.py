"""The pictures of the example sites. In: a name. Out: JPEGs, the same in every run.

Each is a scene of sky, ground and a few large shapes, drawn from its name, so that two names never
look alike to a perceptual hash while two sizes of one do.
"""

from __future__ import annotations

import io
import random
import tempfile
import threading
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter

from memeloc.model import Caption, Template, TextBox

SIDE = (600, 480)
_BOXES = (
    TextBox("top", 0.03, 0.02, 0.94, 0.25),
    TextBox("bottom", 0.03, 0.73, 0.94, 0.25, valign="bottom"),
)
_renderer = threading.Lock()


@lru_cache(maxsize=256)
def scene(name: str) -> Image.Image:
    """The scene of a name, at full size."""
    dice = random.Random(name)
    width, height = SIDE
    picture = Image.new("RGB", SIDE, _colour(dice, 90, 230))
    draw = ImageDraw.Draw(picture)
    horizon = int(height * dice.uniform(0.25, 0.8))
    draw.rectangle((0, horizon, width, height), fill=_colour(dice, 20, 180))
    for _ in range(6):
        x, y = dice.uniform(0, width), dice.uniform(0, height)
        wide, high = dice.uniform(70, 240), dice.uniform(70, 240)
        place = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        fill = _colour(dice, 0, 255)
        shape = dice.choice(("ellipse", "box", "triangle"))
        if shape == "ellipse":
            draw.ellipse(place, fill=fill)
        elif shape == "box":
            draw.rectangle(place, fill=fill)
        else:
            left, top, right, bottom = place
            draw.polygon(((left, bottom), (right, bottom), ((left + right) / 2, top)), fill=fill)
    # Speckles: a picture without detail counts as blurred.
    for _ in range(500):
        x, y = dice.uniform(0, width), dice.uniform(0, height)
        draw.rectangle((x, y, x + 3, y + 3), fill=_colour(dice, 0, 255))
    return picture


def _colour(dice: random.Random, least: int, most: int) -> tuple[int, int, int]:
    red, green, blue = (dice.randint(least, most) for _ in range(3))
    return red, green, blue


@lru_cache(maxsize=256)
def blank(name: str, *, width: int = SIDE[0], quality: int = 88, blur: float = 0.0) -> bytes:
    """A template's picture as JPEG.

    Args:
        name: of the scene.
        width: in pixels; the height follows.
        quality: of the JPEG, 1 to 95.
        blur: radius of a Gaussian blur in pixels of the full size; 0 is none.
    """
    picture = scene(name)
    if blur:
        picture = picture.filter(ImageFilter.GaussianBlur(blur))
    return _jpeg(picture, width, quality)


@lru_cache(maxsize=512)
def meme(
    name: str, parts: tuple[str, ...], language: str, *, width: int = SIDE[0], quality: int = 88
) -> bytes:
    """A finished meme as JPEG: the scene with its text, rendered by memeloc."""
    from memeloc.render import Renderer

    with _renderer, tempfile.TemporaryDirectory(prefix="memeloc-sites-") as folder:
        image = Path(folder) / "picture.png"
        scene(name).save(image)
        template = Template("scene", image, _BOXES)
        rendered = Renderer().render(template, Caption(parts), language)
        return _jpeg(rendered.image.convert("RGB"), width, quality)


def _jpeg(picture: Image.Image, width: int, quality: int) -> bytes:
    if width != picture.width:
        height = max(1, round(picture.height * width / picture.width))
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=quality)
    return stream.getvalue()
