"""Memes that tests read, drawn by the renderer and worn as those that go round."""

from __future__ import annotations

import io
import shutil

import pytest
from PIL import Image

from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.model import Caption
from memeloc.ocr import tesseract
from memeloc.render import Renderer
from memeloc.templates import load_templates


def needs(*models: str) -> None:
    if shutil.which("tesseract") is None or not set(models) <= tesseract.installed_models()[1]:
        pytest.skip("; ".join(map(tesseract.how_to_get, models)))


def meme(
    template: str, text: str, tag: str, *, scale: float = 1.0, quality: int = 80
) -> Image.Image:
    """A meme, scaled, after a JPEG."""
    templates, _ = load_templates()
    made = Renderer(FontLibrary()).render(
        templates[template], Caption.parse(text), default().get(tag)
    )
    size = round(made.image.width * scale), round(made.image.height * scale)
    stream = io.BytesIO()
    made.image.convert("RGB").resize(size).save(stream, "JPEG", quality=quality)
    return Image.open(stream).convert("RGB")
