"""Memes on one made picture, as they go round. In: a picture, captions. Out: pictures, files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from bench.backgrounds import make_background
from memeloc.localise.protocol import Pixels
from memeloc.model import Template, TextBox
from memeloc.render import Renderer

SIZE = 420, 320
CAPTIONS = ("tea // again", "the printer // has opinions today", "rain // it said sun", "// ok")
BOXES = (
    TextBox("top", 0.03, 0.02, 0.94, 0.2, valign="top"),
    TextBox("bottom", 0.03, 0.78, 0.94, 0.2, valign="bottom"),
)


def psnr(first: Pixels, second: Pixels) -> float:
    error = float(np.mean((first.astype(float) - second) ** 2))
    return float(10 * np.log10(255**2 / max(error, 1e-9)))


def draw_memes(folder: Path, kind: str, seed: int, captions: Sequence[str]) -> list[Image.Image]:
    file = folder / f"{kind}-{seed}.png"
    Image.fromarray(make_background(kind, SIZE, seed)).save(file)
    renderer = Renderer()
    template = Template(file.stem, file, BOXES)
    return [renderer.render(template, text, "en").image.convert("RGB") for text in captions]


def save(images: Sequence[Image.Image], folder: Path, name: str) -> list[Path]:
    paths = [folder / f"{name}-{number}.jpg" for number in range(len(images))]
    for image, path in zip(images, paths, strict=True):
        image.save(path, quality=92)
    return paths


def worn(images: Sequence[Image.Image]) -> list[Image.Image]:
    """One with a mark, one scaled, one cropped, one below a bar."""
    marked, scaled, cropped, barred = (image.copy() for image in images)
    ImageDraw.Draw(marked).text((300, 150), "cats.example", fill="#dddddd")
    scaled = scaled.resize((336, 256), Image.Resampling.BICUBIC)
    cropped = cropped.crop((8, 10, 414, 320))
    with_bar = Image.new("RGB", (SIZE[0], SIZE[1] + 40), "white")
    with_bar.paste(barred, (0, 40))
    return [marked, scaled, cropped, with_bar]
