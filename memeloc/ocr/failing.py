"""Failed readings. In: what was read. Out: which of AraHarMeme's criteria it meets.

AraHarMeme (section 3.3) calls a result unsuccessful when it

1. contains only isolated characters or fragments that form no interpretable words,
2. consists of corrupted or nonsensical strings, or
3. does not correspond to any text that is visible,

and labels such an instance "no text extracted" only after a person has checked. So here they only
mark candidates. A program cannot tell a word from another; each constant below says what stands for
its criterion.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from itertools import groupby

from memeloc.model import Locale
from memeloc.ocr.protocol import Line, mean_confidence
from memeloc.ocr.transcript import NO_TEXT, UNSURE, WORDS

FRAGMENTS = "only fragments"
"""Criterion 1: no run of letters is longer than `SHORTEST_WORD` - 1, a signs' script apart."""
NONSENSE = "nonsense"
"""Criterion 2: less than half of what was read is letters and digits of the language's, in words
of which `LEAST_WORDS` mix no letters with other signs."""
NOT_SEEN = "not in the picture"
"""Criterion 3: nothing was read, or the reader trusts none of it as far as `LEAST_TRUST`."""

SHORTEST_WORD = 3  # letters: pieces of drawings are read as one or two
LEAST_SHARE = LEAST_WORDS = LEAST_TRUST = 0.5  # more wrong than right
LEAST_SURE = 0.75
"""Mean confidence below which a reading is marked `UNSURE`."""

_SIGNS = frozenset(("Hans", "Hant", "Jpan", "Kore"))
"""Scripts in which two signs make a word."""
_DOTS = re.compile(r"\.{2,}|…+")
_INNER = frozenset("-'’.,:/+@_־·،")


def find_marks(parts: Sequence[Line], locale: Locale, letters: Collection[str]) -> tuple[str, ...]:
    """`NO_TEXT` and the criteria met in the paper's order, or `UNSURE`; and `WORDS`; or nothing.

    `letters` are the language's; when they are unknown and empty, any letter counts.
    """
    # Dots of "wait ......" are neither fragments nor nonsense.
    text = _DOTS.sub(" ", " ".join(part.text for part in parts))
    words = text.split()
    met = []
    shortest = 2 if locale.script in _SIGNS else SHORTEST_WORD
    if words and max(map(_longest_run, words)) < shortest and not _only_short_words(words):
        met.append(FRAGMENTS)
    if words and (_share(text, letters) < LEAST_SHARE or _whole(words) < LEAST_WORDS):
        met.append(NONSENSE)
    if not words or max(part.confidence for part in parts) < LEAST_TRUST:
        met.append(NOT_SEEN)
    if met:
        return (NO_TEXT, *met)
    marks = (UNSURE,) if mean_confidence(parts) < LEAST_SURE else ()
    return (*marks, WORDS) if any(part.doubtful for part in parts) else marks


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LM"


def _longest_run(word: str) -> int:
    runs = groupby(word, _is_letter)
    return max((len(list(run)) for is_letter, run in runs if is_letter), default=0)


def _only_short_words(words: Sequence[str]) -> bool:
    """Return whether it is a number or time, or a phrase such as `no` or `I do`: all letters, of
    two."""
    bare = [word.strip(".,:;!?'\"“”«»…¿¡()") for word in words]
    if all(len(word) > 1 and re.fullmatch(r"\d[\d:.,/%-]*", word) for word in bare):
        return True
    pairs = sum(len(word) == 2 for word in bare)
    return pairs > len(bare) / 2 and all(all(map(_is_letter, word)) for word in bare)


def _share(text: str, letters: Collection[str]) -> float:
    """Return the share, of all signs but spaces, of those that are the language's letters, in
    either case, or digits."""
    signs_of_language = {
        sign
        for letter in letters
        for form in (letter, letter.upper(), letter.lower())
        for sign in unicodedata.normalize("NFKD", form)
    }
    signs = [sign for sign in unicodedata.normalize("NFKD", text) if not sign.isspace()]
    # Words of Latin letters stand in every language's memes.
    fine = sum(
        sign.isdecimal()
        or unicodedata.category(sign) == "Mn"
        or (_is_letter(sign) and (not letters or sign in signs_of_language or sign.isascii()))
        for sign in signs
    )
    return fine / len(signs) if signs else 0.0


def _whole(words: Sequence[str]) -> float:
    """Return the share of the text that stands in words without a sign in the middle, such as
    `a}b`."""
    whole = [
        word
        for word in words
        if all(sign in _INNER or unicodedata.category(sign)[0] not in "SPC" for sign in word[1:-1])
    ]
    return len("".join(whole)) / len("".join(words))
