"""Language and script of texts. In: captions and pictures' texts. Out: keep, drop, or a person's.

A text goes out when it is surely in none of the languages wanted: where other languages have less
than the probability `sure` together, a person is asked. So it is where identifiers differ and no
language alone has that probability, and of short texts: a text of one or two words says little
about its language, so it is judged beside longer ones of the same template, and where that has few,
of the same dataset. A script counts by words, and names in Latin letters (Netflix, PDF) are at home
in every script.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from memeloc.curate.filters.identifiers import (
    Hint,
    Identification,
    Identifier,
    Method,
    identifier,
    plain,
)
from memeloc.curate.filters.romanised import (
    CLASSES,
    classes_of,
    identify_romanised,
    weights_version,
)
from memeloc.curate.filters.scripts import (
    main_script,
    script_words,
    scripts_of_locale,
    weigh_scripts,
)
from memeloc.curate.protocol import Decision, Filter, FilterContext, FilterSettings
from memeloc.curate.verdict import Outcome
from memeloc.items import Item

Romanised = Literal["ar", "hi", "ur", "bn"]
_ROMANISED: Any = Field(
    ("ar",),
    description="of the languages wanted, those that are kept in Latin letters too: ar, hi, ur, bn",
)


class LanguageSettings(FilterSettings):
    """The settings of the language filter."""

    languages: tuple[str, ...] = Field((), description="tags to keep; empty: the source language")
    identifier: Method = Field(
        "both", description="what identifies the language: both, py3langid, fasttext or langdetect"
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


_SMOOTHING = 0.2
"""Texts that every language is thought to have beside those seen."""
_FEWEST = 5
"""Longer texts that a template must have, or its dataset's are taken."""
_MOST = 20
"""Texts that are looked at, chosen by the hash of their items' ids."""


def is_short(text: str, most: int) -> bool:
    """Return whether a text has at most so many words; without spaces, letters count.

    >>> is_short("oh no, cat!", 3), is_short("もう火曜日だと思っていた", 3)
    (True, False)
    """
    if sum(any(map(str.isalpha, word)) for word in text.split()) > most:
        return False  # almost all; it is faster than the rest
    return sum(word.weight for word in script_words(text)) <= most


