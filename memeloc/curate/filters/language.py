"""The language of a caption. In: captions and pictures' texts. Out: keep, drop, or a person's.

A text goes out when all identifiers say that it is in another language than those wanted, and
stays when all say that it is in one of them. Where they differ and the whole is not sure enough, a
person is asked: that is where errors are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from pydantic import Field

from memeloc.curate.filters.identifiers import (
    Identification,
    Identifier,
    Method,
    check_tags,
    identifier,
)
from memeloc.curate.protocol import FilterContext, FilterSettings, SettingsFilter, cache_key_of
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.items import Item


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
        0.9, ge=0, le=1, description="probability that decides if identifiers differ"
    )
    letters: int = Field(4, ge=1, description="texts with fewer letters are a person's to judge")


class LanguageFilter(SettingsFilter[LanguageSettings]):
    """Keeps texts in the languages wanted."""

    name = "language"
    summary = "the language of the text: other languages go out, doubtful ones to a person"
    kinds = ("caption", "picture")
    Settings = LanguageSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        self._wanted = check_tags(
            self.settings.languages or (context.source_language,), context.locales
        )
        self._expected = tuple(sorted({*self._wanted, *context.languages}))

    @cached_property
    def _identifier(self) -> Identifier:
        return identifier(
            self.settings.identifier, self.context.locales, self._expected, self.settings.preference
        )

    @cached_property
    def _settings_key(self) -> str:
        return cache_key_of(
            self.settings.model_dump(), self._wanted, self._expected, self._identifier.versions
        )

    def cache_key(self, item: Item) -> str:
        """See `Filter`."""
        return cache_key_of(self._settings_key, item.parts, item.language)

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter`."""
        texts = [" ".join(item.parts) for item in items]
        answers = self._identifier.identify(texts)
        for item, text, answer in zip(items, texts, answers, strict=True):
            outcome, reason = self._decide(item, text, answer)
            evidence: dict[str, Any] = {"language": answer.language, "votes": dict(answer.votes)}
            if answer.second:
                evidence["second"] = answer.second
            if item.language:
                evidence["stated"] = item.language
            yield self.verdict(item, outcome, reason, evidence, round(answer.probability, 4))

    def _decide(self, item: Item, text: str, answer: Identification) -> tuple[Outcome, str]:
        if not text.strip():
            return no_text(item)
        letters = sum(map(str.isalpha, text))
        if not letters:
            return "ask", "no letters"
        if not answer.language:
            return "drop", "other language"
        inside = self._fits(answer.language)
        votes = {self._fits(tag) for tag in answer.votes.values()} | {inside}
        if letters < self.settings.letters and answer.votes:
            return "ask", "too short"
        if len(votes) > 1 and answer.probability < self.settings.sure:
            return "ask", "unsure language"
        if not inside:
            return "drop", "other language"
        if item.language and not self._fits(item.language):
            return "ask", "stated otherwise"
        return "keep", ""

    def _fits(self, tag: str) -> bool:
        """Whether a tag is one of the languages wanted, or says less or more of one."""
        return any(
            tag == wanted or tag.startswith(f"{wanted}-") or wanted.startswith(f"{tag}-")
            for wanted in self._wanted
        )


def no_text(item: Item) -> tuple[Outcome, str]:
    """What becomes of an item without text: a picture may not have been read yet."""
    return ("ask", "not read yet") if item.kind == "picture" else ("drop", "no text")
