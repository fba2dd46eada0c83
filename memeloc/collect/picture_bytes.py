"""Pictures that do not come from the network. In: bytes. Out: the same, once they are checked."""

from __future__ import annotations

from memeloc.templates.pictures import open_picture


def picture_side(content: bytes) -> tuple[int, int]:
    """Width and height of a picture that can be read whole.

    Raises:
        InputError: it is no picture, damaged or too large.
    """
    return open_picture(content).size
