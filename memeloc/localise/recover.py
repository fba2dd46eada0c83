"""A template's picture from its memes. In: pictures with different texts. Out: the one behind them.

The pictures are laid on the one that shows most (`memeloc.localise.aligning`); where each has
letters is looked for in it alone; and what they then show together is the picture without text
(`memeloc.localise.agreeing`). That picture takes the text out of each of its memes, and where they
differ from it are the boxes of a template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from PIL import Image

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.localise.agreeing import Layer, Letters, agree, differing_share
from memeloc.localise.aligning import align, find_points, lay_on, open_pixels, refine, scale_of
from memeloc.localise.protocol import CleanPicture, FinishedMeme, Mask, Pixels, Restorer
from memeloc.localise.regions import find_regions
from memeloc.localise.strokes import find_strokes
from memeloc.model import TextBox, VAlign
from memeloc.ocr.protocol import Line
from memeloc.ocr.rapid import find_text
from memeloc.registration import Map, chained, inverse, opencv

MOST = 32
"""Pictures that are taken of more, the largest: each takes some seconds, and what 32 do not show
more hardly do."""
_BLUR_COUNTS = 2
"""The power of a picture's scale by which its pixels count: a larger one is sharper."""
_ALIKE = 0.004
"""Share of their pixels in which two copies of one meme may differ."""
_TOGETHER = 0.05
"""How far letters of a text lie apart at most, as a share of the shorter side."""
_LEAST_WIDTH, _LEAST_HEIGHT = 0.06, 0.025
"""A text is at least this wide and high, as a share of the picture; marks are lower."""
_MARGIN = 0.01
"""What a box has around the texts, as a share of the picture."""

_Edges = tuple[float, float, float, float]


@dataclass(frozen=True)
class Aligned:
    """A picture that took part.

    Attributes:
        path: the file.
        map: from its pixels (after `open_pixels`) to those of the recovered picture.
        text: where it differs from the recovered picture, in that one's pixels.
    """

    path: Path
    map: Map
    text: Mask = field(repr=False)


@dataclass(frozen=True)
class Recovered:
    """The picture behind several memes.

    Attributes:
        image: RGB; where it is uncertain, what most pictures show, text perhaps.
        uncertain: pixels that no picture shows without text, or on which they contradict.
        pictures: those that took part.
        left_out: the others, and why.
    """

    image: Pixels = field(repr=False)
    uncertain: Mask = field(repr=False)
    pictures: tuple[Aligned, ...]
    left_out: tuple[tuple[Path, str], ...] = ()


def recover(pictures: Sequence[Path]) -> Recovered:
    """Return the picture that stands behind the texts of several memes; nothing is read.

    They may be scaled, cropped, compressed, have bars and marks. The result is as large as the
    largest shows it, and has no more than most of them show. Raise InputError if fewer than two
    different ones can be laid on each other, or a file is no picture; MissingError if OpenCV is not
    installed.
    """
    opened = {path: open_pixels(path) for path in dict.fromkeys(pictures)}
    largest = sorted(opened, key=lambda path: -opened[path].size)[:MOST]
    left_out = [(path, "there are enough larger ones") for path in opened if path not in largest]
    points = {path: find_points(opened[path]) for path in largest}
    first = largest[0]
    maps: dict[Path, Map] = {first: np.eye(2, 3)}
    for path in largest[1:]:
        matrix = align(points[first], points[path])
        if matrix is None:
            left_out.append((path, f"it does not lie on {first.name}"))
        else:
            maps[path] = refine(opened[first], opened[path], matrix)
    # The one that shows it largest: the others' maps go on to its pixels.
    finest = min(maps, key=lambda path: (round(scale_of(maps[path]), 2), largest.index(path)))
    back = inverse(maps[finest])
    maps = {path: chained(back, matrix) for path, matrix in maps.items()}
    layers = _laid(opened, maps, finest)
    layers, copies = _without_copies(layers)
    left_out += copies
    layers = {
        path: replace(
            layer,
            letters=tuple(
                replace(
                    each,
                    ink=_mask_on(each.ink, maps[path], layer.covers),
                    mask=_mask_on(each.mask, maps[path], layer.covers),
                )
                for each in find_letters(opened[path])
            ),
        )
        for path, layer in layers.items()
    }
    if len(layers) < 2:
        raise InputError(
            f"{first.name}: fewer than two of the {len(opened)} pictures are different memes on "
            "the same picture"
        )
    return _recovered(layers, maps, left_out)


