"""A meme's clean picture from the other memes on it. In: groups of memes. Out: clean pictures.

Only where a meme has text is its picture changed: its size, crop, bars and marks stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memeloc.errors import InputError
from memeloc.localise.aligning import Map, align, find_points, inverse, lay_on, refine
from memeloc.localise.opencv import opencv
from memeloc.localise.protocol import CleanPicture, FinishedMeme, Mask, Restorer
from memeloc.localise.recover import Recovered, recover
from memeloc.localise.text_places import text_boxes

_RIM = 3
"""Pixels around letters that compression changes."""


class RecoveredPictures:
    """See `CleanPictureSource`: for memes that stand on one picture with others.

    Args:
        groups: memes by the picture they stand on, as `memeloc.localise.grouping` groups them.
        restorer: paints what no meme of a group shows.
    """

    def __init__(self, groups: Sequence[Sequence[Path]], restorer: Restorer) -> None:
        self._groups = {path: tuple(group) for group in groups for path in group if len(group) > 1}
        self._restorer = restorer
        self._recovered: dict[tuple[Path, ...], Recovered | None] = {}

    def find(self, meme: FinishedMeme, mask: Mask) -> CleanPicture | None:
        """The picture without text, or None where no other meme stands on it."""
        recovered = self._recover(meme.path)
        if recovered is None:
            return None
        matrix = align(find_points(recovered.image), find_points(meme.pixels))
        if matrix is None:
            return None
        back = inverse(refine(recovered.image, meme.pixels, matrix))
        size = meme.pixels.shape[1], meme.pixels.shape[0]
        behind, covers = lay_on(recovered.image, back, size)
        unknown = _laid(recovered.uncertain, back, size) | ~covers
        changed = _grown(mask) | _text(recovered, meme, back, size)
        pixels = np.where((changed & ~unknown)[..., None], behind, meme.pixels)
        uncertain = changed & unknown
        return CleanPicture(
            self._restorer.restore(pixels, uncertain),
            "recovered",
            ", ".join(each.path.name for each in recovered.pictures),
            uncertain=uncertain,
        )

    def _recover(self, path: Path) -> Recovered | None:
        group = self._groups.get(path)
        if group is None:
            return None
        if group not in self._recovered:
            try:
                self._recovered[group] = recover(group)
            except InputError:  # copies of one meme
                self._recovered[group] = None
        return self._recovered[group]


def _text(recovered: Recovered, meme: FinishedMeme, back: Map, size: tuple[int, int]) -> Mask:
    """Where the meme has text in the places of the group's texts, whether it was read or not."""
    own = [each.text for each in recovered.pictures if each.path == meme.path]
    if not own:
        return np.zeros(size[::-1], np.bool_)
    height, width = own[0].shape
    places = np.zeros_like(own[0])
    for box in text_boxes(recovered):
        rows = slice(round(box.y * height), round((box.y + box.height) * height))
        places[rows, round(box.x * width) : round((box.x + box.width) * width)] = True
    return _grown(_laid(own[0] & places, back, size))


def _laid(mask: Mask, matrix: Map, size: tuple[int, int]) -> Mask:
    cv2 = opencv()
    return np.asarray(cv2.warpAffine(mask.astype(np.uint8) * 255, matrix, size) > 0)


def _grown(mask: Mask) -> Mask:
    around = np.ones((2 * _RIM + 1, 2 * _RIM + 1), np.uint8)
    return np.asarray(opencv().dilate(mask.astype(np.uint8), around) > 0)
