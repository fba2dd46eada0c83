"""How English words sound. In: words. Out: their phones, what sounds the same, what rhymes.

From the CMU Pronouncing Dictionary (pronunciations.en.txt.xz, made by tools/make_pronunciations.py;
its licence stands in it): American English, phones as in ARPAbet, vowels with their stress.
"""

from __future__ import annotations

import lzma
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

Phones = tuple[str, ...]


class Sounds:
    """The dictionary."""

    def __init__(self) -> None:
        packed = (files("memeloc.curate") / "hints" / "pronunciations.en.txt.xz").read_bytes()
        self._phones: dict[str, list[str]] = defaultdict(list)
        for line in lzma.decompress(packed).decode().splitlines():
            if not line.startswith("#"):
                word, _, phones = line.partition(" ")
                self._phones[word].append(phones)
        self._plain: dict[str, frozenset[Phones]] = {}

    def __contains__(self, word: str) -> bool:
        return word in self._phones

    def stressed(self, word: str) -> tuple[Phones, ...]:
        """Every way to say a word, with stress; empty when it is not in the dictionary."""
        return tuple(tuple(phones.split()) for phones in self._phones.get(word, ()))

    def plain(self, word: str) -> frozenset[Phones]:
        """Every way to say a word, without stress."""
        plain = self._plain.get(word)
        if plain is None:
            plain = frozenset(tuple(map(_bare, phones)) for phones in self.stressed(word))
            if word in self._phones:  # words of captions would fill the memory
                self._plain[word] = plain
        return plain

    def phrase(self, words: Sequence[str]) -> frozenset[Phones]:
        """Every way to say some words in a row, without stress; empty when one is unknown."""
        ways: frozenset[Phones] = frozenset([()])
        for word in words:
            ways = frozenset(
                before + phones for before in ways for phones in list(self.plain(word))[:3]
            )
            if len(ways) > 27:
                break
        return ways

    def alike(self, first: str, second: str) -> bool:
        """Whether two words can sound the same.

        >>> sounds().alike("knight", "night"), sounds().alike("day", "night")
        (True, False)
        """
        return bool(self.plain(first) & self.plain(second))

    def near(self, first: str, second: str) -> bool:
        """Whether two words of some length differ in one phone.

        >>> sounds().near("seas", "cheese"), sounds().near("whale", "well")
        (True, True)
        """
        return any(
            min(len(one), len(two)) >= 3 and _one_apart(one, two)
            for one in self.plain(first)
            for two in self.plain(second)
        )

    def rhyme(self, first: str, second: str) -> bool:
        """Whether two words sound the same from their last stressed vowel on, and not before it.

        >>> sounds().rhyme("cake", "steak"), sounds().rhyme("night", "knight")
        (True, False)
        """
        return any(
            bool(one) and one == two and begin != start
            for begin, one in self._rhymes(first)
            for start, two in self._rhymes(second)
        )

    def onset(self, word: str) -> str:
        """The consonant that a word begins with; empty for a vowel or an unknown word."""
        for phones in self.stressed(word)[:1]:
            return "" if phones[0][-1].isdigit() else phones[0]
        return ""

    def _rhymes(self, word: str) -> list[tuple[str, Phones]]:
        """The consonant before the last stressed vowel, and all from that vowel on, each way."""
        rhymes: list[tuple[str, Phones]] = []
        for phones in self.stressed(word):
            for stress in "12":
                places = [at for at, phone in enumerate(phones) if phone[-1] == stress]
                if places:
                    break
            if places:
                at = places[-1]
                before = phones[at - 1] if at else ""
                rhymes.append((before, tuple(map(_bare, phones[at:]))))
        return rhymes


@lru_cache(maxsize=1)
def sounds() -> Sounds:
    """The dictionary, read once."""
    return Sounds()


def _bare(phone: str) -> str:
    return phone.rstrip("012")


def _one_apart(one: Phones, two: Phones) -> bool:
    """Whether one phone was changed, added or left out."""
    if abs(len(one) - len(two)) > 1 or one == two:
        return False
    at = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    if at is None:
        return True
    return one[at + 1 :] == two[at + 1 :] or one[at:] == two[at + 1 :] or one[at + 1 :] == two[at:]
