"""What is rendered while time is taken. In: the starter set. Out: two-part captions, no text twice.

A real set has thousands of different captions; the starter set has some forty of two parts. So each
round of the measurement sets the words of every part in another order: the letters and lengths stay
those of natural text, while nothing that is kept from one text serves another.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from memeloc.locales import default
from memeloc.locales.breaking import ends, uppercase
from memeloc.model import Caption, Locale, Template
from memeloc.templates import load_templates

ROOT = Path(__file__).resolve().parent.parent
STARTER = ROOT / "examples" / "starter" / "captions.csv"

LANGUAGES = ("en", "de", "es", "hi", "zh", "ar")
TEMPLATES = ("robot-chef", "summit-snail")
"""The two templates of 512 x 512 pixels; both have a box at the top and one at the bottom."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture to make.

    Attributes:
        number: its place in its round, from 0.
        template: of two boxes, 512 x 512.
        caption: as memeloc gets it.
        locale: its language.
        drawn: the parts as a peer gets them: upper case where memeloc will make them so.
    """

    number: int
    template: Template
    caption: Caption
    locale: Locale
    drawn: tuple[str, ...]


def two_part_captions(language: str) -> list[Caption]:
    """The starter set's captions of two parts, both with text, in one language column."""
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        captions = [Caption.parse(row[language]) for row in csv.DictReader(stream)]
    return [caption for caption in captions if len(caption.parts) == 2 and all(caption.parts)]


def templates() -> list[Template]:
    """The square templates."""
    by_name, _ = load_templates()
    return [by_name[name] for name in TEMPLATES]


def scenes(
    language: str, squares: Sequence[Template], *, turn: int, most: int | None = None
) -> list[Scene]:
    """The scenes of one language for one round.

    Args:
        language: a column of the starter set.
        squares: the templates; each caption is set on each of them, in an order of its own.
        turn: number of the round; in round 0 the captions are as they were written.
        most: how many captions at most.
    """
    locale = default().get(language)
    captions = two_part_captions(language)[:most]
    made: list[Scene] = []
    for index, template in enumerate(squares):
        for caption in captions:
            parts = caption.parts
            if turn or index:
                chance = random.Random(f"{turn} {template.name} {caption}")
                parts = tuple(_shuffled(part, locale, chance) for part in parts)
            made.append(
                Scene(len(made), template, Caption(parts), locale, _as_drawn(parts, locale))
            )
    return made


def _shuffled(part: str, locale: Locale, chance: random.Random) -> str:
    """The same words in another order; a word is what stands between line break opportunities."""
    words = [part[i:j] for i, j in pairwise([0, *ends(part, "Line", locale.line_break)])]
    spaced = " " in part
    words = [word.strip() for word in words]
    chance.shuffle(words)
    return (" " if spaced else "").join(words)


def _as_drawn(parts: tuple[str, ...], locale: Locale) -> tuple[str, ...]:
    return tuple(uppercase(part, locale) for part in parts) if locale.uppercase else parts
