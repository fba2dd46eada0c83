"""The interface of translators. In: `memeloc.model`. Out: items, answers, estimates and the
protocol.

A translator is one file with one class, found by its name in TRANSLATORS or through the entry point
group `memeloc.translators`: a callable that takes the settings as a mapping.
tests/translate/test_contract.py runs every translator through what is promised here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from operator import add
from pathlib import Path
from typing import Any, Protocol

from memeloc.errors import MemelocError
from memeloc.glossary import Term
from memeloc.model import Caption, Locale, Template
from memeloc.plugins import Registry


@dataclass(frozen=True, slots=True)
class TranslationItem:
    """One caption to translate; a part of its source may be empty, and stays so.

    `budgets` are the characters each box has room for in the target language, empty when unknown.
    `kind` is `caption`, or `survey` for a text that participants of a survey read. `terms` are
    those of the team's glossary that occur in it, `glossary` its file's SHA-256. `examples` are
    similar sources with what people made of them, the nearest first; `picture` is what it stands
    on. Both are there for translators that ask for them.
    """

    meme_id: str
    source: Caption
    source_locale: Locale
    target: Locale
    template: Template | None = None
    budgets: tuple[int, ...] = ()
    kind: str = "caption"
    terms: tuple[Term, ...] = ()
    glossary: str = ""
    examples: tuple[tuple[Sequence[str], Sequence[str]], ...] = ()
    picture: Path | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Return what it is known by: its meme and its target language."""
        return self.meme_id, self.target.tag


@dataclass(frozen=True, slots=True)
class Translation:
    """The translation of one item: as many parts as the source, empty where the source's are.

    Attributes:
        marks: what a corrector should know, such as `separator lost`, `memory`, `fuzzy 0.93`,
            `repeated`, `pivot` or `pseudo`.
        characters: billed for it; 0 where characters are not what is billed.
        cost: in the translator's currency.
        provenance: what made it, as far as the translator knows: `model` as its server names it,
            `glossary` (Google's by its name, the team's by its SHA-256), the SHA-256 of the
            `prompt`'s text, of the `instructions` and of the `picture`, and how many `examples` it
            was shown.
    """

    meme_id: str
    language: str
    caption: Caption
    translator: str
    marks: tuple[str, ...] = ()
    characters: int = 0
    cost: float = 0.0
    provenance: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TranslationFailure:
    """Why one item got no translation, and what was billed all the same.

    It is `wrong` when the translator answered, and not with what it was asked for.
    """

    meme_id: str
    language: str
    error: MemelocError
    cost: float = 0.0
    characters: int = 0
    wrong: bool = False


Answer = Translation | TranslationFailure


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of some items: strings to send, their Unicode code points, and money.

    `cost` is expected; `most` includes everything that may be asked again.
    """

    strings: int = 0
    characters: int = 0
    cost: float = 0.0
    most: float = 0.0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(*map(add, astuple(self), astuple(other)))


class Translator(Protocol):
    """Translator of captions; its name is stored with them, its currency is an ISO 4217 code.

    One that learns what an answer costs may have a method `reserve(item)`: what is held back of a
    budget while an item is under way. Without it, that is the most of its estimate. One that shows
    items with their nearest translations or their picture has `examples`, how many, or `pictures`,
    whether.
    """

    name: str
    currency: str

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """Return what `items` would take: asks nobody, needs no credentials, imports nothing heavy.

        The estimate of several items is the sum of theirs.
        """
        ...

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """Translate, and give each answer as it comes, in any order.

        Every item that is taken from `items` gets exactly one answer, and items are taken as they
        are needed, from the thread that asks for answers: so whoever calls can stop in time. A
        failure of one item is a `TranslationFailure` and the rest goes on.

        Raises:
            MemelocError: what would fail for every further item too (no credentials, a wrong
                project, a service that is gone). Requests under way are answered first; items that
                were taken and not yet sent stay without an answer.
        """
        ...


TRANSLATORS: Registry[Translator] = Registry(
    "memeloc.translators",
    {
        name: f"memeloc.translate.{name}:from_settings"
        for name in ("google", "ctranslate2", "openai", "memory", "pseudo")
    },
    "translator",
)


def create(name: str, settings: Mapping[str, Any] | None = None) -> Translator:
    """Return the translator `name`, set up with `settings`.

    Raises:
        InputError: there is none of that name, or a setting is unknown or wrong.
        MissingError: what it needs is not installed; the sentence gives the pip line.
    """
    return TRANSLATORS.load(name)(settings or {})


class FreeTranslator:
    """A translator without costs, but for its name and `translate`."""

    currency = "USD"

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """Return strings and code points."""
        texts = [text for item in items for text in filled_texts(item)]
        return Estimate(len(texts), sum(map(len, texts)))


def pair_of(item: TranslationItem) -> tuple[str, str]:
    """Return the tags of the languages from which and into which it is translated."""
    return item.source_locale.tag, item.target.tag


def filled(item: TranslationItem) -> tuple[int, ...]:
    """Return the indexes of the parts that have text; only these are ever sent."""
    return tuple(index for index, part in enumerate(item.source.parts) if part.strip())


def filled_texts(item: TranslationItem) -> list[str]:
    """Return the parts that have text."""
    return [part for part in item.source.parts if part.strip()]


def merged(item: TranslationItem, texts: Sequence[str]) -> Caption:
    """Return the item's caption with `texts` in the place of its filled parts."""
    translated = dict(zip(filled(item), texts, strict=True))
    return Caption(tuple(translated.get(index, "") for index in range(len(item.source.parts))))


def translation(
    item: TranslationItem, texts: Sequence[str], translator: str, *marks: str, **bill: Any
) -> Translation:
    """Return an item's translation, with `texts` in the place of its filled parts; `bill` are its
    `characters`, `cost` and `provenance`."""
    caption = merged(item, texts)
    return Translation(item.meme_id, item.target.tag, caption, translator, marks, **bill)


def failure(
    item: TranslationItem,
    error: MemelocError,
    cost: float = 0.0,
    characters: int = 0,
    *,
    wrong: bool = False,
) -> TranslationFailure:
    """Return the answer to an item that got no translation."""
    return TranslationFailure(item.meme_id, item.target.tag, error, cost, characters, wrong)
