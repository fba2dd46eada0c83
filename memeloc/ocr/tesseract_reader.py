"""Tesseract as a reader. In: pictures of any kind. Out: lines, read from masks of their letters.

Given a meme as it stands, Tesseract reads half of it wrong: drawings look like letters to it. So
RapidOCR's model says where lines are, in any script; each line is cut out and made black on white
in up to three ways (`memeloc.ocr.masks`), and of what Tesseract reads of them the most trustworthy
stands. It is started once for many pictures.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence

from PIL import Image

from memeloc.model import Locale
from memeloc.ocr.masks import cut_line, find_letters
from memeloc.ocr.protocol import Box, Line
from memeloc.ocr.rapid import find_text, model_paths
from memeloc.ocr.tesseract import (
    LINE,
    installed_models,
    model_package,
    one_thread_each,
    read_words,
)

_LEAST = 0.35
"""Confidence below which a line is a drawing. Tesseract's own, less where it read too little."""
_PREFER = 0.05
"""What a mask has ahead of the plain line: it cannot have ground in it."""
_EXPECTED = 0.8
"""Letters in a stretch as long as the line's box is high, at the least."""
_HANGUL_GAP = 7
"""Pixels of a page: Tesseract takes syllables for words, which are at least this far apart."""
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
        found: list[list[Line]] = [[] for _ in pictures]
        pages: list[Image.Image] = []
        places: list[tuple[int, Box, float, bool]] = []  # picture, box, letters expected, mask
        for number, picture in enumerate(pictures):
            for quad in find_text(picture):
                line = cut_line(picture, quad)
                if line is None:
                    continue
                box = (*map(float, quad.min(axis=0)), *map(float, quad.max(axis=0)))
                candidates = find_letters(line)
                expected = _EXPECTED * max(line.width / line.height, 1)
                pages += candidates
                places += [
                    (number, box, expected, index < len(candidates) - 1)  # type: ignore[misc]
                    for index in range(len(candidates))
                ]
        texts: list[tuple[str, float]] = []
        with one_thread_each():
            for start in range(0, len(pages), _PAGES):
                some = pages[start : start + _PAGES]
                texts += read_words(
                    some, locale.tesseract, LINE, least_gap=_HANGUL_GAP * (locale.script == "Kore")
                )
        best: dict[tuple[int, Box], tuple[float, Line]] = defaultdict(
            lambda: (_LEAST, Line("", (0, 0, 0, 0), 0))
        )
        for (number, box, expected, mask), (text, confidence) in zip(places, texts, strict=True):
            trust = confidence * min(1.0, _letters(text) / expected) + _PREFER * mask
            if text and trust > best[number, box][0]:
                best[number, box] = trust, Line(text, box, confidence)
        for (number, _), (_, line_read) in best.items():
            if line_read.text:
                found[number].append(line_read)
        return found


def _letters(text: str) -> int:
    return sum(unicodedata.category(sign)[0] in "LMN" for sign in text)
