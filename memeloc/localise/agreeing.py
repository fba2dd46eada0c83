"""The picture behind several texts. In: pictures laid on each other. Out: what they show together.

At each pixel either picture shows the background, or a letter of its own. Which colour the
background has there is the one that makes all of them likely: a picture shows that colour, give or
take compression, or, the likelier the surer it is that letters stand there, one of its texts'
colours. How sure that is, is first what was found in that picture alone, and then what came out
in the pixel's surroundings the time before (expectation maximisation, Dempster, Laird and Rubin
1977). So white letters that stand at one place in most memes do not win over the background in
one, and a line that nobody found in one meme does not win over the others. What no picture shows
is uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from memeloc.localise.protocol import Mask, Pixels
from memeloc.localise.restoring import is_smooth
from memeloc.localise.stretching import stretched
from memeloc.registration import opencv

Floats = npt.NDArray[np.float32]
Colour = tuple[int, int, int]

_DIFFERENT = 36
"""Levels of 255 by which smoothed pixels differ that show something else: twice what compression
does at quality 60."""
_REACH = 0.02
"""How far around what differs a picture may have letters, as a share of the shorter side."""
_SPECK = 6
"""Differing pixels that are fewer than these are compression."""
_NOISE, _INK = 9.0, 14.0
"""Standard deviations in levels of the background, and of a text's colour, which bleeds more."""
_COLOURED = 0.7
"""Share of letters' pixels that have a text's colour; the others are rims, emoji and marks."""
_PURE = 0.8
"""Share of those that have the letters' colour or their outline's; the others are between them."""
_ANY = 1 / 255**3
"""How likely a colour is of which nothing is known."""
_FOUND, _RIM, _ELSEWHERE, _COLOUR_ELSEWHERE = 0.99999, 0.8, 0.05, 0.2
"""How sure it is at first that a pixel is a letter's: where letters were found, and in their rims;
where none were; and there of a pixel in a colour of that meme's texts."""
_GAP = 5
"""Pixels between letters that are at most so wide are rims."""
_LEAST, _MOST = 0.03, 0.97
"""The same after a round: a pixel between letters is never sure to be one, nor not to be."""
_GOES_ON = 50.0
"""Standard deviation in levels of the background from what goes on from beside the texts."""
_AROUND = 5
"""Pixels across which what is a letter says that its neighbours are."""
_ROUNDS, _CANDIDATES = 3, 3
"""Times that it is estimated, and colours that are tried at a pixel: those least likely letters."""
_HIDDEN = 0.9
"""How sure it is of all pictures that they have a letter at a pixel that none shows."""
_EDGE_OF_HOLE, _RING = 1, 5
"""Pixels around a hole in which letters still show, and around text that say whether the picture is
smooth there: then painting errs less than pixels that blend into letters."""
_SURE = 1.5
"""Logarithm of how many times likelier the background must be than that all have letters there."""
_PART_OF_IT = 0.8
"""Share of a text's pixels that most of the others show as well, from which it belongs to the
picture: a sign, the page of a book."""
_EDGE = 20
"""Levels by which a pixel's light differs from that around it where its colour counts little."""
_LIGHT_NOISE = 10
"""Variance of light below which it says nothing of colours."""


@dataclass(frozen=True)
class Letters:
    """A text that was found in one picture alone.

    Attributes:
        ink: its letters and outlines.
        mask: those and the rims in which they blend into the background.
        sure: that it is a text, 0 to 1.
        colours: of its letters and, if they have one, their outline.
    """

    ink: Mask = field(repr=False)
    mask: Mask = field(repr=False)
    sure: float
    colours: tuple[Colour, ...]


@dataclass(frozen=True)
class Layer:
    """A picture laid on the others.

    Attributes:
        pixels: of the common size.
        covers: where it is.
        sharpness: how much its pixels count beside the others' when they are averaged.
        letters: its texts.
    """

    pixels: Pixels = field(repr=False)
    covers: Mask
    sharpness: float
    letters: tuple[Letters, ...] = ()


@dataclass(frozen=True)
class Agreement:
    """The picture that memes agree on.

    Attributes:
        pixels: the picture behind the texts.
        uncertain: where no picture shows it.
        texts: for each picture where it has letters, marks and bars.
    """

    pixels: Pixels = field(repr=False)
    uncertain: Mask
    texts: tuple[Mask, ...]


