"""Placeholders kept from translators. In: items and a translator. Out: answers that have them all.

Machines translate `{count}` as they translate any word, and leave `{1}` alone: so that is what they
get. What they lose all the same stands at the end of the text, and the translation is marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memeloc.model import Caption
from memeloc.placeholders import PLACEHOLDER, placeholders
from memeloc.translate.protocol import (
    Answer,
    Estimate,
    Translation,
    TranslationItem,
    Translator,
)

LOST = "placeholder lost"
"""The mark of a translation whose placeholders have to be put in their place."""

_NUMBER = re.compile(r"[{｛]\s*(\d{1,3})\s*[}｝]")


class ProtectingTranslator:
    """A translator that gets numbers in braces for placeholders, and gives placeholders back.

    Args:
        translator: who translates.
    """

    def __init__(self, translator: Translator) -> None:
        self.name = translator.name
        self.currency = translator.currency
        self._translator = translator

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        """What the items would take as they are sent."""
        return self._translator.estimate([_numbered(item) for item in items])

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        """See `Translator.translate`."""
        sent: dict[tuple[str, str], TranslationItem] = {}

        def numbered() -> Iterator[TranslationItem]:
            for item in items:
                sent[item.meme_id, item.target.tag] = item
                yield _numbered(item)

        def restored(answer: Answer) -> Answer:
            item = sent.pop((answer.meme_id, answer.language), None)
            if isinstance(answer, Translation) and item is not None:
                return mended(item, _named(item, answer))
            return answer

        return _Restored(self._translator.translate(numbered()), restored)


class _Restored(Iterator[Answer]):
    """A stream of answers with something done to each; Ctrl-C and the end go through to it."""

    def __init__(self, stream: Iterator[Answer], restored: Callable[[Answer], Answer]) -> None:
        self._stream = stream
        self._restored = restored

    def __next__(self) -> Answer:
        return self._restored(next(self._stream))

    def throw(self, error: BaseException) -> Answer:
        """Raise an error where the translator waits; its next answer."""
        if not isinstance(self._stream, Generator):
            raise error
        return self._restored(self._stream.throw(error))

    def close(self) -> None:
        """End the translator's work."""
        if isinstance(self._stream, Generator):
            self._stream.close()


def mended(item: TranslationItem, answer: Translation) -> Translation:
    """The translation with the placeholders of its source and no others.

    A foreign one gives way to one that is missing, as it does when the memory knows a similar text;
    what is missing still stands at the end of its part, and the translation is marked.

    Args:
        item: what was translated.
        answer: into what.
    """
    parts, lost = list(answer.caption.parts), False
    for index, source in enumerate(item.source.parts[: len(parts)]):
        wanted = placeholders(source)
        has = placeholders(parts[index])
        missing = [name for name in wanted if name not in has]
        foreign = [name for name in has if name not in wanted]
        if not missing and not foreign:
            continue
        lost = True
        exchanged = dict.fromkeys(foreign, "") | dict(zip(foreign, missing, strict=False))
        text = PLACEHOLDER.sub(_exchange(exchanged), parts[index])
        parts[index] = " ".join([text.strip(), *missing[len(foreign) :]]).strip() or parts[index]
    if not lost:
        return answer
    marks = answer.marks if LOST in answer.marks else (*answer.marks, LOST)
    return replace(answer, caption=Caption(tuple(parts)), marks=marks)


def _exchange(others: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: others.get(match[0], match[0])


def _numbers(item: TranslationItem) -> dict[str, str]:
    """By placeholder of an item: what a translator gets for it."""
    every = placeholders("".join(item.source.parts))
    return {name: f"{{{number}}}" for number, name in enumerate(every, 1)}


def _numbered(item: TranslationItem) -> TranslationItem:
    numbers = _numbers(item)
    if not numbers:
        return item
    parts = (PLACEHOLDER.sub(_exchange(numbers), part) for part in item.source.parts)
    return replace(item, source=Caption(tuple(parts)))


def _named(item: TranslationItem, answer: Translation) -> Translation:
    names = {int(number[1:-1]): one for one, number in _numbers(item).items()}
    if not names:
        return answer

    def name(match: re.Match[str]) -> str:
        return names.get(int(match[1]), match[0])

    parts = (_NUMBER.sub(name, part) for part in answer.caption.parts)
    return replace(answer, caption=Caption(tuple(parts)))
