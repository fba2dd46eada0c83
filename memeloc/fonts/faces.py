"""Faces. In: a family and one of its settings. Out: a font of HarfBuzz's, and what it covers."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property

import uharfbuzz as hb

from memeloc.fonts.families import Family
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
        """Whether its glyphs may be coloured (COLR, SVG, CBDT or sbix)."""
        face = self.hb_face
        layers = face.has_color_layers or face.has_color_paint
        return bool(layers or face.has_color_png or face.has_color_svg)

    @cached_property
    def emoji(self) -> bool:
        """Whether it is an emoji font: named as such, or with a grinning face and no letters."""
        if "Zsye" in self.source.scripts:
            return True
        nominal = self.font.get_nominal_glyph
        return bool(nominal(0x1F600)) and not nominal(ord("a"))

    def features(self, language: str) -> dict[str, bool] | None:
        """What HarfBuzz is to leave out in a language, a BCP 47 tag; None where nothing is."""
        without = self.source.without_locl
        return {"locl": False} if without and language.split("-")[0] in without else None

    def covers(self, cluster: str) -> bool:
        """Whether the font has a glyph for every visible code point of a grapheme cluster.

        A cluster whose composed form (NFC) is there counts as covered: HarfBuzz composes.
        """
        covered = self._covered.get(cluster)
        if covered is None:
            covered = self._has_all(cluster) or self._has_all(unicodedata.normalize("NFC", cluster))
            self._covered[cluster] = covered
        return covered

    def _has_all(self, text: str) -> bool:
        nominal = self.font.get_nominal_glyph
        shown = _IGNORABLE.sub("", text)
        # An emoji that looks like another one is better than none: the proof names it as "lost".
        wrong = not self.emoji and not self.lacks.isdisjoint(shown)
        return not wrong and all(nominal(ord(char)) for char in shown)
