"""Pictures without metadata. In: a picture's bytes. Out: the same pixels without EXIF, XMP, IPTC.

The parts of a file that hold EXIF, XMP, IPTC, comments and texts are left out and all others stay
byte for byte, so that nothing is encoded anew. What stands behind a picture's end, where phones put
further pictures with metadata of their own, is left out, too.

Formats: ITU-T T.81 (JPEG) annex B; W3C's Portable Network Graphics, section 11; Google's WebP
container specification.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image

from memeloc.errors import InputError

_KINDS = {
    "exif": "EXIF",
    "Raw profile type exif": "EXIF",
    "xmp": "XMP",
    "XML:com.adobe.xmp": "XMP",
    "photoshop": "IPTC",
    "comment": "a comment",
}
"""What Pillow reads of a file's header, and what it is called."""
_GPS = 0x8825
"""EXIF's tag of the place where a picture was taken."""

_KEPT_TEXTS = (b"JFIF\0", b"JFXX\0", b"ICC_PROFILE\0", b"Adobe")
"""What application segments of a JPEG begin with that its pixels need."""
_APPLICATION = range(0xE0, 0xF0)
_COMMENT, _SCAN, _END = 0xFE, 0xDA, 0xD9  # markers COM, SOS and EOI (T.81, table B.1)
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_METADATA = {b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME"}
_WEBP_METADATA = {b"EXIF": 0x08, b"XMP ": 0x04}
"""Chunks of a WebP with the bits of its header that announce them."""
_ORIENTATION = 0x0112  # EXIF's tag
_UPRIGHT = (None, 0, 1)
_BROKEN = IndexError, ValueError, OSError, SyntaxError, struct.error, Image.DecompressionBombError


def metadata_of(path: Path) -> tuple[str, ...]:
    """Return what a picture's file holds besides the picture; reads its header only. Raise
    InputError if it is not a picture, or cannot be read."""
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(path) as picture:
            kinds = [_KINDS[key] for key, value in picture.info.items() if key in _KINDS and value]
            kinds += ["text"] if getattr(picture, "text", None) and "XMP" not in kinds else []
            if "EXIF" in kinds and _GPS in picture.getexif():
                kinds.append("the place where it was taken")
    except Exception as error:  # a damaged file may make Pillow raise anything at all
        raise InputError("is not a picture that can be read", file=path) from error
    return tuple(dict.fromkeys(kinds))


def without_metadata(content: bytes) -> bytes | None:
    """Return a picture without metadata; None if that needs it encoded anew, or it is broken.

    That is so of GIF, AVIF and other kinds, and of pictures that EXIF turns round.
    """
    try:
        with Image.open(BytesIO(content)) as picture:
            if picture.getexif().get(_ORIENTATION) not in _UPRIGHT:
                return None
        if content.startswith(b"\xff\xd8"):
            return b"".join(_jpeg(content))
        if content.startswith(_PNG):
            return b"".join(_png(content))
        return _webp(content) if content[:4] + content[8:12] == b"RIFFWEBP" else None
    except _BROKEN:
        return None


def _jpeg(content: bytes) -> Iterator[bytes]:
    yield content[:2]
    place = 2
    while True:
        if content[place] != 0xFF:
            raise ValueError("no marker where one should be")
        marker = content[place + 1]
        if marker == 0xFF:  # fill bytes may stand before a marker
            place += 1
            continue
        if marker == _END:
            yield content[place : place + 2]
            return
        (size,) = struct.unpack_from(">H", content, place + 2)
        end = place + 2 + size
        if marker == _SCAN:
            end = _end_of_scan(content, end)
        text = content[place + 4 : place + 18]
        is_extra = marker in _APPLICATION and not text.startswith(_KEPT_TEXTS)
        if not is_extra and marker != _COMMENT:
            yield content[place:end]
        place = end


def _end_of_scan(content: bytes, place: int) -> int:
    """Return where the next marker stands that is no part of a scan's data."""
    while True:
        place = content.index(b"\xff", place)
        following = content[place + 1]
        if following != 0 and following != 0xFF and not 0xD0 <= following <= 0xD7:
            return place
        place += 1 if following == 0xFF else 2


def _png(content: bytes) -> Iterator[bytes]:
    yield _PNG
    place = len(_PNG)
    while True:
        size, kind = struct.unpack_from(">I4s", content, place)
        end = place + 12 + size
        if end > len(content):
            raise ValueError("the file breaks off")
        if kind not in _PNG_METADATA:
            yield content[place:end]
        if kind == b"IEND":
            return
        place = end


def _webp(content: bytes) -> bytes:
    (whole,) = struct.unpack_from("<I", content, 4)
    chunks: list[bytes] = []
    place = 12
    while place < 8 + whole:
        kind, size = struct.unpack_from("<4sI", content, place)
        end = place + 8 + size + size % 2
        if place + 8 + size > len(content):
            raise ValueError("the file breaks off")
        chunk = content[place:end]
        if kind == b"VP8X":
            flags = chunk[8] & ~sum(_WEBP_METADATA.values())
            chunk = chunk[:8] + bytes([flags]) + chunk[9:]
        if kind not in _WEBP_METADATA:
            chunks.append(chunk)
        place = end
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body
