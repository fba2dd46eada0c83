"""The translation memory. In: what was translated before. Out: answers that cost nothing.

It is asked before every translator. As in CAT tools a unit that matches exactly fills the caption;
a similar one only when asked for, with a threshold, and the caption is marked with how similar it
was. Exact means: the same text after Unicode NFC, with runs of white space as one space and
typographic quotation marks and apostrophes as plain ones. Case and punctuation count.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memeloc.errors import InputError
from memeloc.model import SEPARATOR
from memeloc.settings import validate
from memeloc.translate.protocol import (
    Answer,
    FreeTranslator,
    Translation,
    TranslationItem,
    failure,
    filled_texts,
    merged,
    pair_of,
)

EXACT = "memory"
"""The mark of a caption that an exact match filled."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " "})
_SPACE = re.compile(r"\s+")


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
        """The unit without the parts that have no text in the source."""
        places = [index for index, part in enumerate(self.source) if part.strip()]
        if len(places) == len(self.source):
            return self
        source = tuple(self.source[index] for index in places)
        target = tuple(self.target[index] for index in places if index < len(self.target))
        return replace(self, source=source, target=target)


@dataclass(frozen=True, slots=True)
class Match:
    """What the memory has for an item: one text a filled part, and how similar the source is."""

    texts: tuple[str, ...]
    score: float

    @property
    def mark(self) -> str:
        """`memory`, or `fuzzy 0.93`: rounded down, so that only an exact match can be 1."""
        return EXACT if self.score >= 1.0 else f"fuzzy {math.floor(self.score * 100) / 100:.2f}"


class TranslationMemory:
    """Units by language pair. A later unit for the same source replaces an earlier one.

    >>> memory = TranslationMemory([MemoryUnit("en", "de", ("me",), ("ich",))])
    >>> len(memory)
    1
    """

    def __init__(self, units: Iterable[MemoryUnit] = ()) -> None:
        self._units: dict[tuple[str, str], dict[tuple[str, ...], MemoryUnit]] = {}
        self._choices: dict[tuple[str, str, int], dict[tuple[str, ...], str]] = {}
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
            self._units.setdefault(pair, {})[key] = unit
            self._choices.setdefault((*pair, len(key)), {})[key] = SEPARATOR.join(key)

    def find(self, item: TranslationItem, fuzzy: float | None = None) -> Match | None:
        """The best match for an item: the whole caption, else part by part, else a similar one.

        `fuzzy` is the least similarity, above 0 and at most 1, of a match that is not exact; None
        takes exact ones only. It is rapidfuzz's normalised indel ratio over all parts joined.
        """
        key = tuple(map(normalised, filled_texts(item)))
        if not key:
            return None
        pair = pair_of(item)
        units = self._units.get(pair, {})
        if key in units:
            return Match(units[key].target, 1.0)
        singles = [units[text,] for text in key if (text,) in units]
        if len(singles) == len(key):
            return Match(tuple(unit.target[0] for unit in singles), 1.0)
        if fuzzy is None:
            return None
        from rapidfuzz import fuzz, process

        best = process.extractOne(
            SEPARATOR.join(key),
            self._choices.get((*pair, len(key)), {}),
            scorer=fuzz.ratio,
            score_cutoff=100 * fuzzy,
        )
        return Match(units[best[2]].target, min(best[1] / 100, 0.9999)) if best else None


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The memory as a translator has no settings of its own."""


class MemoryTranslator(FreeTranslator):
    """The memory as the only translator: what it does not know stays untranslated.

    `memeloc translate` asks the workspace's memory before any translator: an empty one serves here.
    """

    name = "memory"

    def __init__(self, memory: TranslationMemory | None = None) -> None:
        self.memory = memory or TranslationMemory()

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`."""
        for item in items:
            match = self.memory.find(item)
            if match is None:
                yield failure(item, InputError(f"meme {item.meme_id} is not in the memory"))
            else:
                yield from_match(item, match)


def from_settings(settings: Mapping[str, Any]) -> MemoryTranslator:
    """The translator, from a table of settings."""
    validate(MemorySettings, settings, "the translator memory")
    return MemoryTranslator()


def from_match(item: TranslationItem, match: Match) -> Translation:
    """The answer that a match makes."""
    return Translation(
        item.meme_id, item.target.tag, merged(item, match.texts), "memory", (match.mark,)
    )


def normalised(text: str) -> str:
    """What an exact match compares.

    >>> normalised("it’s  me ")
    "it's me"
    """
    plain = unicodedata.normalize("NFC", text).translate(_QUOTES)
    return _SPACE.sub(" ", plain).strip()
