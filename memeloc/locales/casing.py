"""Letters of a language. In: text, its locale, fonts. Out: it in upper case, what draws each.

ICU knows the languages that differ from Unicode's full mapping (Turkish and Azerbaijani i and ı,
Greek accents, Lithuanian dots, Armenian և). What posters write otherwise is `casing` in a locale's
TOML: German sets `ß` as `ẞ`, official since 2017.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import pairwise

from memeloc.locales.breaking import ends
from memeloc.model import Locale

_MKHEDRULI = {capital: capital - 0x1C90 + 0x10D0 for capital in range(0x1C90, 0x1CC0)}


def uppercase(text: str, locale: Locale) -> str:
    """Return `text` in upper case by the rules of the locale's language.

    A locale whose poster style is not upper case gets the text back as it is. Georgian letters stay
    as they are in every locale: Mtavruli is not used as capitals are elsewhere.

    >>> from memeloc.locales import default
    >>> uppercase("ışık istiyor", default().get("tr"))
    'IŞIK İSTİYOR'
    """
    if not locale.uppercase:
        return text
    import icu  # only here: it takes long to load

    for pattern, replacement in locale.casing:
        text = re.sub(pattern, replacement, text)
    upper = icu.UnicodeString(text).toUpper(icu.Locale.forLanguageTag(locale.tag))
    return str(upper).translate(_MKHEDRULI)


def coverage(
    locale: Locale, letters: Iterable[str], family_for: Callable[[str], str | None], *, upper: bool
) -> dict[str, str | None]:
    """Return which family draws each grapheme cluster of `letters`; None where none does.

    What has no look of its own (joiners, the soft hyphen) is left out; with `upper` the upper-case
    forms are looked at, too, where the locale's poster style is upper case.
    """
    texts = list(letters)
    if upper:
        texts += [uppercase(text, locale) for text in texts]
    return {
        cluster: family_for(cluster)
        for text in dict.fromkeys(texts)
        for cluster in (text[a:b] for a, b in pairwise([0, *ends(text, "Character", "en")]))
        if any(unicodedata.category(char) != "Cf" and char != "\u034f" for char in cluster)
    }
