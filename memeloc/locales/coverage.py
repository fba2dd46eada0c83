"""Whether fonts draw a language's letters. In: letters and fonts' word. Out: what is missing.

The caller says which font draws a cluster.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memeloc.locales.casing import uppercase
from memeloc.model import Locale


@dataclass(frozen=True, slots=True)
class Coverage:
    """How a stack of fonts covers a language.

    Attributes:
        families: how many grapheme clusters each family draws.
        missing: the grapheme clusters that no family of the stack draws.
    """

    families: dict[str, int]
    missing: tuple[str, ...]

    @property
    def clusters(self) -> int:
        """How many grapheme clusters were looked at."""
        return sum(self.families.values()) + len(self.missing)


def coverage(
    locale: Locale,
    letters: Iterable[str],
    family_for: Callable[[str], str | None],
    *,
    upper: bool,
) -> Coverage:
    """Ask for every grapheme cluster of `letters` which family draws it.

    What has no look of its own (joiners, the soft hyphen) counts as drawn and is left out.

    Args:
        locale: whose rules upper-case.
        letters: CLDR's exemplars, or any text.
        family_for: the name of the family that draws a cluster, None when the stack lacks it.
        upper: look at the upper-case forms too, where the locale's poster style is upper case.
    """
    texts = list(letters)
    if upper:
        texts += [uppercase(text, locale) for text in texts]
    drawn: Counter[str] = Counter()
    missing: list[str] = []
    for cluster in dict.fromkeys(c for text in texts for c in _clusters(text, locale)):
        if all(unicodedata.category(char) == "Cf" or char == "\u034f" for char in cluster):
            continue
        family = family_for(cluster)
        if family is None:
            missing.append(cluster)
        else:
            drawn[family] += 1
    return Coverage(dict(drawn), tuple(missing))


def _clusters(text: str, locale: Locale) -> list[str]:
    if len(text) == 1:
        return [text]
    from icu4py.breakers import CharacterBreaker

    return list(CharacterBreaker(text, locale.line_break))
