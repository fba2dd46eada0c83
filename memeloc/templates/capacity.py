"""Capacity of text boxes. In: a template and a locale. Out: characters, estimated, a box each.

Translators get it before they write; what really fits is known only when it is shaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from memeloc.model import Locale, Template
from memeloc.templates import picture_size

_ADVANCE: Mapping[str, float] = {"Hans": 1.0, "Hant": 1.0, "Jpan": 1.0, "Kore": 0.95, "Thai": 0.5}
_POSTER_ADVANCE, _TEXT_ADVANCE = 0.46, 0.56
"""Mean advance of a letter in em: of the condensed poster face in capitals, and of text faces. Over
the starter set's captions in each script; signs of East Asia fill the em."""
_LINE, _RAGGED = 1.25, 0.85
"""Line distance in em, and the share of a block that its ragged lines fill."""


@cache
def capacity(template: Template | None, locale: Locale) -> tuple[int, ...]:
    """Return the characters that each box of a template can hold at a comfortable size, estimated.

    Comfortable is half of the largest size that the box's style allows, but a quarter more than the
    locale's smallest legible size at the least. The estimate is lines times letters a line, by the
    mean width of a letter, less what ragged lines leave; shaping decides what really fits. Raise
    InputError if the template's picture cannot be read.
    """
    if template is None:
        return ()
    width, height = picture_size(template.image)
    characters = []
    for box in template.boxes:
        size = max(1.25 * locale.smallest_size, box.style.max_size * height / 2)
        poster = box.style.face == "poster"
        advance = _ADVANCE.get(locale.script, _POSTER_ADVANCE if poster else _TEXT_ADVANCE)
        lines = max(1, int(box.height * height / (size * _LINE)))
        letters = box.width * width / (size * advance)
        characters.append(max(1, int(lines * letters * (_RAGGED if lines > 1 else 1.0))))
    return tuple(characters)
