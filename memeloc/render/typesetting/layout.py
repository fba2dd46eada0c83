"""Laying out one part of a caption. In: its text, its box, its stack. Out: placed glyphs, in ems.

Any string will do, half a megabyte pasted by mistake and lone surrogates among them. Shape once,
find the size and the lines that cost least (`part`, `fit`, `line_cost`), and only then break words:
by the patterns of their language (`hyphenation`), between any two grapheme clusters where these do
not help, and where nothing does cut the text off.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memeloc.model import Locale
from memeloc.render.typesetting import hyphenation
from memeloc.render.typesetting.breaks import clusters
from memeloc.render.typesetting.fit import LADDER, Bounds, step_below
from memeloc.render.typesetting.hyphenation import ZERO_WIDTH_SPACE, Point
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.lines import SOFT_HYPHEN, Line
from memeloc.render.typesetting.part import Fitted, Part
from memeloc.render.typesetting.shape import shape

MOST_CHARACTERS = 8_000
"""Code points of one part that are laid out; more cannot be read on any picture."""

HYPHEN_GAIN = 2
"""Steps of the ladder by which a word is hyphenated to make its part larger."""

POSTER_HYPHEN_GAIN = 3
"""The same in capitals, where a hyphen is more conspicuous."""

COMFORTABLE_HYPHEN_GAIN = 5
"""The same where the text is of a comfortable size as it is: a third larger."""

MOST_HYPHENS = 2
"""Hyphens of one part: a third makes a column of syllables of it."""

LEGIBLE_SHARE = 0.05
"""The smallest size of a scream ("NOOOOO"), of the picture's width: on a phone 6 cm wide letters of
2 mm. Below it the word is broken between its repeated letters; above it reads best whole. Other
words are not measured by it: most pictures have longer texts, smaller and legible."""

_CLEANED: dict[int, str | None] = {
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], " "),
    **dict.fromkeys(map(ord, "\n\x0b\x0c\r\x85\u2028\u2029"), "\n"),
    **dict.fromkeys([*range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd"),
    **dict.fromkeys([0xFEFF, 0xFFFC]),
}


class PartLayout(NamedTuple):
    """A part of a caption, ready to be painted; the size is in pixels, 0.0 for an empty part.

    Attributes:
        baselines: of each line, in ems downward from the first one's.
        missing: grapheme clusters that no font draws.
        broken_word: whether a line ends within a word where no pattern of hyphenation allows it.
        truncated: how many grapheme clusters do not fit at the smallest size painted.
        hyphenated: words that lines break with a hyphen, as they are spelled then.
        divided: addresses, names and screams that lines break without one, with a bar there.
    """

    size: float
    baselines: tuple[float, ...]
    lines: list[Line]
    missing: tuple[str, ...] = ()
    broken_word: bool = False
    truncated: int = 0
    hyphenated: tuple[str, ...] = ()
    divided: tuple[str, ...] = ()


EMPTY = PartLayout(0.0, (), [])


def clean(text: str) -> list[str]:
    """Split a part at its explicit line breaks and replace what cannot be drawn.

    Line breaks are those that UAX #14 calls mandatory. Other control characters become spaces, lone
    surrogates and noncharacters U+FFFD. White space at the ends of each line is dropped, an empty
    line within the part is kept, and what is beyond MOST_CHARACTERS is left out.
    """
    text = text[:MOST_CHARACTERS].replace("\r\n", "\n").translate(_CLEANED)
    paragraphs = [line.strip() for line in text.strip().split("\n")]
    return paragraphs if any(paragraphs) else []


def lay_out(text: str, locale: Locale, itemizer: Itemizer, bounds: Bounds) -> PartLayout:
    """Lay out one part at the size and in the lines that cost least.

    Lines end where UAX #14 and the locale allow. A word that is too long for the box at the size
    that the others could have is hyphenated. Only when no size from the locale's smallest legible
    one upwards fits that way do words break between grapheme clusters; only when that does not help
    either does the size go below, down to `fit.FLOOR`; what then is left over is cut off behind an
    ellipsis. Nothing is ever painted outside the box. The text has the case it is to be drawn in.
    """
    paragraphs = clean(text)
    if not paragraphs:
        return EMPTY
    setter = _Setter(locale, itemizer, bounds)
    fitted, broken = setter.fit(paragraphs)
    missing = tuple(setter.missing)
    truncated = max(0, len(text) - MOST_CHARACTERS)
    if fitted is None:
        fitted, broken, left_out = _truncate(setter, "\n".join(paragraphs))
        truncated += left_out
    if fitted is None:
        return PartLayout(0.0, (), [], missing, truncated=truncated)
    return PartLayout(
        LADDER[fitted.step],
        fitted.baselines,
        fitted.lines,
        missing,
        broken,
        truncated,
        _hyphenated_words(fitted.lines),
        fitted.divided,
    )


def is_legible_unbroken(text: str, locale: Locale, itemizer: Itemizer, bounds: Bounds) -> bool:
    """Return whether `lay_out` finds a legible size with words whole, in half of its time."""
    texts = clean(text)
    return bool(texts) and _Setter(locale, itemizer, bounds).part(texts).is_legible()


@dataclass(slots=True)
class _Setter:
    """Finder of the layout of texts in one box; `missing` are clusters that no font draws."""

    locale: Locale
    itemizer: Itemizer
    bounds: Bounds
    missing: list[str] = field(default_factory=list)

    def fit(self, texts: Sequence[str]) -> tuple[Fitted | None, bool]:
        """Return the best layout, None when even the floor is too large; whether words break."""
        part = self.part(texts)
        if part.top < 0:
            return None, False
        text = "\n".join(texts)
        fitted = part.fit(part.legible)
        fitted = self._hyphenated(text, part, fitted) or fitted
        fitted = self._repeats_broken(text, part, fitted) or fitted
        if fitted is not None:
            return fitted, False
        for low in (part.legible, 0) if part.legible else (0,):
            if low < part.legible and (fitted := part.fit(low)):
                return fitted, False
            places = hyphenation.cluster_points(text, part.too_wide(low))
            if fitted := self._with_marks(text, places, low, part.top):
                return fitted, True
        return None, False

    def _hyphenated(self, text: str, part: Part, fitted: Fitted | None) -> Fitted | None:
        """Return the layout with too long words hyphenated, if that gains as much as it must.

        It has at most MOST_HYPHENS, unless the text is legible only with more.
        """
        if fitted is None:
            low = part.legible
        elif fitted.step >= part.comfortable:
            low = fitted.step + COMFORTABLE_HYPHEN_GAIN
        else:
            low = fitted.step + (POSTER_HYPHEN_GAIN if text.isupper() else HYPHEN_GAIN)
        if low > part.top or not part.has_room(low) or not (words := part.too_wide(low)):
            return None
        places = hyphenation.points(text, words, self.locale)
        best = self._with_marks(text, places, low, part.top)
        while best and sum(line.hyphenated for line in best.lines) > MOST_HYPHENS:
            fewer = self._with_marks(text, places, low, best.step - 1)
            if fewer is None:
                return None if fitted else best
            best = fewer
        return best

    def _repeats_broken(self, text: str, part: Part, fitted: Fitted | None) -> Fitted | None:
        """Return the layout with screams broken that would be too small else."""
        low = part.legible if fitted is None else fitted.step + 1
        wanted = step_below(LEGIBLE_SHARE * self.bounds.picture_width) + 1
        wanted = min(max(wanted, part.legible), part.top)
        if low > wanted:
            return None
        places = hyphenation.repeated_points(text, part.too_wide(wanted))
        return self._with_marks(text, places, low, part.top)

    def _with_marks(self, text: str, places: Sequence[Point], low: int, high: int) -> Fitted | None:
        """Return the layout, from step `low` to `high`, of a text that may break at some places.

        Marks that end no line are taken out, and the rest is laid out again: they would part
        letters that are kerned or joined, and be misspelt where a break changes the spelling.
        """
        best: Fitted | None = None
        while places:
            text_with_marks, ends = hyphenation.marked(text, places)
            part = self.part(text_with_marks.split("\n"))
            part.top = min(part.top, high)
            fitted = part.fit(low)
            if fitted is None:
                break
            words = [word for word in text_with_marks.split() if ZERO_WIDTH_SPACE in word]
            divided = tuple([word.replace(ZERO_WIDTH_SPACE, "|") for word in words])
            best = fitted._replace(divided=divided)
            line_ends = {end for _, end in fitted.spans}
            used = [place for place, end in zip(places, ends, strict=True) if end in line_ends]
            if len(used) == len(places):
                break
            places = used
        return best

    def part(self, texts: Sequence[str]) -> Part:
        """Return the paragraphs, shaped."""
        self.missing = []
        shaped = []
        for text in texts:
            level, runs, missing = self.itemizer.runs(text, self.locale.direction)
            self.missing += missing
            shaped.append(shape(text, level, runs, self.locale.tag))
        return Part(shaped, self.locale, self.bounds)


def _hyphenated_words(lines: Sequence[Line]) -> tuple[str, ...]:
    text = "".join(
        line.text[:-1] + SOFT_HYPHEN if line.hyphenated else line.text + " " for line in lines
    )
    return tuple(word.replace(SOFT_HYPHEN, "-") for word in text.split() if SOFT_HYPHEN in word)


def _truncate(setter: _Setter, text: str) -> tuple[Fitted | None, bool, int]:
    """Return the layout of what fits at the floor, whether words break, and the clusters left."""
    ends = clusters(text)

    def cut(count: int) -> tuple[Fitted | None, bool]:
        head = text[: ends[count - 1]] if count else ""
        return setter.fit(clean(head.rstrip() + "…"))

    most = bisect_left(range(len(ends)), True, key=lambda count: cut(count)[0] is None) - 1
    fitted, broken = cut(most) if most >= 0 else (None, False)
    return fitted, broken, len(ends) - max(most, 0)
