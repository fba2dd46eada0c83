"""Letters out of a picture. In: a picture, a text box, the ink in it. Out: black letters on white.

Tesseract reads half of a meme's characters wrong as they stand, and one to eight in a hundred on a
mask of the light regions that are ringed by dark. The proof knows where the ink is, what colour it
has and how large it is, so the mask can be cut to the part, set upright and brought to the size
that Tesseract likes. The text itself plays no part in it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageColor, ImageOps
from scipy import ndimage

from memeloc.model import TextBox

SIZE = 38.0
"""Font size in pixels that letters are scaled to; measured best over fourteen languages."""

_MARGIN = 24  # px of white around the letters
_SCALES = 0.25, 6.0  # least and most
_PADDING = 4  # px around ink without outline, so that letters do not touch the edge
_IMPURE = 10.0  # distance from the fill, of 255, from which a region is background
_SPECK = 6  # px; smaller regions are noise

Grey = npt.NDArray[np.float32]
"""How much of each pixel is letter, 0 to 1."""


def find_letters(
    picture: Image.Image, box: TextBox, ink: tuple[int, int, int, int], font_size: float
) -> Grey:
    """Return how much of each pixel of a part is letter, upright, at a font size of `SIZE`.

    Args:
        picture: the rendered picture, RGB.
        box: the part's text box; its angle and the colours of its style count.
        ink: left, top, right, bottom of the part's ink in pixels, outline included.
        font_size: in pixels of the picture.
    """
    left, top, right, bottom = ink
    outlined = box.style.outline_width > 0
    if box.angle:
        width, height = picture.size
        centre = (box.x + box.width / 2) * width, (box.y + box.height / 2) * height
        picture = picture.rotate(box.angle, Image.Resampling.BICUBIC, center=centre)
        across, down = box.width * width / 2, box.height * height / 2
        left, right = round(centre[0] - across), round(centre[0] + across)
        top, bottom = round(centre[1] - down), round(centre[1] + down)
    padding = 0 if outlined and not box.angle else _PADDING
    cut = picture.crop((left - padding, top - padding, right + padding, bottom + padding))
    scale = min(max(SIZE / font_size, _SCALES[0]), _SCALES[1])
    size = max(1, round(cut.width * scale)), max(1, round(cut.height * scale))
    cut = cut.resize(size, Image.Resampling.LANCZOS)
    pixels = np.asarray(cut, dtype=np.float32)
    fill = np.array(ImageColor.getrgb(box.style.fill)[:3], dtype=np.float32)
    if outlined:
        background = np.array(ImageColor.getrgb(box.style.outline)[:3], dtype=np.float32)
    else:
        background = np.median(pixels.reshape(-1, 3), axis=0).astype(np.float32)
    way = fill - background
    letter: Grey = np.clip((pixels - background) @ way / max(float(way @ way), 1.0), 0, 1)
    return letter * _keep(letter, np.abs(pixels - fill).max(axis=2), pure=outlined)


def _keep(letter: Grey, distance: Grey, *, pure: bool) -> npt.NDArray[np.bool_]:
    """Return where letters are: regions off the edge, no specks, if `pure` of the fill's colour.

    Inside an outline only letters are of the very colour; the pockets of background between
    outlines are not, unless the background is of the letters' colour itself.
    """
    regions, count = ndimage.label(letter > 0.5)
    is_letter = np.zeros(count + 1, dtype=bool)
    if count:
        areas = np.bincount(regions.ravel())
        is_letter[1:] = areas[1:] > _SPECK
        if pure:
            # A fifth from the purest pixel: thin marks are nearly all edge, and edges are blends.
            order = np.lexsort((distance.ravel(), regions.ravel()))
            starts = np.cumsum(areas) - areas
            is_letter &= distance.ravel()[order[starts + areas // 5]] < _IMPURE
        for edge in (regions[0], regions[-1], regions[:, 0], regions[:, -1]):
            is_letter[edge] = False
    mask: npt.NDArray[np.bool_] = ndimage.binary_dilation(is_letter[regions], iterations=2)
    return mask


def cut_lines(letter: Grey, count: int) -> list[Grey]:
    """Return the part's lines, each by itself.

    Args:
        letter: as `find_letters` gives it.
        count: how many lines of equal height there are; each region goes to the one that its
            middle is in.
    """
    regions, _ = ndimage.label(letter > 0.5)
    rows = np.flatnonzero(regions.any(axis=1))
    if count == 1 or not len(rows):
        return [letter] * count
    pitch = (rows[-1] + 1 - rows[0]) / count
    middles = [(place[0].start + place[0].stop) / 2 for place in ndimage.find_objects(regions)]
    lines = np.clip((np.array([0.0, *middles]) - rows[0]) // pitch, 0, count - 1)
    near = ndimage.distance_transform_edt(regions == 0, return_distances=False, return_indices=True)
    line_of = lines[regions[near[0], near[1]]]
    cut = []
    for line in range(count):
        alone = np.where(line_of == line, letter, 0).astype(np.float32)
        inked = np.flatnonzero((alone > 0.5).any(axis=1))
        cut.append(alone[max(0, inked[0] - 3) : inked[-1] + 4] if len(inked) else alone)
    return cut


def on_white(letter: Grey) -> Image.Image:
    """Return the letters in black on white, with a margin, as Tesseract wants them."""
    black = (255 * (1 - letter)).astype(np.uint8)
    return ImageOps.expand(Image.fromarray(black), _MARGIN, 255)
