"""Find what fonts draw as something else. In: fonts.toml, CLDR's exemplars. Out: lookalikes.toml.

    python tools/find_lookalikes.py           prints a table of them
    python tools/find_lookalikes.py --write   writes fonts/lookalikes.toml

A designer who has no time for ≠ may put the outline of = into its place, and nobody who reads a
list of covered characters sees it. So the outlines of each family's faces are compared: those of
the letters of all of CLDR's languages, small and capital, and of all symbols, punctuation and
numbers. Of those that are drawn alike the first, letters before signs, is what is drawn, and the
others are drawn wrong, unless they look alike by nature (`are_twins`). Chinese characters
and Korean syllables are left out: they are tens of thousands, and what is alike among them is what
Unicode encoded twice.

A face may also spoil a letter for one language only (OpenType's `locl`). Its form is wrong where
pieces of ink that stand apart without it run into each other, as the dot of Catalan's L·L does.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import chain, combinations, product
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import skia
import uharfbuzz as hb
from fontTools import unicodedata as ucd
from fontTools.pens.recordingPen import RecordingPen
from numpy.typing import NDArray
from scipy import ndimage

from memeloc.fonts import Face, FaceName, Family
from memeloc.fonts.families import load_families
from memeloc.locales.registry import exemplars
from memeloc.locales.tags import script_of
from memeloc.render.painting.glyphs import glyph_outline

ROOT = Path(__file__).parents[1]
OUT = ROOT / "fonts" / "lookalikes.toml"

TOLERANCE = 0.01
"""Ems by which points of two outlines may differ: half a pixel of the largest letters on pictures.
Variable fonts round the points of equal outlines by some 0.001 at weights in between; at 0.03 the
Devanagari font's ब and व would be one."""

TWINS = [
    set("〜～"),  # the wave dash, as Windows and as others encode it
    set("…⋯"),  # the ellipsis of Chinese and Japanese is in the middle of its square
    set("´ˊ"), set("ˋ`"), set("¯ˉ"),  # accents that stand alone, and tones of Bopomofo
    set("ܣܤ"),  # Syriac's samekh, which fonts give its final form by its place
]  # fmt: skip
"""What may be drawn alike, and Unicode's list of what looks alike does not have."""

HEIGHT = 120
"""Pixels to the em at which pieces of ink are counted."""


class Lookalikes(NamedTuple):
    """What the faces of a family draw as something else.

    Attributes:
        drawn: by character the one that is drawn for it.
        spoiled: by language a text that its own forms spoil.
    """

    drawn: dict[str, str]
    spoiled: dict[str, str]


