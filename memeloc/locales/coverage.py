"""Whether fonts draw a language's letters. In: letters, what draws each. Out: what is missing."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from memeloc.locales.casing import uppercase
from memeloc.model import Locale


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many grapheme clusters each family of a stack draws, and those that none does."""

    families: dict[str, int]
    missing: tuple[str, ...]

    @property
    def clusters(self) -> int:
        """How many grapheme clusters were looked at."""
        return sum(self.families.values()) + len(self.missing)


def coverage(
    locale: Locale, letters: Iterable[str], family_for: Callable[[str], str | None], *, upper: bool
) -> Coverage:
    """Ask for every grapheme cluster of `letters` which family draws it.

    What has no look of its own (joiners, the soft hyphen) counts as drawn and is left out.

    Args:
        letters: CLDR's exemplars, or any text.
        family_for: the name of the family that draws a cluster, None when the stack lacks it.
        upper: look at the upper-case forms too, where the locale's poster style is upper case.
    """
    texts = list(letters)
    if upper:
        texts += [uppercase(text, locale) for text in texts]
    families = {
        cluster: family_for(cluster)
        for cluster in dict.fromkeys(c for text in texts for c in _clusters(text))
        if any(unicodedata.category(char) != "Cf" and char != "\u034f" for char in cluster)
    }
    missing = tuple(cluster for cluster, family in families.items() if family is None)
    return Coverage(dict(Counter(filter(None, families.values()))), missing)


def _clusters(text: str) -> list[str]:
    if len(text) == 1:
        return [text]
    from memeloc.locales.segmentation import ends

    return [text[start:end] for start, end in pairwise([0, *ends(text, "Character", "en")])]
