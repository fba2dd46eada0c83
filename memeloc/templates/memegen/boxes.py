"""memegen's text regions as text boxes. In: `Region`s and a picture's size. Out: `TextBox`es.

memegen turns a region counter-clockwise around its middle and lays the rectangle that holds it
then with its top left at the anchor (`render_image` in `app/utils/images.py`); a `TextBox` is
turned clockwise around its middle, and its x and y are those of the region before it is turned.
A box always lies in the picture: what reaches out is cut, and the note says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, get_args

from PIL import ImageColor

from memeloc.model import STYLES, Align, StyleName, TextBox, TextStyle
from memeloc.templates.memegen.config import Region

_SMALLEST = 0.01  # of the picture: the least width and height that a box is given
_SLACK = 0.002  # of the picture: how far a region may reach out without a word on it
_LEVEL = 0.1  # degrees: memegen's files have angles like 0.001, which only choose a thinner font

# memegen draws at most a ninth of the picture's height, and a quarter in a turned region
# (`get_image_element`).
_MAX_SIZE, _MAX_SIZE_TURNED = 1 / 9, 1 / 4

# `left` is where an English line starts; in Arabic that is the right. What stands at the right was
# put there for the picture, and stays.
_ALIGNS: dict[str, Align] = {
    **{align: align for align in get_args(Align)},
    "left": "start",
    "centre": "center",
    "middle": "center",
}

# Fonts by id and alias (`app/models/font.py`): the heavy ones are poster letters.
_POSTER_FONTS = frozenset({"thick", "titilliumweb", "impact"})
_COMIC_FONTS = frozenset({"comic", "kalam"})
_PLAIN_FONTS = frozenset(
    {"thin", "titilliumweb-thin", "tiny", "segoe", "notosans", "jp", "hgminchob"}
    | {"he", "notosanshe", "notosanshebrew"}
)

# Changes of case that the example is given when it is imported, or that need none. `thin` is an
# older way to say `default` in the thin font.
_CASES = frozenset({"upper", "lower", "default", "none", "title", "capitalize", "casefold", "thin"})


class PlacedRegion(NamedTuple):
    """A region, the box made of it, and a sentence for each thing that has no equivalent."""

    region: Region
    box: TextBox
    notes: tuple[str, ...]


def place(regions: Sequence[Region], size: tuple[int, int]) -> tuple[PlacedRegion, ...]:
    """Make a box of every region.

    Args:
        regions: in the order of a caption's lines.
        size: width and height of the picture in pixels; a rotation is one in pixels.

    >>> place([Region(anchor_x=0.1, scale_x=0.8)], (600, 600))[0].box.width
    0.8
    """
    placed = [_place(region, size) for region in regions]
    names = _names([each.box for each in placed])
    return tuple(
        each._replace(box=replace(each.box, name=name))
        for name, each in zip(names, placed, strict=True)
    )


def _place(written: Region, size: tuple[int, int]) -> PlacedRegion:
    notes: list[str] = []
    region = written
    if region.scale_x <= 0 or region.scale_y <= 0:
        notes.append(
            f"a region of {region.scale_x:g} by {region.scale_y:g} cannot hold text, so it has "
            "memegen's default size"
        )
        region = replace(region, scale_x=1.0, scale_y=0.2)
    turn = _clockwise(region.angle)
    style = _style(region, turn != 0, notes)
    align = _ALIGNS.get(region.align.lower())
    if align is None:
        notes.append(f"there is no alignment {region.align[:30]!r}; the text is centred")
    if region.start > 0 or region.stop < 1:
        notes.append(
            f"it is shown from {region.start:.0%} to {region.stop:.0%} of an animation; on a still "
            "it is always shown"
        )
    box = TextBox("", *_fit(region, turn, size, notes), turn, align or "center", style=style)
    return PlacedRegion(written, box, tuple(notes))


def _clockwise(angle: float) -> float:
    """Return the angle of a `TextBox`, above -180 and up to 180 degrees, of memegen's.

    >>> _clockwise(12.5), _clockwise(0.001), _clockwise(270)
    (-12.5, 0.0, 90.0)
    """
    turn = -angle % 360.0
    turn = turn - 360.0 if turn > 180.0 else turn
    return 0.0 if abs(turn) < _LEVEL else round(turn, 6)


def _fit(
    region: Region, turn: float, size: tuple[int, int], notes: list[str]
) -> tuple[float, float, float, float]:
    """Return x, y, width and height before turning, in fractions, so that all is in the picture."""
    across, down = size
    wide, high = region.scale_x * across, region.scale_y * down
    held_wide, held_high = _held(wide, high, turn)
    left, top = region.anchor_x * across, region.anchor_y * down
    right, bottom = left + held_wide, top + held_high
    out = max(-left / across, -top / down, right / across - 1, bottom / down - 1)
    least_wide, least_high = _SMALLEST * across, _SMALLEST * down
    cut_left, cut_top = max(0.0, left), max(0.0, top)
    cut_wide, cut_high = min(across, right) - cut_left, min(down, bottom) - cut_top
    if not turn and cut_wide >= least_wide and cut_high >= least_high:
        done = "cut to it"
        x, y, wide, high = cut_left, cut_top, cut_wide, cut_high
    else:
        wide, high = max(wide, least_wide), max(high, least_high)
        held_wide, held_high = _held(wide, high, turn)
        shrink = min(1.0, across / held_wide, down / held_high)
        wide, high, held_wide, held_high = (n * shrink for n in (wide, high, held_wide, held_high))
        x = min(max((left + right) / 2, held_wide / 2), across - held_wide / 2) - wide / 2
        y = min(max((top + bottom) / 2, held_high / 2), down - held_high / 2) - high / 2
        done = "moved into it" if shrink == 1.0 else f"made {shrink:.0%} as large and moved into it"
    if out > _SLACK:
        notes.append(f"it reached {out:.1%} out of the picture and was {done}")
    return round(x / across, 6), round(y / down, 6), round(wide / across, 6), round(high / down, 6)


def _held(wide: float, high: float, turn: float) -> tuple[float, float]:
    """Return width and height of the rectangle that contains a turned one."""
    cosine, sine = (abs(f(math.radians(turn))) for f in (math.cos, math.sin))
    return wide * cosine + high * sine, wide * sine + high * cosine


def _style(region: Region, turned: bool, notes: list[str]) -> TextStyle:
    fill, outline = _colours(region.color, notes)
    font = "thin" if region.style.lower() == "thin" else region.font.lower()
    if font in _PLAIN_FONTS:
        notes.append(f"memegen's font {font!r} became the plain face")
    elif font not in _POSTER_FONTS | _COMIC_FONTS:
        notes.append(f"there is no font {font[:30]!r}; the poster face is used")
    case = region.style.lower()
    if case == "mock":
        notes.append("memegen writes it in alternating case; memeloc writes it as it stands")
    elif case not in _CASES:
        notes.append(f"the style {region.style[:30]!r} is not known; the text stays as it stands")
    is_comic = font in _COMIC_FONTS
    outlined: StyleName = "comic" if is_comic else "poster"
    return replace(
        STYLES["bubble" if outline is None else outlined],
        face="comic" if is_comic else "plain" if font in _PLAIN_FONTS else "poster",
        fill=fill,
        outline=outline or "#ffffff",
        outline_width=_outline_width(region.color),
        uppercase=case == "upper",
        max_size=round(_MAX_SIZE_TURNED if turned else _MAX_SIZE, 6),
    )


def _outline_width(colour: str) -> float:
    """Return memegen's stroke (`get_stroke`) as a share of the font size.

    It is 1 to 3 pixels, a twelfth of the size or less, around a named colour, and 1 pixel around
    black and around a colour given by its number; typical sizes are 30 to 60 pixels.
    """
    return 0.03 if colour.strip().lower() == "black" or "#" in colour else 0.06


def _colours(colour: str, notes: list[str]) -> tuple[str, str | None]:
    """Return fill and outline as `#rrggbb`; no outline when the text is black."""
    first, _, second = colour.partition(",")
    fill = _colour(first, notes) or "#ffffff"
    outline = _colour(second, notes) if second.strip() and "(" not in colour else None
    return fill, outline or (None if fill == "#000000" else "#000000")


def _colour(name: str, notes: list[str]) -> str | None:
    text = name.strip()
    if re.fullmatch(r"(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})", text):
        text = f"#{text}"
    try:
        red, green, blue, *rest = ImageColor.getrgb(text)
    except (ValueError, TypeError):
        red = -1
    if not (red >= 0 and max(red, green, blue) <= 255):
        notes.append(f"{name[:30]!r} is not a colour; white stands for it")
        return None
    if rest and rest[0] < 255:
        notes.append(f"the colour {text} is {rest[0] / 255:.0%} opaque; memeloc's is wholly so")
    return f"#{red:02x}{green:02x}{blue:02x}"


def _names(boxes: Sequence[TextBox]) -> list[str]:
    """Return names for the boxes, by where they are: memegen's regions have no names."""
    if len(boxes) == 1:
        return ["caption"]
    if len(boxes) == 2:
        one, other = boxes
        down = (other.y + other.height / 2) - (one.y + one.height / 2)
        across = (other.x + other.width / 2) - (one.x + one.width / 2)
        if abs(down) >= 0.2 and abs(down) >= abs(across):
            return ["top", "bottom"] if down > 0 else ["bottom", "top"]
        if abs(across) >= 0.2:
            return ["left", "right"] if across > 0 else ["right", "left"]
    return [f"text {number}" for number in range(1, len(boxes) + 1)]
