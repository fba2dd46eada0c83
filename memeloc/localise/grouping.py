"""Memes that stand on one picture. In: pictures, their hashes. Out: groups.

A picture is compared with the first of each group, those of near hashes first; it joins the first
on which it lies (`memeloc.localise.aligning.same_picture`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from memeloc.localise.aligning import Points, find_points, open_pixels, same_picture

_COMPARED = 12
"""Groups with which a picture is compared at most: a bar or a crop changes many bits of a hash, and
each comparison takes some tenths of a second."""


def group_pictures(
    hashes: Mapping[Path, int], on_progress: Callable[[int, int | None], None] = lambda *_: None
) -> list[list[Path]]:
    """Return pictures in groups that stand on one picture each, in the order in which they are
    given.

    Args:
        hashes: the perceptual hash of each, 64 bits.
        on_progress: gets how many more are grouped, and of how many.

    Raises:
        InputError: a file is no picture.
        MissingError: OpenCV is not installed.
    """
    groups: list[list[Path]] = []
    points: list[Points] = []
    for path, value in hashes.items():
        own = find_points(open_pixels(path))
        order = sorted(
            range(len(groups)), key=lambda group: (value ^ hashes[groups[group][0]]).bit_count()
        )
        near = (group for group in order[:_COMPARED] if same_picture(points[group], own))
        group = next(near, None)
        if group is None:
            groups.append([path])
            points.append(own)
        else:
            groups[group].append(path)
        on_progress(1, len(hashes))
    return groups
