"""Where words too long for their box may break. In: a text, its words. Out: the text with marks.

A mark is a soft hyphen (U+00AD), which shows as the language's hyphen at the end of a line and
nowhere else, as one that an author typed does; or a zero width space (U+200B) behind the underscore
of a file name, where no hyphen belongs. The patterns are TeX's, in pyphen's dictionaries; some
change the spelling (Hungarian asszony, asz-szony). Where no pattern helps a word is broken between
grapheme clusters, with a hyphen in the scripts that use one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from memeloc.locales.hyphens import dictionary
from memeloc.model import Locale
from memeloc.render.typesetting.breaks import clusters, opportunities
from memeloc.render.typesetting.lines import SOFT_HYPHEN

if TYPE_CHECKING:
    import pyphen

ZERO_WIDTH_SPACE = "\u200b"

SHORTEST_HEAD = SHORTEST_TAIL = 3
"""Letters of a hyphenated word before its hyphen and after it. Two are allowed in most languages,
but look torn off in large type."""
SHORTEST_WORD = 11
"""Letters of a word that is hyphenated at all: shorter ones read better whole and smaller."""

_MARKS_OF_LETTERS = "\u0300-\u036f\u200c\u200d" + "".join(
    chr(code) for code in range(0x900, 0xE00) if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
_LETTER = (
    f"(?:[{_MARKS_OF_LETTERS}]|(?=[A-\u058f\u0900-\u0dff\u10a0-\u10ff\u1c80-\u1cbf\u1e00-\u1fff])"
    r"[^\W\d_])"
)
"""A letter or mark of a script in which a broken word ends its line with a hyphen: Latin, Greek,
Cyrillic, Armenian, Georgian, and the scripts of India and Sri Lanka."""

_LETTERS = re.compile(f"{_LETTER}+")
_NAMES = re.compile(r"(?<=\w\w_)(?=\w\w)")


@dataclass(frozen=True, slots=True)
class Point:
    """A place at which a word may break.

    Attributes:
        start, stop: offsets in the text of the letters that are spelled otherwise when the word is
            broken here; most often none, and both are the place itself.
        head, tail: their spelling before and after the break.
        mark: what shows that lines may end here.
    """

    start: int
    stop: int
    head: str = ""
    tail: str = ""
    mark: str = SOFT_HYPHEN


def points(text: str, words: Iterable[tuple[int, int]], locale: Locale) -> list[Point]:
    """The places at which some words of a text may break, by the language's patterns.

    Args:
        text: with words, punctuation and all.
        words: where those begin and end that are too long.
        locale: whose dictionary is used; without one only file names break, behind underscores.
    """
    places: list[Point] = []
    for start, end in words:
        if SOFT_HYPHEN in text[max(0, start - 1) : end]:
            continue
        names = [match.start() for match in _NAMES.finditer(text, start, end)]
        places += [Point(at, at, mark=ZERO_WIDTH_SPACE) for at in names]
        if not names:
            places += _hyphens(text, start, end, locale)
    return places


def cluster_points(text: str, words: Iterable[tuple[int, int]]) -> list[Point]:
    """The places at which words may break with a hyphen when nothing else helps."""
    return [
        Point(match.start() + at, match.start() + at)
        for start, end in words
        for match in _LETTERS.finditer(text, start, end)
        for at in clusters(match[0])[:-1]
    ]


def inner_ends(text: str, locale: Locale) -> list[int]:
    """Where lines of a text with `cluster_points` may end: where they may anyway, and within words.

    Between two letters of a script that hyphenates only at a mark.
    """
    allowed = set(opportunities(text, locale))
    for end in clusters(text)[:-1]:
        before, after = text[end - 1], text[end]
        if after != SOFT_HYPHEN and not (_LETTERS.match(before) and _LETTERS.match(after)):
            allowed.add(end)
    return sorted(allowed)


def respelt(
    text: str, places: Iterable[Point], spans: Sequence[tuple[int, int]] | None = None
) -> tuple[str, list[tuple[int, int]]]:
    """The text with a mark at places, and spelled as words are that break there.

    Args:
        text: without marks.
        places: ascending.
        spans: begins and ends of lines in the text that has all marks; only those marks stay that
            end a line. All stay without.

    Returns:
        The text, and the spans in it.
    """
    ends = None if spans is None else {end for _, end in spans}
    pieces: list[str] = []
    dropped: list[tuple[int, int]] = []  # where in the text with all marks, and the growth
    done = grown = 0
    for point in places:
        if point.start < done:
            continue
        mark_ends = point.start + grown + len(point.head) + len(point.mark)
        growth = len(point.head + point.mark + point.tail) - (point.stop - point.start)
        grown += growth
        if ends is None or mark_ends in ends:
            pieces += [text[done : point.start], point.head, point.mark, point.tail]
        else:
            pieces.append(text[done : point.stop])
            dropped.append((point.stop + grown, growth))
        done = point.stop

    def moved(offset: int) -> int:
        return offset - sum(growth for end, growth in dropped if end <= offset)

    moved_spans = [(moved(begin), moved(end)) for begin, end in spans or ()]
    return "".join([*pieces, text[done:]]), moved_spans


def _hyphens(text: str, start: int, end: int, locale: Locale) -> Iterator[Point]:
    if not locale.hyphenation:
        return
    for match in _LETTERS.finditer(text, start, end):
        word = match[0]
        if len(word) < SHORTEST_WORD:
            continue
        ends = set(clusters(word))
        for position in _patterns(locale.hyphenation).positions(word):
            if position not in ends:
                continue
            at = match.start() + position
            if position.data is None:
                yield Point(at, at)
            else:
                change, index, cut = position.data
                head, _, tail = (change.upper() if word.isupper() else change).partition("=")
                yield Point(at + index, at + index + cut, head, tail)


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
def _patterns(name: str) -> pyphen.Pyphen:
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
    return pyphen.Pyphen(filename=path, left=SHORTEST_HEAD, right=SHORTEST_TAIL)
