"""Placeholders kept from translators. In: items and a translator. Out: answers that have them all.

Machines translate `{count}` as they translate any word, and leave `{1}` alone: so that is what they
get. What they lose all the same stands at the end of the text, and the translation is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memeloc.model import Caption
from memeloc.placeholders import PLACEHOLDER, placeholders
from memeloc.translate.protocol import Answer, Estimate, Translation, TranslationItem, Translator

LOST = "placeholder lost"
"""The mark of a translation whose placeholders have to be put in their place."""

_NUMBER = re.compile(r"[{｛]\s*(\d{1,3})\s*[}｝]")


class ProtectingTranslator:
    """A translator that gets numbers in braces for placeholders, and gives placeholders back."""

    def __init__(self, translator: Translator) -> None:
        self.name = translator.name
        self.currency = translator.currency
        self._translator = translator

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """What the items would take as they are sent."""
        return self._translator.estimate([_numbered(item) for item in items])

    def reserve(self, item: TranslationItem) -> float:
        """See `Translator`."""
        own = getattr(self._translator, "reserve", None)
        return own(_numbered(item)) if own else self.estimate([item]).most

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`."""
        sent: dict[tuple[str, str], TranslationItem] = {}

        def numbered() -> Iterator[TranslationItem]:
            for item in items:
                sent[item.key] = item
                yield _numbered(item)

        for answer in self._translator.translate(numbered()):
            item = sent.pop((answer.meme_id, answer.language), None)
            if isinstance(answer, Translation) and item is not None:
                yield mended(item, _named(item, answer))
            else:
                yield answer


def mended(item: TranslationItem, answer: Translation) -> Translation:
    """The translation of an item with the placeholders of its source and no others.

    A foreign one gives way to one that is missing, as it does when the memory knows a similar text;
    what is missing still stands at the end of its part, and the translation is marked.
    """
    parts = [
        _with_placeholders(placeholders(source), part)
        for source, part in zip(item.source.parts, answer.caption.parts, strict=False)
    ]
    parts += answer.caption.parts[len(parts) :]
    if tuple(parts) == answer.caption.parts:
        return answer
    marks = answer.marks if LOST in answer.marks else (*answer.marks, LOST)
    return replace(answer, caption=Caption(tuple(parts)), marks=marks)


def _with_placeholders(wanted: Sequence[str], text: str) -> str:
    present = placeholders(text)
    missing = [name for name in wanted if name not in present]
    foreign = [name for name in present if name not in wanted]
    if not missing and not foreign:
        return text
    exchanged = dict.fromkeys(foreign, "") | dict(zip(foreign, missing, strict=False))
    kept = _exchange(text, exchanged).strip()
    return " ".join([kept, *missing[len(foreign) :]]).strip() or text


def _exchange(text: str, others: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: others.get(match[0], match[0]), text)


def _numbered(item: TranslationItem) -> TranslationItem:
    names = placeholders("".join(item.source.parts))
    numbers = {name: f"{{{number}}}" for number, name in enumerate(names, 1)}
    parts = tuple(_exchange(part, numbers) for part in item.source.parts)
    return replace(item, source=Caption(parts))


def _named(item: TranslationItem, answer: Translation) -> Translation:
    names = dict(enumerate(placeholders("".join(item.source.parts)), 1))
    parts = tuple(
        _NUMBER.sub(lambda match: names.get(int(match[1]), match[0]), part)
        for part in answer.caption.parts
    )
    return replace(answer, caption=Caption(parts))
