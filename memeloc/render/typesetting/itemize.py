"""Cutting a paragraph into runs. In: text, its base direction, a font stack. Out: uniform runs.

A run has one embedding level (UAX #9), one script (UAX #24, with Common and Inherited characters
joining their neighbours) and one face. A face is chosen for whole words where one has the whole
word, else for whole grapheme clusters: never two faces within a cluster.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from fontTools import unicodedata as ucd

from memeloc.fonts import Face, FontStack
from memeloc.fonts.emoji import is_emoji
from memeloc.model import Direction
from memeloc.render.typesetting import bidi
from memeloc.render.typesetting.breaks import clusters

_ONE_SCRIPT = {"Hira": "Hani", "Kana": "Hani", "Bopo": "Hani", "Hrkt": "Hani"}
_SHARED_SCRIPTS = frozenset({"Zyyy", "Zinh", "Zzzz"})
_WORD = re.compile(r"\S+")


class Run(NamedTuple):
    """Text of one direction, script and face: `start` to `end` in code points of its paragraph."""

    start: int
    end: int
    level: int
    script: str
    face: Face


class Itemized(NamedTuple):
    """A paragraph's runs in logical order.

    Attributes:
        level: the paragraph's embedding level, 0 or 1.
        runs: in logical order, without gaps.
        missing: grapheme clusters that no font draws.
    """

    level: int
    runs: list[Run]
    missing: list[str]


def base_direction(text: str, direction: Direction) -> bidi.Base:
    """The base direction of a paragraph in a locale of the given direction.

    The locale's own, unless the text has no strong character of that direction; then the first
    strong character decides (UAX #9 P2, P3). So an English name alone in an Arabic set keeps its
    full stop on the right, and a sentence that begins with a Latin name stays right-to-left.
    """
    if direction == "ltr" and bidi.is_directed(text) is None:
        return "ltr"
    return direction if direction in map(bidi.strong_direction, text) else None


class Itemizer:
    """Cuts paragraphs for one font stack, and remembers what each character needs.

    Args:
        stack: the faces to choose from.
    """

    def __init__(self, stack: FontStack) -> None:
        self.stack = stack
        self._scripts: dict[str, str] = {}
        self._plain: dict[str, str] = {}

    def runs(self, text: str, direction: Direction) -> Itemized:
        """Itemize one paragraph; `direction` is the locale's."""
        if not text:
            return Itemized(int(direction == "rtl"), [], [])
        resolved = bidi.resolve(text, base_direction(text, direction))
        levels = resolved.levels
        if levels.count(levels[0]) == len(levels):
            script = self._one_script(text)
            if script:
                run = Run(0, len(text), levels[0], script, self.stack.primary)
                return Itemized(resolved.level, [run], [])
        return self._cut(text, resolved.level, levels)

    def _one_script(self, text: str) -> str:
        """The script of text that the first face draws whole and that has one script; else ''."""
        plain = self._plain
        letters = set(text)
        for char in letters.difference(plain):
            plain[char] = self._plain_script(char)
        scripts = set(map(plain.__getitem__, letters)) - {"Zyyy"}
        if len(scripts) > 1:
            return ""
        return scripts.pop() if scripts else "Zyyy"

    def _plain_script(self, char: str) -> str:
        """A character's script when the first face has it and no cluster rule concerns it."""
        if (
            char in "\u200d\ufe0e\ufe0f"
            or char >= "\U0001f000"
            or is_emoji(char)
            or not self.stack.primary.covers(char)
        ):
            return ""
        script = self._script(char)
        return "Zyyy" if script == "Zinh" else script

    def _script(self, char: str) -> str:
        script = self._scripts.get(char)
        if script is None:
            script = ucd.script(char)
            script = self._scripts[char] = _ONE_SCRIPT.get(script, script)
        return script

    def _cut(self, text: str, paragraph: int, levels: bytes) -> Itemized:
        ends = clusters(text)
        faces, missing = self._faces(text, ends)
        scripts = self._resolved_scripts(text, ends)
        runs: list[Run] = []
        start = begin = 0
        current: tuple[Face, str, int] | None = None
        for index, end in enumerate(ends):
            face, script = faces[index], scripts[index]
            # HarfBuzz's rules for Indic scripts take ≠ apart, into = and a stroke beside it.
            if face.for_symbols and self._script(text[start]) == "Zyyy":
                script = "Zyyy"
            key = (face, script, levels[start])
            if current is not None and key != current:
                runs.append(Run(begin, start, current[2], current[1], current[0]))
                begin = start
            current = key
            start = end
        if current is not None:
            runs.append(Run(begin, len(text), current[2], current[1], current[0]))
        return Itemized(paragraph, runs, missing)

    def _resolved_scripts(self, text: str, ends: list[int]) -> list[str]:
        """Each cluster's script; Common and Inherited take their neighbour's."""
        scripts: list[str] = []
        start = 0
        last = ""
        for end in ends:
            for script in map(self._script, text[start:end]):
                if script not in _SHARED_SCRIPTS:
                    last = script
                    break
            scripts.append(last)
            start = end
        first = next((script for script in scripts if script), "Zyyy")
        return [script or first for script in scripts]

    def _faces(self, text: str, ends: list[int]) -> tuple[list[Face], list[str]]:
        """Each cluster's face, and the clusters that no face draws."""
        stack = self.stack
        faces: list[Face] = []
        missing: list[str] = []
        start = 0
        for end in ends:
            cluster = text[start:end]
            face = stack.font_for(cluster)
            if face is None:
                missing.append(cluster)
                face = stack.primary
            faces.append(face)
            start = end
        if len(set(faces)) > 1:
            self._unify_words(text, ends, faces)
        return faces, missing

    def _unify_words(self, text: str, ends: list[int], faces: list[Face]) -> None:
        """Give the letters and digits of a word to one face, the first that has all of a script.

        Digits go with the letters before them, else with those behind: H₂O and 3ƙ are words. What
        stands between letters, as an apostrophe, goes with them, too. A symbol alone stays.
        """
        starts = [0, *ends[:-1]]
        for word in _WORD.finditer(text):
            inside = range(bisect_left(starts, word.start()), bisect_left(starts, word.end()))
            if len({id(faces[i]) for i in inside}) < 2:
                continue
            lettered = [i for i in inside if text[starts[i]].isalnum() and not faces[i].emoji]
            by_script: dict[str, list[int]] = {}
            of_letters = [self._script(text[starts[i]]) for i in lettered]
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
