"""Letters out of a line of any picture. In: a line cut out. Out: black letters on white.

Nothing is known of the line but its pixels. Meme text is light ringed by dark (the outlined poster
face, or a black bar), or dark on light (bubbles, signs, screenshots). So one candidate keeps the
light regions that are ringed by dark, another the dark ones ringed by light, and a third is the
line as it is, in grey. Which is right is for the reader's confidence to say.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps
from scipy import ndimage

from memeloc.ocr.protocol import Quad

Grey = npt.NDArray[np.float32]

WORK = 100
"""Height in pixels that a line's box is brought to before regions are looked for."""
PAGE = 45
"""Height of the same box on the page: letters then have 38 px, which Tesseract likes best."""

_PADDING = 0.2  # of the box's height, on each side: outlines, dots and marks
_LIGHT, _DARK = 150.0, 115.0  # of 255: what may be a letter, and what rings one
_RING = 0.6  # share of the pixels right around a letter that are dark; neighbours touch
_LIKE = 45.0  # distance from the letters' brightness below which a pixel is still letter
_BLEND = 60.0  # brightness at which an edge has no letter in it any more
_SPECK = 20  # px; smaller regions are noise
_MARGIN = 20  # px of white around the letters
_LONGEST = 6000  # px of a page; longer lines are not text


def cut_line(picture: Image.Image, quad: Quad) -> Image.Image | None:
    """Return the line in `quad`, set upright, with its box `WORK` high and room around it.

    None when the box is nothing, or far too long for its height.
    """
    across = (quad[1] - quad[0] + quad[2] - quad[3]) / 2
    down = (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    width, height = float(np.hypot(*across)), float(np.hypot(*down))
    if min(width, height) < 3:
        return None
    padding_x, padding_y = across / width * _PADDING * height, down * _PADDING
    corners = (
        quad[0] - padding_x - padding_y,
        quad[3] - padding_x + padding_y,
        quad[2] + padding_x + padding_y,
        quad[1] + padding_x - padding_y,
    )
    scale = WORK / height
    size = round((width + 2 * _PADDING * height) * scale), round((1 + 2 * _PADDING) * WORK)
    if size[0] > _LONGEST:
        return None
    data = [float(number) for corner in corners for number in corner]
    return picture.transform(size, Image.Transform.QUAD, data, Image.Resampling.BICUBIC)


def find_letters(line: Image.Image) -> list[Image.Image]:
    """Return candidates for the letters of a line that `cut_line` cut out, at the size of a
    page."""
    pixels = np.asarray(line, dtype=np.float32)
    made = []
    for light in (pixels.min(axis=2), 255 - pixels.max(axis=2)):
        letters = _ringed_letters(light)
        if letters is not None:
            black = Image.fromarray((255 * (1 - letters)).astype(np.uint8))
            inked = ImageOps.invert(black).point(lambda level: 255 * (level > 127)).getbbox()
            black = _scaled(black.crop(inked) if inked else black)
            made.append(ImageOps.expand(black, _MARGIN, 255))
    grey = line.convert("L")
    if np.median(np.asarray(grey)) < _DARK:
        grey = ImageOps.invert(grey)
    made.append(_scaled(ImageOps.autocontrast(grey, cutoff=1)))
    return made


def _scaled(image: Image.Image) -> Image.Image:
    size = [max(1, round(side * PAGE / WORK)) for side in image.size]
    return image.resize((size[0], size[1]), Image.Resampling.LANCZOS)


def _ringed_letters(light: Grey) -> Grey | None:
    """Return how much of each pixel is letter, 0 to 1; None when no region is ringed.

    Args:
        light: brightness, 0 to 255, where letters are bright and what rings them is dark.
    """
    ringed = _ringed(light, _LIGHT)
    if ringed is None:
        return None
    fill = float(np.percentile(light[ringed], 75))
    if fill - _LIKE > _LIGHT:  # the background has light places too, but not as light as letters
        ringed = _ringed(light, fill - _LIKE)
        if ringed is None:
            return None
    near = ndimage.binary_dilation(ringed, iterations=4)
    letter: Grey = np.clip((light - _BLEND) / max(fill - 15 - _BLEND, 1), 0, 1) * near
    return letter


def _ringed(light: Grey, level: float) -> npt.NDArray[np.bool_] | None:
    """Return pixels of the regions above `level` that dark surrounds and the edge does not cut."""
    regions, count = ndimage.label(light > level)
    areas = np.bincount(regions.ravel(), minlength=count + 1)
    near = ndimage.grey_dilation(regions, size=(9, 9))
    around = (near > 0) & (regions == 0)
    ring = np.bincount(near[around], minlength=count + 1)
    dark = np.bincount(near[around & (light < _DARK)], minlength=count + 1)
    is_letter = (dark >= _RING * ring) & (areas >= _SPECK)
    is_letter[0] = False
    for edge in (regions[0], regions[-1], regions[:, 0], regions[:, -1]):
        is_letter[edge] = False
    pixels: npt.NDArray[np.bool_] = is_letter[regions]
    return pixels if is_letter.any() else None
