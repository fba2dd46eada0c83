"""Regions of a picture. In: a picture. Out: which pixels belong together, and it without some.

Regions are clusters of pixels that are near in place and colour, as superpixels are (SLIC, Achanta
et al. 2012), found by k-means on a small copy of the picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

REGIONS = 24
SIDE = 224
"""Pixels of the longest side of pictures that are explained: what vision models see of them."""
_CLUSTERED = 56
"""Pixels of the longest side of the copy that is clustered."""
_COLOUR = 0.6
"""How much the whole range of a colour counts, beside the picture's longest side."""


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """A picture with its regions.

    Attributes:
        pixels: (height, width, 3), of at most `SIDE` pixels a side.
        numbers: (height, width): of each pixel the number of its region, from 0.
        without: (height, width, 3): each region in its mean colour, which stands where it is
            left out (LIME's default).
    """

    pixels: NDArray[np.uint8] = field(repr=False)
    numbers: NDArray[np.intp] = field(repr=False)
    without: NDArray[np.uint8] = field(repr=False)

    @property
    def count(self) -> int:
        """How many regions there are."""
        return int(self.numbers.max()) + 1

    def keeping(self, kept: NDArray[np.bool_]) -> Image.Image:
        """The picture with those regions only."""
        shown = kept[self.numbers][:, :, None]
        return Image.fromarray(np.where(shown, self.pixels, self.without))

    def weighted(self, weights: NDArray[np.float64]) -> Image.Image:
        """The picture in grey, regions green where they add to the score and magenta where not."""
        most = float(np.abs(weights).max()) or 1.0
        grey = np.asarray(Image.fromarray(self.pixels).convert("L"), dtype=np.float64)
        base = np.repeat(128 + grey[:, :, None] / 2, 3, axis=2)
        share = (weights / most)[self.numbers][:, :, None]
        colour = np.where(share > 0, (0, 135, 62), (197, 27, 125))
        strength = 0.75 * np.abs(share)
        mixed = base * (1 - strength) + colour * strength
        return Image.fromarray(np.clip(mixed, 0, 255).astype(np.uint8))


def find_regions(picture: Image.Image, count: int = REGIONS, *, seed: int = 0) -> Regions:
    """Divide a picture into at most so many regions.

    Raises:
        MissingError: scikit-learn is not installed.
    """
    from memeloc.embedding.models import library

    cluster = library("sklearn.cluster", "analyze")
    whole = picture.convert("RGB")
    whole.thumbnail((SIDE, SIDE))
    small = whole.copy()
    small.thumbnail((_CLUSTERED, _CLUSTERED), Image.Resampling.BOX)
    rows, columns = np.mgrid[0 : small.height, 0 : small.width]
    places = np.stack([rows, columns], axis=2) / max(small.size)
    colours = np.asarray(small, dtype=np.float64) / 255 * _COLOUR
    features = np.concatenate([places, colours], axis=2).reshape(-1, 5)
    distinct = len(np.unique(features, axis=0))
    means = cluster.KMeans(min(count, distinct), n_init=1, random_state=seed).fit(features)
    clusters = Image.fromarray(means.labels_.reshape(small.height, small.width).astype(np.uint8))
    numbers = np.asarray(clusters.resize(whole.size, Image.Resampling.NEAREST), dtype=np.intp)
    _, flat = np.unique(numbers, return_inverse=True)
    return _with_means(np.asarray(whole), flat.reshape(numbers.shape))


def _with_means(pixels: NDArray[np.uint8], numbers: NDArray[np.intp]) -> Regions:
    sizes = np.bincount(numbers.ravel())
    means = np.stack(
        [np.bincount(numbers.ravel(), pixels[:, :, at].ravel()) / sizes for at in range(3)], axis=1
    )
    return Regions(pixels, numbers, means.round().astype(np.uint8)[numbers])
