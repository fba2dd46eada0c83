"""Where text may break. In: a paragraph and its locale. Out: grapheme clusters and segments.

Offsets are code points; ICU's are UTF-16 units, which differ once a character lies beyond U+FFFF.
Line breaking is UAX #14 as ICU tailors it for the locale, with its dictionaries for Thai, Lao,
Khmer, Burmese and Chinese; grapheme clusters are UAX #29's extended ones.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING
from unicodedata import category

from icu4py.breakers import CharacterBreaker, LineBreaker, WordBreaker

from memeloc.model import Locale
from memeloc.render.typesetting.break_rules import SPACES, keeps_words, tailored, whole_words

if TYPE_CHECKING:
    import budoux

_PHRASE_ENDS = SPACES + "、。，：；！？…」』）”》"
_KANA = re.compile("[\u3040-\u30ff]")
_JOINING = ("Mn", "Mc", "Me", "Cf", "Sk")  # Sk: skin tones
_JOINED = "\u0e33\u0eb3\uff9e\uff9f"
_JOINS_ON = (  # Grapheme_Cluster_Break=Prepend and Indic_Conjunct_Break=Linker
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd"
    "\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a\U00011a84\U00011a85\U00011a86\U00011a87"
    "\U00011a88\U00011a89\U00011d46\U00011f02\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60"
    "\u1bab\uaaf6\U00010a3f\U00011133\U000113d0\U0001193e\U00011a47\U00011a99\U00011f42"
)
_joins_on = re.compile(f"[{_JOINS_ON}]").search


def _code_points(text: str, ends: list[int]) -> list[int]:
    """Turn ascending UTF-16 offsets into code point offsets."""
    if not ends or ends[-1] == len(text):
        return ends
    units = accumulate((2 if char > "\uffff" else 1) for char in text)
    index = {unit: point for point, unit in enumerate(units, 1)}
    return [index[end] for end in ends if end in index]


def _whole(text: str, ends: list[int]) -> list[int]:
    """Those offsets that split no grapheme cluster.

    UAX #14 knows no clusters: it breaks between a space and a combining mark (LB10), say. Finding
    clusters takes as long as finding lines, so it is left to text that may need it.
    """
    if not text.isascii():
        for end in ends[:-1]:
            before, after = text[end - 1], text[end]
            if (after > "\u02ff" and (category(after) in _JOINING or after in _JOINED)) or (
                before > "\u05ff"
                and (before in _JOINS_ON or (_joins_on(text) and category(before) in ("Mn", "Lm")))
            ):
                return sorted(set(ends).intersection(clusters(text)))
    return ends


def clusters(text: str) -> list[int]:
    """The end of each extended grapheme cluster of `text` (UAX #29), ascending."""
    if text.isascii() and "\r" not in text:
        return list(range(1, len(text) + 1))
    ends = [end for _, end in CharacterBreaker(text, "en").segments()]
    return _code_points(text, ends)


def unicode_opportunities(text: str, locale: Locale) -> list[int]:
    """Where ICU ends lines of `text` by UAX #14 and its dictionaries, between clusters."""
    ends = [end for _, end in LineBreaker(text, locale.line_break).segments()]
    return _whole(text, _code_points(text, ends))


def opportunities(text: str, locale: Locale) -> list[int]:
    """The offsets at which a line of `text` may end, ascending; the last is its length.

    A full-width tilde is taken for the wave dash it is typed for, which begins no line. See
    `break_rules` for what else is changed.
    """
    plain = text.replace("\uff5e", "\u301c") if "\uff5e" in text else text
    return tailored(text, unicode_opportunities(plain, locale), locale)


def knows_words(locale: Locale) -> bool:
    """Whether `phrase_ends` leaves any opportunity of the locale's out."""
    return bool(locale.phrase_model) or keeps_words(locale)


def phrase_ends(text: str, locale: Locale, ends: list[int]) -> tuple[list[int], list[int]]:
    """Those of the line break opportunities `ends` that end a word, and a phrase among these.

    Phrases are BudouX's, and a space or punctuation ends one. A word is what ICU's dictionary sees
    whole; but where BudouX ends a phrase beside kana, ICU's is mistaken (it has a "yes" in
    しおりはいらない). Without a model for the locale, all of `ends` are both that `whole_words`
    leaves.
    """
    ends = whole_words(text, ends, locale)
    if not locale.phrase_model or len(ends) < 3:
        return ends, ends
    allowed = set(accumulate(map(len, _parser(locale.phrase_model).parse(text))))
    allowed.update(end for end in ends if text[end - 1] in _PHRASE_ENDS)
    cuts = [end for _, end in WordBreaker(text, locale.line_break).segments()]
    whole = set(_code_points(text, cuts))
    words = [
        end
        for end in ends
        if end in whole or (end in allowed and _KANA.search(text, end - 1, end + 1))
    ]
    return words, [end for end in words if end in allowed]


@cache
def _parser(model: str) -> budoux.Parser:
    import budoux

    loaders = {
        "ja": budoux.load_default_japanese_parser,
        "zh-hans": budoux.load_default_simplified_chinese_parser,
        "zh-hant": budoux.load_default_traditional_chinese_parser,
        "th": budoux.load_default_thai_parser,
    }
    return loaders[model]()
