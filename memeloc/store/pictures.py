"""The workspace's pictures. In: bytes. Out: files in images/ named by their SHA-256, and rows.

A picture is on the disk, whole, before a row names it; one that is there already is not written
again. So a run can be killed between any two pictures.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import Connection

from memeloc.errors import InputError
from memeloc.store.database import add_rows
from memeloc.store.tables.items import pictures

FOLDER = "images"
_SUFFIXES = {"JPEG": ".jpg", "PNG": ".png", "GIF": ".gif", "BMP": ".bmp", "WEBP": ".webp"}
_OTHER = ".tif"


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
    return root / FOLDER / sha256[:2] / f"{sha256}{_SUFFIXES.get(format_, _OTHER)}"


def write_picture(root: Path, content: bytes) -> StoredPicture:
    """Write a picture into images/, whole or not at all.

    Raises:
        InputError: it is not a picture, or too large.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    folder = root / FOLDER / sha256[:2]
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in (*_SUFFIXES.values(), _OTHER):
        there = folder / f"{sha256}{suffix}"
        if there.exists():
            return _described(there, sha256, len(content))
    partial = folder / f".{sha256}.{os.getpid()}"
    try:
        partial.write_bytes(content)
        described = _described(partial, sha256, len(content))
        partial.replace(picture_file(root, sha256, described.format))
    except InputError as error:
        raise InputError(error.message) from error  # the temporary file's name says nothing
    finally:
        partial.unlink(missing_ok=True)
    return described


def _described(path: Path, sha256: str, size: int) -> StoredPicture:
    # Pillow takes longer to import than most commands take that only count pictures.
    from PIL import Image

    from memeloc.templates.pictures import picture_size

    width, height = picture_size(path)
    with Image.open(path) as picture:
        return StoredPicture(sha256, picture.format or "", width, height, size)


def add_pictures(connection: Connection, stored: Iterable[StoredPicture]) -> None:
    """Add rows for pictures that have none yet."""
    add_rows(connection, pictures, [asdict(picture) for picture in stored], ["sha256"])
