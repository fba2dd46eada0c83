"""Boxes of words for training readers. In: a set's manifest. Out: a file as COCO-Text v2 has it.

COCO-Text (Veit et al. 2016, arXiv:1601.07140; bgshih.github.io/cocotext) keeps pictures, the words
in them and which words a picture has apart, each by id. A word's `mask` are its corners, clockwise
from the top left of the text; `bbox` is left, top, width, height around them within the picture.
What the format does not name is added: `locale`, and `line` and `order` in which words are read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from memeloc.files import replacing
from memeloc.render.sets.reading import read_pictures
from memeloc.version import __version__

_COLUMNS = (
    "path",
    "language",
    "locale",
    "width",
    "height",
    "lines",
    "too_small",
    "words",
    "word_boxes",
    "word_lines",
)


@dataclass(frozen=True, slots=True)
class CocoText:
    """What was written.

    Attributes:
        file: where.
        pictures, words: how many are in it.
    """

    file: Path
    pictures: int
    words: int


def write_coco_text(out: Path, to: Path, languages: Collection[str] | None = None) -> CocoText:
    """Write the words of a set and their boxes as COCO-Text v2.

    Words below the locale's smallest legible size are `illegible`, all others `legible`.

    Args:
        out: the folder that `memeloc render` wrote; `file_name` is relative to it.
        to: the JSON file.
        languages: columns of the captions table; all when None.

    Raises:
        InputError: no manifest, one without boxes, a language it lacks, or the file cannot be
            written.
    """
    counts = [0, 0]

    def pictures() -> Iterator[tuple[int, dict[str, Any]]]:
        return enumerate(read_pictures(out, _COLUMNS, languages), 1)

    def words() -> Iterator[tuple[int, int, dict[str, Any]]]:
        first = 1
        for number, picture in pictures():
            yield number, first, picture
            first += len(picture["words"] or ())

    def images() -> Iterator[tuple[int, Any]]:
        for number, picture in pictures():
            counts[0] += 1
            yield number, _image(number, picture)

    def annotations() -> Iterator[tuple[int, Any]]:
        for number, first, picture in words():
            for annotation in _annotations(number, first, picture):
                counts[1] += 1
                yield annotation["id"], annotation

    def by_image() -> Iterator[tuple[int, Any]]:
        for number, first, picture in words():
            yield number, list(range(first, first + len(picture["words"] or ())))

    with replacing(to) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        about = {
            "version": "2",
            "description": f"{out.resolve().name}, made by memeloc {__version__}",
        }
        file.write(f'{{"info":{json.dumps(about, ensure_ascii=False)},"cats":{{}}')
        sections: Sequence[tuple[str, Callable[[], Iterator[tuple[int, Any]]]]] = (
            ("imgs", images),
            ("anns", annotations),
            ("imgToAnns", by_image),
        )
        for name, items in sections:
            _write(file, name, items())
        file.write("}\n")
    return CocoText(to, counts[0], counts[1])


def _write(file: TextIO, name: str, items: Iterator[tuple[int, Any]]) -> None:
    """Write a dictionary an item at a time: a large set has millions of words."""
    file.write(f',\n"{name}":{{')
    for count, (key, value) in enumerate(items):
        comma = ",\n" if count else "\n"
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        file.write(f'{comma}"{key}":{text}')
    file.write("}")


def _image(number: int, picture: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": number,
        "set": "train",
        "width": picture["width"],
        "height": picture["height"],
        "file_name": picture["path"],
    }


def _annotations(number: int, first: int, picture: dict[str, Any]) -> Iterator[dict[str, Any]]:
    small = [
        too_small
        for lines, too_small in zip(picture["lines"], picture["too_small"], strict=True)
        for _ in lines
    ]
    columns = (picture["words"] or (), picture["word_boxes"] or (), picture["word_lines"] or ())
    for order, (text, box, line) in enumerate(zip(*columns, strict=True)):
        mask = _corners(box)
        left, right = (min(max(edge(mask[::2]), 0), picture["width"]) for edge in (min, max))
        top, bottom = (min(max(edge(mask[1::2]), 0), picture["height"]) for edge in (min, max))
        yield {
            "id": first + order,
            "image_id": number,
            "bbox": [left, top, right - left, bottom - top],
            "mask": mask,
            "area": _area(mask),
            "utf8_string": text,
            "class": "machine printed",
            "legibility": "illegible" if small[line] else "legible",
            "language": "english" if picture["locale"].startswith("en") else "not english",
            "locale": picture["locale"],
            "line": line,
            "order": order,
        }


def _corners(box: Sequence[int]) -> list[int]:
    if len(box) != 4:
        return list(box)
    left, top, right, bottom = box
    return [left, top, right, top, right, bottom, left, bottom]


def _area(corners: Sequence[int]) -> float:
    """Square pixels of a polygon, by the shoelace formula."""
    xs, ys = corners[::2], corners[1::2]
    around = zip(xs, ys, [*xs[1:], xs[0]], [*ys[1:], ys[0]], strict=True)
    return abs(sum(x * next_y - next_x * y for x, y, next_x, next_y in around)) / 2
