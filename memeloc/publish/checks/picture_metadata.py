"""Metadata of pictures. In: the pictures' files. Out: those with EXIF, XMP, IPTC or comments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memeloc.errors import InputError
from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.release import Release

RULE = "picture metadata"

_KINDS = {
    "exif": "EXIF",
    "Raw profile type exif": "EXIF",
    "xmp": "XMP",
    "XML:com.adobe.xmp": "XMP",
    "photoshop": "IPTC",
    "comment": "a comment",
}
"""What Pillow reads of a file's header, and what it is called."""
_GPS = 0x8825  # EXIF's tag of the place where a picture was taken


def find(release: Release, private: Private) -> Iterator[Finding]:
    """Pictures whose files say where, when, by whom or with what they were made."""
    for picture in release.pictures():
        if picture.file is None:
            continue
        try:
            kinds = metadata_of(picture.file)
        except InputError as error:
            yield Finding(RULE, "refused", error.message, picture.path)
            continue
        if kinds:
            yield Finding(
                RULE,
                "refused",
                f"the file holds {', '.join(kinds)}, which can name people and places; save the "
                "picture without it and collect it again.",
                picture.path,
            )


def metadata_of(path: Path) -> tuple[str, ...]:
    """What a picture's file holds besides the picture; reads its header only.

    Raises:
        InputError: it is not a picture, or cannot be read.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as picture:
            kinds = [_KINDS[key] for key, value in picture.info.items() if key in _KINDS and value]
            kinds += ["text"] if getattr(picture, "text", None) and "XMP" not in kinds else []
            if "EXIF" in kinds and _GPS in picture.getexif():
                kinds.append("the place where it was taken")
    except (OSError, UnidentifiedImageError, ValueError, Image.DecompressionBombError) as error:
        raise InputError("is not a picture that can be read", file=path) from error
    return tuple(dict.fromkeys(kinds))
