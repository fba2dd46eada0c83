"""Metadata of pictures. In: the pictures' files. Out: those with EXIF, XMP, IPTC or comments."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from memeloc.errors import InputError
from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.checks.further_files import each_file
from memeloc.publish.release import Release
from memeloc.templates.pictures import SUFFIXES

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
_TEXT = "text"
_OFTEN_HARMLESS = {"a comment", _TEXT}
_GPS = 0x8825  # EXIF's tag of the place where a picture was taken


def find(release: Release, private: Private) -> Iterator[Finding]:
    """Pictures whose files say where, when, by whom or with what they were made.

    Comments and texts mostly name a program: they are warned of, the first place of each kind.
    """
    harmless: dict[str, tuple[str, int]] = {}
    for name, path in _files(release):
        try:
            kinds = metadata_of(path)
        except InputError as error:
            if path.suffix.lower() in SUFFIXES:
                yield Finding(RULE, "refused", error.message, name)
            continue
        if refused := [kind for kind in kinds if kind not in _OFTEN_HARMLESS]:
            yield Finding(
                RULE,
                "refused",
                f"the file holds {', '.join(refused)}, which can name people and places; save the "
                "picture without it and collect it again, or publish with --without-pictures.",
                name,
            )
        for kind in _OFTEN_HARMLESS & set(kinds):
            first, count = harmless.get(kind, (name, 0))
            harmless[kind] = first, count + 1
    for kind, (name, count) in sorted(harmless.items()):
        message = f"the file holds {kind}; look whether it names anybody."
        yield Finding(RULE, "warning", message, name, count=count)


def _files(release: Release) -> Iterator[tuple[str, Path]]:
    for picture in release.pictures():
        if picture.file is not None:
            yield picture.path, picture.file
    for name, path, _ in each_file(release):  # pictures may be called anything, as photo.jfif
        yield name, path


def metadata_of(path: Path) -> tuple[str, ...]:
    """What a picture's file holds besides the picture; reads its header only.

    Raises:
        InputError: it is not a picture, or cannot be read.
    """
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(path) as picture:
            kinds = [_KINDS[key] for key, value in picture.info.items() if key in _KINDS and value]
            kinds += [_TEXT] if getattr(picture, "text", None) and "XMP" not in kinds else []
            if "EXIF" in kinds and _GPS in picture.getexif():
                kinds.append("the place where it was taken")
    except Exception as error:  # a damaged file may make Pillow raise anything at all
        raise InputError("is not a picture that can be read", file=path) from error
    return tuple(dict.fromkeys(kinds))
