"""Hyphenation of words too long for their box. In: a text, its words. Out: the text with marks.

A mark is a soft hyphen (U+00AD), which shows as the language's hyphen at the end of a line and
nowhere else, as one that an author typed does; or a zero width space (U+200B) where no hyphen
belongs: in addresses, hashtags and names, and between the repeated letters of a scream. The
patterns are TeX's, in pyphen's dictionaries; some change the spelling (Hungarian asszony,
asz-szony). Where none helps a word is broken between grapheme clusters, with a hyphen in the
scripts that use one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from memeloc.locales.breaking import dictionary
from memeloc.model import Locale
from memeloc.render.typesetting.breaks import clusters
from memeloc.render.typesetting.lines import SOFT_HYPHEN

ZERO_WIDTH_SPACE = "\u200b"

SHORTEST_HEAD = SHORTEST_TAIL = 3
"""Letters of a hyphenated word before its hyphen and after it. Two are allowed in most languages,
but look torn off in large type."""
SHORTEST_WORD = 11
"""Letters of a word that is hyphenated at all: shorter ones read better whole and smaller."""

_MARKS_OF_LETTERS = "\u0300-\u036f\u200c\u200d" + "".join(
    chr(code) for code in range(0x900, 0xE00) if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
_LETTERS = (
    f"(?:[{_MARKS_OF_LETTERS}]|(?=[A-\u058f\u0900-\u0dff\u10a0-\u10ff\u1c80-\u1cbf\u1e00-\u1fff])"
    r"[^\W\d_])+"
)
"""Letters and marks of a script in which a broken word ends its line with a hyphen: Latin, Greek,
Cyrillic, Armenian, Georgian, and the scripts of India and Sri Lanka."""

# A hyphen in an address, a file name, a hashtag or a name would be taken for part of it. Two
# letters behind a full stop tell report.final from e.g.; a space forgotten behind a full stop makes
# an address of two words, which then breaks there, as it should.
_NAME = re.compile(r"[#＃@]\w|\w[@_]\w|://|\w\.[^\W\d_]{2}")
_IN_NAME = re.compile(r"(?<=\w\w[._@/])(?=\w\w)")

# A unit of at most four letters, five times or more: NOOOOO, hahaha, ههههه, 5555555, ha!ha!ha!ha!.
# In three or four times (Mississippi, a phone number's 000) readers look for the word's own ends.
_REPEATED = re.compile(r"(?P<unit>(?=\w)\S{1,8}?)(?P=unit){4,}", re.IGNORECASE)


class Point(NamedTuple):
    """A place at which a word may break, and the mark that shows it.

    The letters from `start` to `stop` are spelled `head` before the break and `tail` after it; most
    often there are none, and both offsets are the place itself.
    """

    start: int
    stop: int
    head: str = ""
    tail: str = ""
    mark: str = SOFT_HYPHEN


def points(text: str, words: Iterable[tuple[int, int]], locale: Locale) -> list[Point]:
    """Return the places in too long words, which begin and end at `words`, for a hyphen or none."""
    places: list[Point] = []
    for start, end in words:
        if SOFT_HYPHEN in text[max(0, start - 1) : end] or _REPEATED.search(text, start, end):
            continue
        if not _NAME.search(text, start, end):
            places += _hyphens(text, start, end, locale)
            continue
        joints = [match.start() for match in _IN_NAME.finditer(text, start, end)]
        joints = joints or [at.start for at in _hyphens(text, start, end, locale)]
        places += [Point(at, at, mark=ZERO_WIDTH_SPACE) for at in joints]
    return places


def _hyphens(text: str, start: int, end: int, locale: Locale) -> Iterator[Point]:
    done = start
    for match in re.compile(_LETTERS).finditer(text, start, end):
        word = match[0]
        if len(word) < SHORTEST_WORD or not locale.hyphenation:
            continue
        ends = set(clusters(word))
        for position in _patterns(locale.hyphenation)(word):
            at = match.start() + position
            change, index, cut = position.data or ("", 0, 0)
            if position in ends and at + index >= done:
                head, _, tail = (change.upper() if word.isupper() else change).partition("=")
                done = at + index + cut
                yield Point(at + index, done, head, tail)


def repeated_points(text: str, words: Iterable[tuple[int, int]]) -> list[Point]:
    """Return the places in some words of a text between letters that are repeated."""
    ends = set(clusters(text))
    return [
        Point(at, at, mark=ZERO_WIDTH_SPACE)
        for start, end in words
        for match in _REPEATED.finditer(text, start, end)
        for at in range(match.end("unit"), match.end(), len(match["unit"]))
        if at in ends
    ]


def cluster_points(text: str, words: Iterable[tuple[int, int]]) -> list[Point]:
    """Return the places between any two clusters of words, for when nothing else helps."""
    places = []
    is_letter = re.compile(_LETTERS).match
    for start, end in words:
        is_name = _NAME.search(text, start, end) or _REPEATED.search(text, start, end)
        for at in (start + offset for offset in clusters(text[start:end])[:-1]):
            before, after = text[at - 1], text[at]
            is_punctuated = before.isalnum() and unicodedata.category(after)[0] == "P"
            if is_punctuated or SOFT_HYPHEN in (before, after):
                continue
            is_within = is_letter(before) and is_letter(after)
            mark = SOFT_HYPHEN if is_within and not is_name else ZERO_WIDTH_SPACE
            places.append(Point(at, at, mark=mark))
    return places


def marked(text: str, places: Sequence[Point]) -> tuple[str, list[int]]:
    """Return the text with a mark at ascending places, spelled as it is there; and their ends."""
    pieces: list[str] = []
    ends: list[int] = []
    done = length = 0
    for start, stop, head, tail, mark in places:
        before = text[done:start] + head + mark
        pieces += [before, tail]
        ends.append(length + len(before))
        length = ends[-1] + len(tail)
        done = stop
    return "".join([*pieces, text[done:]]), ends


class _Patterns(dict[str, str]):
    """A dictionary's patterns as they are written, by their letters.

    pyphen parses one when a word has it, not all at its start: those of German take it a second of
    the processor's time, as long as 300 pictures take.
    """

    def get(self, letters: str, default: object = None) -> Any:
        """Return the pattern of these letters as pyphen has it: its offset and its values."""
        import pyphen

        pattern, _, change = super().get(letters, "").partition("/")
        value = pyphen.AlternativeParser(pattern, change) if change else int
        return (0, [value(digit or "0") for digit, _ in pyphen.parse(pattern)]) if pattern else None


@cache
def _patterns(name: str) -> Callable[[str], list[Any]]:
    import pyphen

    path = dictionary(name)
    encoding, _, lines = path.read_bytes().partition(b"\n")
    patterns, letters = (
        [line.strip() for line in content.decode(encoding.decode().strip()).splitlines()]
        for content in (lines, lines.translate(None, b"0123456789"))
    )
    hyphenator = pyphen.HyphDict.__new__(pyphen.HyphDict)
    keys = (line.partition("/")[0] for line in letters)
    hyphenator.patterns = _Patterns(zip(keys, patterns, strict=True))
    hyphenator.maxlen = max(map(len, hyphenator.patterns))
    hyphenator.cache = {}
    pyphen.hdcache[path] = hyphenator
    word = pyphen.Pyphen(filename=path, left=SHORTEST_HEAD, right=SHORTEST_TAIL)
    positions: Callable[[str], list[Any]] = word.positions
    return positions
