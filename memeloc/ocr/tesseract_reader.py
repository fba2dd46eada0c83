"""Tesseract as a reader. In: pictures of any kind. Out: lines, read from masks of their letters.

Given a meme as it stands, Tesseract reads half of it wrong: drawings look like letters to it. So
RapidOCR's model says where lines are, in any script; each line is cut out and made black on white
in up to three ways (`memeloc.ocr.masks`), and of what Tesseract reads of them the most trustworthy
stands. It is started once for many pictures.

Where words are lost or change places, the words' boxes leave letters of the mask uncovered, or do
not follow each other; a line like that is `doubtful`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from operator import attrgetter

import numpy as np
from PIL import Image
from scipy import ndimage

from memeloc.model import Locale
from memeloc.ocr.blocks import are_neighbours
from memeloc.ocr.dots import dots_in, may_be_dots
from memeloc.ocr.masks import PAGE, cut_line, find_letters
from memeloc.ocr.protocol import Line
from memeloc.ocr.rapid import TextLine, find_text, model_paths, read_line
from memeloc.ocr.tesseract import (
    AUTO,
    LINE,
    RAW_LINE,
    Word,
    how_to_get,
    installed_models,
    join_words,
    one_thread_each,
    read_words,
)

_LEAST = 0.35
"""Confidence below which a line is a drawing. Tesseract's own, less where it read too little."""
_PREFER = 0.05
"""What a mask has ahead of the plain line: it has no background in it."""
_EXPECTED = 0.8
"""Letters in a stretch as long as the line's box is high, at the least."""
_HANGUL_GAP = 7
"""Pixels of a page: Tesseract takes syllables for words, which are at least this far apart."""
_LATIN = re.compile(r"(?=.*[A-Za-z]{2})[ -~]+")
_LATIN_LEAST = 0.95  # RapidOCR's confidence: its model takes other scripts for Latin, less sure
_LIKE_LATIN = frozenset(("Latn", "Cyrl", "Grek", "Armn"))
"""Scripts whose letters look like Latin ones. In others, what RapidOCR is sure to be Latin and
Tesseract cannot read is: `ctrl+s` in Arabic, which no Arabic model reads."""
_SURE = 0.75
"""What Tesseract's reading must be trusted, not to be compared with that."""
_PAGES = 400
"""Pages a start, at most."""
_SMALLEST = 3
"""Pixels of the shorter side that Tesseract takes at the least."""
_INK = 128  # of 255: the middle, for the masks are black on white
_WIDE = 0.9 * PAGE
"""Pixels of a page between two words, at least, where one may be missing: a space has a third."""
_UNREAD = PAGE // 2
"""Columns with ink, in pixels of a page, that no word covers: about a letter of Devanagari."""


class TesseractReader:
    """See `Reader`: Tesseract with the locale's model."""

    name = "tesseract"

    def __init__(self) -> None:
        model_paths()
        self.version, self._models = installed_models()

    def lacks(self, locale: Locale) -> str:
        """Return whether the model is there, and what to install."""
        if not locale.tesseract:
            return f"Tesseract has no model for {locale.name}"
        if locale.tesseract not in self._models:
            return f"Tesseract's data for {locale.name} is missing: {how_to_get(locale.tesseract)}"
        return ""

    def read(self, pictures: Sequence[Image.Image], locale: Locale) -> list[list[Line]]:
        """Return the lines of each picture."""
        lines: list[_Cut] = []
        for number, picture in enumerate(pictures):
            for region in find_text(picture, read=False):
                image = cut_line(picture, region.quad)
                if image is not None:
                    lines.append(_Cut(number, region, image, find_letters(image)))
        gap = _HANGUL_GAP if locale.script == "Kore" else 0
        pages = [page for line in lines for page in line.pages]
        words = iter(_read(pages, locale.tesseract, LINE))
        for line in lines:
            line.read([next(words) for _ in line.pages], gap)
        # It makes nothing at all of some clean lines, until it may not look at their layout.
        empty = [
            (line, index)
            for line in lines
            if line.best().trust < _SURE
            for index in range(len(line.pages) - 1)
            if not line.readings[index].text
        ]
        pages = [line.pages[index] for line, index in empty]
        words = iter(_read(pages, locale.tesseract, RAW_LINE))
        for line, index in empty:
            line.readings[index] = _Reading.of(next(words), gap)
        read: list[list[Line]] = [[] for _ in pictures]
        unread: list[list[Line]] = [[] for _ in pictures]
        for line in lines:
            best = line.best()
            text, confidence, trust = best.text, best.confidence, best.trust
            doubtful = line.is_doubtful(best, locale)
            if trust < _SURE and locale.script not in _LIKE_LATIN:
                other, sure = read_line(line.image)
                if sure >= _LATIN_LEAST and _LATIN.fullmatch(other):
                    text, confidence, trust, doubtful = other, sure, sure, False
            if may_be_dots(text):
                text = dots_in(line.pages[:-1]) or text
            is_text = bool(text) and trust > _LEAST
            into = read if is_text else unread
            place = line.place
            into[line.picture].append(Line(text, place.box, confidence, doubtful, place.corners))
        return [_beside(*both) for both in zip(read, unread, strict=True)]


