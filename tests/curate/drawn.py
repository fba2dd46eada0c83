"""Pictures for the tests of deduplication, drawn from a seed."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image, ImageDraw


def draw_picture(seed: int, width: int = 500, height: int = 400) -> Image.Image:
    """Soft shapes and a little grain: a stand-in for a photograph, another for each seed."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (6, 8, 3), dtype=np.uint8)
    picture = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
    draw = ImageDraw.Draw(picture)
    for _ in range(6):
        x, y = random.integers(0, width), random.integers(0, height)
        radius = int(random.integers(10, max(11, min(width, height) // 4)))
        colour = tuple(int(value) for value in random.integers(0, 256, 3))
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
    grain = random.normal(0, 3, (height, width, 1))
    pixels = np.asarray(picture, dtype=np.float64) + grain
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def as_jpeg(picture: Image.Image, quality: int = 85) -> bytes:
    """The picture as a JPEG file."""
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=quality)
    return stream.getvalue()


def as_png(picture: Image.Image) -> bytes:
    """The picture as a PNG file."""
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def png_that_claims(width: int, height: int, rows: bytes = b"\0" * 1000) -> bytes:
    """A PNG whose header announces any size, with a few bytes of its rows."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body
