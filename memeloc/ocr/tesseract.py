"""Tesseract, the program. In: black letters on white, a model. Out: what it reads there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

from memeloc.errors import MissingError, ServiceError

AUTO, BLOCK, LINE, RAW_LINE = 3, 6, 7, 13
"""Page segmentation modes: Tesseract's own choice, which it is called with by default;
lines of text, one line, one line without a look at its layout."""

_TIMEOUT = 120  # seconds a start
_TSV_CELLS, _TSV_WORD = 12, "5"  # cells of a row of its tables, and the level of words


def installed_models() -> tuple[str, frozenset[str]]:
    """Tesseract's version, and the language models it has. Raise MissingError if the extra `ocr` or
    the program is not installed."""
    for package in ("pytesseract", "rapidfuzz", "scipy"):
        if find_spec(package) is None:
            raise MissingError(
                f"Reading text in pictures needs the package {package}: pip install 'memeloc[ocr]'"
            )
    import pytesseract

    try:
        version = str(pytesseract.get_tesseract_version())
        return version, frozenset(pytesseract.get_languages(config=""))
    except pytesseract.TesseractNotFoundError as error:
        raise MissingError(
            "Reading text in pictures needs the program tesseract: apt install tesseract-ocr "
            "(elsewhere: https://tesseract-ocr.github.io/tessdoc/Installation.html)"
        ) from error


def how_to_get(model: str) -> str:
    """Return what to do about a model of Tesseract's that is missing.

    >>> how_to_get("chi_sim")
    'apt install tesseract-ocr-chi-sim'
    """
    if folder := os.environ.get("TESSDATA_PREFIX"):
        return f"TESSDATA_PREFIX is {folder}, which lacks {model}.traineddata; unset it"
    return f"apt install tesseract-ocr-{model.lower().replace('_', '-')}"


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Tesseract's own threads slow each other down when several run; it takes this from here."""
    before = os.environ.get("OMP_THREAD_LIMIT")
    os.environ["OMP_THREAD_LIMIT"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_THREAD_LIMIT"]
        else:
            os.environ["OMP_THREAD_LIMIT"] = before


def read_pages(pages: list[Image.Image], model: str, mode: int) -> list[str]:
    """Return what Tesseract reads on each page, without empty lines; it is started once for all.

    Pages are black letters on white; the model is named as by `installed_models`; the mode is
    BLOCK, LINE or RAW_LINE. Raise ServiceError if Tesseract failed, or took more than two minutes.
    """
    texts = _read(pages, model, mode, "txt").split("\f")[: len(pages)]
    return ["\n".join(filter(None, map(str.strip, text.split("\n")))) for text in texts]


@dataclass(frozen=True, slots=True)
class Word:
    """A word that Tesseract read: where it stands, in pixels, and how sure it is, 0 to 1.

    Words of one line of a page have the same `line`.
    """

    text: str
    left: int
    top: int
    right: int
    bottom: int
    confidence: float
    line: tuple[str, ...]


def read_words(pages: list[Image.Image], model: str, mode: int) -> list[list[Word]]:
    """Return the words that Tesseract reads on each page, in its order; see `read_pages`."""
    words: list[list[Word]] = [[] for _ in pages]
    for row in _read(pages, model, mode, "tsv").split("\n")[1:]:
        cells = row.split("\t")
        text = cells[-1].strip()
        if len(cells) != _TSV_CELLS or cells[0] != _TSV_WORD or not text:
            continue
        left, top, width, height = map(int, cells[6:10])
        box = left, top, left + width, top + height
        words[int(cells[1]) - 1].append(Word(text, *box, float(cells[10]) / 100, tuple(cells[2:5])))
    return words


def join_words(words: Sequence[Word], least_gap: int = 0) -> tuple[str, float]:
    """Return the text of words, by spaces, and how sure Tesseract is of it, 0 to 1.

    The confidence is the mean of the words', weighted by their lengths; no words have 0. What
    stands nearer than `least_gap` pixels to the word before it belongs to it.
    """
    text = ""
    for before, word in zip([None, *words], words, strict=False):
        if before is not None:
            gap = max(word.left - before.right, before.left - word.right)
            # Boxes of neighbours overlap now and then; that joins words of no script.
            text += " " if not least_gap or gap >= least_gap else ""
        text += word.text
    total = sum(len(word.text) * word.confidence for word in words)
    return text, total / max(1, len(text.replace(" ", "")))


def _read(pages: list[Image.Image], model: str, mode: int, form: str) -> str:
    """Tesseract's own output, as text or as a table, for all pages."""
    import pytesseract

    if not pages:
        return ""
    with tempfile.TemporaryDirectory(prefix="memeloc-ocr-") as folder:
        paths = [Path(folder, f"{number}.png") for number in range(len(pages))]
        for page, path in zip(pages, paths, strict=True):
            page.save(path, compress_level=1)
        index = Path(folder, "pages.txt")
        index.write_text("\n".join(map(str, paths)) + "\n", "utf-8")
        read = pytesseract.image_to_string if form == "txt" else pytesseract.image_to_data
        config = f"--psm {mode} --oem 1"
        try:
            return str(read(str(index), lang=model, config=config, timeout=_TIMEOUT))
        except (pytesseract.TesseractError, RuntimeError, OSError) as error:
            raise ServiceError("Tesseract", str(error), retryable=True) from error
