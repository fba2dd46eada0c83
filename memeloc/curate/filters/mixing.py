"""Code-mixing. In: captions and pictures' texts. Out: verdicts on what is mixed.

Words of another script are seen by their letters. Words of another language in the same script are
found where several stand together: a part of its own, or some neighbouring words, that all
identifiers call another language. Arabic, Hindi with Urdu, and Bengali in Latin letters are found
word by word, and count as mixed whether the rest of a text is in another language or not, unless
they are the source language. A name, or a single borrowed word, is no code-mixing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from pydantic import Field

from memeloc.curate.filters.identifiers import Identification, Identifier, identifier
from memeloc.curate.filters.romanised import classes_of, romanised_words, words_of
from memeloc.curate.filters.scripts import PARTS, main_script, script_words, weigh_scripts
from memeloc.curate.protocol import Decision, Filter, FilterContext, FilterSettings
from memeloc.items import Item


class MixingSettings(FilterSettings):
    """The settings of the filter of code-mixing."""

    limit: float = Field(0.3, ge=0, le=1, description="share of foreign words that drops a text")
    ask: float = Field(0.15, ge=0, le=1, description="share of foreign words that is asked about")
    window: int = Field(5, ge=2, le=50, description="words that are identified together")
    sure: float = Field(0.98, ge=0, le=1, description="probability of words that are foreign")
    preference: float = Field(
        0.5, ge=0, le=10, description="score added for the workspace's languages"
    )


_Seen = tuple["_Text", Identification, list[tuple[range, Identification]]]


class MixingFilter(Filter[MixingSettings]):
    """Drops texts in two languages (HarMeme's first criterion, appendix B.3)."""

    name = "mixing"
    summary = "code-mixing: share of words of another language or script"
    kinds = ("caption", "picture")
    Settings = MixingSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        self._source_classes = classes_of((context.source_language,))
        self._expected = tuple(sorted({context.source_language, *context.languages}))

    @cached_property
    def _identifier(self) -> Identifier:
        return identifier("both", self.context.locales, self._expected, self.settings.preference)

    def depends_on(self) -> Any:
        """Return the languages expected, and what identifies them."""
        classes = sorted(self._source_classes)
        return [self._expected, classes, self._identifier.versions, "mixing-4"]

    def looks_at(self, item: Item) -> Any:
        """Return the text."""
        return [item.parts, self.context.is_unread(item)]

    def see(self, items: Sequence[Item]) -> Iterator[tuple[Item, _Seen]]:
        """Yield items with what identifiers say of each text and passage; see `Filter.see`."""
        texts = [_Text(item.parts, self.settings.window) for item in items]
        wholes = self._identifier.identify([text.of_script for text in texts])
        passages = [passage for text in texts for _, passage in text.passages]
        answers = iter(self._identifier.identify(passages))
        for item, text, whole in zip(items, texts, wholes, strict=True):
            yield item, (text, whole, [(places, next(answers)) for places, _ in text.passages])

    def decide(self, item: Item, seen: _Seen) -> Decision:
        """Return what becomes of a text by the share of its words that are foreign."""
        text, whole, answers = seen
        if not "".join(item.parts).strip():
            return self.context.no_text(item)
        foreign = dict(text.foreign)
        for place, language in text.romanised.items():
            if language not in self._source_classes:
                foreign.setdefault(place, language)
        looked, doubted = Counter[int](), Counter[int]()
        languages: dict[int, str] = {}
        for places, answer in answers:
            looked.update(places)
            if self._is_foreign(answer, whole):
                doubted.update(places)
                languages.update(dict.fromkeys(places, answer.language))
        # A passage that is foreign in part counts as a whole, so most passages must say so.
        for place, count in doubted.items():
            if 2 * count > looked[place]:
                foreign.setdefault(place, languages[place])
        weights = [word.weight for word in text.words]
        share = sum(weights[place] for place in foreign) / sum(weights) if weights else 0.0
        evidence: dict[str, Any] = {"language": whole.language}
        by_language: dict[str, list[str]] = {}
        for place in sorted(foreign):
            by_language.setdefault(foreign[place], []).append(text.words[place].text)
        if foreign:
            evidence["foreign"] = {key: " ".join(words) for key, words in by_language.items()}
        score = round(share, 4)
        if not foreign or share < min(self.settings.ask, self.settings.limit):
            return "keep", "", evidence, score
        return "drop" if share >= self.settings.limit else "ask", "code-mixed", evidence, score

    def _is_foreign(self, passage: Identification, whole: Identification) -> bool:
        return (
            bool(passage.language)
            and passage.script == whole.script
            and passage.agreed
            and passage.probability >= self.settings.sure
            and passage.language.partition("-")[0] != whole.language.partition("-")[0]
        )


class _Text:
    """What is clear of a text without identifying anything.

    `foreign` has the places of words in another script than the main one, and that script;
    `of_script` are the words of the main script; `romanised` has the places of words, and the class
    of each; `passages` are to be identified, with the places of their words: every part of at least
    three words, and windows over those that are longer than one.
    """

    def __init__(self, parts: Sequence[str], window: int) -> None:
        by_part = [script_words(part) for part in parts]
        self.words = [word for words in by_part for word in words]
        main = main_script(weigh_scripts(self.words))
        at_home = PARTS.get(main, {main})
        self.of_script = " ".join(word.text for word in self.words if word.script in at_home)
        self.foreign = {
            place: word.script
            for place, word in enumerate(self.words)
            if word.script and word.script not in at_home and not word.is_name
        }
        if [*self.foreign.values()] == ["Latn"]:
            self.foreign = {}  # a single Latin word is a borrowed one
        self.romanised: dict[int, str] = {}
        self.passages: list[tuple[range, str]] = []
        texts: list[str] = []
        places: list[list[int]] = []
        first, has_parts = 0, sum(map(bool, by_part)) > 1
        for part, words in zip(parts, by_part, strict=True):
            for match in words_of(part) if main == "Latn" else ():
                inside = [n for n, word in enumerate(words) if match[1] <= word.start < match[2]]
                texts.append(match[0])
                places.append([first + number for number in inside])
            if len(words) > window:
                step, last = max(1, window // 2), len(words) - window
                for start in (*range(0, last, step), last):
                    passage = part[words[start].start : words[start + window - 1].end]
                    here = range(first + start, first + start + window)
                    self.passages.append((here, passage))
            elif has_parts and len(words) > 2:
                self.passages.append((range(first, first + len(words)), part))
            first += len(words)
        for at, name in romanised_words(texts).items():
            self.romanised.update(dict.fromkeys(places[at], name))
