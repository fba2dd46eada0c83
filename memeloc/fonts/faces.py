"""Faces and stacks of them. In: families and their settings. Out: the face of a grapheme cluster.

A face is a family at one of its settings, as a font of HarfBuzz's; a stack has faces, best first,
and says which clusters are to be drawn as emoji, and what they can lose in a face.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property

import uharfbuzz as hb

from memeloc.fonts.families import Family
from memeloc.locales.tags import character_script
from memeloc.model import FaceName

_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff\n\r\t]"
)

SEMIBOLD = 600.0
"""The least weight that posters look bold with; Regular is 400 (OpenType 1.9.1, usWeightClass)."""


class Face:
    """A family at one of its settings, opened for HarfBuzz at the font's own units.

    Attributes:
        key: what distinguishes this face from all others; stable between runs.
        font: HarfBuzz's font, scaled to `upem` units an em.
        lacks: characters that it draws as something else: for the stack it does not have them.
        for_symbols: whether it was chosen for symbols.
    """

    def __init__(self, family: Family, face: FaceName, opened: hb.Face | None = None) -> None:
        settings = family.settings(face)
        heavy = "comic" if family.handwritten else "poster"
        embolden = family.embolden if face == heavy else 0.0
        axes = ",".join(f"{axis}={value:g}" for axis, value in sorted(settings.items()))
        self.family = family.name
        self.source = family
        self.key = f"{family.name}#{family.index}:{axes}:{embolden:g}"
        self.hb_face = hb_face = opened or family.opened
        self.upem: int = hb_face.upem
        self.font = hb.Font(hb_face)
        if settings:
            self.font.set_variations(dict(settings))
        if embolden:
            self.font.synthetic_bold = (embolden, embolden, False)
        self.lacks = frozenset(family.lacks.get(face, ""))
        self.for_symbols = "Zsym" in family.scripts
        self._covered: dict[str, bool] = {}

    @property
    def weight(self) -> float:
        """Its strokes' weight from 1 to 1,000, as its axis is set, or as the font says."""
        return float(self.font.get_style_value(hb.StyleTag.WEIGHT))

    @cached_property
    def colour(self) -> bool:
        """Return whether its glyphs may be coloured (COLR, SVG, CBDT or sbix)."""
        face = self.hb_face
        layers = face.has_color_layers or face.has_color_paint
        return bool(layers or face.has_color_png or face.has_color_svg)

    @cached_property
    def emoji(self) -> bool:
        """Return whether it is an emoji font: named as such, or with a grinning face and no
        letters."""
        if "Zsye" in self.source.scripts:
            return True
        nominal = self.font.get_nominal_glyph
        return bool(nominal(0x1F600)) and not nominal(ord("a"))

    def features(self, language: str) -> dict[str, bool] | None:
        """Return what HarfBuzz is to leave out in a language, a BCP 47 tag; None where nothing
        is."""
        without = self.source.without_locl
        return {"locl": False} if without and language.split("-")[0] in without else None

    def covers(self, cluster: str) -> bool:
        """Return whether the font has a glyph for every visible code point of a grapheme cluster.

        A cluster whose composed form (NFC) is there counts as covered: HarfBuzz composes.
        """
        covered = self._covered.get(cluster)
        if covered is None:
            nominal = self.font.get_nominal_glyph
            # An emoji that looks like another one is better than none: the proof names it "lost".
            lacks = frozenset[str]() if self.emoji else self.lacks
            forms = (cluster, unicodedata.normalize("NFC", cluster))
            covered = self._covered[cluster] = any(
                lacks.isdisjoint(shown) and all(nominal(ord(char)) for char in shown)
                for shown in (_IGNORABLE.sub("", form) for form in forms)
            )
        return covered


_EMOJI = re.compile(
    "[\ufe0f\u20e3\U0001f000-\U0001faff"
    # Emoji_Presentation=Yes below U+1F000 (emoji-data.txt of Unicode 17)
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1"
    "\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705"
    "\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50"
    "\u2b55]"
)

_FLAG_OR_TONE = re.compile("[\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")

