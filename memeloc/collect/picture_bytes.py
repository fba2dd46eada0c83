"""Pictures that do not come from the network. In: bytes. Out: the same, once they are checked."""

from __future__ import annotations

import tempfile
from pathlib import Path

from memeloc.errors import InputError
from memeloc.templates.pictures import MAX_BYTES, open_picture


def picture_side(content: bytes) -> tuple[int, int]:
    """Width and height of a picture that can be read whole.

    Raises:
        InputError: it is no picture, damaged or too large.
    """
    if len(content) > MAX_BYTES:
        raise InputError(f"is larger than the {MAX_BYTES / 1e6:.0f} MB that a picture may have")
    with tempfile.TemporaryDirectory(prefix="memeloc-") as folder:
        path = Path(folder) / "picture"
        path.write_bytes(content)
        try:
            return open_picture(path).size
        except InputError as error:
            raise InputError(error.message) from None
