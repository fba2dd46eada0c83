"""Labels in any script. In: the project's font families. Out: settings and marks for matplotlib.

matplotlib 3.11 shapes text itself (libraqm: HarfBuzz, and the bidirectional algorithm) and looks
through a list of families for each letter; what it needs is the fonts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from memeloc.fonts import Face, FontLibrary
from memeloc.locales.tags import count_scripts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FIRST = ("noto-sans", "noto-sans-cjk-sc")
"""Families that letters are looked for in first. A label has no language that says which forms
Chinese characters have: they are simplified Chinese's."""
_STROKE = 0.03
"""What a stroke of the Chinese, Japanese and Korean font is drawn thicker, in em: matplotlib opens
a variable font at its default, here the thinnest (weight 100)."""


def families_for(letters: str) -> list[str]:
    """The names that matplotlib has for the project's fonts that draw these letters.

    As few as can be: matplotlib looks for each of them with every label.
    """
    names = {_FIRST[0]: None}
    for letter in sorted(set(letters)):
        if letter.isprintable() and not letter.isspace():
            names |= dict.fromkeys(filter(None, [_family_of(letter)]))
    return [_known_to_matplotlib(name) for name in names]


@cache
def _family_of(letter: str) -> str:
    """The first family that has the letter; empty where none has."""
    library = _library()
    usable = [
        name
        for name, family in library.families.items()
        if family.found and not family.optional and not family.handwritten
    ]
    names = dict.fromkeys((*_FIRST, *usable))
    return next((name for name in names if _face(name).covers(letter)), "")


@cache
def _library() -> FontLibrary:
    return FontLibrary()


def _face(name: str) -> Face:
    return _library().face(name, "plain")


@cache
def _known_to_matplotlib(name: str) -> str:
    """The family's name in matplotlib, which is given its file first.

    It comes before fonts of the same name of the system, so that every machine draws the same.
    """
    from matplotlib import font_manager

    family, known = _library().families[name], font_manager.fontManager.ttflist
    before = len(known)
    font_manager.fontManager.addfont(str(family.path))
    entry = next(entry for entry in known[before:] if getattr(entry, "index", 0) == family.index)
    known[before:] = []
    known.insert(0, replace(entry, weight=400))
    return str(entry.name)


def thicken(figure: Figure) -> None:
    """Give labels with Chinese, Japanese or Korean letters the weight of the others."""
    from matplotlib.patheffects import withStroke
    from matplotlib.text import Text

    for label in figure.findobj(Text):
        assert isinstance(label, Text)
        if {"Hani", "Hira", "Kana", "Hang"} & set(count_scripts(label.get_text())):
            width = _STROKE * float(label.get_fontsize())
            label.set_path_effects([withStroke(linewidth=width, foreground=label.get_color())])
