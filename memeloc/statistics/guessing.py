"""Rules that answer multiple-choice questions unread. In: texts, a language. Out: a place.

A good question is one that such rules answer no better than chance. Each gives the place of the
option that it chooses, from 0, the first one where options are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memeloc.locales.plain_words import plain_words


def longest(options: Sequence[str]) -> int:
    """The option with the most letters.

    >>> longest(["a cat", "a sleeping cat", "None of the others"])
    2
    """
    return max(range(len(options)), key=lambda place: len(options[place]))


def closest(options: Sequence[str], text: str, language: str) -> int:
    """The option that shares most with a text; see `overlap`.

    >>> closest(["Tea", "The cat"], "What does the cat drink?", "en")
    1
    """
    shares = [overlap(option, text, language) for option in options]
    return max(range(len(options)), key=shares.__getitem__)


def overlap(option: str, text: str, language: str) -> float:
    """The share of an option's different words that a text has, too, 0 to 1; 0 without words.

    >>> overlap("A sleeping cat", "Where does the cat sleep?", "en")
    0.3333333333333333
    """
    words = _words(option, language)
    return len(words & _words(text, language)) / len(words) if words else 0.0


@lru_cache(maxsize=1 << 16)  # a question's texts are compared with one another
def _words(text: str, language: str) -> frozenset[str]:
    return frozenset(plain_words(text, language))