def find_letters(pixels: Pixels) -> tuple[Letters, ...]:
    """Return the texts that are seen in one picture alone, in whatever script. Raise MissingError
    if the package that finds text is not installed."""
    lines = [
        Line("text", place.box, 1.0, corners=place.corners)
        for place in find_text(Image.fromarray(pixels), read=False)
    ]
    cv2 = opencv()
    height, width = pixels.shape[:2]
    found = []
    for region in find_regions(lines, (width, height), default().get("en")):
        strokes = find_strokes(pixels, region)
        if strokes is not None:
            mask, ink = np.zeros((2, height, width), np.bool_)
            strokes.lay_on(mask)
            replace(strokes, mask=strokes.ink).lay_on(ink)
            ink = cv2.dilate(ink.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
            colours = [strokes.fill, *([strokes.outline] if strokes.outline else [])]
            found.append(Letters(ink, mask, strokes.sure, tuple(colours)))
    return tuple(found)


def _laid(opened: Mapping[Path, Pixels], maps: Mapping[Path, Map], on: Path) -> dict[Path, Layer]:
    """Return the pictures laid on one of them, without their letters."""
    size = opened[on].shape[1], opened[on].shape[0]
    layers = {}
    for path, matrix in maps.items():
        pixels, covers = lay_on(opened[path], matrix, size)
        layers[path] = Layer(pixels, covers, min(1.0, 1 / scale_of(matrix)) ** _BLUR_COUNTS)
    return layers


def _mask_on(mask: Mask, matrix: Map, covers: Mask) -> Mask:
    """Return a mask laid as its picture is."""
    cv2 = opencv()
    size = covers.shape[1], covers.shape[0]
    return np.asarray(cv2.warpAffine(mask.astype(np.uint8) * 255, matrix, size) > 60) & covers


def _without_copies(
    layers: Mapping[Path, Layer],
) -> tuple[dict[Path, Layer], list[tuple[Path, str]]]:
    """Return, of the pictures with the same text the sharpest: copies would vote for their text."""
    different: dict[Path, Layer] = {}
    left_out = []
    for path in sorted(layers, key=lambda path: -layers[path].sharpness):
        same = (
            other
            for other, layer in different.items()
            if differing_share(layer, layers[path]) < _ALIKE
        )
        copied = next(same, None)
        if copied is None:
            different[path] = layers[path]
        else:
            left_out.append((path, f"its text is that of {copied.name}"))
    return different, left_out


def _recovered(
    layers: Mapping[Path, Layer], maps: Mapping[Path, Map], left_out: Sequence[tuple[Path, str]]
) -> Recovered:
    """Return what the layers agree on, cut to what most of them show."""
    covered = np.sum([layer.covers for layer in layers.values()], axis=0)
    rows, columns = np.nonzero(2 * covered > len(layers))
    if not rows.size:
        raise InputError("The pictures have no part in common.")
    top, bottom, left, right = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
    part = np.s_[top:bottom, left:right]
    agreed = agree(
        [
            Layer(
                layer.pixels[part],
                layer.covers[part],
                layer.sharpness,
                tuple(
                    replace(each, ink=each.ink[part], mask=each.mask[part])
                    for each in layer.letters
                ),
            )
            for layer in layers.values()
        ]
    )
    shift = np.array([[0, 0, left], [0, 0, top]], dtype=np.float64)
    pictures = tuple(
        Aligned(path, maps[path] - shift, text)
        for path, text in zip(layers, agreed.texts, strict=True)
    )
    return Recovered(agreed.pixels, agreed.uncertain, pictures, tuple(left_out))


class RecoveredPictures:
    """See `CleanPictureSource`: for memes that stand on one picture with others.

    Args:
        groups: memes by the picture they stand on, as `group_pictures` groups them.
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
        painted = recovered.uncertain.astype(np.uint8) * 255
        unknown = np.asarray(opencv().warpAffine(painted, back, size) > 0) | ~covers
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


def text_boxes(recovered: Recovered) -> tuple[TextBox, ...]:
    """Return a box around the texts that stand at one place in the memes, from top to bottom.

    Where only one of three and more memes differs is a mark, unless no place has more. No boxes
    where no meme has text.
    """
    places = [place for each in recovered.pictures for place in _places(each.text)]
    joined = _joined([(place, 1) for place in places])
    shared = [place for place, count in joined if count > 1 or len(recovered.pictures) < 3]
    chosen = shared or [place for place, _ in joined]
    boxes = []
    for number, edges in enumerate(sorted(chosen, key=lambda edges: (edges[1], edges[0])), 1):
        left, top = (max(0.0, edge - _MARGIN) for edge in edges[:2])
        right, bottom = (min(1.0, edge + _MARGIN) for edge in edges[2:])
        valign: VAlign = "top" if bottom < 0.5 else "bottom" if top > 0.5 else "middle"
        boxes.append(
            TextBox(f"text {number}", left, top, right - left, bottom - top, valign=valign)
        )
    return tuple(boxes)


def _places(text: Mask) -> list[_Edges]:
    """Return left, top, right and bottom, in fractions of the picture, of each text of a meme."""
    cv2 = opencv()
    height, width = text.shape
    reach = max(3, round(_TOGETHER * min(text.shape)))
    kernel = np.ones((reach, reach), np.uint8)
    joined = cv2.morphologyEx(text.astype(np.uint8), cv2.MORPH_CLOSE, kernel)
    _, _, figures, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    places = []
    for left, top, across, down, _ in figures[1:].tolist():
        if across >= _LEAST_WIDTH * width and down >= _LEAST_HEIGHT * height:
            places.append(
                (left / width, top / height, (left + across) / width, (top + down) / height)
            )
    return places


def _joined(places: Sequence[tuple[_Edges, int]]) -> list[tuple[_Edges, int]]:
    """Return places that overlap made one, with how many became it."""
    left = list(places)
    joined: list[tuple[_Edges, int]] = []
    while left:
        edges, count = left.pop()
        touching = [other for other in left if _overlap(edges, other[0])]
        if not touching:
            joined.append((edges, count))
            continue
        left = [other for other in left if other not in touching]
        every = [edges, *(other for other, _ in touching)]
        least, most = np.min(every, axis=0).tolist(), np.max(every, axis=0).tolist()
        total = count + sum(other for _, other in touching)
        left.append(((least[0], least[1], most[2], most[3]), total))
    return joined


def _overlap(first: _Edges, second: _Edges) -> bool:
    across = min(first[2], second[2]) - max(first[0], second[0])
    down = min(first[3], second[3]) - max(first[1], second[1])
    return across > 0 and down > 0
