"""A meme's clean picture from the other memes on it. In: groups of memes. Out: clean pictures.

Only on the letters that are taken out is a meme's picture changed: all else of it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memeloc.errors import InputError
from memeloc.localise.aligning import align, find_points, lay_on, refine
from memeloc.localise.protocol import CleanPicture, FinishedMeme, Mask, Restorer
from memeloc.localise.recover import Recovered, recover
from memeloc.registration import Map, inverse, opencv


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
        """Return the picture without text, or None where no other meme stands on it."""
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
        pixels = np.where((mask & ~unknown)[..., None], behind, meme.pixels)
        uncertain = mask & unknown
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


def _laid(mask: Mask, matrix: Map, size: tuple[int, int]) -> Mask:
    cv2 = opencv()
    return np.asarray(cv2.warpAffine(mask.astype(np.uint8) * 255, matrix, size) > 0)
