"""The distance of a reading from what was drawn. In: two texts. Out: a character error rate."""

from __future__ import annotations

import unicodedata


def normalise(text: str) -> str:
    """Return what of a text is compared: its letters, marks and digits.

    NFKC and case-folded (posters are upper case; full-width forms are forms). White space,
    punctuation, symbols, emoji, bidi controls, joiners, variation selectors and the Arabic
    lengthening stroke do not count: so neither does where lines break.

    >>> normalise("GROẞRAUM,\\n２ TÜREN 🚪")
    'grossraum2türen'
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(
        letter
        for letter in folded
        if unicodedata.category(letter)[0] in "LMN" and letter not in "\u0640\ufe0e\ufe0f\u20e3"
    )
    return unicodedata.normalize("NFC", letters)


def count_errors(drawn: str, read: str) -> tuple[int, int]:
    """Return the edit distance between two texts, and how many characters were drawn,
    normalised."""
    from rapidfuzz.distance import Levenshtein

    wanted = normalise(drawn)
    return Levenshtein.distance(wanted, normalise(read)), len(wanted)


def error_rate(drawn: str, read: str) -> float | None:
    """Return the character error rate of `read`: 0 is right; None where nothing was to be read.

    >>> error_rate("Monday: me", "MONDAY ne")
    0.125
    """
    errors, characters = count_errors(drawn, read)
    return errors / characters if characters else None
