"""Lines become a text. In: lines and where they are. Out: parts, as a person would read them.

Pieces side by side become a line, lines one below the other a part, and parts follow from top to
bottom, in a row in the script's direction. Where lines break is the picture's affair: within a part
they are joined by a space, or by nothing in a script that writes none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from memeloc.model import Locale
from memeloc.ocr.joined_words import part_words
from memeloc.ocr.protocol import Line

UNSPACED = frozenset(("Hans", "Hant", "Jpan", "Thai", "Laoo", "Khmr", "Mymr"))
"""Scripts that write no space between words."""

_WORD_GAP = 0.45
"""Most space between two pieces of a line, in heights of their boxes."""
_LINE_GAP = 0.55
"""Most space between two lines of a part, in heights of their boxes."""
_RATIO = 2.0
"""Most ratio of the heights of two neighbours: capitals alone are lower than Ä and g together."""
_SAME_ROW = 0.5
"""Least overlap of two boxes in a row, of the lower one's height."""
_JOINERS = "\u200c\u200d"
_BESIDE = re.compile(r"(?<=[A-Za-z0-9]) (?=[A-Za-z0-9])")


def arrange(lines: Sequence[Line], locale: Locale) -> tuple[Line, ...]:
    """Return the parts of a picture's text in reading order, each a `Line` with all its text.

    The locale's direction orders what stands side by side, its script says where spaces are.
    """
    return tuple(part for part, _ in arrange_rows(lines, locale) if part.text)


def arrange_rows(
    lines: Sequence[Line], locale: Locale
) -> tuple[tuple[Line, tuple[Line, ...]], ...]:
    """Return lines as `arrange` does, with the rows of each part beside it, from top to bottom."""
    backwards = locale.direction == "rtl"
    rows = []
    for pieces in _groups(lines, _same_line):
        pieces.sort(key=lambda piece: piece.box[0] + piece.box[2], reverse=backwards)
        rows.append(_merged(pieces, locale))
    parts, rows_of = [], {}
    for group in _groups(rows, _same_block):
        group.sort(key=lambda line: line.box[1])
        parts.append(_merged(group, locale))
        rows_of[id(parts[-1])] = tuple(group)
    return tuple((part, rows_of[id(part)]) for part in _ordered(parts, backwards))


def _groups(lines: Sequence[Line], near: Callable[[Line, Line], bool]) -> list[list[Line]]:
    """Return lines that are near one another, or near one that is."""
    left = sorted(lines, key=lambda line: (line.box[1], line.box[0], line.text))
    groups = []
    while left:
        group = [left.pop(0)]
        for line in group:
            group += [other for other in left if near(line, other)]
            left = [other for other in left if not near(line, other)]
        groups.append(group)
    return groups


def columns(lines: Sequence[Line]) -> list[list[Line]]:
    """Return lines in groups that no gap runs through: texts side by side, of two lines each at
    least.

    A line alone, and a piece of a line, stays with what it stands beside.
    """
    groups = _groups(lines, _same_block)

    def beside(group: list[Line], other: list[Line]) -> bool:
        touching = any(_same_line(line, piece) for line in group for piece in other)
        gap = max(_left(group), _left(other)) - min(_right(group), _right(other))
        return touching and (min(len(group), len(other)) < 2 or gap <= 0)

    joined: list[list[Line]] = []
    for group in groups:
        near = [other for other in joined if beside(group, other)]
        joined = [other for other in joined if not any(other is each for each in near)]
        joined.append([line for other in [*near, group] for line in other])
    return joined


def _left(lines: Sequence[Line]) -> float:
    return min(line.box[0] for line in lines)


def _right(lines: Sequence[Line]) -> float:
    return max(line.box[2] for line in lines)


def are_neighbours(line: Line, other: Line) -> bool:
    """Return whether two lines are pieces of one, or stand one below the other in one part."""
    return _same_line(line, other) or _same_block(line, other)


def _same_line(line: Line, other: Line) -> bool:
    least, most = _heights(line, other)
    shared = min(line.box[3], other.box[3]) - max(line.box[1], other.box[1])
    gap = max(line.box[0], other.box[0]) - min(line.box[2], other.box[2])
    return shared > _SAME_ROW * least and most < _RATIO * least and gap < _WORD_GAP * least


def _same_block(line: Line, other: Line) -> bool:
    least, most = _heights(line, other)
    gap = max(line.box[1], other.box[1]) - min(line.box[3], other.box[3])
    shared = min(line.box[2], other.box[2]) - max(line.box[0], other.box[0])
    narrower = min(line.box[2] - line.box[0], other.box[2] - other.box[0])
    return gap < _LINE_GAP * least and most < _RATIO * least and shared > 0.3 * narrower


def _heights(line: Line, other: Line) -> tuple[float, float]:
    both = line.box[3] - line.box[1], other.box[3] - other.box[1]
    return max(min(both), 1.0), max(both)


def _merged(pieces: Sequence[Line], locale: Locale) -> Line:
    text = clean(" ".join(piece.text for piece in pieces), locale)
    left, top, right, bottom = zip(*(piece.box for piece in pieces), strict=True)
    lengths = [max(1, len(piece.text)) for piece in pieces]
    weighed = sum(n * piece.confidence for n, piece in zip(lengths, pieces, strict=True))
    return Line(
        text,
        (min(left), min(top), max(right), max(bottom)),
        weighed / sum(lengths),
        any(piece.doubtful for piece in pieces),
        pieces[0].corners if len(pieces) == 1 else (),
    )


def _ordered(blocks: Sequence[Line], backwards: bool) -> list[Line]:
    """Return lines row by row; a row is what has its middle within the height of the row's first
    block."""
    left = sorted(blocks, key=lambda block: (block.box[1], block.box[0]))
    ordered = []
    while left:
        bottom = left[0].box[3]
        row = [block for block in left if (block.box[1] + block.box[3]) / 2 < bottom] or left[:1]
        left = [block for block in left if block not in row]
        ordered += sorted(row, key=lambda block: block.box[0], reverse=backwards)
    return ordered


def clean(text: str, locale: Locale) -> str:
    """Return a text without control characters and marks of direction, spaces as its script has
    them.

    >>> from memeloc.locales import default
    >>> clean("今天 不 写 CSS code", default().get("zh-Hans"))
    '今天不写CSS code'
    """
    cleaned = "".join(
        sign
        for sign in text
        if sign.isspace() or sign in _JOINERS or unicodedata.category(sign)[0] != "C"
    )
    # `//` between spaces parts captions; what was read there is a stroke.
    words = ["/" if set(word) == {"/"} else word for word in cleaned.split()]
    cleaned = unicodedata.normalize("NFC", " ".join(words))
    if locale.tag.split("-")[0] == "en":
        cleaned = part_words(cleaned)
    if locale.script in UNSPACED:
        return _BESIDE.sub("\0", cleaned).replace(" ", "").replace("\0", " ")
    return cleaned
