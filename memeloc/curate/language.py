"""The language of a caption. In: captions and pictures' texts. Out: keep, drop, or a person's.

A text goes out when all identifiers say that it is in another language than those wanted, and
stays when all say that it is in one of them. Where they differ and the whole is not sure enough, a
person is asked: that is where errors are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from memeloc.curate.identifiers import Identification, Identifier, Method, check_tags, identifier
from memeloc.curate.protocol import FilterContext, FilterSettings, cache_key_of, read_settings
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.items import Item
from memeloc.locales import Registry, default


class LanguageSettings(FilterSettings):
    """What the language filter can be told."""

    languages: Annotated[
        tuple[str, ...],
        Field(description="tags of the languages to keep; empty is the source language"),
    ] = ()
    identifier: Annotated[
        Method,
        Field(description="who tells the language: both, py3langid, fasttext or langdetect"),
    ] = "both"
    preference: Annotated[
        float,
        Field(ge=0, le=10, description="how much likelier the workspace's languages are (0: not)"),
    ] = 0.5
    sure: Annotated[
        float,
        Field(ge=0, le=1, description="probability that decides where identifiers differ"),
    ] = 0.9
    letters: Annotated[
        int, Field(ge=1, description="texts with fewer letters are a person's to judge")
    ] = 4


class LanguageFilter:
    """Keeps texts in the languages wanted."""

    name = "language"
    summary = "the language of the text: other languages go out, doubtful ones to a person"
    kinds = ("caption", "picture")
    Settings = LanguageSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        self._settings = read_settings(LanguageSettings, settings, self.name)
        self._locales: Registry = context.options.get("locales") or default()
        self._wanted = check_tags(
            self._settings.languages or (context.source_language,), self._locales
        )
        self._expected = tuple(sorted({*self._wanted, *context.languages}))

    @cached_property
    def _identifier(self) -> Identifier:
        return identifier(
            self._settings.identifier, self._locales, self._expected, self._settings.preference
        )

    @cached_property
    def _settings_key(self) -> str:
        return cache_key_of(
            self._settings.model_dump(), self._wanted, self._expected, self._identifier.versions
        )

    def cache_key(self, item: Item) -> str:
        """See `Filter`."""
        return cache_key_of(self._settings_key, item.parts, item.language)

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter`."""
        texts = [" ".join(item.parts) for item in items]
        for item, text, found in zip(items, texts, self._identifier.identify(texts), strict=True):
            outcome, reason = self._decide(item, text, found)
            evidence: dict[str, Any] = {"language": found.language, "said": dict(found.said)}
            if found.second:
                evidence["second"] = found.second
            if item.language:
                evidence["stated"] = item.language
            score = round(found.probability, 4)
            yield Verdict(
                item.id, self.name, outcome, score, reason, evidence, self.cache_key(item)
            )

    def _decide(self, item: Item, text: str, found: Identification) -> tuple[Outcome, str]:
        if not text.strip():
            return no_text(item)
        letters = sum(map(str.isalpha, text))
        if not letters:
            return "ask", "no letters"
        if not found.language:
            return "drop", "other language"
        inside = self._fits(found.language)
        votes = {self._fits(tag) for tag in found.said.values()} | {inside}
        if letters < self._settings.letters and found.said:
            return "ask", "too short"
        if len(votes) > 1 and found.probability < self._settings.sure:
            return "ask", "unsure language"
        if not inside:
            return "drop", "other language"
        if item.language and not self._fits(item.language):
            return "ask", "stated otherwise"
        return "keep", ""

    def _fits(self, tag: str) -> bool:
        """Whether a tag is one of the languages wanted, or says less or more of one."""
        return any(
            tag == one or tag.startswith(f"{one}-") or one.startswith(f"{tag}-")
            for one in self._wanted
        )


def no_text(item: Item) -> tuple[Outcome, str]:
    """What becomes of an item without text: a picture may not have been read yet."""
    return ("ask", "not read yet") if item.kind == "picture" else ("drop", "no text")
