"""One finished meme localised. In: a picture, what was read in it, what people decided. Out: parts.

1. `open_meme` opens the picture; `texts.find_texts` finds its texts and their letters in it.
2. What people decided, or what is clear without them, says which texts are translated.
3. The sources of clean pictures are asked in turn; the last is `Restoring`.
4. Each text becomes a part of the caption and a box of the template; a known template keeps its
   own boxes, and each part goes to the box that it stands in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image

from memeloc.files import file_sha256
from memeloc.localise.boxes import overlap, text_boxes
from memeloc.localise.crops import disc
from memeloc.localise.protocol import (
    CleanPicture,
    CleanPictureSource,
    FinishedMeme,
    Mask,
    Pixels,
    Restorer,
)
from memeloc.localise.texts import Text, line_height, mask_of
from memeloc.model import Locale, Template, TextBox
from memeloc.ocr.protocol import Line
from memeloc.registration import opencv
from memeloc.templates import open_picture

Decision = Literal["text", "keep"]
"""Of a text: it is translated, or it stays in the picture."""

_SAME_LETTERS = 40.0
"""Levels of 255 by which letters differ at most that two pictures both have: JPEG and scaling."""
_STILL_SEEN = "something of it is still seen where it was taken out"
_LEGIBLE, _READ, _OF_LINE = 2, 0.6, 0.15
"""Letters and digits of a line that is legible, the reader's confidence in it, and the share of its
box that was painted: less is read in drawings, and beside texts."""
_SHADE, _ALIKE = 7.0, 0.3
"""Levels by which what is left in the shape of letters differs from what is between them, and its
correlation with them: grain and leaves have 5 and 0.1 at most."""
_LEAST_HEIGHT = 8.0  # pixels of a line: around smaller ones there is nothing to compare with
_WIDER, _LEAST_WIDER = 0.08, 2
"""How much more is taken out around letters that are still seen, in heights of a line, and in
pixels at least: an outline that was missed, a shadow."""


@dataclass(frozen=True)
class LocalisedMeme:
    """A meme whose text was found.

    Attributes:
        texts: all that were found, in reading order.
        taken: the numbers of those that are translated.
        open: the numbers of those that a person has to decide on; they stay in the picture, unless
            it is a known template's.
        mask: on the letters of those taken.
        clean: the picture without them; None where nothing was taken.
        boxes: of the template, in the order of the parts.
        parts: of the caption, as read.
    """

    meme: FinishedMeme
    texts: tuple[Text, ...]
    taken: tuple[int, ...]
    open: tuple[int, ...]
    mask: Mask = field(repr=False)
    clean: CleanPicture | None
    boxes: tuple[TextBox, ...] = ()
    parts: tuple[str, ...] = ()

    def without_pixels(self) -> LocalisedMeme:
        """Return the same without its pictures, of which one is some megabytes."""
        none, clean = np.zeros((0, 0, 3), np.uint8), self.clean
        return replace(
            self,
            meme=replace(self.meme, pixels=none),
            texts=tuple(replace(text, strokes=None) for text in self.texts),
            mask=np.zeros((0, 0), np.bool_),
            clean=None if clean is None else replace(clean, pixels=none, uncertain=None),
        )


class Restoring:
    """See `CleanPictureSource`: what stood behind the text is painted."""

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer

    def find(self, meme: FinishedMeme, mask: Mask) -> CleanPicture | None:
        """Return the picture, what is masked painted anew."""
        if not mask.any():
            return None
        restored = self._restorer.restore(meme.pixels, mask)
        return CleanPicture(restored, "restored", self._restorer.name)


def open_meme(path: Path, name: str) -> FinishedMeme:
    """Return a finished meme from its file, by the name that it gets in tables. Raise InputError if
    it is no picture, or too large a one."""
    pixels = np.ascontiguousarray(open_picture(path))
    return FinishedMeme(name, path, file_sha256(path), pixels)


def localise(
    meme: FinishedMeme,
    texts: Sequence[Text],
    locale: Locale,
    sources: Sequence[CleanPictureSource],
    decisions: Mapping[str, Decision] | None = None,
    *,
    unmarked: bool = False,
    read: Callable[[Pixels], Sequence[Line]] | None = None,
) -> LocalisedMeme:
    """Take the text out of a meme.

    With `read` there is a second look: where something of a text is still to be seen, more around
    its letters is taken out; and where there still is, a person is asked, unless one decided.

    Args:
        meme: as `open_meme` gives it.
        texts: as `memeloc.localise.texts.find_texts` found them in it.
        locale: of the language of its text.
        sources: of clean pictures, the best first.
        decisions: of people, by `text_key`; a text without one is taken where nothing about it is
            doubtful, and is left in the picture, and asked about, where something is.
        unmarked: watermarks are painted over, too; else they stay in the picture.
        read: reads the lines of a picture.

    Raises:
        MissingError: what is needed is not installed.
    """
    decided = decisions or {}
    taken, waiting, staying, marks = [], [], [], []
    for text in texts:
        if text.watermark and text_key(meme, text) not in decided:
            marks.append(text)
            continue
        decision = decided.get(text_key(meme, text), "" if text.doubts else "text")
        if decision == "text" and text.strokes is not None:
            taken.append(text)
        elif decision == "keep":
            staying.append(text)
        else:
            waiting.append(text.number)
    size = meme.pixels.shape[1], meme.pixels.shape[0]
    masks = {text.number: mask_of([text], size) for text in taken}
    others, stay = mask_of(marks if unmarked else [], size), mask_of(staying, size)
    left: list[Text] = []
    for widened in (False, True, True):
        mask = np.any([others, *(masks[text.number] for text in taken)], axis=0)
        with_regions = replace(meme, regions=tuple(text.region for text in taken))
        found_by = (source.find(with_regions, mask) for source in sources if taken)
        shown = (each for each in found_by if each and _shows(each, meme, stay))
        picture = next(shown, None)
        if read is None or picture is None or picture.template is not None or left:
            break
        found = remains(picture.pixels, taken, masks, read(picture.pixels))
        if not found:
            break
        if not widened:
            for text in found:
                masks[text.number] = _widened(text, masks[text.number])
            continue
        left = [text for text in found if text_key(meme, text) not in decided]
        if not left:
            break
        taken = [text for text in taken if text not in left]
    if left:
        waiting = sorted([*waiting, *(text.number for text in left)])
        texts = [replace(t, doubts=(*t.doubts, _STILL_SEEN)) if t in left else t for t in texts]
    boxes, parts = text_boxes(meme.pixels, taken, locale), [text.region.text for text in taken]
    if picture is not None and picture.template is not None:
        boxes, parts = picture.template.boxes, _by_box(taken, picture.template)
    return LocalisedMeme(
        with_regions,
        tuple(texts),
        tuple(text.number for text in taken),
        tuple(waiting),
        mask,
        picture,
        boxes,
        tuple(parts),
    )


def _shows(picture: CleanPicture, meme: FinishedMeme, staying: Mask) -> bool:
    """Return whether the letters that stay stand in a clean picture; only a template's may lack
    them, which then is none of this meme."""
    if picture.template is None or not staying.any():
        return True
    height, width = staying.shape
    pixels = np.asarray(Image.fromarray(picture.pixels).resize((width, height)), np.float32)
    return bool(np.abs(pixels[staying] - meme.pixels[staying]).mean() < _SAME_LETTERS)


def remains(
    restored: Pixels,
    texts: Sequence[Text],
    masks: Mapping[int, Mask],
    lines: Sequence[Line],
) -> list[Text]:
    """Return the texts of which something is to be seen in the picture that they were taken out of:
    letters that are read where they stood, or a shade in the shape of theirs.

    Args:
        masks: what was taken out of each, by its number.
        lines: as a reader read them in the picture.
    """
    cv2 = opencv()
    height, width = restored.shape[:2]
    grey = cv2.cvtColor(restored, cv2.COLOR_RGB2GRAY).astype(np.float32)
    found = []
    for text in texts:
        mask, strokes = masks[text.number], text.strokes
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if strokes is None or not rows.size:
            continue
        box = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
        legible = any(
            sum(map(str.isalnum, line.text)) >= _LEGIBLE
            and line.confidence >= _READ
            and box[0] <= (line.box[1] + line.box[3]) / 2 < box[1]
            and box[2] <= (line.box[0] + line.box[2]) / 2 < box[3]
            and mask[_part(line.box, width, height)].mean() >= _OF_LINE
            for line in lines
        )
        around = int(max(_LEAST_HEIGHT, line_height(text.region, (width, height)))) | 1
        edges = box[2] - around, box[0] - around, box[3] + around, box[1] + around
        part = _part(edges, width, height)
        shade = grey[part] - cv2.blur(grey[part], (around, around))
        shaded = False
        for shape in (strokes.letters, strokes.ink):  # white letters ringed by black sum up to grey
            letters = np.zeros((height, width), np.float32)
            top, left = strokes.top, strokes.left
            letters[top : top + shape.shape[0], left : left + shape.shape[1]] = shape
            letters = letters[part] - cv2.blur(letters[part], (around, around))
            depth = float((shade * letters).mean() / max(float((letters**2).mean()), 1e-6))
            alike = abs(depth) * float(letters.std()) / max(float(shade.std()), 1.0)
            shaded |= abs(depth) > _SHADE and alike > _ALIKE
        if legible or shaded:
            found.append(text)
    return found


def _part(box: Sequence[float], width: int, height: int) -> tuple[slice, slice]:
    """Return where left, top, right and bottom in pixels are in a picture."""
    left, top, right, bottom = (round(each) for each in box)
    rows = slice(max(0, top), max(1, min(height, bottom)))
    return rows, slice(max(0, left), max(1, min(width, right)))


def _widened(text: Text, mask: Mask) -> Mask:
    """Return the mask with more around the letters."""
    radius = max(
        _LEAST_WIDER, round(_WIDER * line_height(text.region, (mask.shape[1], mask.shape[0])))
    )
    return np.asarray(opencv().dilate(mask.astype(np.uint8), disc(radius)) > 0)


def text_key(meme: FinishedMeme, text: Text) -> str:
    """Return SHA-256, in hex, of what a decision on a text is about: the picture, and where it
    stands."""
    x, y, width, height = text.region.box
    place = f"{x + width / 2:.2f} {y + height / 2:.2f} {text.region.text}"
    return hashlib.sha256(f"{meme.sha256}\n{place}".encode()).hexdigest()


def text_name(meme: FinishedMeme, text: Text) -> str:
    """Return what people call a text: the meme's name and the text's number, as `cat.2`."""
    return f"{meme.name}.{text.number}"


def _by_box(texts: Sequence[Text], template: Template) -> list[str]:
    """Return the texts by the boxes that they stand in; several in one follow each other."""
    parts: list[list[str]] = [[] for _ in template.boxes]
    for text in texts:
        shares = [
            overlap(text.region.box, (box.x, box.y, box.width, box.height))
            for box in template.boxes
        ]
        x, y, width, height = text.region.box
        away = [
            -abs(box.x + box.width / 2 - x - width / 2)
            - abs(box.y + box.height / 2 - y - height / 2)
            for box in template.boxes
        ]
        best = max(range(len(parts)), key=lambda index: (shares[index], away[index]))
        parts[best].append(text.region.text)
    return [" ".join(texts_of_box) for texts_of_box in parts]
