"""Idioms, and idioms with a word changed. In: a caption's words. Out: hints."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

from memeloc.curate.hints.sounds import sounds
from memeloc.curate.hints.words import FUNCTION_WORDS, Word, stem, words_of

_OWNERS = frozenset(("my", "your", "his", "her", "its", "our", "their", "one's", "whose"))
_OWNER, _SELF, _SOMEONE = _SLOTS = "one's", "oneself", "someone"
_CHANGED = 3
"""Words that an idiom must have to be known with one of them changed."""

Idiom = tuple[str, ...]


@lru_cache(maxsize=1)
def all_idioms() -> tuple[Idiom, ...]:
    """Every idiom, as words in lower case."""
    text = (files("memeloc.curate") / "hints" / "idioms.en.toml").read_text("utf-8")
    lines = tomllib.loads(text)["idioms"].splitlines()
    return tuple(tuple(word.plain for word in words_of([line])) for line in lines if line.strip())


@lru_cache(maxsize=1)
def _by_word() -> dict[str, list[Idiom]]:
    """Idioms by the stem of each of their words; a changed one is found by the others."""
    by_word: dict[str, list[Idiom]] = {}
    for idiom in all_idioms():
        telling = [word for word in idiom if word not in _SLOTS and word not in FUNCTION_WORDS]
        if len(telling) < 2:  # one of them may be the changed one
            telling = [word for word in idiom if word not in _SLOTS]
        for word in {stem(word) for word in telling}:
            by_word.setdefault(word, []).append(idiom)
    return by_word


def idioms(words: Sequence[Word]) -> Iterator[str]:
    """Idioms that stand in a caption, in words for people."""
    stems = [stem(word.plain) for word in words]
    near = dict.fromkeys(idiom for key in dict.fromkeys(stems) for idiom in _by_word().get(key, ()))
    matches: list[tuple[int, int, bool, str]] = []
    for idiom in near:
        for at in range(len(words) - len(idiom) + 1):
            wrong = [
                place
                for place, word in enumerate(idiom)
                if not _fits(word, words[at + place], stems[at + place])
            ]
            text = " ".join(word.text for word in words[at : at + len(idiom)])
            name = " ".join(idiom)
            if not wrong:
                matches.append((at, at + len(idiom), True, f'"{text}" is an idiom'))
            elif _may_change(idiom, wrong) and _twists(idiom[wrong[0]], words[at + wrong[0]].plain):
                matches.append((at, at + len(idiom), False, f'"{text}" plays on "{name}"'))
    for begin, end, exact, hint in matches:
        # What stands within a longer idiom is part of it.
        if not any(
            start <= begin
            and end <= stop
            and (start, stop) != (begin, end)
            and (whole or not exact)
            for start, stop, whole, _ in matches
        ):
            yield hint


def _fits(wanted: str, word: Word, its_stem: str) -> bool:
    if wanted == _SOMEONE:
        return True
    if wanted == _SELF:
        return word.plain.endswith(("self", "selves"))
    if wanted == _OWNER:
        return word.plain in _OWNERS or word.plain.endswith("'s")
    return wanted == word.plain or stem(wanted) == its_stem


def _may_change(idiom: Idiom, wrong: Sequence[int]) -> bool:
    """Whether an idiom is still known with these words of it replaced."""
    if len(wrong) != 1 or len(idiom) < _CHANGED or idiom[wrong[0]] in _SLOTS:
        return False
    rest = [word for place, word in enumerate(idiom) if place != wrong[0]]
    return any(word not in FUNCTION_WORDS for word in rest) or len(rest) > _CHANGED


def _twists(wanted: str, word: str) -> bool:
    """Whether a word replaces another for its sound."""
    if word in FUNCTION_WORDS or wanted in FUNCTION_WORDS:
        return False
    by_ear = sounds()
    return by_ear.alike(wanted, word) or by_ear.near(wanted, word) or by_ear.rhyme(wanted, word)
