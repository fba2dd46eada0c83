"""Whose script letters are. In: ISO 15924 codes, texts. Out: the scripts of a text's letters."""

from __future__ import annotations

from collections import Counter
from functools import cache

_PARTS = {
    "Jpan": ("Hira", "Kana", "Hrkt", "Hani"),
    "Kore": ("Hang", "Hani"),
    "Hans": ("Hani",),
    "Hant": ("Hani", "Hanb", "Bopo"),
    "Arab": ("Aran",),
}
"""ISO 15924's codes for mixtures of scripts, and for what they are mixed of."""


def letter_scripts(script: str) -> frozenset[str]:
    """Return the scripts that letters of a language have, by the script of its locale.

    >>> sorted(letter_scripts("Kore")), sorted(letter_scripts("Deva"))
    (['Hang', 'Hani', 'Kore'], ['Deva'])
    """
    return frozenset((script, *_PARTS.get(script, ())))


def count_scripts(text: str) -> Counter[str]:
    """Return how many letters a text has of each script; those of many scripts do not count.

    >>> count_scripts("мем, 2x")
    Counter({'Cyrl': 3, 'Latn': 1})
    """
    scripts = Counter(map(_script, text))
    del scripts[""]
    return scripts


@cache
def _script(char: str) -> str:
    """Return the script of a letter; nothing of what does not count."""
    from fontTools import unicodedata as ucd

    script = ucd.script(char) if char.isalpha() else ""
    return "" if script in ("Zyyy", "Zinh") else script