class LanguageFilter(Filter[LanguageSettings]):
    """Keeps texts in the languages wanted."""

    name = "language"
    summary = "the language of the text: other languages go out, doubtful ones to a person"
    kinds = ("caption", "picture")
    Settings = LanguageSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        tags = self.settings.languages or (context.source_language,)
        self._wanted = tuple(context.locales.get(tag).tag for tag in tags)
        self._classes = classes_of(self._wanted)
        self._kept_classes = classes_of(self._wanted, self.settings.romanised)
        self._hints: dict[tuple[str, ...], Hint] = {}
        self._expected = tuple(sorted({*self._wanted, *context.languages}))

    @cached_property
    def _identifier(self) -> Identifier:
        return identifier(
            self.settings.identifier, self.context.locales, self._expected, self.settings.preference
        )

    def depends_on(self) -> Any:
        """Return the languages wanted and expected, and what identifies them."""
        return [self._wanted, self._expected, self._identifier.versions]

    def looks_at(self, item: Item) -> Any:
        """Return the text, its stated language, and the texts beside a short one."""
        unread = self.context.is_unread(item)
        return [item.parts, item.language, self._beside(item), unread]

    def see(self, items: Sequence[Item]) -> Iterator[tuple[Item, tuple[Hint, Identification]]]:
        """Yield items with what identifiers say of each; see `Filter.see`."""
        hints = [self._hint(self._beside(item)) for item in items]
        answers = self._identifier.identify([" ".join(item.parts) for item in items], hints)
        return zip(items, zip(hints, answers, strict=True), strict=True)

    def decide(self, item: Item, seen: tuple[Hint, Identification]) -> Decision:
        """Return what becomes of a text."""
        hint, answer = seen
        evidence: dict[str, Any] = {"language": answer.language, "votes": dict(answer.votes)}
        if answer.votes:
            evidence["wanted"] = round(self._wanted_share(answer), 4)
        if answer.second:
            evidence["second"] = answer.second
        if hint:
            evidence["related"] = max(hint, key=lambda tag: hint[tag])
        if item.language:
            evidence["stated"] = item.language
        outcome = self._outcome(item, answer, is_related=bool(hint))
        return *outcome, evidence, round(answer.probability, 4)

    def _beside(self, item: Item) -> tuple[str, ...]:
        """Return up to `_MOST` related texts that a short one is judged beside, always the same."""
        if not self.context.collected or not is_short(" ".join(item.parts), self.settings.short):
            return ()
        of_template = self._related.get(("template", item.parent), ()) if item.parent else ()
        return of_template if len(of_template) >= _FEWEST else self._related.get(_dataset(item), ())

    @cached_property
    def _related(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Longer texts by template and by dataset."""
        groups: dict[tuple[str, ...], list[tuple[bytes, str]]] = {}
        for item in self.context.collected:
            text = " ".join(item.parts)
            if is_short(text, self.settings.short):
                continue
            entry = (hashlib.sha256(item.id.encode("utf-8", "surrogatepass")).digest(), text)
            groups.setdefault(_dataset(item), []).append(entry)
            if item.parent:
                groups.setdefault(("template", item.parent), []).append(entry)
        return {
            group: tuple(text for _, text in sorted(entries)[:_MOST])
            for group, entries in groups.items()
        }

    def _hint(self, texts: tuple[str, ...]) -> Hint:
        """Return how much likelier some texts make their own languages than others."""
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

    def _outcome(
        self, item: Item, answer: Identification, *, is_related: bool
    ) -> tuple[Outcome, str]:
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
        inside, wanted = self._fits(answer.language), self._wanted_share(answer)
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

    def _wanted_share(self, answer: Identification) -> float:
        """Return the probability that a text is in one of the languages wanted."""
        return sum((share for tag, share in answer.likely.items() if self._fits(tag)), 0.0)

    def _fits(self, tag: str) -> bool:
        """Return whether a tag is one of the languages wanted, or says less or more of one."""
        if tag in CLASSES:
            return tag in self._kept_classes
        return any(
            tag == wanted or tag.startswith(f"{wanted}-") or wanted.startswith(f"{tag}-")
            for wanted in self._wanted
        )


def _dataset(item: Item) -> tuple[str, ...]:
    return ("dataset", item.origin.source, item.origin.dataset)


class ScriptSettings(FilterSettings):
    """The settings of the script filter."""

    languages: tuple[str, ...] = Field(
        (), description="tags of the languages whose scripts to keep; empty: source language"
    )
    keep: float = Field(0.6, ge=0, le=1, description="share of words in the script that stays")
    drop: float = Field(0.4, ge=0, le=1, description="share below which a text goes; between: ask")
    romanised: tuple[Romanised, ...] = _ROMANISED


class ScriptFilter(Filter[ScriptSettings]):
    """Keeps texts whose words are in the script of the languages wanted."""

    name = "script"
    summary = "share of words in the language's script; Latin names are at home in every script"
    kinds = ("caption", "picture")
    Settings = ScriptSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        tags = self.settings.languages or (context.source_language,)
        wanted = [context.locales.get(tag) for tag in tags]
        self._classes = classes_of([locale.tag for locale in wanted])
        self._kept_classes = classes_of([locale.tag for locale in wanted], self.settings.romanised)
        self._scripts = frozenset[str]().union(*map(scripts_of_locale, wanted))

    def depends_on(self) -> Any:
        """Return the scripts and romanised classes that are wanted."""
        return [sorted(self._scripts), sorted(self._classes), weights_version(), "script-3"]

    def looks_at(self, item: Item) -> Any:
        """Return the text."""
        return [item.parts, self.context.is_unread(item)]

    def decide(self, item: Item, seen: None) -> Decision:
        """Return what becomes of a text by the share of its words in the scripts wanted."""
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
        score = None if share is None else round(share, 4)
        return *self._outcome(item, text, share), {"words": weights}, score

    def _outcome(self, item: Item, text: str, share: float | None) -> tuple[Outcome, str]:
        if not text.strip():
            return self.context.no_text(item)
        if share is None:
            is_name = "Latn" not in self._scripts and any(map(str.isalpha, text))
            return ("ask", "names only") if is_name else ("keep", "")
        if share >= self.settings.keep:
            return "keep", ""
        language = identify_romanised(plain(text))[0] if self._classes else ""
        if language in self._kept_classes:
            return "keep", ""
        if language in self._classes:
            return "ask", "romanised"
        return ("drop", "other script") if share < self.settings.drop else ("ask", "mixed script")