class PlainTesseractReader(TesseractReader):
    """See `Reader`: Tesseract on the whole picture, as it is called by default.

    AraHarMeme (3.3) and others read memes like this; it is here to compare with.
    """

    name = "tesseract-plain"

    def read(self, pictures: Sequence[Image.Image], locale: Locale) -> list[list[Line]]:
        """Return the lines of each picture."""
        gap = _HANGUL_GAP if locale.script == "Kore" else 0
        large = [picture for picture in pictures if min(picture.size) >= _SMALLEST]
        pages = iter(_read(large, locale.tesseract, AUTO))
        return [
            [
                _plain_line(list(words), gap)
                for _, words in groupby(next(pages), key=attrgetter("line"))
            ]
            if min(picture.size) >= _SMALLEST
            else []
            for picture in pictures
        ]


def _plain_line(words: Sequence[Word], gap: int) -> Line:
    text, confidence = join_words(words, gap)
    left, top = min(word.left for word in words), min(word.top for word in words)
    right, bottom = max(word.right for word in words), max(word.bottom for word in words)
    return Line(text, (left, top, right, bottom), min(max(confidence, 0.0), 1.0))


def _beside(read: Sequence[Line], unread: Sequence[Line]) -> list[Line]:
    """Return lines that were read; doubtful where text that was not stands next to them."""
    return [
        replace(line, doubtful=line.doubtful or any(are_neighbours(line, o) for o in unread))
        for line in read
    ]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A reading of a page; `trust` is how far to trust it, 0 to 1 and a little more."""

    words: Sequence[Word] = ()
    text: str = ""
    confidence: float = 0.0
    trust: float = 0.0

    @classmethod
    def of(cls, words: Sequence[Word], gap: int) -> _Reading:
        return cls(words, *join_words(words, gap))


@dataclass(slots=True)
class _Cut:
    """A line that was cut out of the picture of that number, and what was read of its pages.

    The last page is the line as it stands, the others are masks.
    """

    picture: int
    place: TextLine
    image: Image.Image
    pages: list[Image.Image]
    readings: list[_Reading] = field(default_factory=list)

    def read(self, pages: Sequence[Sequence[Word]], gap: int) -> None:
        """Take what was read of the pages."""
        self.readings = [_Reading.of(words, gap) for words in pages]

    def best(self) -> _Reading:
        """Return the reading to trust most."""
        expected = _EXPECTED * max(self.image.width / self.image.height, 1)
        best = _Reading()
        for index, reading in enumerate(self.readings):
            mask = index < len(self.pages) - 1
            share = min(1.0, _letters(reading.text) / expected)
            trust = reading.confidence * share + _PREFER * mask
            if reading.text and trust > best.trust:
                best = replace(reading, trust=trust)
        return best

    def is_doubtful(self, best: _Reading, locale: Locale) -> bool:
        """Return whether the words of a reading do not stand where the letters do."""
        index = next((at for at, of in enumerate(self.readings) if of.words is best.words), -1)
        mask = self.pages[index] if 0 <= index < len(self.pages) - 1 else None
        return are_doubtful(best.words, mask, ordered=locale.direction == "ltr")


def _read(pages: Sequence[Image.Image], model: str, mode: int) -> list[list[Word]]:
    words: list[list[Word]] = []
    with one_thread_each():
        for start in range(0, len(pages), _PAGES):
            words += read_words(list(pages[start : start + _PAGES]), model, mode)
    return words


def _letters(text: str) -> int:
    return sum(unicodedata.category(sign)[0] in "LMN" for sign in text)


def are_doubtful(words: Sequence[Word], mask: Image.Image | None, *, ordered: bool) -> bool:
    """Return whether words of a line may be lost or out of order, as those of Hindi often are: they
    do not follow each other, are too far apart, or leave letters uncovered.

    Args:
        words: in the order in which they were read; their boxes are in pixels of the mask.
        mask: the line's letters, black on white, `PAGE` high; None where they are not known.
        ordered: the words have to follow each other from left to right. Where letters of two
            directions stand side by side they do not.
    """
    lefts = [word.left for word in words]
    if ordered and lefts != sorted(lefts):
        return True
    spans = sorted((word.left, word.right) for word in words)
    if any(after[0] - before[1] >= _WIDE for before, after in pairwise(spans)):
        return True
    if mask is None:
        return False
    ink = np.any(np.asarray(mask.convert("L")) < _INK, axis=0)
    uncovered = np.ones(mask.width, dtype=bool)
    for left, right in spans:
        uncovered[left:right] = False
    gaps, count = ndimage.label(uncovered)
    unread = ndimage.sum_labels(ink, gaps, range(1, count + 1))
    return bool(count) and max(unread) >= _UNREAD
