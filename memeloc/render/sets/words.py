"""Words and their boxes, for training readers. In: OUT's manifest. Out: a table of words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from memeloc.render.sets.reading import read_pictures
from memeloc.tables import Column, write_table

_PICTURE = ("path", "meme_id", "language", "locale", "width", "height")
_COLUMNS = (*_PICTURE, "parts", "lines", "findings", "words", "word_boxes", "word_lines")
_CORNERS = ("x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4")
_NUMBERS = ("width", "height", "line", "order", *_CORNERS)

WORD_COLUMNS = tuple(
    Column(name, "integer" if name in _NUMBERS else "truth" if name == "legible" else "text")
    for name in (*_PICTURE, "part", "line", "order", "text", *_CORNERS, "legible")
)
"""The picture's path in the set's folder, meme, column, locale and size in pixels; the text box's
name, the line in the picture and the place in the order of reading, from 0; the word and its box's
corners in pixels, clockwise from the top left of the text; whether it is not "too small"."""


def write_words(out: Path, to: Path, languages: Collection[str] | None = None) -> int:
    """Write the words of a set as a table, a row each, and return how many there are.

    Args:
        out: the folder that `memeloc render` wrote.
        to: .csv, .jsonl or .parquet.
        languages: columns of the captions table; all when None.

    Raises:
        InputError: no manifest, one without boxes, a language it lacks, or the file cannot be
            written.
    """
    pictures = read_pictures(out, _COLUMNS, languages)
    return write_table(to, WORD_COLUMNS, (row for picture in pictures for row in _rows(picture)))


def _rows(picture: dict[str, Any]) -> Iterator[Sequence[Any]]:
    small = {item["part"] for item in picture["findings"] or () if item["kind"] == "too small"}
    parts = [
        part for part, lines in zip(picture["parts"], picture["lines"], strict=True) for _ in lines
    ]
    words = (picture["words"] or (), picture["word_boxes"] or (), picture["word_lines"] or ())
    about = [picture[name] for name in _PICTURE]
    for order, (text, box, line) in enumerate(zip(*words, strict=True)):
        left, top, right, bottom = box[:4]
        corners = box if len(box) == 8 else (left, top, right, top, right, bottom, left, bottom)
        yield (*about, parts[line], line, order, text, *corners, parts[line] not in small)
