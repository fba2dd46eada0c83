"""Places where text may break. In: a paragraph and its locale. Out: grapheme clusters and ends of
lines.

Line breaking is UAX #14 as ICU tailors it for the locale, with its dictionaries for Thai, Lao,
Khmer, Burmese and Chinese; grapheme clusters are UAX #29's extended ones. `opportunities` are those
of browsers; what still differs from Chromium, and why, is listed in
tests/render/test_chromium.py. `word_ends` leaves out what only lines without a better end
may use, though browsers do not mind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from itertools import accumulate, pairwise
from unicodedata import category

from memeloc.locales import breaking
from memeloc.model import Locale

_JOINING = ("Mn", "Mc", "Me", "Cf", "Sk")  # Sk: skin tones
_JOINED = "\u0e33\u0eb3\uff9e\uff9f"
_JOINS_ON = frozenset(  # Grapheme_Cluster_Break=Prepend and Indic_Conjunct_Break=Linker
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd"
    "\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a\U00011a84\U00011a85\U00011a86\U00011a87"
    "\U00011a88\U00011a89\U00011d46\U00011f02\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60"
    "\u1bab\uaaf6\U00010a3f\U00011133\U000113d0\U0001193e\U00011a47\U00011a99\U00011f42"
)
_BREAKING_ASCII = frozenset(" \t-?)]}")

# A dash is part of what it stands in. Chromium ends lines after any en dash and around any em
# dash: "9– / 5", "— / Encore ?", "Soria / — dijo". Tried on ranges of hours, pages and years, on
# French dialogues and Spanish asides; a dash between words ("word—word", "word – word") may end a
# line. A range without digits ("A–Z") is not seen.
# Patterns are strings, compiled on first use: those of large classes take some milliseconds each.
_RANGE = r"(?<=\d)[ \u00a0]?[–—]\s?(?=\d)"
_OPENING_DASH = r"(?:^|(?<=\s))[–—]+(?=\S)|(?:^|(?<=[.!?…”»]\s))[–—]+\s"
_GLUED_DASH = r"(?<=[^\W\u2e80-\U0010ffff])—"

_KEEP_ALL = "@lw=keepall"
_WITHIN_KOREAN_WORD = "[·_]|(?<=[\"')\\]}”’»」』》〉）])[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"

_SYLLABIC = frozenset({"Thai", "Laoo", "Khmr", "Mymr"})
_LETTER = "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3]"
_INCOMPLETE = (
    "[\u0e01-\u0e13\u0e15-\u0e2e]|[\u0e81-\u0eae]"  # Thai but for the word ณ, Lao
    "|[\u1780-\u17a2][\u17c9\u17ca]?(?:\u17d2[\u1780-\u17a2])*"  # Khmer
)
_SILENT = (
    "[\u0e01-\u0e2e]{1,2}[\u0e34\u0e38]?\u0e4c|[\u0e81-\u0eae]\u0ecc"  # Thai, Lao: silenced letters
    "|[\u1000-\u1021]\u1037?[\u103a\u1039]"  # Burmese: a letter without its vowel, or stacked
)

_PHRASE_ENDS = (
    " \u3000\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u1680\u200b"
    "、。，：；！？…」』）”》"
)

# ICU's dictionary has アイスクリーム, but cuts スマート|フォン, which a reader takes for one word,
# too. Loan words have up to nine letters; longer runs are often two words, and a cut of the
# dictionary's is better than none.
_KATAKANA = "(?<![ァ-ヺー-ヿ])[ァ-ヺー-ヿ]{2,9}(?![ァ-ヺー-ヿ])"

# A number and its counter are one word (3|本, 三|个, 4|小时), unless the numeral is the end of
# another word of the dictionary's (星期一).
_NUMBER = r"[\d〇零一二两兩三四五六七八九十百千万萬億亿半几幾.,．，]+"


def _whole(text: str, ends: list[int]) -> list[int]:
    """Return those offsets that split no grapheme cluster.

    UAX #14 knows no clusters: it breaks between a space and a combining mark (LB10), say. Finding
    clusters takes as long as finding lines, so it is left to text that may need it.
    """
    if not text.isascii():
        for end in ends[:-1]:
            before, after = text[end - 1], text[end]
            if (after > "\u02ff" and (category(after) in _JOINING or after in _JOINED)) or (
                before > "\u05ff"
                and not _JOINS_ON.isdisjoint(text)
                and (before in _JOINS_ON or category(before) in ("Mn", "Lm"))
            ):
                return sorted(set(ends).intersection(clusters(text)))
    return ends


def clusters(text: str) -> list[int]:
    """Return the end of each extended grapheme cluster of `text` (UAX #29), ascending."""
    if text.isascii() and "\r" not in text:
        return list(range(1, len(text) + 1))
    return breaking.ends(text, "Character", "en")


def unicode_opportunities(text: str, locale: Locale) -> list[int]:
    """Return where ICU ends lines of `text` by UAX #14 and its dictionaries, between clusters."""
    return _whole(text, breaking.ends(text, "Line", locale.line_break))


def opportunities(text: str, locale: Locale) -> list[int]:
    """Return the offsets at which a line of `text` may end, ascending; the last is its length.

    A full-width tilde is taken for the wave dash it is typed for, which begins no line. Korean
    words stay whole (CSS Text 3, `word-break: keep-all`). Between two characters of ASCII a line
    ends after a hyphen, a question mark or a bracket only, not within C++, km/h or an address; and
    it ends at a space even before a slash or a name like .NET.
    """
    plain = text.replace("\uff5e", "\u301c") if "\uff5e" in text else text
    ends = unicode_opportunities(plain, locale)
    if " /" in text or " ." in text:
        ends = sorted({*ends, *(match.end() for match in re.finditer(r" (?=/|\.\w)", text))})
    dashed = _at_dashes(text) if "–" in text or "—" in text else ()
    korean = locale.line_break.endswith(_KEEP_ALL)
    places = []
    for end in ends:
        if end < len(text):
            before, after = text[end - 1], text[end]
            if before not in _BREAKING_ASCII and before < "\x7f" and " " < after < "\x7f":
                continue
            if end in dashed or (korean and before.isalnum() and after.isalnum()):
                continue
        places.append(end)
    return places


def _at_dashes(text: str) -> set[int]:
    """Return the offsets beside dashes at which no line ends."""
    inside = {match.end() for match in re.finditer(_OPENING_DASH, text)}
    inside.update(match.start() for match in re.finditer(_GLUED_DASH, text))
    for match in re.finditer(_RANGE, text):
        inside.update(range(match.start(), match.end() + 1))
    return inside - {len(text)}


def word_ends(text: str, locale: Locale, ends: list[int]) -> tuple[list[int], list[int]]:
    """Return those of the opportunities `ends` that end a word, and a phrase among these.

    In Korean a particle stays with the quotation or bracket before it, as in UAX #14 LB19a, and no
    line begins with a middle dot or an underscore. Phrases are BudouX's, and a space or punctuation
    ends one. A word is what ICU's dictionary sees whole; but where BudouX ends a phrase beside
    kana, ICU's is mistaken (it has a "yes" in しおりはいらない). Without a model for the locale,
    all that are left are both.
    """
    if locale.script in _SYLLABIC:
        ends = _whole_syllables(text, ends)
    elif locale.line_break.endswith(_KEEP_ALL):
        within = re.compile(_WITHIN_KOREAN_WORD).match
        ends = [end for end in ends if not within(text, end)]
    if not locale.phrase_model or len(ends) < 2:
        return ends, ends
    allowed = set(accumulate(map(len, _parser(locale.phrase_model)(text))))
    allowed.update(end for end in ends if text[end - 1] in _PHRASE_ENDS)
    whole = set(breaking.ends(text, "Word", locale.line_break))
    for match in re.finditer(_KATAKANA, text):
        whole.difference_update(range(match.start() + 1, match.end()))
        allowed.difference_update(range(match.start() + 1, match.end()))
    words: list[int] = []
    kana, number = re.compile("[\u3040-\u30ff]").search, re.compile(_NUMBER).fullmatch
    for end in ends:
        if end in whole or (end in allowed and kana(text, end - 1, end + 1)):
            is_number = number(text, words[-1] if words else 0, end)
            if not (is_number and text[end : end + 1].isalpha()):
                words.append(end)
    return words, [end for end in words if end in allowed]


def _whole_syllables(text: str, ends: list[int]) -> list[int]:
    """Join what ICU's dictionary cuts from words it does not know, though no syllable begins there.

    A single consonant of Thai, Lao or Khmer is the end of the syllable before it, or at a word's
    beginning the first of a cluster; a silenced letter, or one without its vowel in Burmese, never
    begins a syllable (มี|ม, เฮ|อร์, ម៉ែ|ន, ယ|မ်).
    """
    inside = set()
    letter, silent = re.compile(_LETTER).match, re.compile(_SILENT).match
    incomplete = re.compile(_INCOMPLETE).fullmatch
    for start, end in pairwise([0, *ends]):
        follows = start > 0 and letter(text, start - 1)
        if incomplete(text, start, end):
            if follows or letter(text, end):
                inside.add(start if follows else end)
        elif follows and silent(text, start):
            inside.add(start)
    return [end for end in ends if end not in inside]


@cache
def _parser(model: str) -> Callable[[str], list[str]]:
    """Return what cuts a text into phrases or words by one of BudouX's models."""
    import budoux

    file = resources.files(budoux) / "models" / f"{model}.json"
    return budoux.Parser(json.loads(file.read_text("utf-8"))).parse
