"""What stands beside a short text. In: everything collected. Out: longer texts from the same place.

A text of one or two words says little about its language; the captions of the same template say
more, and where that has few, those of the same dataset.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

from memeloc.curate.filters.scripts import script_words
from memeloc.items import Item

FEWEST = 5
"""Longer texts that a template must have, or its dataset's are taken."""
MOST = 20
"""Texts that are looked at, chosen by the hash of their items' ids."""

Group = tuple[str, ...]


def is_short(text: str, most: int) -> bool:
    """Whether a text has at most so many words; a script without spaces counts by its letters.

    >>> is_short("oh no, cat!", 3), is_short("もう火曜日だと思っていた", 3)
    (True, False)
    """
    if sum(any(map(str.isalpha, word)) for word in text.split()) > most:
        return False  # almost all; it is faster than the rest
    return sum(word.weight for word in script_words(text)) <= most


class RelatedTexts:
    """Longer texts by template and by dataset.

    Args:
        short: words of a text that is too short to be among them.
    """

    def __init__(self, collected: Sequence[Item], short: int) -> None:
        self._collected = collected
        self._short = short

    def of(self, item: Item) -> tuple[str, ...]:
        """Up to `MOST` texts from where an item comes from, always the same; none are empty."""
        of_template = self._chosen.get(("template", item.parent), ())
        if item.parent and len(of_template) >= FEWEST:
            return of_template
        return self._chosen.get(_dataset(item), ())

    @cached_property
    def _chosen(self) -> dict[Group, tuple[str, ...]]:
        groups: dict[Group, list[tuple[bytes, str]]] = {}
        for item in self._collected:
            text = " ".join(item.parts)
            if is_short(text, self._short):
                continue
            entry = (hashlib.sha256(item.id.encode("utf-8", "surrogatepass")).digest(), text)
            groups.setdefault(_dataset(item), []).append(entry)
            if item.parent:
                groups.setdefault(("template", item.parent), []).append(entry)
        return {
            group: tuple(text for _, text in sorted(entries)[:MOST])
            for group, entries in groups.items()
        }


def _dataset(item: Item) -> Group:
    return ("dataset", item.origin.source, item.origin.dataset)