def agree(layers: Sequence[Layer]) -> Agreement:
    """Return what stands behind the texts of at least two pictures.

    Pixels that are uncertain get the likeliest colour nevertheless: a `Restorer` paints them.
    """
    cv2 = opencv()
    height, width = layers[0].covers.shape
    stack = np.stack([layer.pixels for layer in layers])
    covers = np.stack([layer.covers for layer in layers])
    smooth = np.stack([cv2.blur(pixels, (3, 3)) for pixels in stack])
    found = np.zeros(covers.shape, np.float32)
    colours: list[list[tuple[Colour, ...]]] = [[] for _ in layers]
    for number, layer in enumerate(layers):
        for letters in layer.letters:
            if not _is_shared(letters.mask, number, smooth, covers):
                found[number][letters.mask & (found[number] == 0)] = letters.sure * _RIM
                found[number][letters.ink] = letters.sure * _FOUND
                colours[number].append(letters.colours)
        # Where letters nearly touch there is nothing but their rims.
        gap = np.ones((_GAP, _GAP), np.uint8)
        closed = cv2.morphologyEx((found[number] > 0).astype(np.uint8), cv2.MORPH_CLOSE, gap) > 0
        found[number][closed & (found[number] == 0) & layer.covers] = _RIM
    # The captions of a template's memes often end at one line, so that their rims agree.
    clear = (covers & (found == 0)).any(axis=0)
    found[:, clear] = np.where(found[:, clear] > 0, _FOUND, 0)
    middle = _median(stack, covers & (found == 0), covers)
    differing = np.stack(
        [
            _without_specks(cover & (_furthest(pixels, middle) > _DIFFERENT))
            for pixels, cover in zip(smooth, covers, strict=True)
        ]
    )
    differing |= found > 0
    zone = _grown(np.asarray(differing.any(axis=0)), max(4, round(_REACH * min(height, width))))
    zone &= np.asarray(covers.any(axis=0))
    shows = covers.astype(np.float32)
    uncertain: Mask = np.logical_not(covers.any(axis=0))
    if zone.any():
        nobody = np.where(covers, found, 1).min(axis=0) > 0.5
        expected = stretched(middle.astype(np.float32), ~nobody)[zone]
        letters_there, hidden = _letters(smooth, covers, zone, found, colours, expected)
        shows *= 1 - letters_there
        uncertain |= hidden
    sharpness = np.array([layer.sharpness for layer in layers], np.float32)
    weights = shows * sharpness[:, None, None] + 1e-6 * covers
    total = np.zeros((height, width, 3), np.float32)
    for pixels, weight in zip(stack, weights, strict=True):
        total += pixels * weight[..., None]
    mean = total / np.maximum(weights.sum(axis=0), 1e-9)[..., None]
    pixels = _sharp_colours(np.rint(mean).clip(0, 255).astype(np.uint8), uncertain)
    texts = tuple(
        _without_specks(cover & (share < 0.5)) for cover, share in zip(covers, shows, strict=True)
    )
    return Agreement(pixels, uncertain, texts)


def differing_share(first: Layer, second: Layer) -> float:
    """Return the share of what two pictures both show in which they differ, 0 to 1."""
    cv2 = opencv()
    both = first.covers & second.covers
    smooth = [cv2.blur(layer.pixels, (5, 5)) for layer in (first, second)]
    differs = (_furthest(*smooth) > _DIFFERENT) & both
    return float(_without_specks(differs).sum() / max(1, both.sum()))


def _is_shared(mask: Mask, number: int, smooth: Pixels, covers: npt.NDArray[np.bool_]) -> bool:
    """Return whether most of the other pictures show the same where a text was found in one."""
    same = total = 0
    for other in range(len(smooth)):
        both = mask & covers[other] & covers[number]
        if other != number and both.any():
            far = np.abs(smooth[other][both].astype(np.int16) - smooth[number][both]).max(axis=1)
            same += (far < _DIFFERENT).mean() > _PART_OF_IT
            total += 1
    return 2 * same > total


