"""Upper case as a language writes it. In: text and its locale. Out: the text of a poster.

Python's `str.upper` is Unicode's full mapping (ligatures open, `ŉ` becomes `ʼN`). Where a language
differs from it, `casing` in its TOML says how, after Unicode's SpecialCasing.txt and ICU (for Greek
GreekUpper in ustrcase.cpp); German posters set `ß` as `ẞ`, official since 2017.
"""

from __future__ import annotations

import re
import unicodedata

from memeloc.model import Locale

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
    if locale.casing:
        text = unicodedata.normalize("NFD", text)
        for pattern, replacement in locale.casing:
            text = re.sub(pattern, replacement, text)
        upper = unicodedata.normalize("NFC", text.upper())
    else:
        upper = text.upper()
    return upper.translate(_MKHEDRULI) if _MTAVRULI.search(upper) else upper
