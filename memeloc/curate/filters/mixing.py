"""Code-mixing and script. In: captions and pictures' texts. Out: verdicts on what is mixed.

Words of another script are found letter by letter. Words of another language in the same script are
found where several stand together: a part of its own, or some neighbouring words, that all
identifiers call another language. Single borrowed words are not code-mixing, and no identifier
tells them apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from memeloc.curate.filters.identifiers import Identification, Identifier, check_tags, identifier
from memeloc.curate.filters.language import no_text
from memeloc.curate.filters.scripts import (
    PARTS,
    count_scripts,
    main_script,
    script_of_char,
    scripts_of_locale,
)
from memeloc.curate.protocol import FilterContext, FilterSettings, SettingsFilter, cache_key_of
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.items import Item

_MARKS = "".join(
    char for char in map(chr, range(0x300, 0x1B00)) if unicodedata.category(char)[0] == "M"
)
"""Vowel signs and accents, which `\\w` leaves out. The scripts of all locales stand below U+1B00
or have none."""
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{_MARKS}\u200c\u200d]|['’-](?=[^\W\d_]))*")
_LETTERS_A_WORD = {"Hani": 2, "Hira": 2, "Kana": 2, "Thai": 4, "Laoo": 4, "Khmr": 4, "Mymr": 4}
"""Scripts without spaces between words, and how many letters count as one."""
_JAPANESE = {"Hani", "Hira", "Kana"}
_ABBREVIATION = 4
"""Letters of a word in capitals that is at home in every language: OK, PDF, WLAN."""


class ScriptSettings(FilterSettings):
    """The settings of the script filter."""

    languages: Annotated[
        tuple[str, ...],
        Field(description="tags of the languages whose scripts to keep; empty: source language"),
    ] = ()
    keep: Annotated[
        float, Field(ge=0, le=1, description="share of letters in the script that is enough")
    ] = 0.9
    drop: Annotated[
        float, Field(ge=0, le=1, description="share below which a text goes out; between: ask")
    ] = 0.5


class ScriptFilter(SettingsFilter[ScriptSettings]):
    """Keeps texts whose letters are in the script of the languages wanted."""

    name = "script"
    summary = "share of letters in the language's script"
    kinds = ("caption", "picture")
    Settings = ScriptSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        wanted = check_tags(self.settings.languages or (context.source_language,), context.locales)
        self._scripts = frozenset(
            script for tag in wanted for script in scripts_of_locale(context.locales.get(tag))
        )
        self._settings_key = cache_key_of(
            self.settings.model_dump(), sorted(self._scripts), "script-1"
        )

    def cache_key(self, item: Item) -> str:
        """See `Filter`."""
        return cache_key_of(self._settings_key, item.parts)

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter`."""
        for item in items:
            counts = count_scripts(" ".join(item.parts))
            letters = sum(counts.values())
            share = sum(counts[script] for script in self._scripts) / letters if letters else None
            outcome, reason = self._decide(item, share)
            score = None if share is None else round(share, 4)
            yield self.verdict(item, outcome, reason, {"letters": counts}, score)

    def _decide(self, item: Item, share: float | None) -> tuple[Outcome, str]:
        if not "".join(item.parts).strip():
            return no_text(item)
        if share is None or share >= self.settings.keep:
            return "keep", ""
        return ("drop", "other script") if share < self.settings.drop else ("ask", "mixed script")


class MixingSettings(FilterSettings):
    """The settings of the filter of code-mixing."""

    limit: Annotated[
        float, Field(ge=0, le=1, description="share of foreign words from which a text goes out")
    ] = 0.3
    ask: Annotated[
        float, Field(ge=0, le=1, description="share of foreign words from which a person is asked")
    ] = 0.15
    window: Annotated[
        int, Field(ge=2, le=50, description="neighbouring words that are identified together")
    ] = 5
    sure: Annotated[
        float, Field(ge=0, le=1, description="probability from which words count as foreign")
    ] = 0.98
    preference: Annotated[
        float, Field(ge=0, le=10, description="how much likelier the workspace's languages are")
    ] = 0.5


@dataclass(frozen=True, slots=True)
class _Passage:
    """Neighbouring words, by their places among the words of the text."""

    first: int
    last: int
    text: str


