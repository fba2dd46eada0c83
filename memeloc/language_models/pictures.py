"""Pictures for models. In: files. Out: `Picture`s, scaled and encoded once for all questions.

A picture stands in several questions: each wording, each order, each round. What is sent of it is
kept for as long as there is room, and is made by one thread while the others wait for it.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from io import BytesIO
from pathlib import Path
from threading import Condition
from typing import Literal

from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.language_models.questions import Picture

QUALITY = 85
"""Of the JPEGs that are sent."""
LONGEST_SIDE = 512
"""Pixels of a side (Multi3Hate, appendix B.1)."""
MOST_CHARACTERS = 64_000_000
"""Of the addresses that are kept, all together."""

Shape = Literal["whole", "square"]


def picture_of(
    path: Path, longest_side: int = LONGEST_SIDE, *, shape: Shape = "whole", sha256: str = ""
) -> Picture:
    """Return a picture's file as it is shown to a model: a JPEG. It is opened when it is sent.
    Raise InputError if it cannot be read; for one that does not open, when it is sent.

    Args:
        longest_side: pixels of a side at the most; a picture is not enlarged, but for a square.
        shape: `whole` keeps the proportions; `square` stretches the picture to `longest_side` each
            way, as Multi3Hate did (512 x 512, B.1).
        sha256: of the file in hex, where it is known; else the file is read for it now.
    """
    try:
        sha256 = sha256 or file_sha256(path)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from error
    key = f"{sha256} jpeg {longest_side} {QUALITY}"
    if shape == "square":
        key += " square"
    return Picture(key, partial(_jpeg, path, longest_side, shape))


class EncodedPictures:
    """Addresses of pictures as questions have them, the last used ones. For several threads."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self.most = most
        self._urls: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._size = 0
        self._under_way: set[tuple[str, str]] = set()
        self._changed = Condition()

    def data_url(self, picture: Picture) -> str:
        """Return the same as `picture.data_url()`, made once for all pictures with its key."""
        key = picture.media_type, picture.key
        with self._changed:
            self._changed.wait_for(lambda: key not in self._under_way)
            if key in self._urls:
                self._urls.move_to_end(key)
                return self._urls[key]
            self._under_way.add(key)
        try:
            url = picture.data_url()
            with self._changed:
                self._urls[key] = url
                self._size += len(url)
                while self._size > self.most:
                    _, oldest = self._urls.popitem(last=False)
                    self._size -= len(oldest)
            return url
        finally:
            with self._changed:
                self._under_way.remove(key)
                self._changed.notify_all()


def _jpeg(path: Path, longest_side: int, shape: Shape) -> bytes:
    from memeloc.templates.pictures import open_picture

    picture = open_picture(path, None if shape == "square" else longest_side)
    if shape == "square":
        picture = picture.resize((longest_side, longest_side))
    stream = BytesIO()
    picture.save(stream, "JPEG", quality=QUALITY)
    return stream.getvalue()
