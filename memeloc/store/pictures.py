"""The workspace's pictures. In: bytes. Out: files in images/ named by their SHA-256, and rows.

A picture is on the disk, whole, before a row names it; one that is there already is not written
again. So a run can be killed between any two pictures.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from memeloc.files import replacing

FOLDER = "images"
_SUFFIXES = {"JPEG": ".jpg", "PNG": ".png", "GIF": ".gif", "BMP": ".bmp", "WEBP": ".webp"}


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A picture in images/: its SHA-256, Pillow's name of its format, pixels and bytes."""

    sha256: str
    format: str
    width: int
    height: int
    size: int


def picture_file(root: Path, sha256: str, format_: str) -> Path:
    """Where a picture stands: images/ab/abcdef....jpg."""
    return root / FOLDER / sha256[:2] / f"{sha256}{_SUFFIXES.get(format_, '.tif')}"


def describe(content: bytes) -> StoredPicture:
    """A picture's hash, format and sizes.

    Raises:
        InputError: it is not a picture, or too large.
    """
    # Pillow takes longer to import than most commands take that only count pictures.
    from PIL import Image

    from memeloc.templates.pictures import picture_size

    sha256 = hashlib.sha256(content).hexdigest()
    width, height = picture_size(content)
    with Image.open(BytesIO(content)) as picture:
        return StoredPicture(sha256, picture.format or "", width, height, len(content))


def write_picture(root: Path, picture: StoredPicture, content: bytes) -> None:
    """Write a picture into images/, whole or not at all; one that is there stays.

    Raises:
        InputError: it cannot be written.
    """
    file = picture_file(root, picture.sha256, picture.format)
    if not file.exists():
        with replacing(file) as partial:
            partial.write_bytes(content)
