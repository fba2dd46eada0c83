"""The workspace's pictures. In: bytes. Out: files in images/ named by their SHA-256, and rows.

A picture is on the disk, whole, before a row names it; one that is there already is not written
again. Files are written within the transaction that stores their rows, of which there is one at a
time. So a run can be killed at any time, and what no row names then is of a run that was killed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from io import BytesIO
from pathlib import Path
from typing import Any

from memeloc.errors import InputError

FOLDER = "images"
_PARTIAL = ".partial"
_OURS = re.compile(r"\.?([0-9a-f]{64})\.\w+")  # small copies for sheets have shorter names
_SUFFIXES = {name: f".{name.lower()}" for name in ("PNG", "GIF", "BMP", "WEBP", "AVIF")}


def picture_file(root: Path, sha256: str, format_: str) -> Path:
    """Return where a picture stands: images/ab/abcdef....jpg."""
    suffix = ".jpg" if format_ == "JPEG" else _SUFFIXES.get(format_, ".tif")
    return root / FOLDER / sha256[:2] / f"{sha256}{suffix}"


def describe(root: Path, content: bytes) -> dict[str, Any]:
    """Return a picture's row: SHA-256, Pillow's name of its format, pixels and bytes. Raise
    InputError if it is not a picture, is too large, or does not open."""
    # Pillow takes longer to import than most commands take that only count pictures.
    from PIL import Image

    from memeloc.templates.pictures import open_picture, picture_size

    sha256 = hashlib.sha256(content).hexdigest()
    width, height = picture_size(content)
    with Image.open(BytesIO(content)) as picture:
        format_ = picture.format or ""
    if not picture_file(root, sha256, format_).exists():
        open_picture(content, max_side=64)  # its header alone was read so far
    sizes = {"width": width, "height": height, "size": len(content)}
    return {"sha256": sha256, "format": format_, **sizes}


def write_picture(root: Path, sha256: str, format_: str, content: bytes) -> None:
    """Write a picture into images/, whole or not at all, unless it is there; raise InputError if it
    cannot be written."""
    file = picture_file(root, sha256, format_)
    if file.exists():
        return
    partial = file.with_name(f".{sha256}{_PARTIAL}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        partial.replace(file)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=file) from error


def remove_unnamed(root: Path, named: Collection[str]) -> int:
    """Delete the pictures in images/ but those with these SHA-256s, in a transaction that alone
    writes pictures; return how many files."""
    removed = 0
    for file in (root / FOLDER).glob("??/*"):
        match = _OURS.fullmatch(file.name)
        if match and (match[1] not in named or file.suffix == _PARTIAL):
            file.unlink(missing_ok=True)
            removed += 1
    return removed