def main() -> None:
    """Print, and with --write write, what all families that come in packages draw wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write {OUT.name}")
    write = parser.parse_args().write
    found = {family.name: find(family) for family in packaged()}
    for name, (drawn, spoiled) in found.items():
        for char, other in drawn.items():
            print(f"{name}\tU+{ord(char):04X} {char}\t{unicodedata.name(char, '')}\tas {other}")
        for language, text in spoiled.items():
            print(f"{name}\t{text}\tspoiled by locl in {language}")
    if write:
        OUT.write_text(as_toml(found), encoding="utf-8")


def packaged() -> list[Family]:
    """Return the families of fonts.toml that a package carries."""
    return [family for family in load_families(ROOT / "fonts/fonts.toml").values() if family.file]


def as_toml(found: dict[str, Lookalikes]) -> str:
    """Return lookalikes.toml for what was found by family."""
    lines = [
        "# Characters that a family draws as another one, which count as missing in it, and",
        "# languages whose own forms are left out, for they spoil a letter. Made by",
        "# tools/find_lookalikes.py from the fonts of fonts.toml, CLDR's exemplar characters and",
        f"# Unicode's confusables (confusable-homoglyphs {version('confusable-homoglyphs')}).",
    ]
    for name, (drawn, spoiled) in found.items():
        if drawn or spoiled:
            lines += ["", f"[{name}]"]
        if drawn:
            lines += [
                f"{key} = {json.dumps(text, ensure_ascii=False)}"
                for key, text in (("lacks", "".join(drawn)), ("drawn_as", "".join(drawn.values())))
            ]
        if spoiled:
            lines += [f"without_locl = {json.dumps(list(spoiled))}"]
    return "\n".join(lines) + "\n"


def find(family: Family) -> Lookalikes:
    """Return what the faces of a family draw as something else."""
    drawn: dict[str, str] = {}
    spoiled: dict[str, str] = {}
    faces = {face.key: face for name in get_args(FaceName) if (face := Face(family, name))}
    for face in faces.values():
        for char, other in lookalikes(face):
            drawn.setdefault(char, other)
        for language, text in spoiled_forms(face):
            spoiled.setdefault(language, text)
    return Lookalikes(dict(sorted(drawn.items())), dict(sorted(spoiled.items())))


def lookalikes(face: Face) -> Iterator[tuple[str, str]]:
    """Yield the characters that a face draws as another one, each with that one."""
    nominal, extents = face.font.get_nominal_glyph, face.font.get_glyph_extents
    boxes: dict[tuple[int, int, int], list[str]] = defaultdict(list)
    for char in filter(is_examined, sorted(map(chr, face.hb_face.unicodes), key=_rank)):
        box = extents(nominal(ord(char)))
        if box and box.width:
            # In four cells of a grid: boxes that differ by less than half a cell share one of them.
            across, up = (size / face.upem / TOLERANCE / 2 for size in (box.width, box.y_bearing))
            for shift, (right, down) in enumerate(product((0, 0.5), repeat=2)):
                boxes[shift, int(across + right), int(up + down)].append(char)
    seen: set[str] = set()
    for chars in boxes.values():
        if len(chars) == 1:
            continue
        by_form: dict[str, list[str]] = defaultdict(list)
        for char in chars:
            by_form[outline(face, char)[0]].append(char)
        for first, second in chain.from_iterable(combinations(c, 2) for c in by_form.values()):
            if second not in seen and is_same(face, first, second) and not are_twins(first, second):
                seen.add(second)
                yield second, first


def _rank(char: str) -> tuple[bool, str]:
    return not char.isalpha(), char


@cache
def is_examined(char: str) -> bool:
    """Whether people type a character: letters of a language, symbols, punctuation, numbers."""
    kind = unicodedata.category(char)[0]
    if ucd.script(char) in ("Hani", "Hang") or "\U0001f3fb" <= char <= "\U0001f3ff":
        return False  # the latter change an emoji's skin
    return kind in "SPN" or (kind == "L" and char in languages_by_letter())


@cache
def languages_by_letter() -> dict[str, set[str]]:
    """Return the languages of CLDR whose letters a character is among, and its capital apart."""
    letters: dict[str, set[str]] = defaultdict(set)
    for tag in all_languages():
        for letter in exemplars(tag):
            letters[letter].add(tag)
            letters[letter.upper()].add(f"{tag}, capitals")
    return letters


def all_languages() -> list[str]:
    """Return the tags of all languages whose exemplars CLDR has."""
    path = ROOT / "memeloc/locales/data/exemplars.json"
    return list(json.loads(path.read_text("utf-8"))["characters"])


def are_twins(first: str, second: str) -> bool:
    """Whether two characters may be drawn alike.

    Letters may, unless a language has both (k and ƙ of Hausa; Turkish ı beside i, whatever the list
    says) or one is the other with a hook or a stroke. Others may that are of two scripts, numbers
    of one value, or of one skeleton (UTS #39).
    """
    if {first, second} in TWINS:
        return True
    kinds = unicodedata.category(first), unicodedata.category(second)
    if kinds[0][0] == kinds[1][0] == "L":
        languages = languages_by_letter()
        stems = {unicodedata.name(char, "").partition(" WITH ")[0] for char in (first, second)}
        return languages[first].isdisjoint(languages[second]) and len(stems) == 2
    if len({ucd.script(first), ucd.script(second), "Zyyy"}) == 3:
        return True
    if kinds[0] == kinds[1] and kinds[0][0] == "N":
        return unicodedata.numeric(first) == unicodedata.numeric(second)
    return skeleton(first) == skeleton(second)


@cache
def skeleton(char: str) -> str:
    """Return the least character that looks like this one by nature, accents apart."""
    return "".join(min(_alike(part)) for part in _decomposed(char))


def _decomposed(char: str) -> str:
    """Return a character's parts; of compatible ones those that differ in how they are encoded."""
    parts = ""
    for part in unicodedata.normalize("NFD", char):
        kind, *codes = unicodedata.decomposition(part).split() or [""]
        same = kind in ("<compat>", "<wide>", "<narrow>", "<noBreak>", "<isolated>", "<final>")
        parts += "".join(_decomposed(chr(int(code, 16))) for code in codes) if same else part
    return parts


@cache
def _alike(char: str) -> frozenset[str]:
    """Return all that looks like a character, step by step."""
    seen, new = {char}, [char]
    while new:
        beside = {row["c"] for row in _confusables().get(new.pop(), ())} - seen
        seen |= beside
        new += beside
    return frozenset(seen)


@cache
def _confusables() -> dict[str, list[dict[str, str]]]:
    path = files("confusable_homoglyphs") / "confusables.json"
    rows: dict[str, list[dict[str, str]]] = json.loads(path.read_text("utf-8"))
    return rows


def is_same(face: Face, first: str, second: str) -> bool:
    """Whether two characters are drawn alike, alone and three in a row, as Arabic joins them."""
    for times in (1, 3):
        (form, points), (other, others) = (outline(face, c * times) for c in (first, second))
        if form != other or np.abs(points - others).max() > TOLERANCE * face.upem:
            return False
    return True


@cache
def outline(face: Face, text: str) -> tuple[str, NDArray[np.float64]]:
    """Return the lines and curves of a text's outlines, and their points from its middle.

    The middle, for what is drawn for = may have other margins; not the left edge, from which ▏ and
    ▕ are the same. The points are in the font's units, of shape (points, 2).
    """
    glyphs, width = shaped(face, text, "und")
    form, points = "", [(0.0, 0.0)]
    for glyph, across, up in glyphs:
        pen = RecordingPen()
        face.font.draw_glyph_with_pen(glyph, pen)
        for name, at in pen.value:
            form += f"{name[0]}{len(at)}"
            points += [(x + across - width / 2, y + up) for x, y in at]
    return form, np.array(points)


def shaped(face: Face, text: str, language: str) -> tuple[list[tuple[int, float, float]], float]:
    """Return a text's glyphs, each with its place, and its width, in the font's units."""
    buffer = hb.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.language = language
    hb.shape(face.font, buffer)
    glyphs, at = [], 0.0
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
        glyphs.append((info.codepoint, at + place.x_offset, float(place.y_offset)))
        at += place.x_advance
    return glyphs, at


def spoiled_forms(face: Face) -> Iterator[tuple[str, str]]:
    """Yield the languages whose own forms run into each other in a face, each with such a text."""
    for tag in all_languages():
        if script_of(tag) not in face.source.scripts:
            continue
        letters = [letter for letter in exemplars(tag) if face.covers(letter)]
        marks = [mark for mark in letters if unicodedata.category(mark[0])[0] in "PS"]
        words = [*letters, *(f"{letter}{mark}{letter}" for mark in marks for letter in letters)]
        for text in dict.fromkeys([*words, *(word.upper() for word in words)]):
            own, usual = shaped(face, text, tag), shaped(face, text, "und")
            if own != usual and touching(face, *own) > touching(face, *usual):
                yield tag, text
                break


def touching(face: Face, glyphs: list[tuple[int, float, float]], width: float) -> int:
    """Return how many pieces of ink fewer the glyphs are at their places than each alone."""
    alone = sum(pieces(face, [glyph], width) for glyph in glyphs)
    return alone - pieces(face, glyphs, width)


def pieces(face: Face, glyphs: list[tuple[int, float, float]], width: float) -> int:
    """Return how many pieces of ink glyphs at their places are."""
    scale = HEIGHT / face.upem
    ink: NDArray[np.uint8] = np.zeros((3 * HEIGHT, int(width * scale) + 2 * HEIGHT), np.uint8)
    info = skia.ImageInfo.MakeA8(ink.shape[1], ink.shape[0])
    canvas = skia.Surface.MakeRasterDirect(info, ink, ink.strides[0]).getCanvas()
    canvas.translate(HEIGHT, 2 * HEIGHT)
    canvas.scale(scale, scale)
    for glyph, across, up in glyphs:
        path = skia.Path(glyph_outline(face, 0.0, glyph).path)
        path.offset(across, -up)
        canvas.drawPath(path, skia.Paint(AntiAlias=True))
    return int(ndimage.label(ink > 127)[1])


if __name__ == "__main__":
    main()
