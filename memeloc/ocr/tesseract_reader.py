"""Tesseract as a reader. In: pictures of any kind. Out: lines, read from masks of their letters.

Given a meme as it stands, Tesseract reads half of it wrong: drawings look like letters to it. So
RapidOCR's model says where lines are, in any script; each line is cut out and made black on white
in up to three ways (`memeloc.ocr.masks`), and of what Tesseract reads of them the most trustworthy
stands. It is started once for many pictures.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from PIL import Image

from memeloc.model import Locale
from memeloc.ocr.masks import cut_line, find_letters
from memeloc.ocr.protocol import Box, Line
from memeloc.ocr.rapid import find_text, model_paths, read_line
from memeloc.ocr.tesseract import (
    LINE,
    RAW_LINE,
    installed_models,
    model_package,
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
_LATIN_LEAST = 0.95
_LIKE_LATIN = frozenset(("Latn", "Cyrl", "Grek", "Armn"))
"""Scripts whose letters look like Latin ones. In others, what RapidOCR is sure to be Latin and
Tesseract cannot read is: `ctrl+s` in Arabic, which no Arabic model reads."""
_SURE = 0.75
"""What Tesseract's reading must be trusted, not to be compared with that."""
_PAGES = 400
"""Pages a start, at most."""


class TesseractReader:
    """See `Reader`: Tesseract with the locale's model."""

    name = "tesseract"

    def __init__(self) -> None:
        model_paths()
        self.version, self._models = installed_models()

    def lacks(self, locale: Locale) -> str:
        """Whether the model is there, and what to install."""
        if not locale.tesseract:
            return f"Tesseract has no model for {locale.name}"
        if locale.tesseract not in self._models:
            return (
                f"Tesseract's data for {locale.name} is missing: "
                f"apt install {model_package(locale.tesseract)}"
            )
        return ""

    def read(self, pictures: Sequence[Image.Image], locale: Locale) -> list[list[Line]]:
        """The lines of each picture."""
        lines: list[_Cut] = []
        for number, picture in enumerate(pictures):
            for region in find_text(picture, read=False):
                image = cut_line(picture, region.quad)
                if image is not None:
                    lines.append(_Cut(number, region.box, image, find_letters(image)))
        gap = _HANGUL_GAP if locale.script == "Kore" else 0
        pages = [page for line in lines for page in line.pages]
        texts = iter(_read(pages, locale.tesseract, LINE, gap))
        for line in lines:
            line.texts = [next(texts) for _ in line.pages]
        # It makes nothing at all of some clean lines, until it may not look at their layout.
        empty = [
            (line, index)
            for line in lines
            if line.best()[2] < _SURE
            for index in range(len(line.pages) - 1)
            if not line.texts[index][0]
        ]
        pages = [line.pages[index] for line, index in empty]
        texts = iter(_read(pages, locale.tesseract, RAW_LINE, gap))
        for line, index in empty:
            line.texts[index] = next(texts)
        read: list[list[Line]] = [[] for _ in pictures]
        for line in lines:
            text, confidence, trust = line.best()
            if trust < _SURE and locale.script not in _LIKE_LATIN:
                other, sure = read_line(line.image)
                if sure >= _LATIN_LEAST and _LATIN.fullmatch(other):
                    text, confidence, trust = other, sure, sure
            if text and trust > _LEAST:
                read[line.picture].append(Line(text, line.box, confidence))
        return read


@dataclass(slots=True)
class _Cut:
    """A line that was cut out of the picture of that number, and what was read of its pages.

    The last page is the line as it stands, the others are masks.
    """

    picture: int
    box: Box
    image: Image.Image
    pages: list[Image.Image]
    texts: list[tuple[str, float]] = field(default_factory=list)

    def best(self) -> tuple[str, float, float]:
        """Of what was read: text, confidence, and how far to trust it."""
        expected = _EXPECTED * max(self.image.width / self.image.height, 1)
        best = "", 0.0, 0.0
        for index, (text, confidence) in enumerate(self.texts):
            mask = index < len(self.pages) - 1
            trust = confidence * min(1.0, _letters(text) / expected) + _PREFER * mask
            if text and trust > best[2]:
                best = text, confidence, trust
        return best


def _read(pages: Sequence[Image.Image], model: str, mode: int, gap: int) -> list[tuple[str, float]]:
    texts: list[tuple[str, float]] = []
    with one_thread_each():
        for start in range(0, len(pages), _PAGES):
            texts += read_words(list(pages[start : start + _PAGES]), model, mode, least_gap=gap)
    return texts


def _letters(text: str) -> int:
    return sum(unicodedata.category(sign)[0] in "LMN" for sign in text)
