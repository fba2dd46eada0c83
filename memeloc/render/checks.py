"""Findings of the proof. In: a part as laid out and painted. Out: the boxes of its text, findings.

A box goes around the ink, its outline included; in a text box that is turned it is turned, too, see
`memeloc.render.proof.TextShape`. Words that the order of right-to-left text tears apart get the
box around all their pieces, which may go over other words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
import skia

from memeloc.counts import counted
from memeloc.damaged_text import damage, dotted_circle, lost_parts
from memeloc.fonts import Face, FontStack
from memeloc.fonts.faces import has_emoji
from memeloc.locales.tags import character_script
from memeloc.locales.words import word_spans
from memeloc.model import Caption, Locale, TextBox
from memeloc.render.background import Background, contrast, relative_luminance
from memeloc.render.painting.paint import Area, Painted, ink_box
from memeloc.render.proof import Box, Finding, PartProof, TextBoxes, TextShape, Word, overlap
from memeloc.render.typesetting.breaks import clusters
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import Line
from memeloc.render.typesetting.shape import inks

LOW_CONTRAST = 3.0
"""Contrast ratio below which letters count as hard to see (WCAG 2.2, 1.4.3, large text)."""

PHONE_WIDTH, PHONE_SHARE = 360, 0.5
"""A picture is looked at on a phone, 360 CSS pixels wide (many of Android's; others up to 440), and
there letters need half of what the locale calls legible: 7 px for Latin. Their x-height is then
0.55 mm (a CSS pixel is 1/160 inch), which at 36 cm, the mean distance from eye to phone (Bababekova
et al. 2011), is 5 minutes of arc: what sharp eyes just read (20/20). At 0.6 two of the starter
set's 2,448 parts, which one reads without effort, were too small."""

_ACROSS, _DOWN = (np.indices((8, 8)).reshape(2, 64) + 0.5) / 8
_X, _Y = np.diag([1, 0]), np.diag([0, 1])
_PLACES = {
    4: np.kron([1 - _ACROSS, _ACROSS], _X) + np.kron([1 - _DOWN, _DOWN], _Y),
    8: np.kron([1 - _ACROSS - _DOWN, _ACROSS, 0 * _DOWN, _DOWN], _X + _Y),
}
"""Where a word is looked at, 8 by 8 places in its box: what each of the 4 or 8 numbers of its
`TextShape` has to do with the x and the y of each place, by turns."""

_HIDDEN = 0.05
"""Share of the subject's box that lines may cover: its corners are usually empty."""

_MARKED = re.compile("[\u0900-\u0dff\u0f00-\u109f\u1700-\u1aff\ua800-\uabff]")
"""Scripts whose marks HarfBuzz puts on a dotted circle where no letter can bear them."""

_SLACK = 1.5
"""Pixels at each side of a line's ink that may lie on another's: such boxes are whole pixels, with
what anti-aliasing may add."""


def prove_part(
    box: TextBox, layout: PartLayout, painted: Painted, background: Background, locale: Locale
) -> PartProof:
    """Return what became of a part that stands on a background, with the words of a locale."""
    if painted.ink is None:
        return PartProof(box.name, layout.size)
    boxes = _text_boxes(layout, painted, locale)
    outline, letters = relative_luminance(box.style.outline), relative_luminance(box.style.fill)
    width = box.style.outline_width * layout.size
    ratio = contrast(letters, outline)
    if width < 1 and box.bar:
        behind = relative_luminance(box.bar.colour)
        ratio = contrast(letters, width * outline + (1 - width) * behind)
    elif width < 1:
        ratio = contrast_behind(boxes, background, letters, outline, width)
    elif ratio < LOW_CONTRAST:
        # Letters and outline together may stand out, as all light ones on a dark picture.
        ratio = contrast_behind(boxes, background, outline)
    families = dict.fromkeys(run.face.family for line in layout.lines for run in line.runs)
    lines = tuple([line.text for line in layout.lines])
    return PartProof(box.name, layout.size, lines, painted.ink, ratio, tuple(families), boxes)


def _text_boxes(layout: PartLayout, painted: Painted, locale: Locale) -> TextBoxes:
    boxes: list[TextShape | None] = []
    words: list[Word] = []
    places = {id(item.line): item for item in painted.placed}
    area = painted.area
    for number, line in enumerate(layout.lines):
        item = places.get(id(line))
        if item is None:
            boxes.append(None)
            continue
        whole = _turned(item.ink, area)
        boxes.append(whole)
        spans = word_spans(line.text, locale)
        if len(spans) == 1:
            words.append(Word(line.text[slice(*spans[0])], number, whole))
            continue
        for (start, end), extent in zip(spans, _extents(line, spans), strict=True):
            if extent[0] < extent[2]:
                box = ink_box(item.x, item.y, extent, layout.size, area.margin)
                words.append(Word(line.text[start:end], number, _turned(box, area)))
    return TextBoxes(tuple(boxes), tuple(words))


def _extents(line: Line, spans: Sequence[tuple[int, int]]) -> list[list[float]]:
    """Return the ink of each word: left, bottom, right, top in ems as those of `Line`."""
    extents = [[math.inf, math.inf, -math.inf, -math.inf] for _ in spans]
    of_offset: list[list[float] | None] = [None] * len(line.text)
    for extent, (start, end) in zip(extents, spans, strict=True):
        of_offset[start:end] = [extent] * (end - start)
    last = len(of_offset) - 1
    for run in line.runs:
        boxes = inks(run.face)
        for (glyph, x, y), offset in zip(run.glyphs, run.offsets, strict=True):
            word = of_offset[min(offset, last)]
            if word is not None:
                left, bottom, right, top = boxes[glyph]
                word[:2] = min(word[0], x + left), min(word[1], y + bottom)
                word[2:] = max(word[2], x + right), max(word[3], y + top)
    return extents


def _turned(box: Box, area: Area) -> TextShape:
    if area.is_upright:
        return box
    left, top, right, bottom = box
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    turned = area.turn().mapPoints([skia.Point(*corner) for corner in corners])
    return tuple(round(value) for point in turned for value in (point.x(), point.y()))


def part_findings(
    part: PartProof, layout: PartLayout, stack: FontStack, locale: Locale, width: int
) -> Iterator[tuple[str, str]]:
    """Find what a part shows by itself in a picture of a width in pixels: kinds and details."""
    if layout.missing:
        yield "missing glyph", f"not drawn: {' '.join(dict.fromkeys(layout.missing))}"
    if layout.truncated:
        yield "overflow", f"{counted(layout.truncated, 'character')} left out"
    if part.ink is None:
        return
    text = "\n".join(part.lines)
    if "\ufffd" in text:
        count = counted(text.count("\ufffd"), "character")
        yield "replacement character", f"{count} lost on the way here (U+FFFD)"
    least = locale.smallest_size
    on_phone = layout.size * min(1.0, PHONE_WIDTH / width)
    if layout.size < least - 1e-6:
        yield "too small", f"{layout.size:.1f} px; {least:g} px can be read"
    elif on_phone < PHONE_SHARE * least:
        yield "too small", f"{on_phone:.1f} px on a phone; {PHONE_SHARE * least:g} px can be read"
    if part.contrast is not None and part.contrast < LOW_CONTRAST:
        yield "low contrast", f"{part.contrast:.1f}:1"
    if layout.broken_word:
        yield "broken word", "a line ends within a word, without a hyphen's place"
    if has_emoji(text):
        pieces = (text[start:end] for start, end in pairwise([0, *clusters(text)]))
        if lost := dict.fromkeys(stack.lost(pieces)):
            yield "lost colour", f"without flag, colour or tone: {' '.join(lost)}"
    faces = {run.face for line in layout.lines for run in line.runs}
    if stack.absent and faces - set(stack.users) and locale.script in map(character_script, text):
        yield "substitute font", f"not found: {', '.join(stack.absent)}"
    if mixed := [word for line in layout.lines for word in _mixed(line, locale)]:
        yield "mixed faces", " ".join(mixed)
    if _MARKED.search(text):
        for word in dict.fromkeys(word for line in layout.lines for word in _circled(line, locale)):
            yield "dotted circle", dotted_circle(word)
    if layout.hyphenated:
        yield "hyphenated", " ".join(layout.hyphenated)
    if layout.divided and not layout.broken_word:
        yield "divided", " ".join(layout.divided)


def contrast_behind(
    boxes: TextBoxes,
    background: Background,
    colour: float,
    outline: float = 0.0,
    width: float = 0.0,
) -> float:
    """Return the contrast of the word that stands out least from the picture behind it.

    A word's is what nine tenths of its box reach, looked at pixel by pixel. The mean of an area
    says little of letters on noise or stripes; the lowest of all would be that of one speck; and
    of all words together, one that is lost among twenty would not count.

    Args:
        colour: relative luminance of what stands out: the letters, or a wide outline.
        outline, width: luminance and pixels, less than one, of an outline that is too thin to stand
            for itself: that much of the pixel beside a letter has its colour.
    """
    if not boxes.words:
        return contrast(0.0, 1.0)
    shapes = np.array([word.box for word in boxes.words], float)
    places = (shapes @ _PLACES[shapes.shape[1]]).astype(np.intp)
    behind = background.luminance(places[:, ::2], places[:, 1::2])
    behind = behind * (1 - width) + (outline * width + 0.05)
    ratios = np.maximum(behind / (colour + 0.05), (colour + 0.05) / behind)
    tenth = ratios.shape[1] // 10
    ratios.partition(tenth)
    return float(ratios[:, tenth].min())


def _circled(line: Line, locale: Locale) -> Iterator[str]:
    """Return the words in which marks stand on a dotted circle that the text does not have."""
    for run in line.runs:
        circle = run.face.font.get_nominal_glyph(0x25CC)
        for (glyph, _, _), offset in zip(run.glyphs, run.offsets, strict=True):
            if glyph == circle and not line.text.startswith("◌", offset):
                # It may belong to the space before the mark: then to the word after it.
                spans = word_spans(line.text, locale)
                start, end = next((span for span in spans if offset < span[1]), (0, None))
                yield line.text[start:end]


def _mixed(line: Line, locale: Locale) -> Iterator[str]:
    """Return the words of which letters of one script, or digits, are drawn with two faces."""
    if len({run.face for run in line.runs}) < 2:
        return
    face_of = {offset: run.face for run in line.runs for offset in run.offsets}
    for start, end in word_spans(line.text, locale):
        of_script: dict[str, set[Face]] = {}
        for offset in range(start, end):
            char = line.text[offset]
            is_keycap = line.text[offset + 1 : offset + 2] in ("\ufe0f", "\u20e3")
            if offset in face_of and not is_keycap and (char.isalpha() or char.isdecimal()):
                of_script.setdefault(character_script(char), set()).add(face_of[offset])
        if any(len(faces) > 1 for faces in of_script.values()):
            yield line.text[start:end]


def overlaps(parts: Sequence[tuple[str, Painted]]) -> Iterator[Finding]:
    """Find the parts whose ink lies on that of others, line by line, turned as they are."""
    for (name, below), (other, above) in combinations(parts, 2):
        if not below.ink or not above.ink or not overlap(below.ink, above.ink):
            continue
        shared = skia.Op(_shape(below), _shape(above), skia.kIntersect_PathOp)
        if not shared.isEmpty():
            yield Finding("parts overlap", other, f"{other} lies on {name}")


def _shape(painted: Painted) -> skia.Path:
    path = skia.Path()
    for item in painted.placed:
        rect = skia.Rect.MakeLTRB(*item.ink).makeInset(_SLACK, _SLACK)
        if not rect.isEmpty():
            path.addRect(rect)
    path.transform(painted.area.turn())
    return path


def over_subject(subject: Box, parts: Sequence[tuple[str, Painted]]) -> Iterator[Finding]:
    """Find the parts whose lines lie over what the picture shows, a box of pixels."""
    area = overlap(subject, subject) or 1
    for name, painted in parts:
        hidden = sum(overlap(line, subject) for line in painted.lines) / area
        if hidden > _HIDDEN:
            yield Finding("over the subject", name, f"over {hidden:.0%} of it")


def text_findings(
    names: Sequence[str], parts: Sequence[str], source: Sequence[str], locale: Locale
) -> Iterator[Finding]:
    """Find what is probably damaged in a caption as it was typed, and parts only its source has.

    `names` are those of all text boxes; `source` is empty if it is not known.
    """
    for name, part in zip(names, parts, strict=False):
        for found in damage(part, locale):
            yield Finding("unusual text" if found.is_note else "damaged text", name, found.sentence)
    original = Caption(tuple(source)) if source else None
    if lost := lost_parts(Caption(tuple(parts)), len(names), original):
        yield Finding("missing part", "", lost.sentence)
