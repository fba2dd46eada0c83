"""Reading of template.toml. In: its table. Out: its values, checked, and its boxes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from itertools import chain
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from memeloc.errors import InputError
from memeloc.model import STYLES, Align, Bar, FaceName, Side, StyleName, TextBox, TextStyle, VAlign
from memeloc.settings import naming_line, validate

SLACK = 0.001 + 1e-9
"""How far a box may reach beyond the picture, in fractions of it: a thousandth for rounding by
hand, and what the addition of two such numbers adds."""

BAR_MARGIN = 0.04
"""On each side of a bar's text, as a share of the picture's width, unless x and width are set."""


def _visible(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("it must be 1 to 100 visible characters")
    return name


def _within(area: list[float]) -> list[float]:
    x, y, width, height = area
    for axis, length, start, end in (("x", "width", x, x + width), ("y", "height", y, y + height)):
        if start < -SLACK or end > 1 + SLACK:
            raise ValueError(
                f"it lies outside the picture: {axis} to {axis} + {length} is {start:g} to "
                f"{end:g}, and must lie within 0 to 1 (fractions of the picture)"
            )
    return area


_STRICT = ConfigDict(strict=True, allow_inf_nan=False)
_Colour = Annotated[
    str,
    Field(pattern="^#[0-9a-fA-F]{6}$", description="a colour like '#ffcc00'"),
    AfterValidator(str.lower),
]
_FileName = Annotated[str, AfterValidator(_visible)]
_Key = Annotated[str, Field(pattern="^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]


class Definition(BaseModel):
    """A template.toml after every check that needs no look at the picture."""

    model_config = _STRICT

    image: _FileName = Field(description='the picture\'s file, as in image = "picture.png"')
    title: str = ""
    description: str = ""
    source: str = ""
    licence: str = ""
    keywords: list[str] = Field([], description='as in ["cat", "work"]')
    mirror: bool = False
    pictures: dict[_Key, _FileName] = Field(
        {}, description="pictures of their own for a language or a direction, as in rtl = 'rtl.png'"
    )
    subject: Annotated[list[float], AfterValidator(_within)] = Field(
        [],
        min_length=4,
        max_length=4,
        description="x, y, width, height of what no caption may hide, in fractions of the picture",
    )
    box: list[dict[str, object]] = Field(
        min_length=1, description="the boxes for text, each a table of its own headed [[box]]"
    )


class _Text(BaseModel):
    """Settings that boxes on the picture and bars have in common."""

    model_config = _STRICT

    name: Annotated[str, Field(max_length=100), AfterValidator(_visible)]
    align: Align = "center"
    mirror: bool = False
    style: StyleName = "poster"
    face: FaceName = "poster"
    fill: _Colour = ""
    outline: _Colour = ""
    outline_width: float = Field(0, ge=0, le=0.5, description="a share of the font size")
    uppercase: bool = True
    max_size: float = Field(0, ge=0.005, le=1, description="a share of the picture's height")
    line_spacing: float = Field(0, ge=0.5, le=4, description="a share of the font size")


class _Box(_Text):
    x: float
    y: float
    width: float = Field(gt=0)
    height: float = Field(gt=0)
    angle: float = Field(0.0, ge=-180, le=180, description="degrees, clockwise")
    valign: VAlign = "middle"

    @model_validator(mode="after")
    def _in_the_picture(self) -> _Box:
        _within([self.x, self.y, self.width, self.height])
        return self


class _BarBox(_Text):
    bar: Side
    bar_colour: _Colour = "#ffffff"
    bar_least: float = Field(0.0, ge=0, le=1, description="a share of the picture's height")
    bar_most: float = Field(0.5, ge=0.02, le=2, description="a share of the picture's height")
    x: float = BAR_MARGIN
    width: float = Field(1 - 2 * BAR_MARGIN, gt=0)
    style: StyleName = "plain"

    @model_validator(mode="after")
    def _possible(self) -> _BarBox:
        _within([self.x, 0, self.width, 1])
        if self.bar_least > self.bar_most:
            raise ValueError("bar_least is more than bar_most; give the greater one as bar_most")
        return self


def _text_box(box: _Text) -> TextBox:
    """Return the box with its style, changed where the file says so, and the bar that it is."""
    values = box.model_dump(exclude_unset=True)
    changes = {each.name: values[each.name] for each in fields(TextStyle) if each.name in values}
    style = replace(STYLES[box.style], **changes | {"name": box.style})
    place = {each.name: values[each.name] for each in fields(TextBox) if each.name in values}
    if isinstance(box, _BarBox):
        bar = Bar(box.bar, box.bar_colour, box.bar_least, box.bar_most)
        place |= {"x": box.x, "y": 0.0, "width": box.width, "height": bar.most, "bar": bar}
    return TextBox(**place | {"style": style})


def check_definition(
    table: Mapping[str, object], path: Path
) -> tuple[Definition, tuple[TextBox, ...]]:
    """Check what stands in a template.toml; return its values, and the boxes in their order.

    InputError has the file's name, `path`, and the line where that can be told.
    """
    if "box" not in table and table.keys() <= Definition.model_fields.keys():
        last = len(path.read_text("utf-8-sig").splitlines()) if path.is_file() else 0
        raise InputError(
            f"has no box for text: below line {last} write [[box]] in a line of its own, and under "
            'it name = "top", x = 0.1, y = 0.05, width = 0.8 and height = 0.2 (fractions of the '
            "picture), each in a line; so for each part of a caption",
            file=path,
        )
    with naming_line(path):
        definition = validate(Definition, table, "a template", file=path)
    boxes: dict[str, TextBox] = {}
    bars: dict[Side, str] = {}
    for number, values in enumerate(definition.box, 1):
        name = values.get("name", number)
        where = f"box {name[:60] if isinstance(name, str) else str(number)!r}"
        model = _BarBox if "bar" in values else _Box
        values = {"mirror": definition.mirror, **values}
        with naming_line(path, "box", number):
            box = _text_box(validate(model, values, where, file=path))
        if box.name in boxes:
            raise InputError(
                f"two boxes are called {box.name!r}; give each its own name", file=path
            )
        if box.bar and (other := bars.setdefault(box.bar.side, box.name)) != box.name:
            raise InputError(
                f"the boxes {other!r} and {box.name!r} are both a bar at the {box.bar.side}; a "
                "picture has one bar on a side",
                file=path,
            )
        boxes[box.name] = box
    return definition, tuple(boxes.values())


def check_turned_boxes(boxes: Iterable[TextBox], size: tuple[int, int], path: Path) -> None:
    """Raise InputError when a corner of a turned box lies outside a picture of `size` (pixels)."""
    for box in boxes:
        if any(not -SLACK <= each <= 1 + SLACK for each in chain(*turned_corners(box, size))):
            raise InputError(
                f"box {box.name!r}: turned by {box.angle:g} degrees it reaches outside the "
                "picture; make it smaller or move it",
                file=path,
            )


def turned_corners(box: TextBox, size: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """Return the corners of `box` after its rotation, clockwise from its top left, in fractions.

    A rotation is one in pixels, so it needs the picture's width and height.

    >>> turned_corners(TextBox("a", 0.25, 0.0, 0.5, 1.0, angle=90), (200, 100))[0]
    (0.75, 0.0)
    """
    width, height = size
    cosine, sine = math.cos(math.radians(box.angle)), math.sin(math.radians(box.angle))
    middle_x, middle_y = box.x + box.width / 2, box.y + box.height / 2
    across, down = box.width * width / 2, box.height * height / 2
    return tuple(
        (
            round(middle_x + (i * across * cosine - j * down * sine) / width, 9),
            round(middle_y + (i * across * sine + j * down * cosine) / height, 9),
        )
        for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )
