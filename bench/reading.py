"""Text in pictures, read back. In: memes drawn by `bench.reading_scenes`. Out: figures a reader.

`python -m bench.reading` measures all languages with all memes, and prints the table that stands in
memeloc/ocr/readers.py and guides/localising.md.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Bound, Figure
from bench.reading_scenes import Drawn, draw, languages
from memeloc.ocr.blocks import arrange
from memeloc.ocr.error_rate import count_errors
from memeloc.ocr.readers import reader

_GROUP = "Text read in pictures"
_SUBSET = ("en", "de", "zh", "ja", "ar", "hi", "ru", "ko")
_SERVED = {
    "rapidocr": ("en", "de", "zh", "ja"),
    "tesseract": ("ar", "hi", "ru", "ko"),
    "tesseract-plain": _SUBSET,
}
_MOST_WRONG = {"rapidocr": 5.0, "tesseract": 20.0}
"""Bounds of the error rates, in percent; the plain reader is there to compare with."""
_READERS = ("rapidocr", "tesseract")
"""Those of the table."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How a reader read a language.

    Attributes:
        rate: character error rate over all pictures together, 0 to 1 and more.
        seconds: a picture, on one core.
        pictures: how many.
    """

    rate: float
    seconds: float
    pictures: int


def measure_reader(name: str, pictures: Sequence[Drawn]) -> Measured:
    """Read pictures of one language by one reader."""
    by = reader(name)
    locale = pictures[0].locale
    by.read([pictures[0].image], locale)  # models are loaded
    begin = time.perf_counter()
    lines_read = by.read([picture.image for picture in pictures], locale)
    took = time.perf_counter() - begin
    errors = characters = 0
    for picture, lines in zip(pictures, lines_read, strict=True):
        read = "\n".join(part.text for part in arrange(lines, locale))
        wrong, drawn = min(
            count_errors("\n".join(order), read) for order in itertools.permutations(picture.parts)
        )
        errors += wrong
        characters += drawn
    return Measured(errors / characters, took / len(pictures), len(pictures))


def measure(memes: int = 6, say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Error rate and seconds a picture of each reader, over a subset of languages."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        drawn = list(draw(Path(folder), _SUBSET, memes))
    for name in _SERVED:
        say(f"{memes} memes in {len(_SERVED[name])} languages, read by {name}")
        results = {
            tag: measure_reader(
                name, [result for result in drawn if result.name.split()[1] == f"{tag},"]
            )
            for tag in _SERVED[name]
        }
        count = sum(result.pictures for result in results.values())
        rate = sum(result.rate * result.pictures for result in results.values()) / count
        took = sum(result.seconds * result.pictures for result in results.values()) / count
        bound = Bound("at most", _MOST_WRONG[name]) if name in _MOST_WRONG else None
        rates_text = ", ".join(f"{tag} {100 * result.rate:.1f}" for tag, result in results.items())
        figures += [
            Figure(_GROUP, f"{name}, character error rate", 100 * rate, "%", bound, rates_text),
            Figure(_GROUP, f"{name}, a picture on one core", took, "s"),
        ]
    return figures


def main() -> int:
    """Print the table over all languages."""
    memes = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        drawn = list(draw(Path(folder), languages(), memes))
    print("| language | RapidOCR | Tesseract | RapidOCR, s | Tesseract, s |")
    print("| --- | ---: | ---: | ---: | ---: |")
    by_tag: dict[str, list[Drawn]] = {}
    for result in drawn:
        by_tag.setdefault(result.locale.tag, []).append(result)
    for tag, pictures in by_tag.items():
        both = [measure_reader(name, pictures) for name in _READERS]
        rates = " | ".join(f"{100 * result.rate:.1f} %" for result in both)
        seconds = " | ".join(f"{result.seconds:.2f}" for result in both)
        print(f"| {tag} | {rates} | {seconds} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
