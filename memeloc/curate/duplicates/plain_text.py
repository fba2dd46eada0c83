"""A text with only what makes it that text. In: the parts of a caption. Out: a text to compare.

Case, punctuation, spaces and Unicode form are removed, but where they carry meaning they stay: an
apostrophe in a word (we're, were), the point and the sign of a number (3.5, 35), skin tones and
flags of emoji, emoticons, the border between two words (now here, nowhere).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_APOSTROPHES = "'’‘ʼ`´′"
_MINUS, _TATWEEL = 0x2212, 0x0640
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
"""What tells the flags of countries' parts from each other."""
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
    """What each character is written as, before its compatibility form is taken."""

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
    """What each character is: `a` a letter or mark, `c` one of a script without spaces, `0` a
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
    """Return a token as it is compared: of an emoticon the eyes and the mouth."""
    is_emoticon = len(written) > 1 and written[0] in ":;="
    return written[0] + written[-1] if is_emoticon else written
