"""Opening office files of strangers. In: a path. Out: its parts, or a sentence that refuses it."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from memeloc.errors import InputError

LARGEST_PART = 256 * 1024 * 1024
"""Bytes that one XML part may unpack to."""

LARGEST_RATIO = 200
"""How much smaller than its content a part of more than a megabyte may be packed."""

BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError,
    ValueError, LookupError,
)  # fmt: skip
"""What reading a part of a damaged archive can raise."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def is_zip(head: bytes) -> bool:
    """Whether a file that begins so is a zip archive."""
    return head.startswith(b"PK\x03\x04")


def is_ole(head: bytes) -> bool:
    """Whether it is an old Office file, or a new one behind a password."""
    return head.startswith(_OLE)


def names_in(path: Path) -> set[str]:
    """The names of an archive's parts, once its sizes have been looked at.

    Raises:
        InputError: it is broken, encrypted, or unpacks to more than a sheet can be.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except BROKEN as error:
        raise InputError(f"is a broken office file: {error}", file=path) from error
    for part in parts:
        if part.flag_bits & 1:
            raise InputError("is protected by a password: save it without one", file=path)
        packed = max(part.compress_size, 1)
        if part.filename.endswith((".xml", ".rels")) and (
            part.file_size > LARGEST_PART
            or (part.file_size > 1024 * 1024 and part.file_size / packed > LARGEST_RATIO)
        ):
            raise InputError(
                f"its part {part.filename} unpacks to {part.file_size / 2**20:,.0f} MB from "
                f"{packed / 2**20:,.2f} MB, which no sheet does; it is not opened",
                file=path,
            )
    return {part.filename for part in parts}
