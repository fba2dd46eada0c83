"""One finished meme localised. In: a picture, what was read in it, what people decided. Out: parts.

1. `open_meme` opens the picture; `texts.find_texts` finds its texts and their letters in it.
2. What people decided, or what is clear without them, says which texts are translated.
3. `protocol.clean` asks the sources of clean pictures in turn; the last is `Restoring`.
4. Each text becomes a part of the caption and a box of the template; a known template keeps its
   own boxes, and each part goes to the box that it stands in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from memeloc.files import file_sha256
from memeloc.localise.boxes import overlap, text_boxes
from memeloc.localise.protocol import (
    CleanPicture,
    CleanPictureSource,
    FinishedMeme,
    Mask,
    Restorer,
    clean,
)
from memeloc.localise.texts import Text, mask_of
from memeloc.model import Locale, Template, TextBox
from memeloc.templates import open_picture

Decision = Literal["text", "keep"]
"""Of a text: it is translated, or it stays in the picture."""


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
        """The same without its pictures, of which one is some megabytes."""
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
        """The picture, what is masked painted anew."""
        if not mask.any():
            return None
        restored = self._restorer.restore(meme.pixels, mask)
        return CleanPicture(restored, "restored", self._restorer.name)


def open_meme(path: Path, name: str) -> FinishedMeme:
    """A finished meme from its file, by the name that it gets in tables.

    Raises:
        InputError: it is no picture, or too large a one.
    """
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
) -> LocalisedMeme:
    """Take the text out of a meme.

    Args:
        meme: as `open_meme` gives it.
        texts: as `memeloc.localise.texts.find_texts` found them in it.
        locale: of the language of its text.
        sources: of clean pictures, the best first.
        decisions: of people, by `text_key`; a text without one is taken where nothing about it is
            doubtful, and is left in the picture, and asked about, where something is.
        unmarked: watermarks are painted over, too; else they stay in the picture.

    Raises:
        MissingError: what is needed is not installed.
    """
    decided = decisions or {}
    taken, waiting, kept, marks = [], [], [], []
    for text in texts:
        if text.watermark and text_key(meme, text) not in decided:
            marks.append(text)
            continue
        decision = decided.get(text_key(meme, text), "" if text.doubts else "text")
        if decision == "text" and text.strokes is not None:
            taken.append(text)
        elif decision == "keep":
            kept.append(text)
        else:
            waiting.append(text.number)
    size = meme.pixels.shape[1], meme.pixels.shape[0]
    mask = mask_of([*taken, *marks] if unmarked else taken, size)
    with_regions = replace(meme, regions=tuple(text.region for text in taken))
    picture = clean(with_regions, mask, sources, mask_of(kept, size)) if taken else None
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


def text_key(meme: FinishedMeme, text: Text) -> str:
    """SHA-256, in hex, of what a decision on a text is about: the picture, and where it stands."""
    x, y, width, height = text.region.box
    place = f"{x + width / 2:.2f} {y + height / 2:.2f} {text.region.text}"
    return hashlib.sha256(f"{meme.sha256}\n{place}".encode()).hexdigest()


def text_name(meme: FinishedMeme, text: Text) -> str:
    """What people call a text: the meme's name and the text's number, as `cat.2`."""
    return f"{meme.name}.{text.number}"


def _by_box(texts: Sequence[Text], template: Template) -> list[str]:
    """The texts by the boxes that they stand in; several in one follow each other."""
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
