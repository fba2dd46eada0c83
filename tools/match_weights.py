"""Match the poster weight of every script to the Latin one. In: fonts.toml. Out: its settings.

A face's weight is the mean thickness of its strokes in ems: twice the area of its letters over the
length of their outlines. Every poster face should reach SHARE of what the Latin face has: other
scripts have more strokes to the em, and at the full thickness their counters begin to close. The
weight axis goes as far as it is needed; where it ends too early, the strokes are emboldened: by up
to MOST, and at most as far as the counters of words stay as they are without (`keeps_counters`).
Chinese, Japanese and Korean, the densest, are left at the end of the axis.

    python tools/match_weights.py [FAMILY ...]      prints what each has and what it should have
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache

import babel
import numpy as np
import skia
import uharfbuzz as hb
from fontTools.pens.areaPen import AreaPen
from fontTools.pens.perimeterPen import PerimeterPen
from numpy.typing import NDArray
from scipy import ndimage

from memeloc.fonts import Face, FontLibrary
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.render.painting.glyphs import glyph_outline

SHARE = 0.9
MOST = 0.03
LETTERS = 40
LATIN = "anton"
DENSE = ("Hani",)

WORDS = 450
"""Words of a family's languages that are looked at."""

SEEN = 0.01
"""Ems of thickening that are worth it: less than half a pixel at 50 px makes no poster bolder, and
words beyond those that were tried lose counters to it (Bengali অঙ্ক at 0.004)."""

STEP = 0.002
"""Ems by which the thickness grows from trial to trial: a tenth of a pixel in a usual caption."""

EM = 144
"""Pixels to the em at which ink is looked at: three times finer than a usual caption's, so that its
place among the pixels says nothing, and so that what is a gap there is one that is seen."""

SIZES = (48, 16)
"""Pixels to the em of a caption in a picture 1200 pixels wide, and of the same on a phone."""

OPEN, CLOSED = 6.0, 2.0
"""Square pixels at SIZES from which on a hole is one that is seen, and below which it is none. Two
bounds, for with one a hole of that very size comes and goes by chance: with every hole counted,
Armenian and Georgian, whose holes are wide, failed at 0.002."""


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


def words(locale: Locale) -> list[str]:
    """Return words of a language: its days, months, countries and languages, from CLDR.

    Foreign names have the conjuncts that close first.
    """
    names = babel.Locale.parse(locale.tag, sep="-")
    dates = (*names.days["format"]["wide"].values(), *names.months["format"]["wide"].values())
    texts = (*dates, *names.territories.values(), *names.languages.values())
    return list(dict.fromkeys(word for text in texts for word in text.split() if len(word) > 1))


@cache
def holes(face: Face, word: str, tag: str) -> NDArray[np.float64]:
    """Return the areas of the holes in a word's ink, without its outline, in square ems."""
    buffer = hb.Buffer()
    buffer.add_str(word)
    buffer.guess_segment_properties()
    buffer.language = tag
    hb.shape(face.font, buffer)
    scale, at = EM / face.upem, 0.0
    width = sum(place.x_advance for place in buffer.glyph_positions)
    ink: NDArray[np.uint8] = np.zeros((3 * EM, int(width * scale) + 2 * EM), np.uint8)
    info = skia.ImageInfo.MakeA8(ink.shape[1], ink.shape[0])
    canvas = skia.Surface.MakeRasterDirect(info, ink, ink.strides[0]).getCanvas()
    canvas.translate(EM, 2 * EM)
    canvas.scale(scale, scale)
    for glyph, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
        path = skia.Path(glyph_outline(face, 0.0, glyph.codepoint).path)
        path.offset(at + place.x_offset, -place.y_offset)
        canvas.drawPath(path, skia.Paint(AntiAlias=True))
        at += place.x_advance
    pieces, _ = ndimage.label(ink < 128)
    return np.bincount(pieces.ravel())[2:] / EM**2  # 0 is ink, 1 what is around the word


def keeps_counters(face: Face, usual: Face, word: str, tag: str) -> bool:
    """Whether a word has the same holes in a face as in one that is not thickened.

    No more either: strokes that run into each other make a hole of a letter's opening.
    """
    now, before = holes(face, word, tag), holes(usual, word, tag)
    for pixel in (1 / size**2 for size in SIZES):
        if np.sum(now >= CLOSED * pixel) < np.sum(before >= OPEN * pixel):
            return False
        if np.sum(now >= OPEN * pixel) > np.sum(before >= CLOSED * pixel):
            return False
    return True


def limit(fonts: FontLibrary, name: str, tags: list[str], most: float) -> float:
    """Return how far a family's poster face can be thickened before a counter closes, in ems."""
    family = fonts.families[name]
    pairs = [(word, tag) for tag in tags for word in words(default().get(tag))]
    pairs = pairs[:: max(1, len(pairs) // WORDS)]
    usual, best = Face(replace(family, embolden=0.0), "poster"), 0.0
    while best < most:
        trial = min(round(best + STEP, 4), most)
        face = Face(replace(family, embolden=trial), "poster")
        if not all(keeps_counters(face, usual, *pair) for pair in pairs):
            break
        best = trial
    return best if best >= SEEN else 0.0


def main() -> None:
    """Print each family's stroke, and the emboldening that would bring it to the target."""
    fonts = FontLibrary()
    strokes = measured(fonts)
    target = SHARE * strokes["en"]
    print(f"Latin: {strokes['en']:.4f} em; target for the others: {target:.4f} em")
    families: dict[str, list[str]] = {}
    for locale in default():
        families.setdefault(first(fonts, locale), []).append(locale.tag)
    for name, tags in families.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        family = fonts.families[name]
        mean = sum(strokes[tag] for tag in tags) / len(tags)
        wanted = min(max(family.embolden + target - mean, 0.0), MOST)
        if set(DENSE) & set(family.scripts) or "Hang" in family.scripts or name == LATIN:
            wanted = 0.0
        best = limit(fonts, name, tags, round(wanted, 3))
        print(
            f"{name:24} {dict(family.poster)!s:32} stroke {mean:.4f} em, "
            f"{mean / strokes['en']:.2f} of Latin; embolden = {best:.3f} "
            f"(now {family.embolden}, to match {wanted:.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
