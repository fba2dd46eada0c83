"""What a translator is. In: `memeloc.model`. Out: items, answers, estimates and the protocol.

A translator is one file with one class. It is found by its name in memeloc.translate.registry, or
through the entry point group `memeloc.translators` of any installed package. tests/translate/
test_contract.py runs every translator through what is promised here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from memeloc.errors import MemelocError
from memeloc.model import Caption, Locale, Template


@dataclass(frozen=True, slots=True)
class TranslationItem:
    """One caption to translate.

    Attributes:
        meme_id: identifies the meme.
        source: the caption; a part may be empty, and stays so.
        source_locale, target: from what into what.
        template: what it is drawn on, for translators that use its name and description.
        budgets: characters each box has room for in the target language; empty when unknown.
        kind: `caption`, or `survey` for a text that people read who answer a survey.
    """

    meme_id: str
    source: Caption
    source_locale: Locale
    target: Locale
    template: Template | None = None
    budgets: tuple[int, ...] = ()
    kind: str = "caption"


@dataclass(frozen=True, slots=True)
class Translation:
    """What came back for one item.

    Attributes:
        meme_id: the item's.
        language: tag of the target locale.
        caption: as many parts as the source has; empty where the source's are.
        translator: the name of the translator that made it.
        marks: what a corrector should know, such as `separator lost`, `memory`, `fuzzy 0.93`,
            `repeated`, `pivot` or `pseudo`.
        characters: billed for it; 0 where characters are not what is billed.
        cost: in the translator's currency.
    """

    meme_id: str
    language: str
    caption: Caption
    translator: str
    marks: tuple[str, ...] = ()
    characters: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class TranslationFailure:
    """Why one item got no translation.

    Attributes:
        meme_id, language: the item's.
        error: a sentence.
        cost: what was billed all the same.
    """

    meme_id: str
    language: str
    error: MemelocError
    cost: float = 0.0


Answer = Translation | TranslationFailure


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some items would take.

    Attributes:
        strings: how many strings would be sent.
        characters: Unicode code points of these strings.
        cost: expected, in the translator's currency.
        most: what it can cost at the most, with everything that may be asked again.
    """

    strings: int = 0
    characters: int = 0
    cost: float = 0.0
    most: float = 0.0

    def __add__(self, other: Estimate) -> Estimate:
        """Both together."""
        return Estimate(
            self.strings + other.strings,
            self.characters + other.characters,
            self.cost + other.cost,
            self.most + other.most,
        )


class Translator(Protocol):
    """Translates captions.

    Attributes:
        name: as in the registry; stored with every translation.
        currency: ISO 4217 code of its costs.
    """

    name: str
    currency: str

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """What `items` would take: asks nobody, needs no credentials, imports nothing heavy.

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
                project, a service that is gone). What was in flight is answered first; items that
                were taken and not yet sent stay without an answer.
        """
        ...


def filled(item: TranslationItem) -> tuple[int, ...]:
    """Indexes of the parts that have text; only these are ever sent.

    >>> from memeloc.locales import default
    >>> en = default().get("en")
    >>> filled(TranslationItem("1", Caption(("", "hi")), en, en))
    (1,)
    """
    return tuple(index for index, part in enumerate(item.source.parts) if part.strip())


def merged(item: TranslationItem, texts: Sequence[str]) -> Caption:
    """The item's caption with `texts` in the place of its filled parts."""
    parts = [""] * len(item.source.parts)
    for index, text in zip(filled(item), texts, strict=True):
        parts[index] = text
    return Caption(tuple(parts))
