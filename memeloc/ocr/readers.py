"""Readers by name, and which serves a language. In: a name or a locale. Out: a reader.

A package outside adds one through the entry point group `memeloc.readers` (see
`memeloc.ocr.protocol.Reader`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from memeloc.errors import InputError, MissingError
from memeloc.model import Locale
from memeloc.ocr.protocol import Reader
from memeloc.plugins import Registry

READERS: Registry[Reader] = Registry(
    "memeloc.readers",
    {
        "rapidocr": "memeloc.ocr.rapid:RapidReader",
        "tesseract": "memeloc.ocr.tesseract_reader:TesseractReader",
        "tesseract-plain": "memeloc.ocr.tesseract_reader:PlainTesseractReader",
    },
    "reader",
)

MEASURED: Mapping[str, tuple[float, float]] = {
    "en": (1.6, 6.0),
    "de": (1.6, 4.5),
    "es": (2.0, 5.9),
    "fr": (1.3, 10.8),
    "hi": (92.8, 12.5),
    "zh-Hans": (3.9, 17.0),
    "ar": (92.7, 15.6),
    "he": (92.8, 8.5),
    "ru": (93.6, 9.2),
    "ja": (1.7, 6.8),
    "ko": (86.6, 11.5),
    "th": (93.4, 10.7),
    "tr": (9.3, 6.1),
    "bn": (93.8, 10.9),
    "pt": (1.6, 12.5),
    "it": (2.4, 5.0),
    "vi": (17.8, 30.2),
    "el": (67.5, 8.4),
}
"""Character error rate of RapidOCR and of Tesseract, by locale, in percent.

Measured in November 2026: the starter set (16 memes a language, one in three poster memes
on coloured noise, scaled by 0.6 to 1.4, JPEG 60 to 90, seed 4), RapidOCR 3.10.0 with its wheel's
PP-OCRv6 models, Tesseract 5.3.0 with Debian 12's. Both sides are normalised as in
`memeloc.ocr.error_rate`; parts may come in any order. The preprocessing was tuned on these
pictures; on others (seed 11) the better reader is the same in every language.
"""


@cache
def reader(name: str) -> Reader:
    """Return the reader of a name; the same each time.

    Raises:
        InputError: there is none.
        MissingError: what it needs is not installed, and how to install it.
    """
    return READERS.make(name)


def choose(locale: Locale, name: str = "auto") -> Reader:
    """Return the reader for a language: the one named, or the one that was measured to err less.

    A language that was not measured is read by RapidOCR when its model knows all its letters, and
    else by Tesseract.

    Raises:
        InputError: there is no reader of that name, or it cannot read the language; the sentence
            says why.
        MissingError: what it needs is not installed, and how to install it.
    """
    if name != "auto":
        chosen = reader(name)
        why = chosen.lacks(locale)
        # Who names a reader knows best; only what it cannot do at all stops it.
        if why and name != "rapidocr":
            raise MissingError(f"{why}.") if "apt install" in why else InputError(why)
        return chosen
    rapid = reader("rapidocr")
    rates = MEASURED.get(locale.tag)
    if (rates[0] <= rates[1]) if rates else not rapid.lacks(locale):
        return rapid
    return choose(locale, "tesseract")
