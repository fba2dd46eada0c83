"""Tesseract, the program. In: black letters on white, a model. Out: what it reads there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

from memeloc.errors import MissingError, ServiceError

BLOCK, LINE, RAW_LINE = 6, 7, 13
"""Page segmentation modes: lines of text, one line, one line without a look at its layout."""

_TIMEOUT = 120  # seconds a start
_TSV_CELLS, _TSV_WORD = 12, "5"  # cells of a row of its tables, and the level of words


def installed_models() -> tuple[str, frozenset[str]]:
    """Tesseract's version, and the language models it has.

    Raises:
        MissingError: the extra `ocr` or the program is not installed.
    """
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


def model_package(model: str) -> str:
    """Debian's package of a Tesseract model.

    >>> model_package("chi_sim")
    'tesseract-ocr-chi-sim'
    """
    return f"tesseract-ocr-{model.lower().replace('_', '-')}"


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
    """What Tesseract reads on each page, without empty lines; it is started once for all of them.

    Pages are black letters on white; the model is named as by `installed_models`; the mode is
    BLOCK, LINE or RAW_LINE.

    Raises:
        ServiceError: Tesseract failed, or took more than two minutes.
    """
    texts = _read(pages, model, mode, "txt").split("\f")[: len(pages)]
    return ["\n".join(filter(None, map(str.strip, text.split("\n")))) for text in texts]


def read_words(
    pages: list[Image.Image], model: str, mode: int, *, least_gap: int = 0
) -> list[tuple[str, float]]:
    """What Tesseract reads on each page, see `read_pages`, words by spaces; how sure it is, 0 to 1.

    The confidence is the mean of its words', weighted by their lengths; an empty page has 0. What
    stands nearer than `least_gap` pixels to the word before it belongs to it.
    """
    texts = [""] * len(pages)
    sure = [0.0] * len(pages)
    ends: dict[int, tuple[int, int]] = {}  # left and right of a page's word before
    for row in _read(pages, model, mode, "tsv").split("\n")[1:]:
        cells = row.split("\t")
        word = cells[-1].strip()
        if len(cells) != _TSV_CELLS or cells[0] != _TSV_WORD or not word:
            continue
        page, left, width = int(cells[1]) - 1, int(cells[6]), int(cells[8])
        before = ends.get(page)
        apart = before and max(left - before[1], before[0] - left - width) >= least_gap
        texts[page] += f" {word}" if apart else word
        sure[page] += len(word) * float(cells[10]) / 100
        ends[page] = left, left + width
    return [
        (text, total / max(1, len(text.replace(" ", ""))))
        for text, total in zip(texts, sure, strict=True)
    ]


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
