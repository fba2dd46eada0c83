"""Language, script and code-mixing of texts. In: captions, pictures' texts. Out: keep, drop, ask.

A text goes out when it is surely in none of the languages wanted: where other languages have less
than the probability `sure` together, a person is asked. So it is where identifiers differ and no
language alone has that probability, and of short texts: a text of one or two words says little
about its language, so it is judged beside longer ones of the same template, and where that has few,
of the same dataset. A script counts by words, and names in Latin letters (Netflix, PDF) are at home
in every script.

Words of another language in the same script are found where several stand together: a part of its
own, or some neighbouring words, that all identifiers call another language. Arabic, Hindi with
Urdu, and Bengali in Latin letters are found word by word, and count as mixed whether the rest of a
text is in another language or not, unless they are the source language. A name, or a single
borrowed word, is no code-mixing.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from memeloc.curate.filters.identification import (
    CLASSES,
    PARTS,
    Classifier,
    Hint,
    Identification,
    LangDetect,
    Method,
    ScriptWord,
    classes_of,
    identifier,
    identify_romanised,
    main_script,
    plain,
    romanised_words,
    script_words,
    scripts_of_locale,
    weigh_scripts,
    weights_version,
    words_of,
)
from memeloc.curate.protocol import Chosen, Decision, Filter, FilterContext, FilterSettings
from memeloc.curate.verdict import Outcome
from memeloc.items import Item

Romanised = Literal["ar", "hi", "ur", "bn"]
_ROMANISED: Any = Field(
    ("ar",),
    description="of the languages wanted, those that are kept in Latin letters too: ar, hi, ur, bn",
)
_SMOOTHING = 0.2  # texts that every language is thought to have beside those seen
_FEWEST = 5  # longer texts that a template must have, or its dataset's are taken
_MOST = 20  # texts that are looked at, chosen by the hash of their items' ids


class LanguageSettings(FilterSettings):
    """The settings of the language filter."""

    languages: tuple[str, ...] = Field((), description="tags to keep; empty: the source language")
    identifier: Method = Field(
        "both", description="what identifies the language: both (two models), or langdetect"
    )
    preference: float = Field(
        0.5, ge=0, le=10, description="score added for the workspace's languages"
    )
    sure: float = Field(
        0.9,
        ge=0,
        le=1,
        description="probability below which languages that are not wanted, or identifiers that "
        "differ, are a person's to judge",
    )
    letters: int = Field(
        4, ge=1, description="texts with fewer letters are never dropped, and kept by related ones"
    )
    short: int = Field(
        3, ge=0, description="texts of at most so many words are judged beside related ones"
    )
    romanised: tuple[Romanised, ...] = _ROMANISED


class ScriptSettings(FilterSettings):
    """The settings of the script filter."""

    languages: tuple[str, ...] = Field(
        (), description="tags of the languages whose scripts to keep; empty: source language"
    )
    keep: float = Field(0.6, ge=0, le=1, description="share of words in the script that stays")
    drop: float = Field(0.4, ge=0, le=1, description="share below which a text goes; between: ask")
    romanised: tuple[Romanised, ...] = _ROMANISED


class MixingSettings(FilterSettings):
    """The settings of the filter of code-mixing."""

    limit: float = Field(0.3, ge=0, le=1, description="share of foreign words that drops a text")
    ask: float = Field(0.15, ge=0, le=1, description="share of foreign words that is asked about")
    window: int = Field(5, ge=2, le=50, description="words that are identified together")
    sure: float = Field(0.98, ge=0, le=1, description="probability of words that are foreign")
    preference: float = Field(
        0.5, ge=0, le=10, description="score added for the workspace's languages"
    )


def is_short(text: str, most: int) -> bool:
    """Return whether a text has at most so many words; without spaces, letters count.

    >>> is_short("oh no, cat!", 3), is_short("もう火曜日だと思っていた", 3)
    (True, False)
    """
    if sum(any(map(str.isalpha, word)) for word in text.split()) > most:
        return False  # almost all; it is faster than the rest
    return sum(word.weight for word in script_words(text)) <= most


class _OfLanguages(Filter[Chosen]):
    """The beginning of a filter by the languages wanted, or by that of the source alone."""

    kinds = ("caption", "picture")

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        tags = getattr(self.settings, "languages", ()) or (context.source_language,)
        self._locales = [context.locales.get(tag) for tag in tags]
        self._wanted = tuple(locale.tag for locale in self._locales)
        self._classes = classes_of(self._wanted)
        self._kept_classes = classes_of(self._wanted, getattr(self.settings, "romanised", ()))
        self._expected = tuple(sorted({*self._wanted, *context.languages}))

    @cached_property
    def _identifier(self) -> Classifier | LangDetect:
        method: Method = getattr(self.settings, "identifier", "both")
        preference: float = getattr(self.settings, "preference", 0.0)
        return identifier(method, self.context.locales, self._expected, preference)

    def looks_at(self, item: Item) -> Any:
        return [item.parts, self.context.is_unread(item)]


class LanguageFilter(_OfLanguages[LanguageSettings]):
    """Filter that keeps texts in the languages wanted."""

    name = "language"
    summary = "the language of the text: other languages go out, doubtful ones to a person"
    Settings = LanguageSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        self._hints: dict[tuple[str, ...], Hint] = {}

    def depends_on(self) -> Any:
        return [self._wanted, self._expected, self._identifier.versions]

    def looks_at(self, item: Item) -> Any:
        return [item.parts, item.language, self._beside(item), self.context.is_unread(item)]

    def see(self, items: Sequence[Item]) -> Iterator[tuple[Item, tuple[Hint, Identification]]]:
        hints = [self._hint(self._beside(item)) for item in items]
        answers = self._identifier.identify([" ".join(item.parts) for item in items], hints)
        return zip(items, zip(hints, answers, strict=True), strict=True)

    def decide(self, item: Item, seen: tuple[Hint, Identification]) -> Decision:
        hint, answer = seen
        fitting = [share for tag, share in answer.likely.items() if self._fits(tag)]
        evidence: dict[str, Any] = {"language": answer.language, "votes": dict(answer.votes)}
        if answer.votes:
            evidence["wanted"] = round(sum(fitting, 0.0), 4)
        if answer.second:
            evidence["second"] = answer.second
        if hint:
            evidence["related"] = max(hint, key=lambda tag: hint[tag])
        if item.language:
            evidence["stated"] = item.language
        outcome = self._outcome(item, answer, sum(fitting, 0.0), is_related=bool(hint))
        return *outcome, evidence, round(answer.probability, 4)

    def _outcome(
        self, item: Item, answer: Identification, wanted: float, *, is_related: bool
    ) -> tuple[Outcome, str]:
        """Return the outcome; `wanted` is the probability of the languages wanted together."""
        text, sure = " ".join(item.parts), self.settings.sure
        if not text.strip():
            return self.context.no_text(item)
        letters = sum(map(str.isalpha, text))
        if not letters:
            return "ask", "no letters"
        if not answer.language:
            return "drop", "other language"
        if answer.language in self._classes - self._kept_classes:
            return "ask", "romanised"
        inside = self._fits(answer.language)
        is_sure = (wanted if inside else 1 - wanted) >= sure
        has_few = letters < self.settings.letters and bool(answer.votes)
        if has_few and not (inside and is_sure and is_related):
            return "ask", "too short"
        votes = {self._fits(tag) for tag in answer.votes.values()} | {inside}
        is_doubted = len(votes) > 1 or (not inside and is_short(text, self.settings.short))
        if (is_doubted and answer.probability < sure) or not (inside or is_sure):
            return "ask", "unsure language"
        if not inside:
            return "drop", "other language"
        if item.language and not self._fits(item.language):
            return "ask", "stated otherwise"
        return "keep", ""

    def _fits(self, tag: str) -> bool:
        """Return whether a tag is one of the languages wanted, or says less or more of one."""
        if tag in CLASSES:
            return tag in self._kept_classes
        return any(
            tag == wanted or tag.startswith(f"{wanted}-") or wanted.startswith(f"{tag}-")
            for wanted in self._wanted
        )

    def _beside(self, item: Item) -> tuple[str, ...]:
        """Return up to `_MOST` related texts that a short one is judged beside, always the same."""
        if not self.context.collected or not is_short(" ".join(item.parts), self.settings.short):
            return ()
        of_template = self._related.get(("template", item.parent), ()) if item.parent else ()
        dataset = ("dataset", item.origin.source, item.origin.dataset)
        return of_template if len(of_template) >= _FEWEST else self._related.get(dataset, ())

    @cached_property
    def _related(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        groups: dict[tuple[str, ...], list[tuple[bytes, str]]] = {}
        for item in self.context.collected:
            text = " ".join(item.parts)
            if is_short(text, self.settings.short):
                continue
            entry = (hashlib.sha256(item.id.encode("utf-8", "surrogatepass")).digest(), text)
            dataset = ("dataset", item.origin.source, item.origin.dataset)
            groups.setdefault(dataset, []).append(entry)
            if item.parent:
                groups.setdefault(("template", item.parent), []).append(entry)
        return {
            group: tuple(text for _, text in sorted(entries)[:_MOST])
            for group, entries in groups.items()
        }

    def _hint(self, texts: tuple[str, ...]) -> Hint:
        if texts not in self._hints:
            counts: dict[str, float] = {}
            for answer in self._identifier.identify(texts):
                if answer.language:
                    count = counts.get(answer.language, 0.0)
                    counts[answer.language] = count + answer.probability
            self._hints[texts] = {
                tag: math.log((count + _SMOOTHING) / _SMOOTHING) for tag, count in counts.items()
            }
        return self._hints[texts]


class ScriptFilter(_OfLanguages[ScriptSettings]):
    """Filter that keeps texts whose words are in the script of the languages wanted."""

    name = "script"
    summary = "share of words in the language's script; Latin names are at home in every script"
    Settings = ScriptSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        self._scripts = frozenset[str]().union(*map(scripts_of_locale, self._locales))

    def depends_on(self) -> Any:
        return [sorted(self._scripts), sorted(self._classes), weights_version(), "script-3"]

    def decide(self, item: Item, seen: None) -> Decision:
        text = " ".join(item.parts)
        words = [word for word in script_words(text) if word.script]
        weights: dict[str, float] = {}
        for word in words:
            weights[word.script] = round(weights.get(word.script, 0.0) + word.weight, 2)
        if main_script(weigh_scripts(words)) != "Latn" or "Latn" not in self._scripts:
            words = [word for word in words if not word.is_name]
        total = sum(word.weight for word in words)
        inside = sum(word.weight for word in words if word.script in self._scripts)
        share = inside / total if total else None
        outcome = self._outcome(item, text, share)
        return *outcome, {"words": weights}, None if share is None else round(share, 4)

    def _outcome(self, item: Item, text: str, share: float | None) -> tuple[Outcome, str]:
        if not text.strip():
            return self.context.no_text(item)
        if share is None:
            is_name = "Latn" not in self._scripts and any(map(str.isalpha, text))
            return ("ask", "names only") if is_name else ("keep", "")
        if share >= self.settings.keep:
            return "keep", ""
        language = identify_romanised(plain(text))[0] if self._classes else ""
        if language in self._classes:
            return ("keep", "") if language in self._kept_classes else ("ask", "romanised")
        return ("drop", "other script") if share < self.settings.drop else ("ask", "mixed script")


_Passages = list[tuple[range, str]]
"""What is to be identified of a text, with the places of its words."""


class MixingFilter(_OfLanguages[MixingSettings]):
    """Filter that drops texts in two languages (HarMeme's first criterion, appendix B.3)."""

    name = "mixing"
    summary = "code-mixing: share of words of another language or script"
    Settings = MixingSettings

    def depends_on(self) -> Any:
        classes = sorted(self._classes)
        return [self._expected, classes, self._identifier.versions, "mixing-4"]

    def see(self, items: Sequence[Item]) -> Iterator[tuple[Item, Any]]:
        """Yield items with their words, which of these are foreign in any case, the language of
        the whole, and that of each passage."""
        texts = [self._read(item.parts) for item in items]
        wholes = self._identifier.identify([of_script for _, of_script, _, _ in texts])
        answers = iter(
            self._identifier.identify([text for *_, passages in texts for _, text in passages])
        )
        for item, (words, _, foreign, passages), whole in zip(items, texts, wholes, strict=True):
            yield item, (words, foreign, whole, [(at, next(answers)) for at, _ in passages])

    def _read(
        self, parts: Sequence[str]
    ) -> tuple[list[ScriptWord], str, dict[int, str], _Passages]:
        """Return the words of a text, those of its main script as a text, which ones, by place,
        are of another script or romanised, and the passages that are to be identified: every part
        of at least three words, and windows over those that are longer than one."""
        by_part, window = [script_words(part) for part in parts], self.settings.window
        words = [word for part in by_part for word in part]
        main = main_script(weigh_scripts(words))
        at_home = PARTS.get(main, {main})
        foreign = {
            place: word.script
            for place, word in enumerate(words)
            if word.script and word.script not in at_home and not word.is_name
        }
        if [*foreign.values()] == ["Latn"]:
            foreign = {}  # a single Latin word is a borrowed one
        passages: _Passages = []
        latin: list[str] = []
        places: list[list[int]] = []
        first, has_parts = 0, sum(map(bool, by_part)) > 1
        for part, here in zip(parts, by_part, strict=True):
            for text, start, end in words_of(part) if main == "Latn" else ():
                latin.append(text)
                places.append([first + n for n, w in enumerate(here) if start <= w.start < end])
            if len(here) > window:
                step, last = max(1, window // 2), len(here) - window
                for at in (*range(0, last, step), last):
                    passage = part[here[at].start : here[at + window - 1].end]
                    passages.append((range(first + at, first + at + window), passage))
            elif has_parts and len(here) > 2:
                passages.append((range(first, first + len(here)), part))
            first += len(here)
        for at, name in romanised_words(latin).items():
            if name not in self._classes:
                foreign = dict.fromkeys(places[at], name) | foreign
        return words, " ".join(w.text for w in words if w.script in at_home), foreign, passages

    def decide(self, item: Item, seen: Any) -> Decision:
        if not "".join(item.parts).strip():
            return self.context.no_text(item)
        words, foreign, whole, answers = seen
        looked, doubted = Counter[int](), Counter[int]()
        languages: dict[int, str] = {}
        for places, answer in answers:
            looked.update(places)
            if (
                answer.language
                and answer.script == whole.script
                and len({*answer.votes.values()}) < 2
                and answer.probability >= self.settings.sure
                and answer.language.partition("-")[0] != whole.language.partition("-")[0]
            ):
                doubted.update(places)
                languages.update(dict.fromkeys(places, answer.language))
        # A passage that is foreign in part counts as a whole, so most passages must say so.
        for place, count in doubted.items():
            if 2 * count > looked[place]:
                foreign.setdefault(place, languages[place])
        total = sum(word.weight for word in words)
        share = sum(words[place].weight for place in foreign) / total if words else 0.0
        evidence: dict[str, Any] = {"language": whole.language}
        by_language: dict[str, list[str]] = {}
        for place in sorted(foreign):
            by_language.setdefault(foreign[place], []).append(words[place].text)
        if foreign:
            evidence["foreign"] = {key: " ".join(texts) for key, texts in by_language.items()}
        if not foreign or share < min(self.settings.ask, self.settings.limit):
            return "keep", "", evidence, round(share, 4)
        outcome: Outcome = "drop" if share >= self.settings.limit else "ask"
        return outcome, "code-mixed", evidence, round(share, 4)
