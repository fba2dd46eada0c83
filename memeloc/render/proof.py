"""The proof of a picture. In: what was painted. Out: a Proof and its findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Grade = Literal["fault", "warning", "note"]
"""How bad a finding is, see `KINDS`."""

KINDS: Mapping[str, Grade] = {
    # The picture does not show all that was written: no reader can make up for it.
    "missing glyph": "fault",
    "replacement character": "fault",
    "overflow": "fault",
    "clipped": "fault",
    # It may be wrong; somebody who looks at the picture sees whether it is.
    "missing part": "warning",
    "damaged text": "warning",
    "dotted circle": "warning",
    "parts overlap": "warning",
    "over the subject": "warning",
    "too small": "warning",
    "low contrast": "warning",
    "broken word": "warning",
    "lost colour": "warning",
    "substitute font": "warning",
    "mixed faces": "warning",
    # It is as it should be, and a designer may want to know.
    "hyphenated": "note",
    "divided": "note",
    "unusual text": "note",
}
"""All kinds of findings, worst first, and their grades."""

PROBLEMS = tuple(kind for kind, grade in KINDS.items() if grade != "note")
"""The kinds that are to be looked at: faults and warnings, worst first."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""

TextShape = tuple[int, ...]
"""Left, top, right, bottom in whole pixels, right and bottom outside; or, of text that is turned,
its corners x, y from the top left of the text on, clockwise."""


class Word(NamedTuple):
    """A word with the marks that touch it, its line's number in its part, from 0, and its ink."""

    text: str
    line: int
    box: TextShape


class TextBoxes(NamedTuple):
    """Boxes of the lines of a part (None without ink), and its inked words, in reading order."""

    lines: tuple[TextShape | None, ...]
    words: tuple[Word, ...]


NO_TEXT = TextBoxes((), ())


class Finding(NamedTuple):
    """A kind of KINDS, the text box's name (empty for the whole picture), and what was found."""

    kind: str
    part: str
    detail: str

    @property
    def grade(self) -> Grade:
        """Return how bad it is."""
        return KINDS[self.kind]


@dataclass(frozen=True, slots=True)
class PartProof:
    """The outcome of one part of a caption.

    Attributes:
        name: the text box's.
        font_size: in pixels of the finished picture; 0.0 for an empty part.
        lines: the text of each line, in logical order.
        ink: what the letters and their outline cover, or None for an empty part.
        contrast: WCAG 2 contrast ratio of the letters against what is right behind them: their
            outline, or the picture where there is none, see `checks.contrast_behind`; None for an
            empty part.
        fonts: the families used.
    """

    name: str
    font_size: float
    lines: tuple[str, ...] = ()
    ink: Box | None = None
    contrast: float | None = None
    fonts: tuple[str, ...] = ()
    boxes: TextBoxes = NO_TEXT


@dataclass(frozen=True, slots=True)
class Proof:
    """The findings on a rendered picture.

    Attributes:
        width, height: of the picture, in pixels.
        parts: one for each text box.
        coverage: share of the picture that its lines of text cover, 0 to 1.
        middle_coverage: the same for its middle, the central half of width and of height.
        findings: worst first.
        fonts: SHA-256 of the file of each font used, by family.
    """

    width: int
    height: int
    parts: tuple[PartProof, ...]
    coverage: float
    middle_coverage: float
    findings: tuple[Finding, ...] = ()
    fonts: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> tuple[str, ...]:
        """The kinds of its faults and warnings, worst first."""
        kinds = dict.fromkeys(finding.kind for finding in self.findings)
        return tuple(kind for kind in kinds if KINDS[kind] != "note")


def overlap(box: Box, other: Box) -> int:
    """Return the area that two boxes share, in pixels."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    return across * down if across > 0 and down > 0 else 0


def prove(
    size: tuple[int, int],
    parts: Sequence[PartProof],
    line_boxes: Sequence[Box],
    findings: Iterable[Finding],
    fonts: Mapping[str, str],
) -> Proof:
    """Put the proof of a picture of a size in pixels together.

    `line_boxes` are the ink of every line of every part; `findings` come in any order.
    """
    width, height = size
    middle = (width // 4, height // 4, width - width // 4, height - height // 4)
    covered, core = (
        min(1.0, sum(overlap(box, whole) for box in line_boxes) / overlap(whole, whole))
        for whole in ((0, 0, width, height), middle)
    )
    worst_first = sorted(findings, key=lambda finding: [*KINDS].index(finding.kind))
    return Proof(width, height, tuple(parts), covered, core, tuple(worst_first), fonts)
