"""Placeholders kept from translators. In: an item of a survey. Out: what is sent; its answer whole.

Machines translate `{count}` as they translate any word, and leave `{1}` alone: so that is what they
get. What they lose all the same stands at the end of the text, and the translation is marked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memeloc.model import Caption
from memeloc.placeholders import PLACEHOLDER, placeholders
from memeloc.translate.protocol import Translation, TranslationItem

LOST = "placeholder lost"
"""The mark of a translation whose placeholders have to be put in their place."""

_NUMBER = re.compile(r"[{｛]\s*(\d{1,3})\s*[}｝]")


def numbered(item: TranslationItem) -> TranslationItem:
    """Return an item as translators get it: a survey's with numbers for its placeholders."""
    if item.kind != "survey":
        return item
    names = placeholders("".join(item.source.parts))
    numbers = {name: f"{{{number}}}" for number, name in enumerate(names, 1)}
    parts = tuple(_exchange(part, numbers) for part in item.source.parts)
    return replace(item, source=Caption(parts))


def restored(item: TranslationItem, answer: Translation) -> Translation:
    """Return the translation of a survey's item with the placeholders of its source and no others.

    A foreign one gives way to one that is missing, as it does when the memory knows a similar text;
    what is missing still stands at the end of its part, and the translation is marked.
    """
    if item.kind != "survey":
        return answer
    names = dict(enumerate(placeholders("".join(item.source.parts)), 1))
    given = [
        _NUMBER.sub(lambda match: names.get(int(match[1]), match[0]), part)
        for part in answer.caption.parts
    ]
    parts = [
        _with_placeholders(placeholders(source), part)
        for source, part in zip(item.source.parts, given, strict=False)
    ]
    parts += given[len(parts) :]
    marks = () if parts == given or LOST in answer.marks else (LOST,)
    return replace(answer, caption=Caption(tuple(parts)), marks=(*answer.marks, *marks))


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
