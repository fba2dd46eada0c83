"""The translation memory. In: what was translated before. Out: answers that cost nothing.

It is asked before every translator. As in CAT tools a unit that matches exactly fills the caption;
a similar one only when asked for, with a threshold, and the caption is marked with how similar it
was (memeloc.translate.similar); people who correct are shown the nearest ones. Exact means: the
same text after Unicode NFC, with runs of white space as one space and typographic quotation marks
and apostrophes as plain ones. Case and punctuation count.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, ClassVar

from memeloc.errors import InputError
from memeloc.model import SEPARATOR
from memeloc.settings import validate
from memeloc.translate.protocol import (
    Answer,
    FreeTranslator,
    TranslationItem,
    failure,
    filled_texts,
    pair_of,
)

EXACT = "memory"
"""The mark of a caption that an exact match filled."""

LEAST = 0.7
"""How similar a unit's source is at least that people are shown, as CAT tools have it."""

_REMEMBERED = 4096
"""Sources of which the memory remembers what is similar."""

_NOT_EXACT = 0.9999
"""The most that a match's similarity can be that is not exact."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " "})


@dataclass(frozen=True, slots=True)
class MemoryUnit:
    """A caption and its translation, part by part; languages are locale tags.

    `origin` is the name of the file it is from, whose units have no `meme_id`; or `imported`,
    `corrected` or `settled` for a caption of a workspace. `person` wrote the translation.
    """

    source_language: str
    language: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    origin: str = ""
    person: str = ""
    meme_id: str = ""
    created_at: datetime | None = None

    def without_empty_parts(self) -> MemoryUnit:
        """Return the unit without the parts that have no text in the source."""
        if all(map(str.strip, self.source)):
            return self
        rest = [
            part for source, part in zip(self.source, self.target, strict=False) if source.strip()
        ]
        source = tuple(part for part in self.source if part.strip())
        return replace(self, source=source, target=tuple(rest))


@dataclass(frozen=True, slots=True)
class Match:
    """What the memory has for an item: one text a filled part, and how similar the source is.

    `unit` is what it is from; None where each part is from a unit of its own.
    """

    texts: tuple[str, ...]
    score: float
    unit: MemoryUnit | None = None

    @property
    def mark(self) -> str:
        """`memory`, or `fuzzy 0.93`: rounded down, so that only an exact match can be 1."""
        return EXACT if self.score >= 1.0 else f"fuzzy {self.percent / 100:.2f}"

    @property
    def percent(self) -> int:
        """How similar the source is, rounded down: 100 is exact."""
        return math.floor(self.score * 100)


_ByTarget = dict[tuple[str, ...], tuple[MemoryUnit, ...]]
"""A source's translations, the newest last: of each the newest unit, and before it the newest one
of another meme, which stands for it where a meme is not to match itself."""


def _newest(units: _ByTarget) -> MemoryUnit:
    return next(reversed(units.values()))[-1]


class TranslationMemory:
    """Units by language pair. A later unit for the same source comes before an earlier one.

    >>> memory = TranslationMemory([MemoryUnit("en", "de", ("me",), ("ich",))])
    >>> len(memory)
    1
    """

    def __init__(self, units: Iterable[MemoryUnit] = ()) -> None:
        self._units: dict[tuple[str, str], dict[tuple[str, ...], _ByTarget]] = {}
        self._indexes: dict[
            tuple[str, str, int],
            tuple[list[tuple[str, ...]], Callable[[str, float], list[tuple[int, float]]]],
        ] = {}
        for unit in units:
            self.add(unit)

    def __len__(self) -> int:
        return sum(map(len, self._units.values()))

    def add(self, unit: MemoryUnit) -> None:
        """Remember a unit's parts that have text in the source; all must have a translation."""
        unit = unit.without_empty_parts()
        key = tuple(map(normalised, unit.source))
        if key and len(key) == len(unit.target) and all(map(str.strip, unit.target)):
            pair = (unit.source_language, unit.language)
            by_target = self._units.setdefault(pair, {}).setdefault(key, {})
            before = by_target.pop(unit.target, ())
            other = [each for each in before if each.meme_id != unit.meme_id][-1:]
            by_target[unit.target] = (*other, unit)
            self._indexes.pop((*pair, len(key)), None)

    def find(self, item: TranslationItem, fuzzy: float | None = None) -> Match | None:
        """Return the best match for an item: the whole caption, else part by part, else a similar
        one.

        `fuzzy` is the least similarity, above 0 and at most 1, of a match that is not exact, over
        all parts joined; None takes exact ones only.
        """
        key = tuple(map(normalised, filled_texts(item)))
        units = self._units.get(pair_of(item), {}) if key else {}
        if key in units:
            unit = _newest(units[key])
            return Match(unit.target, 1.0, unit)
        singles = [_newest(units[text,]) for text in key if (text,) in units]
        if key and len(singles) == len(key):
            return Match(tuple(unit.target[0] for unit in singles), 1.0)
        for other, score in self._similar(pair_of(item), key, fuzzy) if units and fuzzy else ():
            unit = _newest(units[other])
            return Match(unit.target, score, unit)
        return None

    def nearest(self, item: TranslationItem, *, least: float = LEAST, most: int = 3) -> list[Match]:
        """Return the units whose source is the most similar to an item's, exact ones too, best
        first.

        Of the same source the newest comes first, and the same translation of it only once. A meme
        is not among its own matches, unless its source was another text then.

        Args:
            least: how similar they are at least, above 0 and at most 1.
            most: how many there are at most.
        """
        matches = list[Match]()
        key = tuple(map(normalised, filled_texts(item)))
        of_pair = self._units.get(pair_of(item), {}) if key else {}
        for other, score in self._similar(pair_of(item), key, least) if of_pair else ():
            for units in reversed(of_pair[other].values()):
                others = [unit for unit in units if other != key or unit.meme_id != item.meme_id]
                matches += [Match(unit.target, score, unit) for unit in others[-1:]]
                if len(matches) == most:
                    return matches
        return matches

    def _similar(
        self, pair: tuple[str, str], key: tuple[str, ...], least: float
    ) -> list[tuple[tuple[str, ...], float]]:
        """Return the sources with as many parts that are at least that similar, with how similar.

        Many memes may share a source, so an index remembers what it was asked last.
        """
        from memeloc.translate.similar import SimilarTexts

        units = self._units.get(pair, {})
        if (*pair, len(key)) not in self._indexes:
            keys = [other for other in units if len(other) == len(key)]
            texts = SimilarTexts([SEPARATOR.join(other) for other in keys])
            self._indexes[*pair, len(key)] = (keys, lru_cache(_REMEMBERED)(texts.find))
        keys, find = self._indexes[*pair, len(key)]
        found = ((keys[at], score) for at, score in find(SEPARATOR.join(key), least))
        similar = [(other, min(score, _NOT_EXACT)) for other, score in found if other != key]
        # The very same text comes before one that differs in case only.
        return [(key, 1.0), *similar] if key in units else similar


@dataclass
class MemoryTranslator(FreeTranslator):
    """Nobody beside the memory, which is asked before: what it does not know stays untranslated."""

    name: ClassVar[str] = "memory"

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`."""
        for item in items:
            yield failure(item, InputError(f"meme {item.meme_id} is not in the memory"))


def from_settings(settings: Mapping[str, Any]) -> MemoryTranslator:
    """Return the translator, which has no settings of its own."""
    return validate(MemoryTranslator, settings, "the translator memory")


def normalised(text: str) -> str:
    """Return what an exact match compares.

    >>> normalised("it’s  me ")
    "it's me"
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_QUOTES)
    return " ".join(text.split())