class MixingFilter(SettingsFilter[MixingSettings]):
    """Drops texts in two languages (HarMeme's first criterion, appendix B.3)."""

    name = "mixing"
    summary = "code-mixing: share of words of another language or script"
    kinds = ("caption", "picture")
    Settings = MixingSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        self._expected = tuple(sorted({context.source_language, *context.languages}))

    @cached_property
    def _identifier(self) -> Identifier:
        return identifier("both", self.context.locales, self._expected, self.settings.preference)

    @cached_property
    def _settings_key(self) -> str:
        return cache_key_of(
            self.settings.model_dump(), self._expected, self._identifier.versions, "mixing-2"
        )

    def cache_key(self, item: Item) -> str:
        """See `Filter`."""
        return cache_key_of(self._settings_key, item.parts)

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter`."""
        texts = [_Text(item.parts, self.settings.window) for item in items]
        wholes = self._identifier.identify([text.own for text in texts])
        flat = self._identifier.identify(
            [passage.text for text in texts for passage in text.passages]
        )
        start = 0
        for item, text, whole in zip(items, texts, wholes, strict=True):
            answers = flat[start : start + len(text.passages)]
            start += len(text.passages)
            yield self._judge(item, text, whole, answers)

    def _judge(
        self, item: Item, text: _Text, whole: Identification, answers: Sequence[Identification]
    ) -> Verdict:
        if not "".join(item.parts).strip():
            return self.verdict(item, *no_text(item))
        foreign = dict(text.foreign)
        looked, seen = Counter[int](), Counter[int]()
        languages: dict[int, str] = {}
        for passage, answer in zip(text.passages, answers, strict=True):
            places = range(passage.first, passage.last)
            looked.update(places)
            if self._is_foreign(answer, whole):
                seen.update(places)
                languages.update(dict.fromkeys(places, answer.language))
        # A passage that is foreign in part counts as a whole, so most passages must say so.
        for place, count in seen.items():
            if 2 * count > looked[place]:
                foreign.setdefault(place, languages[place])
        weights = [_weight(word) for word in text.words]
        share = sum(weights[place] for place in foreign) / sum(weights) if weights else 0.0
        evidence: dict[str, Any] = {"language": whole.language}
        if foreign:
            by: dict[str, list[str]] = {}
            for place in sorted(foreign):
                by.setdefault(foreign[place], []).append(text.words[place])
            evidence["foreign"] = {key: " ".join(words) for key, words in by.items()}
        outcome: Outcome = "keep"
        reason = ""
        if foreign and share >= self.settings.limit:
            outcome, reason = "drop", "code-mixed"
        elif foreign and share >= self.settings.ask:
            outcome, reason = "ask", "code-mixed"
        return self.verdict(item, outcome, reason, evidence, round(share, 4))

    def _is_foreign(self, passage: Identification, whole: Identification) -> bool:
        return (
            bool(passage.language)
            and passage.script == whole.script
            and passage.agreed
            and passage.probability >= self.settings.sure
            and passage.language.partition("-")[0] != whole.language.partition("-")[0]
        )


class _Text:
    """The words of a text, and what is clear of them without identifying anything.

    Attributes:
        words: of all parts.
        foreign: places of words in another script than the text's main one, and that script.
        own: the words of the main script alone.
        passages: what to identify by itself.
    """

    def __init__(self, parts: Sequence[str], window: int) -> None:
        spans = [_spans(part) for part in parts]
        self.words = [
            part[start:end]
            for part, words in zip(parts, spans, strict=True)
            for start, end in words
        ]
        scripts = [_script(word) for word in self.words]
        heavy = Counter[str]()
        for word, script in zip(self.words, scripts, strict=True):
            if script:
                heavy[script] += round(100 * _weight(word))
        main = main_script(heavy)
        at_home = PARTS.get(main, {main})
        self.foreign = {
            place: script
            for place, (word, script) in enumerate(zip(self.words, scripts, strict=True))
            if script and script not in at_home and not (script == "Latn" and _is_small(word))
        }
        self.own = " ".join(
            word for word, script in zip(self.words, scripts, strict=True) if script in at_home
        )
        self.passages = _passages(parts, spans, window)


def _is_small(word: str) -> bool:
    """A letter (in Ctrl+V) or an abbreviation, at home in every script."""
    return len(word) == 1 or (word.isupper() and len(word) <= _ABBREVIATION)


def _spans(part: str) -> list[tuple[int, int]]:
    """Where words begin and end; a word ends too where its letters change between scripts."""
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(part):
        start, before = match.start(), ""
        for place in range(match.start(), match.end()):
            script = script_of_char(part[place])
            if script and before and _unlike(before, script):
                spans.append((start, place))
                start = place
            before = script or before
        spans.append((start, match.end()))
    return spans


def _unlike(one: str, other: str) -> bool:
    return one != other and not {one, other} <= _JAPANESE


def _weight(word: str) -> float:
    return max(1.0, len(word) / _LETTERS_A_WORD.get(_script(word), len(word)))


def _script(word: str) -> str:
    return next(filter(None, map(script_of_char, word)), "")


def _passages(
    parts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], window: int
) -> list[_Passage]:
    """Every part of at least three words, and windows over those that are longer than one."""
    passages: list[_Passage] = []
    first = 0
    has_parts = sum(map(bool, spans)) > 1
    for part, words in zip(parts, spans, strict=True):
        if len(words) > window:
            step = max(1, window // 2)
            starts = [*range(0, len(words) - window, step), len(words) - window]
            for start in starts:
                last = start + window
                text = part[words[start][0] : words[last - 1][1]]
                passages.append(_Passage(first + start, first + last, text))
        elif has_parts and len(words) > 2:
            passages.append(_Passage(first, first + len(words), part))
        first += len(words)
    return passages
