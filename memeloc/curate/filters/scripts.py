"""The scripts of texts and locales. In: texts, locales. Out: ISO 15924 codes, letters counted."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from fontTools import unicodedata as scripts_of_unicode

from memeloc.model import Locale

PARTS = {"Hans": {"Hani"}, "Hant": {"Hani"}, "Jpan": {"Hira", "Kana", "Hani"}}
PARTS |= {"Kore": {"Hang", "Hani"}}
"""Scripts that are several, as Unicode tells letters apart."""
_TELLING = {"Hira": "Jpan", "Kana": "Jpan", "Hang": "Kore"}
"""Scripts that decide although others stand beside them, and what they decide for."""


@lru_cache(maxsize=20_000)
def script_of_char(char: str) -> str:
    """ISO 15924 code of a letter or vowel sign; empty for all else, and what all scripts share."""
    if not char.isalpha() and unicodedata.category(char) not in ("Mn", "Mc"):
        return ""
    script = scripts_of_unicode.script(char)
    return "" if script in ("Zyyy", "Zinh", "Zzzz") else str(script)


def count_scripts(text: str) -> Counter[str]:
    """How many letters of each script a text has.

    >>> count_scripts("ok, खाना")
    Counter({'Deva': 4, 'Latn': 2})
    """
    if text.isascii():
        letters = sum(map(str.isalpha, text))
        return Counter(Latn=letters) if letters else Counter()
    counts = Counter[str]()
    for char, count in Counter(text).items():
        if script := script_of_char(char):
            counts[script] += count
    return counts


def scripts_of_locale(locale: Locale) -> frozenset[str]:
    """The scripts, as Unicode tells letters apart, that a locale is written in."""
    return frozenset(PARTS.get(locale.script, {locale.script}))


def main_script(counts: Mapping[str, int]) -> str:
    """The script that a text is in: most letters, but some kana or Hangul beat any Chinese sign."""
    if not counts:
        return ""
    best = max(counts, key=lambda script: counts[script])
    decides = _TELLING if best == "Hani" else (best,)
    return next((_TELLING.get(script, script) for script in decides if counts.get(script)), best)