def _letters(
    smooth: Pixels,
    covers: npt.NDArray[np.bool_],
    zone: Mask,
    found: Floats,
    colours: Sequence[Sequence[tuple[Colour, ...]]],
    expected: Floats,
) -> tuple[Floats, Mask]:
    """Return how sure it is, for each picture and pixel, that a letter stands there; and where one
    stands in all."""
    cv2 = opencv()
    inside, covered = smooth[:, zone].astype(np.float32), covers[:, zone]
    every = sorted({pair for of in colours for pair in of})
    ink = np.stack([_ink(pixels, of or every) for pixels, of in zip(inside, colours, strict=True)])
    elsewhere = np.where(ink > 10 * _ANY, np.float32(_COLOUR_ELSEWHERE), np.float32(_ELSEWHERE))
    sure = np.where(covered, np.where(found[:, zone] > 0, found[:, zone], elsewhere), np.float32(1))

    def agreeing(colour: Floats, sure: Floats) -> Floats:
        """Return the logarithm of how likely all pixels are where the background has a colour."""
        # One picture fits itself; how likely its colour is goes by what is beside the texts.
        off = np.einsum("pc,pc->p", colour - expected, colour - expected)
        goes_on = np.exp(-off / (2 * _GOES_ON**2)) / ((2 * np.pi) ** 1.5 * _GOES_ON**3)
        likely = np.log((goes_on + _ANY) / 2 / _noise(0)).astype(np.float32)
        for pixels, letter, dark, here in zip(inside, sure, ink, covered, strict=True):
            ground = (1 - letter) * _noise(np.einsum("pc,pc->p", pixels - colour, pixels - colour))
            likely += np.where(here, np.log(ground + letter * dark), 0)
        return np.asarray(likely)

    in_all: Mask = np.asarray(((found > 0) | ~covers).all(axis=0))
    letters = np.zeros(covers.shape, np.float32)
    order = np.argsort(sure, axis=0, kind="stable")[:_CANDIDATES]
    tried = [np.take_along_axis(inside, each[None, :, None], axis=0)[0] for each in order]
    scores = np.stack([agreeing(colour, sure) for colour in tried])
    chosen = np.take_along_axis(np.stack(tried), scores.argmax(axis=0)[None, :, None], axis=0)[0]
    for _ in range(_ROUNDS):
        all_letters = np.where(covered, np.log(np.maximum(sure, 1e-6) * ink), 0).sum(axis=0)
        unseen = (agreeing(chosen, sure) < all_letters + _SURE) & in_all[zone]
        for index, pixels in enumerate(inside):
            as_ink = sure[index] * ink[index]
            off = np.einsum("pc,pc->p", pixels - chosen, pixels - chosen)
            share = as_ink / (as_ink + (1 - sure[index]) * _noise(off) + np.float32(1e-30))
            share = np.where(unseen, sure[index], share)
            letters[index][zone] = np.where(covered[index], share, 0)
            rims = _grown(_without_specks(letters[index] > 0.8), 1)
            near = cv2.blur(np.maximum(letters[index], 0.95 * rims), (_AROUND, _AROUND))[zone]
            of_text = found[index][zone]
            sure[index] = np.where(of_text > 0, of_text, near.clip(_LEAST, _MOST))
            sure[index][~covered[index]] = 1
        shows = np.where(covered, 1 - letters[:, zone], 0) + np.float32(1e-6)
        chosen = np.einsum("np,npc->pc", shows, inside) / shows.sum(axis=0)[:, None]
    hidden = np.zeros_like(zone)
    hidden[zone] = unseen | (np.where(covered, letters[:, zone], 1).min(axis=0) > _HIDDEN)
    return letters, _holes(_without_specks(hidden & in_all), in_all, smooth[0])


def _holes(hidden: Mask, in_all: Mask, pixels: Pixels) -> Mask:
    """Return what is to be painted: what no picture shows, and more of what all have letters' rims
    on where painting is nearer to the truth than what has blended into letters."""
    cv2 = opencv()
    holes = _grown(hidden, _EDGE_OF_HOLE) & in_all
    count, labels = cv2.connectedComponents(_grown(in_all, _RING).astype(np.uint8))
    for label in range(1, count):
        part = labels == label
        if is_smooth(pixels, part & ~in_all):
            holes |= part & in_all
    return holes


