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
from functools import cached_property
from typing import Any, NamedTuple

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

    languages: tuple[str, ...] = Field(
        (), description="tags of the languages whose scripts to keep; empty: source language"
    )
    keep: float = Field(0.9, ge=0, le=1, description="share of letters in the script that stays")
    drop: float = Field(0.5, ge=0, le=1, description="share below which a text goes; between: ask")


class ScriptFilter(SettingsFilter[ScriptSettings]):
    """Keeps texts whose letters are in the script of the languages wanted."""

    name = "script"
    summary = "share of letters in the language's script"
    kinds = ("caption", "picture")
    Settings = ScriptSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        wanted = check_tags(self.settings.languages or (context.source_language,), context.locales)
        locales = map(context.locales.get, wanted)
        self._scripts = frozenset[str]().union(*map(scripts_of_locale, locales))
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

    limit: float = Field(0.3, ge=0, le=1, description="share of foreign words that drops a text")
    ask: float = Field(0.15, ge=0, le=1, description="share of foreign words that is asked about")
    window: int = Field(5, ge=2, le=50, description="words that are identified together")
    sure: float = Field(0.98, ge=0, le=1, description="probability of words that are foreign")
    preference: float = Field(
        0.5, ge=0, le=10, description="score added for the workspace's languages"
    )


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
        """See `Filter.judge`."""
        texts = [_Text(item.parts, self.settings.window) for item in items]
        wholes = self._identifier.identify([text.own for text in texts])
        passages = [passage for text in texts for _, passage in text.passages]
        answers = iter(self._identifier.identify(passages))
        for item, text, whole in zip(items, texts, wholes, strict=True):
            of_text = [(places, next(answers)) for places, _ in text.passages]
            yield self._judge(item, text, whole, of_text)

    def _judge(
        self,
        item: Item,
        text: _Text,
        whole: Identification,
        answers: Sequence[tuple[range, Identification]],
    ) -> Verdict:
        if not "".join(item.parts).strip():
            return self.verdict(item, *no_text(item))
        foreign = dict(text.foreign)
        looked, seen = Counter[int](), Counter[int]()
        languages: dict[int, str] = {}
        for places, answer in answers:
            looked.update(places)
            if self._is_foreign(answer, whole):
                seen.update(places)
                languages.update(dict.fromkeys(places, answer.language))
        # A passage that is foreign in part counts as a whole, so most passages must say so.
        for place, count in seen.items():
            if 2 * count > looked[place]:
                foreign.setdefault(place, languages[place])
        weights = [word.weight for word in text.words]
        share = sum(weights[place] for place in foreign) / sum(weights) if weights else 0.0
        evidence: dict[str, Any] = {"language": whole.language}
        if foreign:
            by: dict[str, list[str]] = {}
            for place in sorted(foreign):
                by.setdefault(foreign[place], []).append(text.words[place].text)
            evidence["foreign"] = {key: " ".join(words) for key, words in by.items()}
        outcome: Outcome = "keep"
        if foreign and share >= min(self.settings.ask, self.settings.limit):
            outcome = "drop" if share >= self.settings.limit else "ask"
        reason = "" if outcome == "keep" else "code-mixed"
        return self.verdict(item, outcome, reason, evidence, round(share, 4))

    def _is_foreign(self, passage: Identification, whole: Identification) -> bool:
        return (
            bool(passage.language)
            and passage.script == whole.script
            and passage.agreed
            and passage.probability >= self.settings.sure
            and passage.language.partition("-")[0] != whole.language.partition("-")[0]
        )


class _Word(NamedTuple):
    """A word of a part, and where it stands in it; `weight` is how many words it counts as."""

    text: str
    start: int
    end: int
    script: str
    weight: float


class _Text:
    """What is clear of a text without identifying anything.

    `foreign` has the places of words in another script than the main one, and that script; `own`
    are the words of the main script; `passages` are to be identified, with the places of their
    words.
    """

    def __init__(self, parts: Sequence[str], window: int) -> None:
        by_part = [_words(part) for part in parts]
        self.words = [word for words in by_part for word in words]
        heavy = Counter[str]()
        for word in self.words:
            if word.script:
                heavy[word.script] += round(100 * word.weight)
        main = main_script(heavy)
        at_home = PARTS.get(main, {main})
        self.foreign = {
            place: word.script
            for place, word in enumerate(self.words)
            if word.script and word.script not in at_home and not _is_at_home(word)
        }
        self.own = " ".join(word.text for word in self.words if word.script in at_home)
        self.passages = list(_passages(parts, by_part, window))


def _is_at_home(word: _Word) -> bool:
    """Whether it is a letter (in Ctrl+V) or an abbreviation, at home in every script."""
    is_abbreviation = word.text.isupper() and len(word.text) <= _ABBREVIATION
    return word.script == "Latn" and (len(word.text) == 1 or is_abbreviation)


def _words(part: str) -> list[_Word]:
    """The words of a part; a word ends too where its letters change between scripts."""
    words: list[_Word] = []
    for match in _WORD.finditer(part):
        start, first, before = match.start(), "", ""
        for place in range(match.start(), match.end()):
            script = script_of_char(part[place])
            if before and script not in ("", before) and not {before, script} <= _JAPANESE:
                words.append(_word(part[start:place], start, first))
                start, first = place, ""
            before = script or before
            first = first or script
        words.append(_word(part[start : match.end()], start, first))
    return words


def _word(text: str, start: int, script: str) -> _Word:
    weight = max(1.0, len(text) / _LETTERS_A_WORD.get(script, len(text)))
    return _Word(text, start, start + len(text), script, weight)


def _passages(
    parts: Sequence[str], by_part: Sequence[Sequence[_Word]], window: int
) -> Iterator[tuple[range, str]]:
    """Every part of at least three words, and windows over those that are longer than one."""
    first = 0
    has_parts = sum(map(bool, by_part)) > 1
    for part, words in zip(parts, by_part, strict=True):
        if len(words) > window:
            step = max(1, window // 2)
            for start in (*range(0, len(words) - window, step), len(words) - window):
                text = part[words[start].start : words[start + window - 1].end]
                yield range(first + start, first + start + window), text
        elif has_parts and len(words) > 2:
            yield range(first, first + len(words)), part
        first += len(words)
