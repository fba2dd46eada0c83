"""Boxes where only their number is known. In: how many. Out: boxes below each other."""

from __future__ import annotations

from memeloc.model import TextBox

MAX_BOXES = 50
"""Boxes that are laid out at most: more is a mistake of the source."""


def even_rows(count: int) -> tuple[TextBox, ...]:
    """Boxes of the same height from the top of the picture to its bottom.

    Two are none: a template without boxes has one at the top and one at the bottom.

    >>> [round(box.y, 3) for box in even_rows(3)]
    [0.02, 0.347, 0.673]
    """
    count = min(count, MAX_BOXES)
    if count == 2 or count < 1:
        return ()
    if count == 1:
        return (TextBox("caption", 0.03, 0.73, 0.94, 0.25, valign="bottom"),)
    step = 0.98 / count
    height = round(step * 0.94, 6)
    return tuple(
        TextBox(f"text {number + 1}", 0.03, round(0.02 + number * step, 6), 0.94, height)
        for number in range(count)
    )
