"""Finished memes of which all is known: the picture, its text, its letters, the lines as read."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from memeloc.locales import default
from memeloc.localise.protocol import Mask, Pixels
from memeloc.model import STYLES, Caption, Template, TextBox, TextStyle
from memeloc.ocr.protocol import Line
from memeloc.render import Renderer
from memeloc.render.proof import PartProof

EN = default().get("en")
SIZE = (480, 360)


@dataclass(frozen=True)
class Drawn:
    clean: Pixels
    meme: Pixels
    letters: Mask
    lines: list[Line]
    parts: tuple[PartProof, ...]


def gradient(size: tuple[int, int] = SIZE) -> Image.Image:
    width, height = size
    down, across = np.mgrid[0:height, 0:width]
    levels = np.stack([60 + 120 * across / width, 160 - 60 * down / height, 90 + 0 * down], axis=-1)
    return Image.fromarray(levels.astype(np.uint8))


def stripes(size: tuple[int, int] = SIZE) -> Image.Image:
    width, height = size
    down, across = np.mgrid[0:height, 0:width]
    light = ((across + down) // 30 % 2)[..., None] * np.array([120, 60, 90])
    return Image.fromarray((light + np.array([70, 90, 60])).astype(np.uint8))


def plain(colour: str = "#f4f0e0", size: tuple[int, int] = SIZE) -> Image.Image:
    return Image.new("RGB", size, colour)


def box(y: float = 0.05, height: float = 0.3, **style: Any) -> TextBox:
    kind: Any = style.pop("kind", "poster")
    angle = style.pop("angle", 0.0)
    values = {**{name: getattr(STYLES[kind], name) for name in STYLES[kind].__slots__}, **style}
    return TextBox(f"at {y}", 0.05, y, 0.9, height, angle=angle, style=TextStyle(**values))


def drawn(ground: Image.Image, text: str, *boxes: TextBox, folder: Path, quality: int = 0) -> Drawn:
    """A meme; with a quality it went through a JPEG."""
    path = folder / "ground.png"
    ground.save(path)
    template = Template("drawn", path, boxes or (box(0.05), box(0.65)))
    made = Renderer().render(template, Caption.parse(text), EN)
    picture = made.image
    letters = np.any(np.asarray(picture) != np.asarray(ground), axis=-1)
    if quality:
        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=quality)
        picture = Image.open(stream).convert("RGB")
    lines = [
        line
        for part, where in zip(made.proof.parts, template.boxes, strict=False)
        for line in _lines(part, where.angle)
    ]
    return Drawn(np.asarray(ground), np.asarray(picture), letters, lines, made.proof.parts)


def _lines(part: PartProof, angle: float) -> list[Line]:
    """The lines of a part about as a reader finds them."""
    if part.ink is None:
        return []
    left, top, right, bottom = part.ink
    if angle:
        return []
    height = (bottom - top) / len(part.lines)
    room = 0.08 * height
    made = []
    for index, text in enumerate(part.lines):
        edges = left - room, top + index * height - room, right + room, top + (index + 1) * height
        x, y, end, low = (max(0.0, float(edge)) for edge in edges)
        corners = ((x, y), (end, y), (end, low), (x, low))
        made.append(Line(text.upper(), (x, y, end, low), 0.98, corners=corners))
    return made


def psnr(picture: Pixels, truth: Pixels, where: Mask) -> float:
    """Peak signal-to-noise ratio in dB, within a mask."""
    error = np.mean((picture[where].astype(float) - truth[where]) ** 2)
    return float(10 * np.log10(255**2 / max(error, 1e-9)))
