"""Where lines end otherwise than UAX #14 says. In: a text, ICU's opportunities. Out: better ones.

`tailored` are the rules that browsers have too; what still differs from Chromium, and why, is
listed in tests/render/test_chromium_breaks.py. `whole_words` takes out what only lines without a
better end may use, though browsers do not mind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memeloc.model import Locale

SPACES = " \u3000\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u1680\u200b"
"""Spaces that a line may end with."""

_KEEP_ALL = "@lw=keepall"
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_CLOSING = frozenset("\"')]}”’»」』》〉）")
_NEVER_FIRST = frozenset("·_")

_AFTER_SPACE = re.compile(r" (?=/|\.\w)")
_BREAKING_ASCII = frozenset(" \t-?)]}")

_SYLLABIC = frozenset({"Thai", "Laoo", "Khmr", "Mymr"})
_LETTER = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3]")
_INCOMPLETE = re.compile(
    "[\u0e01-\u0e13\u0e15-\u0e2e]|[\u0e81-\u0eae]"  # Thai but for the word ณ, Lao
    "|[\u1780-\u17a2][\u17c9\u17ca]?(?:\u17d2[\u1780-\u17a2])*"  # Khmer
)
_SILENT = re.compile(
    "[\u0e01-\u0e2e]{1,2}[\u0e34\u0e38]?\u0e4c|[\u0e81-\u0eae]\u0ecc"  # Thai, Lao: silenced letters
    "|[\u1000-\u1021]\u1037?[\u103a\u1039]"  # Burmese: a letter without its vowel, or stacked
)


def tailored(text: str, ends: list[int], locale: Locale) -> list[int]:
    """The opportunities of a text as browsers have them.

    Korean words stay whole (CSS Text 3, `word-break: keep-all`). Between two characters of ASCII a
    line ends after a hyphen, a question mark or a bracket only, not within C++, km/h or an
    address; and it ends at a space even before a slash or a name like .NET.

    Args:
        text: one paragraph.
        ends: offsets at which ICU ends lines, ascending; the last is the text's length.
        locale: its language.
    """
    if " /" in text or " ." in text:
        more = (match.end() for match in _AFTER_SPACE.finditer(text))
        ends = sorted({*ends, *more})
    korean = locale.line_break.endswith(_KEEP_ALL)
    kept = []
    for end in ends:
        if end < len(text):
            before, after = text[end - 1], text[end]
            if before not in _BREAKING_ASCII and before < "\x7f" and " " < after < "\x7f":
                continue
            if korean and _LETTER_OR_DIGIT.match(before) and _LETTER_OR_DIGIT.match(after):
                continue
        kept.append(end)
    return kept


def keeps_words(locale: Locale) -> bool:
    """Whether `whole_words` leaves any opportunity of the locale's out."""
    return locale.script in _SYLLABIC or locale.line_break.endswith(_KEEP_ALL)


def whole_words(text: str, ends: list[int], locale: Locale) -> list[int]:
    """Those of the opportunities that cut nothing which a reader takes for whole.

    In Korean a particle stays with the quotation or bracket before it, as in UAX #14 LB19a, and no
    line begins with a middle dot or an underscore. For Thai, Lao, Khmer and Burmese see below.
    """
    if locale.script in _SYLLABIC:
        return _whole_syllables(text, ends)
    if not locale.line_break.endswith(_KEEP_ALL):
        return ends
    return [end for end in ends if end == len(text) or not _cuts_korean(text[end - 1], text[end])]


def _cuts_korean(before: str, after: str) -> bool:
    return after in _NEVER_FIRST or (before in _CLOSING and bool(_HANGUL.match(after)))


def _whole_syllables(text: str, ends: Sequence[int]) -> list[int]:
    """Join what ICU's dictionary cuts from words it does not know, though no syllable begins there.

    A single consonant of Thai, Lao or Khmer is the end of the syllable before it, or at a word's
    beginning the first of a cluster; a silenced letter, or one without its vowel in Burmese, never
    begins a syllable (มี|ม, เฮ|อร์, ម៉ែ|ន, ယ|မ်).
    """
    inside = set()
    for start, end in pairwise([0, *ends]):
        follows = start > 0 and _LETTER.match(text, start - 1)
        if _INCOMPLETE.fullmatch(text, start, end):
            if follows:
                inside.add(start)
            elif end < len(text) and _LETTER.match(text, end):
                inside.add(end)
        elif follows and _SILENT.match(text, start):
            inside.add(start)
    return [end for end in ends if end not in inside]
