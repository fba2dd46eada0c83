"""Pictures for programs that show them. In: a picture's file. Out: its bytes, copy or address."""

from __future__ import annotations

import base64
from pathlib import Path

from memeloc.errors import InputError
from memeloc.files import replacing

BLANK = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2"
    "FAAAAABJRU5ErkJggg=="
)
"""A white point, where programs complain about an entry without a picture."""

_KINDS = {
    b"\xff\xd8": ("image/jpeg", ".jpg"),
    b"\x89P": ("image/png", ".png"),
    b"GI": ("image/gif", ".gif"),
    b"RI": ("image/webp", ".webp"),
}


def picture_bytes(path: Path) -> tuple[bytes, str, str]:
    """A picture's content, media type and the suffix that files of its kind have.

    Raises:
        InputError: it cannot be read, or is of no kind that browsers show.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"the picture cannot be read: {error.strerror}", file=path) from error
    kind = _KINDS.get(content[:2])
    if kind is None:
        raise InputError("is no picture that browsers show; use JPEG, PNG or WebP", file=path)
    return content, *kind


def copy_picture(path: Path, folder: Path, stem: str) -> str:
    """Copy a picture into a folder, named `stem` and the suffix of its kind; returns that name.

    Raises:
        InputError: as of `picture_bytes`, or the copy cannot be written.
    """
    content, _, suffix = picture_bytes(path)
    with replacing(folder / f"{stem}{suffix}") as partial:
        partial.write_bytes(content)
    return f"{stem}{suffix}"


def data_url(path: Path) -> str:
    """A picture as an address that holds it; raises as `picture_bytes` does."""
    content, mime, _ = picture_bytes(path)
    return f"data:{mime};base64,{base64.b64encode(content).decode()}"
