"""Pictures as files. In: a finished picture. Out: the bytes of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, get_args

from memeloc.errors import InputError, MissingError

if TYPE_CHECKING:
    from PIL.Image import Image

Format = Literal["jpg", "png", "webp", "avif"]
"""The kinds of file, and their suffixes."""
FORMATS: tuple[Format, ...] = get_args(Format)

AVIF_SPEED = 8
"""Of libavif, 0 to 10: at 8 a picture takes a quarter of a second and is a tenth larger than at 6,
which takes a second."""


def setting(default: Any, help: str, **option: Any) -> Any:
    """Declare a field of settings.

    Args:
        help: what the command line says of it.
        option: further facts for the command line: `name` of the option where it is another than
            the field's, `metavar`, `min` and `max`, `show_default`.
    """
    return field(default=default, metadata={"help": help, **option})


@dataclass(frozen=True, slots=True)
class Settings:
    """How pictures are made, besides template, caption, locale and fonts.

    Raises MissingError for AVIF where Pillow was built without it.

    Attributes:
        format: kind of file.
        quality: 1 to 100; PNG loses nothing and has none.
        max_side: in pixels; None keeps every size.
        parity: whether each meme is set at one size in all languages.
    """

    format: Format = setting("jpg", "Picture files: jpg, png, webp or avif.", metavar="KIND")
    quality: int = setting(90, "Of JPEG, WebP and AVIF.", min=1, max=100)
    max_side: int | None = setting(
        None, "Scale larger pictures down to this side.", min=16, metavar="PIXELS"
    )
    parity: bool = setting(False, "Set a meme at one size in all its languages.")

    def __post_init__(self) -> None:
        object.__setattr__(self, "format", file_format(self.format))
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
        """Return it as text, equal for equal pictures: part of what a picture's inputs hash to."""
        quality = "" if self.format == "png" else self.quality
        return f"{self.format} {quality} {self.max_side or ''} {'parity' * self.parity}"


def _writes_avif() -> bool:
    from PIL import features

    return bool(features.check("avif"))


def file_format(name: str) -> Format:
    """Return the kind of file of that name.

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
    """Return the picture as the bytes of a file.

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
