"""The picture behind several texts. In: pictures laid on each other. Out: what most of them show.

At each pixel the pictures that look the same vote together; a picture whose pixel has the colour of
its own text, near its text, has hardly a vote, so that white letters that stand at one place in
most memes do not win over the background in one. What nobody shows without text is uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from memeloc.localise.opencv import opencv
from memeloc.localise.protocol import Mask, Pixels

_DIFFERENT = 18
"""Levels of 255 in which smoothed pixels of the same may differ: compression."""
_Colours = npt.NDArray[np.uint8]
"""A row red, green and blue each; or a single one of them."""

_SUSPECT = 0.5
"""The vote of all pixels that look like their pictures' text, beside one that does not."""
_BAND = 128
"""Rows that are compared at a time."""
_ZONE = 0.015
"""Half a thick stroke of letters, as a share of the shorter side: text that all pictures have at
one place is hardly thicker."""
_RIM = 2
"""Pixels around letters that their edges and compression change."""
_SPECK = 6
"""Differing pixels that are fewer than these are compression."""
_LEVELS = 16
"""Steps of each colour by which text colours are looked for."""
_COMMON, _VERY_COMMON, _DENSER = 0.08, 0.2, 1.5
"""Share that a text colour has at least of the pixels in which a picture alone differs, and of
those in which any does; and how many times its share of the background."""
_FOREIGN = 0.1
"""Share of something from which what no other picture confirms belongs to the text: an emoji."""
_SAY_SO, _SEVERAL = 0.3, 6
"""Share of the memes with text that have a text's colour, at least, where they are several."""
_ENOUGH = 0.0005
"""Share of the picture that is enough to learn colours from; a mark is less."""
_SAME_COLOUR = 25
"""Levels in which a pixel may differ from its text's colour."""
_EDGE = 20
"""Levels by which a pixel's light differs from that around it where its colour counts little."""
_NOISE = 10
"""Variance of light below which it says nothing of colours."""
_AS_AROUND = 40
"""Levels in which the background may differ from what its surroundings suggest: white letters on a
white cloud change nothing."""


@dataclass(frozen=True)
class Layer:
    """A picture laid on the others.

    Attributes:
        pixels: of the common size.
        covers: where it is.
        sharpness: how much its pixels count beside the others' when they are averaged.
    """

    pixels: Pixels = field(repr=False)
    covers: Mask
    sharpness: float


@dataclass(frozen=True)
class Agreement:
    """What the pictures agree on.

    Attributes:
        pixels: the picture behind the texts.
        uncertain: where no picture shows it, or they contradict each other.
        texts: for each picture where it differs: its text, marks and bars.
    """

    pixels: Pixels = field(repr=False)
    uncertain: Mask
    texts: tuple[Mask, ...]


_Look = tuple[Pixels, ...]
"""A picture, smoothed, and the least and most of each pixel and its neighbours."""


def _most(levels: Pixels) -> npt.NDArray[np.uint8]:
    """The largest of each pixel's three levels."""
    cv2 = opencv()
    red, green, blue = cv2.split(levels)
    return np.asarray(cv2.max(cv2.max(red, green), blue))


def _resemble(first: _Look, second: _Look) -> Mask:
    """Return where each pixel of two smoothed pictures is near the other's, or between it and its
    neighbours: beside an edge a map that is off by a part of a pixel shows what is next to it."""
    cv2 = opencv()
    near = np.ones(first[0].shape[:2], np.bool_)
    for (smooth, *_), (_, least, most) in ((first, second), (second, first)):
        beyond = cv2.max(cv2.subtract(least, smooth), cv2.subtract(smooth, most))
        near &= _most(beyond) < _DIFFERENT
    return near


def _vote(
    layers: Sequence[Layer], weights: Sequence[npt.NDArray[np.float32]]
) -> tuple[npt.NDArray[np.float32], list[Mask]]:
    """Return at each pixel the greatest weight of pictures that look the same, and which they are.

    All pairs are compared, in bands of rows: of 32 large pictures they would not fit in memory.
    """
    cv2 = opencv()
    around = np.ones((3, 3), np.uint8)
    height = layers[0].covers.shape[0]
    most = np.zeros(layers[0].covers.shape, np.float32)
    members: list[Mask] = [np.zeros_like(layer.covers) for layer in layers]
    for start in range(0, height, _BAND):
        top, end = max(0, start - 2), min(height, start + _BAND + 2)
        rows, inner = slice(start, start + _BAND), slice(start - top, start - top + _BAND)
        looks = []
        for layer in layers:
            smooth = cv2.blur(layer.pixels[top:end], (3, 3))
            looks.append(
                tuple(
                    picture[inner]
                    for picture in (smooth, cv2.erode(smooth, around), cv2.dilate(smooth, around))
                )
            )
        covers = [layer.covers[rows] for layer in layers]
        same = {(i, i): cover for i, cover in enumerate(covers)}
        for i, j in combinations(range(len(layers)), 2):
            both = _resemble(looks[i], looks[j]) & covers[i] & covers[j]
            same[i, j] = same[j, i] = both
        count = range(len(layers))
        support = np.stack([sum(same[i, j] * weights[j][rows] for j in count) for i in count])
        best = support.argmax(axis=0)
        most[rows] = support.max(axis=0)
        for j in count:
            for i in count:
                members[j][rows] |= same[i, j] & (best == i)
    return most, members


