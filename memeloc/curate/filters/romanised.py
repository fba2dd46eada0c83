"""Arabic, Hindi with Urdu, and Bengali in Latin letters. In: texts. Out: which, and its words.

A word's letters, up to five neighbours at once, speak for one of the three or for everything else,
with weights that `tools/make_romanised.py` learned from word lists. A text is in the language that
its words speak for together. In a text of two languages each word takes the language that it and
its neighbours speak for. `python -m bench --only languages` measures it on captions that were
written after the weights were made.
"""

from __future__ import annotations

import hashlib
import lzma
import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby
from typing import NamedTuple

CLASSES = ("ar-Latn", "hi-Latn", "bn-Latn")
"""Arabic (Arabizi), Hindi and Urdu (one class: they differ in their own scripts), and Bengali."""
_CLASS_OF = {"ar": "ar-Latn", "hi": "hi-Latn", "ur": "hi-Latn", "bn": "bn-Latn"}
"""The class of a language of memeloc's."""

SPREAD = 0.8
"""Log-odds of a text for those that its words add up to: neighbours are not independent."""
PRIOR = -3.5
"""Log-odds of each class before any word is seen."""
MOST, LEAST = 4.0, -3.0
"""Log-odds that one word gives at most and at least."""
SWITCH = 2.5
"""What a change of language between two words takes from the score."""
ENOUGH = 4.5
"""Log-odds that the words of one stretch must give together."""

_WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*['’]?")
_ONLY_DIGITS = re.compile(r"(?!3am)\d+(?:am|pm|h|k|x|st|nd|rd|th|min|s)?")
"""Numbers and times, which are in no language; but 3am is Arabic too."""
_LONGEST = 5
"""Neighbouring letters that are looked at together, at most."""
_LONGEST_WORD = 40
"""Letters of a word that are looked at: what is longer is no word."""


class Word(NamedTuple):
    """A word of a text: lower case, and where it stands (characters)."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of a text, in which digits are letters too.

    >>> [word.text for word in words_of("Ana mesh 3aref, 2020!")]
    ['ana', 'mesh', '3aref']
    """
    return [
        Word(match[0].lower(), match.start(), match.end())
        for match in _WORD.finditer(text)
        if not _is_number(match[0].lower())
    ]


def _is_number(word: str) -> bool:
    return word[0].isdigit() and _ONLY_DIGITS.fullmatch(word) is not None


def features(word: str) -> list[str]:
    """What of a word has weights: one to five neighbouring letters, its ends, and all of it.

    >>> features("ok")
    ['<', 'o', 'k', '>', '<o', 'ok', 'k>', '<ok', 'ok>', '<ok>']
    """
    marked = f"<{word[:_LONGEST_WORD]}>"
    names = [
        marked[start : start + length]
        for length in range(1, _LONGEST + 1)
        for start in range(len(marked) - length + 1)
    ]
    return names if len(marked) <= _LONGEST else [*names, marked]


@lru_cache(maxsize=100_000)
def word_scores(word: str) -> tuple[float, ...]:
    """Log-odds of each of `CLASSES` against everything else, for a word in lower case."""
    weights, bias, _ = _load()
    totals = list(bias)
    for name in dict.fromkeys(features(word)):
        for place, weight in enumerate(weights.get(name, ())):
            totals[place] += weight
    return tuple(max(LEAST, min(MOST, total)) for total in totals)


def identify_romanised(text: str, hint: Mapping[str, float] | None = None) -> tuple[str, float]:
    """The likeliest of `CLASSES` and its probability; an empty tag for everything else.

    `hint` has log-odds that are added, by class, for where the text comes from.

    >>> identify_romanised("kal office nahi jaana yaar")[0]
    'hi-Latn'
    """
    scores = [word_scores(word) for word in _WORD.findall(text.lower()) if not _is_number(word)]
    if not scores:
        return "", 0.0
    sums = [sum(column) for column in zip(*scores, strict=True)]
    if not hint and PRIOR + SPREAD * max(sums) <= 0:
        return "", 0.0  # almost all; it is faster than the rest
    totals = [
        PRIOR + (hint or {}).get(name, 0.0) + SPREAD * total
        for name, total in zip(CLASSES, sums, strict=True)
    ]
    best = max(range(len(totals)), key=totals.__getitem__)
    if totals[best] <= 0:
        return "", 0.0
    highest = totals[best]
    odds = math.exp(-highest) + sum(math.exp(total - highest) for total in totals)
    return CLASSES[best], 1 / odds


def romanised_words(words: Sequence[str]) -> dict[int, str]:
    """Return which of some neighbouring words are romanised, by place, and the class of each.

    The likeliest sequence of languages by the words' scores, where each change costs `SWITCH`
    (Viterbi's algorithm). A stretch of one word is a borrowed word and left out, as is one whose
    words are not clear together.
    """
    languages = ("", *CLASSES)
    best = dict.fromkeys(languages, 0.0)
    came_from: list[dict[str, str]] = []
    for word in words:
        gains = dict(zip(languages, (0.0, *word_scores(word)), strict=True))
        likeliest = max(best, key=best.__getitem__)
        limit = best[likeliest] - SWITCH
        came_from.append({name: name if best[name] >= limit else likeliest for name in languages})
        best = {name: max(best[name], limit) + gains[name] for name in languages}
    path: list[str] = []
    language = max(best, key=best.__getitem__)
    for step in reversed(came_from):
        path.insert(0, language)
        language = step[language]
    romanised: dict[int, str] = {}
    for name, stretch in groupby(range(len(path)), key=path.__getitem__):
        places = list(stretch)
        if name and len(places) > 1:
            column = CLASSES.index(name)
            if sum(word_scores(words[place])[column] for place in places) >= ENOUGH:
                romanised |= dict.fromkeys(places, name)
    return romanised


def classes_of(tags: Collection[str], among: Collection[str] | None = None) -> frozenset[str]:
    """The classes of some languages, or of those of them that are `among` others.

    >>> sorted(classes_of(["en", "ar", "ur"])), sorted(classes_of(["ar", "ur"], ["ar"]))
    (['ar-Latn', 'hi-Latn'], ['ar-Latn'])
    """
    languages = {tag.partition("-")[0] for tag in tags}
    if among is not None:
        languages &= set(among)
    return frozenset(_CLASS_OF[language] for language in languages & set(_CLASS_OF))


def weights_version() -> str:
    """A short hash of the weights, for cache keys."""
    return _load()[2]


@cache
def _load() -> tuple[Mapping[str, tuple[float, ...]], tuple[float, ...], str]:
    """Weights of features, the bias of each class, and the hash of both."""
    packed = files("memeloc.curate").joinpath("data", "romanised.txt.xz").read_bytes()
    lines = [
        line for line in lzma.decompress(packed).decode().splitlines() if not line.startswith("# ")
    ]
    step = float(lines[0].removeprefix("step "))
    bias = tuple(map(float, lines[1].split()[1:]))
    weights = {}
    for line in lines[2:]:
        name, *values = line.split(" ")
        weights[name] = tuple(step * int(value) for value in values)
    return weights, bias, hashlib.sha256(packed).hexdigest()[:8]
