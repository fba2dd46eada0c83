"""Cutting a paragraph into runs. In: text, its base direction, a font stack. Out: uniform runs.

A run has one embedding level (UAX #9, by ICU), one script (UAX #24, with Common and Inherited
characters joining their neighbours) and one face. A face is chosen for whole words where one has
the whole word, else for whole grapheme clusters: never two faces within a cluster. Mirroring and
the order of letters (L3, L4) are left to HarfBuzz; white space at a line's end (L1) is not drawn.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Literal, NamedTuple

import icu

from memeloc.fonts import Face, FontStack
from memeloc.fonts.faces import is_emoji
from memeloc.locales.tags import character_script
from memeloc.model import Direction
from memeloc.render.typesetting.breaks import clusters

Base = Literal["ltr", "rtl"] | None
"""The base direction of a paragraph; None finds it from the first strong character (P2, P3)."""

# A right-to-left letter or a control of direction: the blocks of UAX #9, table 4.
_DIRECTED = (
    "[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_STRONG = {"ltr": (0,), "rtl": (1, 13)}  # UCharDirection: L; R, AL

_ONE_SCRIPT = {"Hira": "Hani", "Kana": "Hani", "Bopo": "Hani", "Hrkt": "Hani"}
_SHARED_SCRIPTS = frozenset({"Zyyy", "Zinh", "Zzzz"})


class Resolved(NamedTuple):
    """A paragraph's embedding level, 0 or 1, and that of each code point, one byte 0 to 126.

    Characters that X9 removes have the level of the character before them, or the paragraph's.
    """

    level: int
    levels: bytes


class Run(NamedTuple):
    """Text of one direction, script and face: `start` to `end` in code points of its paragraph."""

    start: int
    end: int
    level: int
    script: str
    face: Face


class Itemized(NamedTuple):
    """A paragraph's embedding level, 0 or 1, its runs in logical order without gaps, and the
    grapheme clusters that no font draws."""

    level: int
    runs: list[Run]
    missing: list[str]


def _is_directed(text: str) -> bool:
    return not text.isascii() and re.search(_DIRECTED, text) is not None


def resolve(text: str, base: Base = None) -> Resolved:
    r"""Return the embedding levels of one paragraph: any string, also one with lone surrogates.

    >>> list(resolve("a \u05d0 2").levels)
    [0, 0, 1, 1, 2]
    """
    if not text or (base != "rtl" and not _is_directed(text)):
        return Resolved(int(base == "rtl"), bytes(len(text)))
    paragraph = icu.Bidi()
    default = icu.Bidi.DEFAULT_LTR
    paragraph.setPara(icu.UnicodeString(text), {"ltr": 0, "rtl": 1, None: default}[base])
    levels = bytes(paragraph.getLevels())
    if len(levels) > len(text):  # ICU counts UTF-16 units, two for a character beyond U+FFFF
        widths = [2 if char > "\uffff" else 1 for char in text]
        levels = bytes(levels[end - 1] for end in accumulate(widths))
    return Resolved(paragraph.getParaLevel(), levels)


def visual_order(levels: Sequence[int]) -> list[int]:
    """Return the logical indices of a line's items in display order, left to right: rule L2.

    An item is a character or a whole run; each level is 0 to 126. Items of a run of an odd level
    come out reversed, so a caller that orders runs leaves their insides to the shaper.

    >>> visual_order([0, 1, 2, 1, 0])
    [0, 3, 2, 1, 4]
    """
    order = list(range(len(levels)))
    for level in range(max(levels, default=0), min(levels, default=0) // 2 * 2, -1):
        reordered: list[int] = []
        inside = {item for item in order if levels[item] >= level}
        for is_inside, items in groupby(order, inside.__contains__):
            stretch = list(items)
            reordered += stretch[::-1] if is_inside else stretch
        order = reordered
    return order


def base_direction(text: str, direction: Direction) -> Base:
    """Return the base direction of a paragraph in a locale of the given direction.

    The locale's own, unless the text has no strong character of that direction; then the first
    strong character decides (UAX #9 P2, P3). So an English name alone in an Arabic set keeps its
    full stop on the right, and a sentence that begins with a Latin name stays right-to-left.
    """
    if direction == "ltr" and not _is_directed(text):
        return "ltr"
    strong = _STRONG[direction]
    return direction if any(icu.Char.charDirection(ord(char)) in strong for char in text) else None


@cache
def _script(char: str) -> str:
    script = character_script(char)
    return _ONE_SCRIPT.get(script, script)


class Itemizer:
    """Cuts paragraphs for one font stack, and remembers what its first face draws."""

    def __init__(self, stack: FontStack) -> None:
        self.stack = stack
        self._plain: dict[str, str] = {}

    def runs(self, text: str, direction: Direction) -> Itemized:
        """Itemize one paragraph; `direction` is the locale's."""
        if not text:
            return Itemized(int(direction == "rtl"), [], [])
        level, levels = resolve(text, base_direction(text, direction))
        plain = self._plain
        letters = set(text)
        for char in letters.difference(plain):
            plain[char] = self._plain_script(char)
        scripts = set(map(plain.__getitem__, letters)) - {"Zyyy"} or {"Zyyy"}
        if len(scripts) > 1 or "" in scripts or levels.count(levels[0]) < len(levels):
            return self._cut(text, level, levels)
        run = Run(0, len(text), levels[0], scripts.pop(), self.stack.primary)
        return Itemized(level, [run], [])

    def _plain_script(self, char: str) -> str:
        """Return a character's script if the first face has it and no cluster rule concerns it."""
        is_plain = char not in "\u200d\ufe0e\ufe0f" and char < "\U0001f000" and not is_emoji(char)
        if not is_plain or not self.stack.primary.covers(char):
            return ""
        script = _script(char)
        return "Zyyy" if script == "Zinh" else script

    def _cut(self, text: str, level: int, levels: bytes) -> Itemized:
        ends = clusters(text)
        starts = [0, *ends[:-1]]
        pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
        found = [*map(self.stack.font_for, pieces)]
        missing = [piece for piece, face in zip(pieces, found, strict=True) if face is None]
        faces = [face or self.stack.primary for face in found]
        if len(set(faces)) > 1:
            self._unify_words(text, starts, ends, faces)
        scripts: list[str] = []
        script = ""
        for piece in pieces:  # Common and Inherited take their neighbour's
            piece_scripts = (
                script for script in map(_script, piece) if script not in _SHARED_SCRIPTS
            )
            script = next(piece_scripts, script)
            scripts.append(script)
        first = next(filter(None, scripts), "Zyyy")
        # HarfBuzz's rules for Indic scripts take ≠ apart, into = and a stroke beside it.
        keys = [
            (
                levels[start],
                "Zyyy" if face.for_symbols and _script(text[start]) == "Zyyy" else script or first,
                face,
            )
            for start, script, face in zip(starts, scripts, faces, strict=True)
        ]
        runs = []
        for key, places in groupby(zip(keys, starts, ends, strict=True), itemgetter(0)):
            _, begins, stops = zip(*places, strict=True)
            runs.append(Run(begins[0], stops[-1], *key))
        return Itemized(level, runs, missing)

    def _unify_words(
        self, text: str, starts: list[int], ends: list[int], faces: list[Face]
    ) -> None:
        """Give the letters and digits of a word to one face, the first that has all of a script.

        Digits go with the letters before them, else with those behind: H₂O and 3ƙ are words. What
        stands between letters, as an apostrophe, goes with them, too. A symbol alone stays.
        """
        for word in re.finditer(r"\S+", text):
            inside = range(bisect_left(starts, word.start()), bisect_left(starts, word.end()))
            if len({id(faces[i]) for i in inside}) < 2:
                continue
            lettered = [i for i in inside if text[starts[i]].isalnum() and not faces[i].emoji]
            by_script: dict[str, list[int]] = {}
            of_letters = [_script(text[starts[i]]) for i in lettered]
            last = next((script for script in of_letters if script != "Zyyy"), "Zyyy")
            for i, script in zip(lettered, of_letters, strict=True):
                last = script if script != "Zyyy" else last
                by_script.setdefault(last, []).append(i)
            for members in by_script.values():
                letters = "".join(text[starts[i] : ends[i]] for i in members)
                face = self.stack.font_for_all(letters)
                if face is not None:
                    for i in range(members[0], members[-1] + 1):
                        if i in members or (
                            i not in lettered and face.covers(text[starts[i] : ends[i]])
                        ):
                            faces[i] = face