def agree(layers: Sequence[Layer]) -> Agreement:
    """What stands behind the texts of at least two pictures.

    Pixels that are uncertain get the vote nevertheless: a `Restorer` paints them.
    """
    covers = [layer.covers for layer in layers]
    suspects = _suspects(layers)
    doubted = np.float32(_SUSPECT / len(layers))
    weights = [
        np.where(suspect, doubted, np.float32(1)) * cover
        for suspect, cover in zip(suspects, covers, strict=True)
    ]
    _, members = _vote(layers, weights)
    clean = [member & ~suspect for member, suspect in zip(members, suspects, strict=True)]
    pixels = _average(layers, clean, members)
    contradicted = np.logical_or.reduce(
        [
            cover & ~member & ~suspect
            for cover, member, suspect in zip(covers, members, suspects, strict=True)
        ]
    )
    showing = np.sum(clean, axis=0)
    uncertain = _unlike_surroundings(pixels, showing == 0)
    uncertain |= _without_specks((showing == 1) & contradicted)
    for cover, shows, member, suspect in zip(covers, clean, members, suspects, strict=True):
        uncertain |= _foreign(shows & (showing == 1), cover & ~member & ~suspect)
    texts = (cover & ~member for cover, member in zip(covers, members, strict=True))
    pixels = _sharp_colours(pixels, uncertain)
    return Agreement(pixels, uncertain, tuple(_without_specks(text) for text in texts))


def _foreign(lonely: Mask, wrong: Mask) -> Mask:
    """What one picture alone shows, as a piece of something that others contradict elsewhere.

    An emoji between letters has colours of its own; where the others have letters, nobody does.
    """
    cv2 = opencv()
    wrong = _without_specks(wrong)
    _, labels = cv2.connectedComponents((lonely | wrong).astype(np.uint8), connectivity=8)
    counts = np.bincount(labels.ravel())
    share = np.bincount(labels[wrong], minlength=len(counts)) / np.maximum(counts, 1)
    return np.asarray(lonely & (share >= _FOREIGN)[labels])


def differing_share(first: Layer, second: Layer) -> float:
    """The share of what two pictures both show in which they differ, 0 to 1."""
    cv2 = opencv()
    both = first.covers & second.covers
    smooth = [cv2.blur(layer.pixels, (5, 5)) for layer in (first, second)]
    differs = (_most(cv2.absdiff(*smooth)) > 2 * _DIFFERENT) & both
    return float(_without_specks(differs).sum() / max(1, both.sum()))


def _average(layers: Sequence[Layer], clean: Sequence[Mask], members: Sequence[Mask]) -> Pixels:
    """The mean of the pictures that show the background; where none does, of those that agree."""
    nobody = sum(clean) == 0
    total = np.zeros(layers[0].pixels.shape, np.float32)
    weight = np.zeros(layers[0].covers.shape, np.float32)
    for layer, shows, member in zip(layers, clean, members, strict=True):
        share = np.where(nobody, member, shows) * np.float32(layer.sharpness)
        total += layer.pixels * share[..., None]
        weight += share
    return np.rint(total / np.maximum(weight, 1e-6)[..., None]).clip(0, 255).astype(np.uint8)


