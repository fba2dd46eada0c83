"""What a picture was found to be. In: a layout on its background. Out: a Proof and its problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

LOW_CONTRAST = 3.0
"""Contrast ratio below which letters count as hard to see (WCAG 2.2, 1.4.3, large text)."""

PROBLEMS = (
    "missing glyph",
    "replacement character",
    "clipped",
    "overflow",
    "parts overlap",
    "too small",
    "broken word",
    "low contrast",
    "lost colour",
    "substitute font",
    "hyphenated",
)
"""All kinds of problem, worst first."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""


TextShape = tuple[int, ...]
"""Left, top, right, bottom in whole pixels, right and bottom outside; or, of text that is turned,
its corners x, y from the top left of the text on, clockwise."""


class Word(NamedTuple):
    """A word as it is drawn.

    Attributes:
        text: with the marks that touch it.
        line: the number of its line in its part, from 0.
        box: around its ink.
    """

    text: str
    line: int
    box: TextShape


class TextBoxes(NamedTuple):
    """Where the text of a part is.

    Attributes:
        lines: a box for each line of its layout; None for one without ink.
        words: in the order in which they are read; those without ink are left out.
    """

    lines: tuple[TextShape | None, ...]
    words: tuple[Word, ...]


NO_TEXT = TextBoxes((), ())


@dataclass(frozen=True, slots=True)
class PartProof:
    """What became of one part of a caption.

    Attributes:
        name: the text box's.
        font_size: in pixels of the finished picture; 0.0 for an empty part.
        lines: the text of each line, in logical order.
        ink: what the letters and their outline cover, or None for an empty part.
        contrast: lowest WCAG 2 contrast ratio of the letters against what is right behind them:
            their outline, or the picture where there is none; None for an empty part.
        fonts: the families used.
        missing: grapheme clusters that no font draws; they are left blank.
        replaced: how many characters of the text are U+FFFD, which stands for one that was lost
            on its way here.
        overlaps: names of the parts before it whose ink its own lies on.
        lost: emoji that lost their flag, their colour or their skin tone, or fell into pieces, for
            no font found draws them as they are known.
        absent: fonts that the language would be drawn with, and that are not found (Naskh letters
            stand in for Nastaliq).
        too_small: whether the size is below the locale's smallest legible one.
        broken_word: whether a line ends within a word for lack of space, where no pattern of
            hyphenation allows it.
        hyphenated: words that lines break with a hyphen, as they are spelled then.
        truncated: grapheme clusters left out because not even the smallest size painted fits.
        clipped: whether ink fell outside the picture.
        boxes: where its lines and words are.
    """

    name: str
    font_size: float
    lines: tuple[str, ...] = ()
    ink: Box | None = None
    contrast: float | None = None
    fonts: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    replaced: int = 0
    overlaps: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    too_small: bool = False
    broken_word: bool = False
    hyphenated: tuple[str, ...] = ()
    truncated: int = 0
    clipped: bool = False
    boxes: TextBoxes = NO_TEXT


@dataclass(frozen=True, slots=True)
class Proof:
    """What a rendered picture was found to be.

    Attributes:
        width, height: of the picture, in pixels.
        parts: one for each text box.
        coverage: share of the picture that its lines of text cover, 0 to 1.
        middle_coverage: the same for its middle, the central half of width and of height.
        problems: kinds of PROBLEMS, worst first.
        fonts: SHA-256 of the file of each font used, by family.
    """

    width: int
    height: int
    parts: tuple[PartProof, ...]
    coverage: float
    middle_coverage: float
    problems: tuple[str, ...]
    fonts: Mapping[str, str] = field(default_factory=dict)


def middle_of(width: int, height: int) -> Box:
    """The middle of a picture: the central half of its width and of its height."""
    return (width // 4, height // 4, width - width // 4, height - height // 4)


def overlap(box: Box, other: Box) -> int:
    """The area that two boxes share, in pixels."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    return across * down if across > 0 and down > 0 else 0


def prove(
    width: int,
    height: int,
    parts: Sequence[PartProof],
    line_boxes: Sequence[Box],
    fonts: Mapping[str, str] = MappingProxyType({}),
) -> Proof:
    """Put a picture's proof together.

    Args:
        width, height: of the picture, in pixels.
        line_boxes: the ink of every line of every part.
        fonts: SHA-256 of the file of each font used, by family.
    """
    middle = middle_of(width, height)
    whole = (0, 0, width, height)
    covered = sum(overlap(box, whole) for box in line_boxes) / (width * height)
    core = sum(overlap(box, middle) for box in line_boxes) / overlap(middle, middle)
    kinds = {kind for part in parts for kind, is_so in _problems(part) if is_so}
    problems = tuple(kind for kind in PROBLEMS if kind in kinds) if kinds else ()
    return Proof(width, height, tuple(parts), min(covered, 1.0), min(core, 1.0), problems, fonts)


def _problems(part: PartProof) -> tuple[tuple[str, object], ...]:
    """Each kind of problem, and what is true where a part has it."""
    return (
        ("missing glyph", part.missing),
        ("replacement character", part.replaced),
        ("clipped", part.clipped),
        ("overflow", part.truncated),
        ("parts overlap", part.overlaps),
        ("too small", part.too_small),
        ("broken word", part.broken_word),
        ("low contrast", part.contrast is not None and part.contrast < LOW_CONTRAST),
        ("lost colour", part.lost),
        ("substitute font", part.absent),
        ("hyphenated", part.hyphenated),
    )
