"""Texts that are the same, or may be. In: the parts of captions. Out: plain texts, pairs of places.

Only texts that are equal in all but how they are written are the same. Case, punctuation, spaces
and Unicode form are removed, but where they carry meaning they stay: an apostrophe in a word
(we're, were), the point and the sign of a number (3.5, 35), skin tones and flags of emoji,
emoticons, the border between two words (now here, nowhere). Texts that are similar, and a text that
another contains, go to a person: one word, a number or a name may be all the difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from memeloc.splits import similar_texts

_APOSTROPHES = "'’‘ʼ`´′"
_MINUS, _TATWEEL = 0x2212, 0x0640  # a dash and a stretch in Unicode's other categories
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)  # what tells the flags of countries' parts from each other
_LITERAL = "'-.,:;/\\|()[]=^*%&#"
"""Punctuation that carries meaning in some places."""

_WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Chinese and Japanese: spaces are no borders of words there."""
_IS_WITHOUT_SPACES = re.compile(f"[{_WITHOUT_SPACES}]")
_NO_BORDER = re.compile(f" (?=[{_WITHOUT_SPACES}])|(?<=[{_WITHOUT_SPACES}]) ")

_IN_WORDS = re.compile(f"[{_WITHOUT_SPACES}]|[^ {_WITHOUT_SPACES}]+")

_WORD = r"""
    [ac0]+
    (?:(?:(?<=a)'(?=a)                   # we're
        | (?<=0)[.,:/'^*-](?=0)          # 3.5, 1/2, 9:30
       )[ac0]+)*
    (?:\#(?![ac0]))?                      # C#
"""
_TOKEN = re.compile(
    rf"""
    {_WORD}
    | [:;=]['-]?[()\[\]/\\|]+(?![\w/])   # an emoticon
    | (?<![a0.-])(?:-\.?|\.)(?=0){_WORD}  # -5, .5
    | [s=%&]
    """,
    re.VERBOSE,
)
"""What stays of a text, found in its kinds of characters (`_Kinds`). Python before 3.11.5 matches a
possessive group wrongly, so none is here."""


class _Characters(dict[int, str]):
    """The form that each character is written in, before its compatibility form is taken."""

    def __missing__(self, code: int) -> str:
        character = written = chr(code)
        category = unicodedata.category(character)
        kind = unicodedata.decomposition(character).partition(" ")[0]
        is_invisible = category == "Cs" or (category == "Cf" and code not in _TAGS)
        if character in _APOSTROPHES:
            written = "'"
        elif category == "Pd" or code == _MINUS:
            written = "-"
        elif category == "Cc" or category[0] == "Z":
            written = " "
        elif is_invisible or 0xFE00 <= code <= 0xFE0F or code == _TATWEEL:
            written = ""
        elif category == "Sk" and character != "^" and code not in _SKIN_TONES:
            written = " "
        elif category == "No" and kind in ("<super>", "<sub>", "<fraction>"):
            written = f"^{character}"  # 10² is not 102, and 1½ is not 11/2
        self[code] = written
        return written


class _Kinds(dict[int, str]):
    """The kind of each character: `a` a letter or mark, `c` one of a script without spaces, `0` a
    number, `s` a symbol; punctuation of `_LITERAL` is itself, and all else a space.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)[0]
        kind = {"L": "a", "M": "a", "N": "0", "P": " ", "Z": " "}.get(category, "s")
        if character in _LITERAL:
            kind = character
        elif category == "L" and _IS_WITHOUT_SPACES.match(character):
            kind = "c"
        self[code] = kind
        return kind


_characters = _Characters()
_kinds = _Kinds()


def plain_text(parts: Sequence[str]) -> str:
    """Return a text without what is only a way of writing it; equal ones are the same text.

    Letters are lower case, in Unicode's form NFKC, marks stay, and words have one space between
    them. A text of nothing but punctuation keeps it.

    >>> plain_text(["Me, on MONDAY:", " zzz..."])
    'me on monday zzz'
    >>> plain_text(["It’s -3.5 °C :-("]), plain_text(["我 爱，猫！"])
    ("it's -3.5 ° c :(", '我爱猫')
    """
    whole = " ".join(parts)
    written = unicodedata.normalize("NFKC", whole.translate(_characters)).lower()
    written = unicodedata.normalize("NFKC", written)
    spans = (match.span() for match in _TOKEN.finditer(written.translate(_kinds)))
    plain = " ".join(_token(written[start:end]) for start, end in spans)
    if not plain.isascii():
        plain = _NO_BORDER.sub("", plain)
    return plain or "".join(whole.split()).encode("utf-8", "replace").decode()


def plain_words(plain: str) -> list[str]:
    """Return the words of a plain text; of scripts without spaces, its characters.

    >>> plain_words("it's 我爱猫 9:30")
    ["it's", '我', '爱', '猫', '9:30']
    """
    return _IN_WORDS.findall(plain)


def _token(written: str) -> str:
    is_emoticon = len(written) > 1 and written[0] in ":;="
    return written[0] + written[-1] if is_emoticon else written


_MARK = 12
"""Words, at most, that one text has beside another which it contains: a watermark is short."""


class NearTexts(NamedTuple):
    """Places of two different texts, the lesser first, that may be the same one.

    Their similarity is rapidfuzz's `ratio`, from 0 to 1; `contained` when one of them is the other
    and a few words in one place.
    """

    first: int
    second: int
    similarity: float
    contained: bool

    @property
    def reason(self) -> str:
        """Return why a person is asked, in a sentence."""
        similar = f"are similar ({self.similarity:.0%}), but not the same"
        contain = " One contains the other." if self.contained else ""
        return f"The texts {similar}.{contain}"


def near_texts(texts: Sequence[str], least: float, jobs: int = 1) -> list[NearTexts]:
    """Return the pairs of plain texts that a person is to look at, the most similar first.

    Args:
        texts: different ones, see `plain_text`.
        least: the similarity from which on two are a pair; a text that another contains is one
            whatever the similarity.
        jobs: threads that compare.
    """
    from rapidfuzz import fuzz

    scores = {(one, other): score for one, other, score in similar_texts(texts, least, jobs)}
    contained = contained_texts(texts)
    for one, other in contained - scores.keys():
        scores[one, other] = fuzz.ratio(texts[one], texts[other]) / 100
    near = [NearTexts(*pair, score, pair in contained) for pair, score in scores.items()]
    return sorted(near, key=lambda pair: (-pair.similarity, pair.first, pair.second))


def contained_texts(texts: Sequence[str]) -> set[tuple[int, int]]:
    """Return pairs of plain texts of which one is the other with 1 to 12 more words in one place.

    The more words are as many as a watermark has, at the beginning, at the end, or between two
    lines. Of scripts without spaces a word is a character. Places, the lesser first.
    """
    place = {row: at for at, text in enumerate(texts) if (row := tuple(plain_words(text)))}
    # What stays before the place is the beginning of the other text; sorted, the texts with the
    # longest common beginning are neighbours.
    order = sorted(place)
    shared = [0]
    for one, other in pairwise(order):
        same = [left == right for left, right in zip(one, other, strict=False)]
        shared.append([*same, False].index(False))
    pairs: set[tuple[int, int]] = set()
    for row, before, after in zip(order, shared, [*shared[1:], 0], strict=False):
        for start in range(max(before, after) + 1):
            for end in range(start + 1, min(start + _MARK, len(row)) + 1):
                other_place = place.get(row[:start] + row[end:])
                if other_place is not None:
                    pairs.add((min(place[row], other_place), max(place[row], other_place)))
    return pairs
