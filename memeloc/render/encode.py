"""Pictures as files. In: a finished picture. Out: the bytes of a file, and a file that is whole.

A file appears under its final name only when it is complete: it is written beside it under a name
that begins with a dot and ends with `TEMPORARY`, and renamed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from memeloc.errors import InputError, MissingError
from memeloc.files import naming

if TYPE_CHECKING:
    from PIL.Image import Image

Format = Literal["jpg", "png", "webp", "avif"]
"""The kinds of file, and their suffixes."""
FORMATS: tuple[Format, ...] = get_args(Format)

AVIF_SPEED = 8
"""Of libavif, 0 to 10: at 8 a picture takes a quarter of a second and is a tenth larger than at 6,
which takes a second."""

TEMPORARY = ".memeloc-tmp"
"""How the name of an unfinished file ends."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How pictures are made, besides template, caption, locale and fonts.

    Raises MissingError for AVIF where Pillow was built without it.

    Attributes:
        format: kind of file.
        quality: 1 to 100, of JPEG, WebP and AVIF; PNG loses nothing and has none.
        max_side: the longer side in pixels that a larger picture is scaled down to; None keeps it.
        parity: whether each meme is set at one size in all languages.
    """

    format: Format = "jpg"
    quality: int = 90
    max_side: int | None = None
    parity: bool = False

    def __post_init__(self) -> None:
        file_format(self.format)
        if self.format == "avif" and not _writes_avif():
            raise MissingError(
                "The installed Pillow cannot write AVIF: pip install --upgrade pillow; or choose "
                "another format."
            )
        if not 1 <= self.quality <= 100:
            raise InputError(f"The quality is 1 to 100, not {self.quality}.")
        if self.max_side is not None and self.max_side < 16:
            raise InputError(f"The longer side has 16 pixels at least, not {self.max_side}.")

    def __str__(self) -> str:
        """All of it as text, equal for equal pictures: part of what a picture's inputs hash to."""
        quality = "" if self.format == "png" else self.quality
        return f"{self.format} {quality} {self.max_side or ''} {'parity' * self.parity}"


def _writes_avif() -> bool:
    from PIL import features

    return bool(features.check("avif"))


def file_format(name: str) -> Format:
    """The kind of file of that name.

    Raises:
        InputError: there is no such kind.

    >>> file_format("JPEG")
    'jpg'
    """
    wanted = name.lower().replace("jpeg", "jpg")
    if wanted not in FORMATS:
        raise InputError(f"A picture's format is one of {', '.join(FORMATS)}, not {name!r}.")
    return wanted


def encode(image: Image, settings: Settings) -> bytes:
    """The picture as the bytes of a file.

    A JPEG has a restart marker after each row of blocks, see `memeloc.render.jpeg`.
    """
    buffer = BytesIO()
    if settings.format == "jpg":
        image.save(buffer, "JPEG", quality=settings.quality, restart_marker_rows=1)
        return buffer.getvalue()
    if image.mode != "RGB":
        image = image.convert("RGB")
    if settings.format == "png":
        image.save(buffer, "PNG", compress_level=6)
    elif settings.format == "webp":
        image.save(buffer, "WEBP", quality=settings.quality, method=4)
    else:
        image.save(buffer, "AVIF", quality=settings.quality, speed=AVIF_SPEED, max_threads=1)
    return buffer.getvalue()


def write_whole(folder: str, name: str, content: bytes) -> None:
    """Write a file so that at every instant there is the old one, the new one, or none.

    Paths are texts: with `Path` it takes half as long again.
    """
    path, temporary = f"{folder}/{name}", f"{folder}/.{name}{TEMPORARY}"
    try:
        with naming(path):
            with open(temporary, "wb") as file:  # noqa: PTH123
                file.write(content)
            os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