def _sharp_colours(pixels: Pixels, uncertain: Mask) -> Pixels:
    """Pixels whose colours follow their light: a JPEG mostly has colours at half the size.

    Among a pixel's neighbours colour is a linear function of light (He, Sun and Tang, "Guided image
    filtering", ECCV 2010); those on an edge, whose colours bled into each other, count little, as
    do uncertain ones.
    """
    cv2 = opencv()
    converted = cv2.cvtColor(pixels.astype(np.float32), cv2.COLOR_RGB2YCrCb)
    light, colours = converted[..., :1], converted[..., 1:]
    weight = np.exp(-(((light - cv2.blur(light, (3, 3))[..., None]) / _EDGE) ** 2))
    weight = weight * ~uncertain[..., None] + np.float32(1e-3)

    def mean(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        blurred = cv2.blur(np.dstack([values * weight, weight]), (3, 3))
        return np.asarray(blurred[..., :-1] / blurred[..., -1:])

    usual, usual_colours = mean(light), mean(colours)
    slope = (mean(light * colours) - usual * usual_colours) / (
        np.maximum(mean(light * light) - usual * usual, 0) + _NOISE
    )
    converted[..., 1:] = mean(slope) * light + mean(usual_colours - slope * usual)
    sharp = cv2.cvtColor(converted, cv2.COLOR_YCrCb2RGB)
    return np.asarray(np.rint(sharp).clip(0, 255), np.uint8)


def _suspects(layers: Sequence[Layer]) -> list[Mask]:
    """For each picture where it has a colour of the texts, near where it differs."""
    covered = np.sum([layer.covers for layer in layers], axis=0)
    most, members = _vote(layers, [layer.covers.astype(np.float32) for layer in layers])
    sure = (most >= 2) & (2 * most > covered)
    reach = max(3, round(_ZONE * min(covered.shape)))
    differing = [
        _without_specks(layer.covers & ~(member & sure))
        for layer, member in zip(layers, members, strict=True)
    ]
    zone = _grown(np.logical_or.reduce(differing), 2 * reach)
    # Memes of a template are mostly set alike, and some differ in too little to learn from.
    alone = []
    for place, differs in enumerate(differing):
        others = [mask for other, mask in enumerate(differing) if other != place]
        alone.append(differs & sure & ~_grown(np.logical_or.reduce(others), reach))
    background = layers[0].pixels[(most == covered) & ~zone]
    colours = _all_text_colours(layers, alone, background, _COMMON)
    # Where all texts stand at one place no picture differs alone, and what differs may be behind.
    colours += _all_text_colours(layers, differing, background, _VERY_COMMON)
    suspects = []
    for layer in layers:
        like_text = np.zeros_like(zone)
        for colour in colours:
            like_text |= _distance(layer.pixels, colour) < _SAME_COLOUR
        suspects.append(_grown(like_text & zone, _RIM) & zone & layer.covers)
    return suspects


def _distance(pixels: Pixels, other: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The largest difference of the three levels of each pixel, to another picture or a colour."""
    return _most(opencv().absdiff(pixels, np.broadcast_to(other, pixels.shape).copy()))


def _grown(mask: Mask, reach: int) -> Mask:
    """The mask and what is at most `reach` pixels away, along either side."""
    around = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    return np.asarray(opencv().dilate(mask.astype(np.uint8), around) > 0)


def _all_text_colours(
    layers: Sequence[Layer], where: Sequence[Mask], background: _Colours, least: float
) -> list[_Colours]:
    """The colours that are common where texts are, and much rarer where none is.

    Of many memes several must say so: each has a stain of its own that looks like a text.
    """
    found: list[list[_Colours]] = []
    for layer, mask in zip(layers, where, strict=True):
        if mask.mean() >= _ENOUGH:
            own = layer.pixels[mask]
            found.append(
                [
                    colour
                    for colour in _common_colours(own, least)
                    if _share(own, colour) >= _DENSER * _share(background, colour)
                ]
            )
    return [
        colour
        for colours in found
        for colour in colours
        if sum(bool(_share(np.array(other), colour)) for other in found if other)
        > (_SAY_SO * len(found) if len(found) >= _SEVERAL else 0)
    ]


def _share(pixels: _Colours, colour: _Colours) -> float:
    """The share of pixels that have a colour."""
    far = np.abs(pixels.astype(np.int16) - colour).max(axis=1)
    return float((far < _SAME_COLOUR).mean()) if len(pixels) else 0.0


def _common_colours(pixels: _Colours, least: float) -> list[_Colours]:
    """The colours that at least this share of pixels has.

    They are counted in cells of a coarse grid, and in those of the same grid moved by half a cell.
    """
    step, side = 256 // _LEVELS, _LEVELS + 1
    colours: list[_Colours] = []
    for offset in (0, step // 2):
        cells = ((pixels.astype(np.int32) + offset) // step) @ np.array([side * side, side, 1])
        counts = np.bincount(cells, minlength=1)
        for cell in np.flatnonzero(counts >= least * cells.size):
            colours.append(np.median(pixels[cells == cell], axis=0).astype(np.uint8))
    return colours


def _without_specks(mask: Mask) -> Mask:
    """The mask without groups of few pixels."""
    cv2 = opencv()
    _, labels, figures, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    large = figures[:, cv2.CC_STAT_AREA] >= _SPECK
    large[0] = False
    return np.asarray(large[labels], dtype=np.bool_)


def _unlike_surroundings(pixels: Pixels, unseen: Mask) -> Mask:
    """Where what no picture shows without suspicion is not what goes on beside it.

    A white cloud behind white letters does; a piece of a letter does not.
    """
    if not unseen.any():
        return unseen
    expected = opencv().inpaint(pixels, unseen.astype(np.uint8), 3, opencv().INPAINT_TELEA)
    return _grown(unseen & (_distance(pixels, expected) > _AS_AROUND), _RIM) & unseen
