"""Upper case as a language writes it. In: text and its locale. Out: the text of a poster.

ICU knows the languages that differ from Unicode's full mapping (Turkish and Azerbaijani i and ı,
Greek accents, Lithuanian dots, Armenian և). What posters write otherwise is `casing` in a locale's
TOML: German sets `ß` as `ẞ`, official since 2017.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from memeloc.model import Locale

if TYPE_CHECKING:
    import icu

_MTAVRULI = re.compile("[\u1c90-\u1cbf]")
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
    upper = str(icu.UnicodeString(text).toUpper(_icu_locale(locale.tag)))
    return upper.translate(_MKHEDRULI) if _MTAVRULI.search(upper) else upper


@cache
def _icu_locale(tag: str) -> icu.Locale:
    import icu

    return icu.Locale.forLanguageTag(tag)