def _noise(squares: Any) -> Any:
    """Return how likely the background is at so many squared levels from its colour."""
    return np.exp(-squares / (2 * _NOISE**2)) / ((2 * np.pi) ** 1.5 * _NOISE**3)


def _ink(pixels: Floats, colours: Sequence[tuple[Colour, ...]]) -> Floats:
    """Return how likely each pixel is of a letter: between its colour and its outline's, or any."""
    likely = np.full(len(pixels), (1 - _COLOURED * bool(colours)) * _ANY, np.float32)
    for pair in colours:
        first, last = np.array(pair[0], np.float32), np.array(pair[-1], np.float32)
        span, length = last - first, max(1.0, float(np.linalg.norm(last - first)))
        along = ((pixels - first) @ span / length**2).clip(0, 1)
        off = ((pixels - first - along[:, None] * span) ** 2).sum(axis=1)
        pure = np.minimum(along, 1 - along) * length < 2 * _INK
        density = np.where(
            pure,
            _PURE / len(pair) / ((2 * np.pi) ** 1.5 * _INK**3),
            (1 - _PURE) / length / (2 * np.pi * _INK**2),
        )
        likely += _COLOURED / len(colours) * np.exp(-off / (2 * _INK**2)) * density
    return likely


def _median(stack: Pixels, showing: npt.NDArray[np.bool_], covers: npt.NDArray[np.bool_]) -> Pixels:
    """Return the median of the pictures that show each pixel; where none does, that cover it."""
    use = np.where(showing.any(axis=0), showing, covers)
    values = np.where(use[..., None], stack.astype(np.float32), np.nan)
    with np.errstate(all="ignore"):
        return np.asarray(np.nan_to_num(np.nanmedian(values, axis=0)), np.uint8)


def _sharp_colours(pixels: Pixels, uncertain: Mask) -> Pixels:
    """Return pixels whose colours follow their light: a JPEG mostly has colours at half the size.

    Among a pixel's neighbours colour is a linear function of light (He, Sun and Tang, "Guided image
    filtering", ECCV 2010); those on an edge, whose colours bled into each other, count little, as
    do uncertain ones.
    """
    cv2 = opencv()
    converted = cv2.cvtColor(pixels.astype(np.float32), cv2.COLOR_RGB2YCrCb)
    light, colours = converted[..., :1], converted[..., 1:]
    weight = np.exp(-(((light - cv2.blur(light, (3, 3))[..., None]) / _EDGE) ** 2))
    weight = weight * ~uncertain[..., None] + np.float32(1e-3)

    def mean(values: Floats) -> Floats:
        blurred = cv2.blur(np.dstack([values * weight, weight]), (3, 3))
        return np.asarray(blurred[..., :-1] / blurred[..., -1:])

    usual, usual_colours = mean(light), mean(colours)
    slope = (mean(light * colours) - usual * usual_colours) / (
        np.maximum(mean(light * light) - usual * usual, 0) + _LIGHT_NOISE
    )
    converted[..., 1:] = mean(slope) * light + mean(usual_colours - slope * usual)
    sharp = cv2.cvtColor(converted, cv2.COLOR_YCrCb2RGB)
    return np.asarray(np.rint(sharp).clip(0, 255), np.uint8)


def _furthest(first: Pixels, second: Pixels) -> npt.NDArray[np.uint8]:
    """Return the largest difference of the three levels of each pixel."""
    cv2 = opencv()
    red, green, blue = cv2.split(cv2.absdiff(first, second))
    return np.asarray(cv2.max(cv2.max(red, green), blue))


def _grown(mask: Mask, reach: int) -> Mask:
    """Return the mask and what is at most `reach` pixels away, along either side."""
    around = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    return np.asarray(opencv().dilate(mask.astype(np.uint8), around) > 0)


def _without_specks(mask: Mask) -> Mask:
    """Return the mask without groups of few pixels."""
    cv2 = opencv()
    _, labels, figures, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    large = figures[:, cv2.CC_STAT_AREA] >= _SPECK
    large[0] = False
    return np.asarray(large[labels], dtype=np.bool_)
