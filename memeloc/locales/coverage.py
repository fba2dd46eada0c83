"""Whether fonts draw a language's letters. In: letters, what draws each. Out: what draws each."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from itertools import pairwise

from memeloc.locales.casing import uppercase
from memeloc.model import Locale


def coverage(
    locale: Locale, letters: Iterable[str], family_for: Callable[[str], str | None], *, upper: bool
) -> dict[str, str | None]:
    """Return which family draws each grapheme cluster of `letters`; None where none does.

    What has no look of its own (joiners, the soft hyphen) is left out.

    Args:
        letters: CLDR's exemplars, or any text.
        family_for: the name of the family that draws a cluster, None when the stack lacks it.
        upper: look at the upper-case forms too, where the locale's poster style is upper case.
    """
    from memeloc.locales.segmentation import ends

    def clusters(text: str) -> list[str]:
        return [text[start:end] for start, end in pairwise([0, *ends(text, "Character", "en")])]

    texts = list(letters)
    if upper:
        texts += [uppercase(text, locale) for text in texts]
    return {
        cluster: family_for(cluster)
        for text in dict.fromkeys(texts)
        for cluster in clusters(text)
        if any(unicodedata.category(char) != "Cf" and char != "\u034f" for char in cluster)
    }
