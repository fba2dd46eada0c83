"""The scripts of texts and locales. In: texts, locales. Out: ISO 15924 codes, words and letters.

Scripts are weighed by words: one long name in Latin letters (YouTubeを見る) does not outweigh what
a text says.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from memeloc.locales.tags import character_script
from memeloc.model import Locale

PARTS = {"Hans": {"Hani"}, "Hant": {"Hani"}, "Jpan": {"Hira", "Kana", "Hani"}}
PARTS |= {"Kore": {"Hang", "Hani"}}
"""Scripts that are several, as Unicode tells letters apart."""
_TELLING = {"Hira": "Jpan", "Kana": "Jpan", "Hang": "Kore"}
"""Scripts that decide although others stand beside them, and what they decide for."""
_EAST_ASIAN = ("Hani", *_TELLING)
"""Scripts that are written mixed, and count together against all others."""

_MARKS = "".join(
    char for char in map(chr, range(0x300, 0x1B00)) if unicodedata.category(char)[0] == "M"
)
"""Vowel signs and accents, which `\\w` leaves out. The scripts of all locales stand below U+1B00
or have none."""
_WORD = re.compile(rf"\d*[^\W\d_](?:[^\W_]|[{_MARKS}\u200c\u200d]|['’-](?=[^\W_]))*")
"""A word has a letter; digits beside letters belong to it, as in H2O and 3ayez."""
_LETTERS_A_WORD = {"Hani": 2, "Hira": 2, "Kana": 2, "Thai": 4, "Laoo": 4, "Khmr": 4, "Mymr": 4}
"""Scripts without spaces between words, and how many letters count as one."""
_JAPANESE = {"Hani", "Hira", "Kana"}
_ABBREVIATION = 4
"""Letters of a word in capitals that is at home in every language: OK, PDF, WLAN."""
_NAME = 0.5
"""Weight of a Latin name in deciding which script a text is in."""


class ScriptWord(NamedTuple):
    """A word, and where it stands (characters); `weight` is how many words it counts as."""

    text: str
    start: int
    end: int
    script: str
    weight: float

    @property
    def is_name(self) -> bool:
        """Whether it is at home in every script: Netflix, YouTube, OK, PDF, the V of Ctrl+V."""
        if self.script != "Latn":
            return False
        if self.text.isupper():
            return len(self.text) <= _ABBREVIATION
        return len(self.text) == 1 or any(map(str.isupper, self.text))


@lru_cache(maxsize=20_000)
def script_of_char(char: str) -> str:
    """ISO 15924 code of a letter or vowel sign; empty for all else, and what all scripts share."""
    if not char.isalpha() and unicodedata.category(char) not in ("Mn", "Mc"):
        return ""
    script = character_script(char)
    return "" if script in ("Zyyy", "Zinh") else script


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


def script_words(text: str) -> list[ScriptWord]:
    """The words of a text; a word ends too where its letters change between scripts.

    >>> [(word.text, word.script, word.weight) for word in script_words("YouTubeを見る")]
    [('YouTube', 'Latn', 1.0), ('を見る', 'Hira', 1.5)]
    """
    words: list[ScriptWord] = []
    for match in _WORD.finditer(text):
        start, first, before = match.start(), "", ""
        for place in range(match.start(), match.end()):
            script = script_of_char(text[place])
            if before and script not in ("", before) and not {before, script} <= _JAPANESE:
                words.append(_word(text[start:place], start, first))
                start, first = place, ""
            before = script or before
            first = first or script
        words.append(_word(text[start : match.end()], start, first))
    return words


def _word(text: str, start: int, script: str) -> ScriptWord:
    letters = sum(not char.isdigit() for char in text)
    weight = max(1.0, letters / _LETTERS_A_WORD[script]) if script in _LETTERS_A_WORD else 1.0
    return ScriptWord(text, start, start + len(text), script, weight)


def weigh_scripts(words: Iterable[ScriptWord]) -> dict[str, float]:
    """How many words of each script there are; Latin names weigh half."""
    weights: dict[str, float] = {}
    for word in words:
        if word.script:
            weight = _NAME * word.weight if word.is_name else word.weight
            weights[word.script] = weights.get(word.script, 0.0) + weight
    return weights


def main_script(counts: Mapping[str, float]) -> str:
    """The script that letters or words are in: the most; kana or Hangul beat Chinese characters."""
    east = {script: counts[script] for script in _EAST_ASIAN if counts.get(script)}
    others = {script: count for script, count in counts.items() if script not in _EAST_ASIAN}
    best = max(others, key=lambda script: others[script], default="")
    if not east or (best and others[best] > sum(east.values())):
        return best
    deciding = max(_TELLING, key=lambda script: east.get(script, 0.0))
    return _TELLING[deciding] if deciding in east else "Hani"


def split_by_script(text: str) -> tuple[str, str]:
    """The script that most words of a text are in, and what of the text is in it.

    >>> split_by_script("انا و Netflix")
    ('Arab', 'انا و')
    """
    if text.isascii():
        return "Latn" if any(map(str.isalpha, text)) else "", text
    scripts = {script_of_char(char) for char in set(text)} - {""}
    if len(scripts) < 2 or scripts <= _JAPANESE:
        return main_script(dict.fromkeys(scripts, 1.0)), text
    words = script_words(text)
    script = main_script(weigh_scripts(words))
    parts = PARTS.get(script, {script})
    return script, " ".join(word.text for word in words if word.script in parts)
