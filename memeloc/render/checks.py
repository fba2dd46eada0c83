"""What the proof looks for. In: a part as laid out and painted. Out: findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import skia
from fontTools import unicodedata as ucd

from memeloc.counts import counted
from memeloc.fonts import FontStack
from memeloc.fonts.emoji import has_emoji
from memeloc.model import Locale, TextBox
from memeloc.render.painting.paint import Area, Painted
from memeloc.render.proof import Finding, overlap
from memeloc.render.typesetting.breaks import clusters
from memeloc.render.typesetting.layout import PartLayout

LOW_CONTRAST = 3.0
"""Contrast ratio below which letters count as hard to see (WCAG 2.2, 1.4.3, large text)."""

_SLACK = 1.5
"""Pixels at each side of a line's ink that may lie on another's: such boxes are whole pixels, with
what anti-aliasing may add."""


def part_findings(
    box: TextBox,
    layout: PartLayout,
    painted: Painted,
    contrast: float | None,
    stack: FontStack,
    locale: Locale,
) -> Iterator[Finding]:
    """Find what a part shows by itself.

    Args:
        box: that it stands in.
        contrast: of its letters, None without ink.
        stack: the fonts that it is drawn with.
    """
    for kind, detail in _part_findings(layout, painted, contrast, stack, locale):
        yield Finding(kind, box.name, detail)


def _part_findings(
    layout: PartLayout,
    painted: Painted,
    contrast: float | None,
    stack: FontStack,
    locale: Locale,
) -> Iterator[tuple[str, str]]:
    if layout.missing:
        yield "missing glyph", f"not drawn: {' '.join(dict.fromkeys(layout.missing))}"
    if layout.truncated:
        yield "overflow", f"{counted(layout.truncated, 'character')} left out"
    if contrast is None:
        return
    text = "\n".join([line.text for line in layout.lines])
    if "\ufffd" in text:
        count = counted(text.count("\ufffd"), "character")
        yield "replacement character", f"{count} lost on the way here (U+FFFD)"
    if painted.clipped:
        yield "clipped", "letters reach over the picture's edge"
    if layout.size < locale.smallest_size - 1e-6:
        yield "too small", f"{layout.size:.1f} px, at least {locale.smallest_size:g} are legible"
    if contrast < LOW_CONTRAST:
        yield "low contrast", f"{contrast:.1f}:1"
    if layout.broken_word:
        yield "broken word", "a line ends within a word, without a hyphen's place"
    if has_emoji(text) and (lost := _lost(text, stack)):
        yield "lost colour", f"without flag, colour or tone: {' '.join(lost)}"
    if stack.absent and _is_substitute(layout, text, stack, locale):
        yield "substitute font", f"not found: {', '.join(stack.absent)}"
    if layout.hyphenated:
        yield "hyphenated", " ".join(layout.hyphenated)
    if layout.divided and not layout.broken_word:
        yield "divided", " ".join(layout.divided)


def _lost(text: str, stack: FontStack) -> list[str]:
    """Return the emoji that no font found draws as they are known."""
    ends = clusters(text)
    pieces = (text[start:end] for start, end in zip([0, *ends], ends, strict=False))
    return list(dict.fromkeys(stack.lost(pieces)))


def _is_substitute(layout: PartLayout, text: str, stack: FontStack, locale: Locale) -> bool:
    """Return whether others than the user's fonts draw the locale's script."""
    faces = {run.face for line in layout.lines for run in line.runs}
    return bool(faces - set(stack.users)) and locale.script in map(ucd.script, text)


def overlaps(parts: Sequence[tuple[str, Painted, Area]]) -> Iterator[Finding]:
    """Find the parts whose ink lies on that of others, line by line, turned as they are.

    Args:
        parts: the name of each, what was painted, and where.
    """
    for (name, below, under), (other, above, over) in combinations(parts, 2):
        if not below.ink or not above.ink or not overlap(below.ink, above.ink):
            continue
        shared = skia.Op(_shape(below, under), _shape(above, over), skia.kIntersect_PathOp)
        if not shared.isEmpty():
            yield Finding("parts overlap", other, f"{other} lies on {name}")


def _shape(painted: Painted, area: Area) -> skia.Path:
    """Return the boxes around each line's ink as they stand in the picture."""
    path = skia.Path()
    for box in painted.upright:
        rect = skia.Rect.MakeLTRB(*box).makeInset(_SLACK, _SLACK)
        if not rect.isEmpty():
            path.addRect(rect)
    turn = skia.Matrix()
    path.transform(turn.setRotate(area.angle, *area.centre))
    return path
