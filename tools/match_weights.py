"""Match the poster weight of every script to the Latin one. In: fonts.toml. Out: its settings.

A face's weight is the mean thickness of its strokes in ems: twice the area of its letters over the
length of their outlines. Every poster face should reach SHARE of what the Latin face has: other
scripts have more strokes to the em, and at the full thickness their counters begin to close. The
weight axis goes as far as it is needed; where it ends too early, the strokes are emboldened by up
to MOST. Chinese, Japanese and Korean, the densest, are left at the end of the axis.

    python tools/match_weights.py           prints what each family has and what it should have
"""

from __future__ import annotations

import uharfbuzz as hb
from fontTools.pens.areaPen import AreaPen
from fontTools.pens.perimeterPen import PerimeterPen

from memeloc.fonts import Face, FontLibrary
from memeloc.locales import default
from memeloc.model import Locale

SHARE = 0.9
MOST = 0.03
LETTERS = 40
LATIN = "anton"
DENSE = ("Hani",)


def stroke(face: Face, letters: list[str]) -> float:
    """The mean thickness of the strokes of some letters in a face, in ems."""
    area = length = 0.0
    for letter in letters:
        buffer = hb.Buffer()
        buffer.add_str(letter)
        buffer.guess_segment_properties()
        hb.shape(face.font, buffer)
        for info in buffer.glyph_infos:
            inside, around = AreaPen(), PerimeterPen()
            face.font.draw_glyph_with_pen(info.codepoint, inside)
            face.font.draw_glyph_with_pen(info.codepoint, around)
            area += abs(inside.value)
            length += around.value
    return 2 * area / length / face.upem if length else 0.0


def letters_of(locale: Locale) -> list[str]:
    """Some letters of a locale's language, spread evenly over CLDR's exemplar characters."""
    letters = [text for text in default().exemplars(locale.tag) if text[0].isalpha()]
    if locale.uppercase:
        letters = [text.upper() for text in letters if len(text.upper()) == 1]
    return letters[:: max(1, len(letters) // LETTERS)]


def measured(fonts: FontLibrary) -> dict[str, float]:
    """The stroke of each locale's first poster face, in ems, by tag."""
    return {
        locale.tag: stroke(fonts.face(first(fonts, locale), "poster"), letters_of(locale))
        for locale in default()
    }


def first(fonts: FontLibrary, locale: Locale) -> str:
    """The first family of a locale's posters that comes in a package."""
    return next(name for name in locale.poster if not fonts.families[name].optional)


def main() -> None:
    """Print each family's stroke, and the emboldening that would bring it to the target."""
    fonts = FontLibrary()
    strokes = measured(fonts)
    target = SHARE * strokes["en"]
    print(f"Latin: {strokes['en']:.4f} em; target for the others: {target:.4f} em")
    families: dict[str, list[float]] = {}
    for locale in default():
        families.setdefault(first(fonts, locale), []).append(strokes[locale.tag])
    for name, found in families.items():
        family = fonts.families[name]
        mean = sum(found) / len(found)
        wanted = min(max(family.embolden + target - mean, 0.0), MOST)
        if set(DENSE) & set(family.scripts) or "Hang" in family.scripts or name == LATIN:
            wanted = 0.0
        print(
            f"{name:24} {dict(family.poster)!s:32} stroke {mean:.4f} em, "
            f"{mean / strokes['en']:.2f} of Latin; embolden = {wanted:.3f} (now {family.embolden})"
        )


if __name__ == "__main__":
    main()
