"""Pictures for programs that show them. In: a picture's file. Out: its bytes, copy or address."""

from __future__ import annotations

import base64
import re
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from secrets import token_hex

from memeloc.errors import InputError
from memeloc.files import replacing

_KINDS = {b"\xff\xd8": "jpeg", b"\x89P": "png", b"GI": "gif", b"RI": "webp"}
_AVIF = (b"ftypavif", b"ftypavis")
_SUFFIXES = {"jpeg": "jpg"}
_ENCODED = 256
"""Pictures that are kept encoded: every sheet of a culture has the same examples."""


def copy_picture(path: Path, folder: Path, stem: str) -> str:
    """Copy a picture into a folder, named `stem` and the suffix of its kind; returns that name.

    Raises:
        InputError: it is not a picture that browsers show, or cannot be read or written.
    """
    content, kind = _picture(path)
    name = f"{stem}.{_SUFFIXES.get(kind, kind)}"
    with replacing(folder / name) as partial:
        partial.write_bytes(content)
    return name


@lru_cache(maxsize=_ENCODED)
def data_url(path: Path) -> str:
    """A picture as an address that holds it; raises as `copy_picture` does."""
    content, kind = _picture(path)
    return _data_url(content, kind)


def _data_url(content: bytes, kind: str) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


@lru_cache(maxsize=_ENCODED)
def small_data_url(path: Path, largest: int, side: int) -> str:
    """A picture as an address that holds it: of more than `largest` bytes a smaller JPEG.

    Its longer side has at most `side` pixels then.

    Raises:
        InputError: as `copy_picture`; also for a large GIF, which may move.
    """
    content, kind = _picture(path)
    if len(content) <= largest:
        return _data_url(content, kind)
    if kind == "gif":
        raise InputError(
            f"is a GIF of {len(content):,} bytes, too large to stand in a question; put the "
            "pictures on a server, and give its address",
            file=path,
        )
    from PIL import Image

    with Image.open(path) as picture:
        picture.draft("RGB", (side, side))
        picture.thumbnail((side, side))
        smaller = BytesIO()
        picture.convert("RGB").save(smaller, "JPEG", quality=80)
    return _data_url(smaller.getvalue(), "jpeg")


class EmbeddedPictures:
    """Pictures within a file of text, as addresses that hold them.

    Until the file is written a short mark stands for each: escaping and encoding megabytes takes
    longer than all else.
    """

    def __init__(self) -> None:
        self._mark = token_hex(16)
        self._urls: list[str] = []

    def mark(self, url: str) -> str:
        """What stands for an address in the file's text."""
        self._urls.append(url)
        return f"{self._mark}-{len(self._urls) - 1}."

    def write(self, path: Path, text: str) -> None:
        """Write the file with the addresses; as `write_text` does, which see."""
        with replacing(path) as partial, partial.open("wb") as stream:
            for place, part in enumerate(re.split(rf"{self._mark}-(\d+)\.", text)):
                whole = self._urls[int(part)] if place % 2 else part
                stream.write(whole.encode("utf-8", "replace"))


def _picture(path: Path) -> tuple[bytes, str]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"the picture cannot be read: {error.strerror}", file=path) from error
    kind = "avif" if content[4:12] in _AVIF else _KINDS.get(content[:2])
    if kind is None:
        raise InputError("is no picture that browsers show; use JPEG, PNG or WebP", file=path)
    return content, kind
