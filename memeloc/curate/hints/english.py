"""What the rules know of English. In: the files beside this one. Out: sounds, idioms, puns.

Sounds are from the CMU Pronouncing Dictionary (pronunciations.en.txt.xz, made by
tools/make_pronunciations.py; its licence stands in it): American English, phones as in ARPAbet,
vowels with their stress. Everything is read when it is first asked for.
"""

from __future__ import annotations

import lzma
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from memeloc.curate.hints.words import spelt_out, words_of

Phones = tuple[str, ...]
Idiom = tuple[str, ...]

_FOLDER = Path(__file__).parent


class English:
    """The dictionary and the lists."""

    @cached_property
    def idioms(self) -> frozenset[Idiom]:
        """Every idiom, as words in lower case."""
        return _phrases("idioms")

    @cached_property
    def phrases(self) -> frozenset[Idiom]:
        """Every idiom, and every set phrase that means what it says, as words in lower case."""
        return self.idioms | _phrases("phrases")

    @cached_property
    def names(self) -> Mapping[str, Mapping[str, str]]:
        """`heard`: what a name may be heard as; `words`: what word a name is, too."""
        return _toml("names")

    @cached_property
    def puns(self) -> Mapping[str, Any]:
        """`heard`: what a word may be heard as; `stems`: pieces of words, and what they replace."""
        return _toml("sounds")

    @cached_property
    def _phones(self) -> Mapping[str, Sequence[str]]:
        packed = (_FOLDER / "pronunciations.en.txt.xz").read_bytes()
        phones: dict[str, list[str]] = defaultdict(list)
        for line in lzma.decompress(packed).decode().splitlines():
            if not line.startswith("#"):
                word, _, sound = line.partition(" ")
                phones[word].append(sound)
        return dict(phones)

    @cached_property
    def _without_stress(self) -> dict[str, frozenset[Phones]]:
        return {}

    def __contains__(self, word: str) -> bool:
        return word in self._phones

    def stressed(self, word: str) -> list[Phones]:
        """Every way to say a word, with stress; empty when it is not in the dictionary."""
        return [tuple(phones.split()) for phones in self._phones.get(word, ())]

    def plain(self, word: str) -> frozenset[Phones]:
        """Every way to say a word, without stress."""
        if word not in self:  # keeping all words of captions would fill the memory
            return frozenset()
        if word not in self._without_stress:
            self._without_stress[word] = frozenset(map(_bare, self.stressed(word)))
        return self._without_stress[word]

    def phrase(self, words: Sequence[str]) -> frozenset[Phones]:
        """Every way to say two or three words in a row, without stress; empty when one is unknown.

        Of a word at most three ways are taken.
        """
        ways: frozenset[Phones] = frozenset([()])
        for word in words:
            sounds = list(self.plain(word))[:3]
            ways = frozenset(before + phones for before in ways for phones in sounds)
        return ways

    def same(self, first: str, second: str) -> bool:
        """Whether two words can sound the same.

        >>> ENGLISH.same("knight", "night"), ENGLISH.same("day", "night")
        (True, False)
        """
        return bool(self.plain(first) & self.plain(second))

    def rhyme(self, first: str, second: str) -> bool:
        """Whether two words sound the same from their last stressed vowel on, and not before it.

        >>> ENGLISH.rhyme("cake", "steak"), ENGLISH.rhyme("night", "knight")
        (True, False)
        """
        return any(
            end == other_end and onset != other_onset
            for onset, end in map(_split, self.stressed(first))
            for other_onset, other_end in map(_split, self.stressed(second))
            if end
        )

    def onset(self, word: str) -> str:
        """The consonant that a word begins with; empty for a vowel or an unknown word."""
        first = next(iter(self.stressed(word)), ("0",))[0]
        return "" if first[-1].isdigit() else first


ENGLISH = English()


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.en.toml").read_text("utf-8"))


def _phrases(section: str) -> frozenset[Idiom]:
    lines = _toml("idioms")[section].splitlines()
    return frozenset(
        tuple(form.plain for word in words_of([line]) for form in spelt_out(word))
        for line in lines
        if line
    )


def _bare(phones: Phones) -> Phones:
    return tuple(phone.rstrip("012") for phone in phones)


def _split(phones: Phones) -> tuple[str, Phones]:
    """The phone before the last stressed vowel, and all from that vowel on, without stress."""
    for stress in "12":
        places = [at for at, phone in enumerate(phones) if phone[-1] == stress]
        if places:
            at = places[-1]
            return phones[at - 1] if at else "", _bare(phones[at:])
    return "", ()