_COLOURED = re.compile(
    r"\b(RED|ORANGE|YELLOW|GREEN|BLUE|PURPLE|BROWN|PINK)\b|(BLACK|WHITE|GREY) HEART$"
    r"|LARGE (BLACK|WHITE) (CIRCLE|SQUARE)|(BLACK|WHITE|WAVING \w+) FLAG$|RAINBOW"
)
"""What stands in the Unicode name of an emoji whose colour is what it means."""


class FontStack:
    """Faces in the order of preference for one locale and one kind of text.

    Args:
        preferred: the user's faces and the locale's own.
        colour: opens colour emoji fonts; emoji are drawn by them unless the user's own faces have
            them.
        others: opens all other families where something is missing in those, first the ones that
            were chosen for a script (ISO 15924).
        users: how many of `preferred` are the user's.
        absent: names of fonts that the locale would be drawn with, and that are not found.

    Attributes:
        primary: the first face with letters; what spaces and missing clusters are drawn with.
    """

    def __init__(
        self,
        preferred: Sequence[Face],
        colour: Callable[[], Iterator[Face]],
        others: Callable[[str], Iterator[Face]],
        *,
        users: int,
        absent: tuple[str, ...],
    ) -> None:
        self.preferred = list(preferred)
        self.primary = next((face for face in preferred if not face.emoji), preferred[0])
        self.absent = absent
        self.users = self.preferred[:users]
        self._colour, self._others = colour, others
        self._chosen: dict[str, Face | None] = {}

    def font_for(self, cluster: str) -> Face | None:
        """Return the face that draws a grapheme cluster, or None when no font has it.

        An emoji takes an emoji face first, one of colours where there is one; any other cluster
        takes one last, and never digits, which emoji fonts carry for keycaps.
        """
        if cluster not in self._chosen:
            covering = (face for face in self._in_order(cluster) if face.covers(cluster))
            self._chosen[cluster] = next(covering, None)
        return self._chosen[cluster]

    def _in_order(self, cluster: str) -> Iterator[Face]:
        if is_emoji(cluster):
            yield from (face for face in self.users if face.emoji or face.colour)
            yield from self._colour()
            yield from sorted(self.preferred, key=lambda face: not face.emoji)
        else:
            yield from (face for face in self.preferred if not face.emoji)
            if cluster[0] > "\u00ff":
                yield from (face for face in self.preferred if face.emoji)
        script = character_script(cluster[0])
        yield from self._others("Zsym" if script in ("Zyyy", "Zinh") else script)

    def font_for_all(self, text: str) -> Face | None:
        """Return the first of the preferred faces that has every character of `text`, or None."""
        return next(filter(lambda face: not face.emoji and face.covers(text), self.preferred), None)

    def lost(self, clusters: Iterable[str]) -> Iterator[str]:
        """Return those emoji among clusters that lose their flag, their colour or their tone."""
        drawn_by = ((cluster, self.font_for(cluster)) for cluster in filter(is_emoji, clusters))
        return (cluster for cluster, face in drawn_by if face is not None and loses(cluster, face))


def is_emoji(cluster: str) -> bool:
    """Return whether a grapheme cluster is to be drawn as emoji: it asks for it, or is so by
    default.

    Source: UTS #51, 4.3 (presentation style): the selector (for text U+FE0E) decides, else the
    property Emoji_Presentation. Of U+1F000 and above all count, as readers expect it.
    """
    return "\ufe0e" not in cluster and _EMOJI.search(cluster) is not None


def has_emoji(text: str) -> bool:
    """Return whether something in a text is, or may be, drawn as emoji."""
    return _EMOJI.search(text) is not None


@cache
def loses(cluster: str, face: Face) -> bool:
    """Return whether an emoji loses its flag, its colour or its tone in a face, or falls into
    pieces.

    A face of one colour draws a blue heart as any heart, and a prince as a princess; a sequence
    that a font does not know is drawn as the emoji that it is made of.
    """
    names = [unicodedata.name(char, "") for char in cluster]
    if not face.colour and (_FLAG_OR_TONE.search(cluster) or any(map(_COLOURED.search, names))):
        return True
    if not face.lacks.isdisjoint(cluster):
        return True
    buffer = hb.Buffer()
    buffer.add_str(cluster)
    buffer.guess_segment_properties()
    hb.shape(face.font, buffer)
    pieces = [position for position in buffer.glyph_positions if position.x_advance]
    return len(pieces) > 1
