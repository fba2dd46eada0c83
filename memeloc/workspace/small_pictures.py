"""Small copies of pictures, for sheets and pages. In: picture files. Out: JPEG files in images/."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from memeloc.errors import InputError

_QUALITY = 80


def small_copy(picture: Path, side: int, folder: Path) -> Path | None:
    """A picture's small copy, made when it is not there yet; None when it cannot be opened.

    Args:
        picture: a file that is named for its content.
        side: pixels of the copy's longer side, at most.
        folder: where copies are kept.
    """
    from PIL import Image

    from memeloc.templates.pictures import open_picture

    name = hashlib.sha256(f"{picture.stem}|{side}|small".encode()).hexdigest()[:32]
    path = folder / name[:2] / f"{name}.jpg"
    if path.is_file():
        return path
    try:
        image = open_picture(picture).convert("RGB")
    except InputError:
        return None
    image.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=None)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}")
    image.save(temporary, "JPEG", quality=_QUALITY, dpi=(96, 96))
    temporary.replace(path)
    return path
