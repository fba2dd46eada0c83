"""A config.yml of memegen. In: the file's bytes, a picture's size. Out: `Config`, `TextBox`es.

The format is that of memegen's own classes (`app/models/template.py`, `text.py`, `overlay.py` at
github.com/jacebrowning/memegen): a key that is missing has their default. memegen reads YAML 1.2,
in which `no` is a word and `012` a number; here every scalar stays the text it was written as, and
is made a number only where one is due.

memegen turns a region counter-clockwise around its middle and lays the rectangle that holds it
then with its top left at the anchor (`render_image` in `app/utils/images.py`); a `TextBox` is
turned clockwise around its middle, and its x and y are those of the region before it is turned.
A box always lies in the picture: what reaches out is cut, and the note says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_args

import yaml
from PIL import ImageColor
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic import dataclasses as validated

from memeloc.errors import InputError
from memeloc.items import CONTROLS
from memeloc.model import STYLES, Align, FaceName, StyleName, TextBox, TextStyle

MAX_BYTES = 256_000  # size that a config.yml may have: the largest of memegen's has some 2 kB

Model = TypeVar("Model", bound="Region | Config")
Number = Annotated[float, Field(gt=-1e6, lt=1e6, allow_inf_nan=False)]


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    return [] if value in (None, "") else [value]


def _distinct(value: Any) -> list[Any]:
    values = [each for each in _listed(value) if each]
    return [each for at, each in enumerate(values) if each not in values[:at]]


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

# By id and alias (`app/models/font.py`): the heavy fonts are poster letters.
_FACES: dict[str, FaceName] = {
    **dict.fromkeys(("thick", "titilliumweb", "impact"), "poster"),
    **dict.fromkeys(("comic", "kalam"), "comic"),
    **dict.fromkeys(("thin", "titilliumweb-thin", "tiny", "segoe", "notosans", "jp"), "plain"),
    **dict.fromkeys(("hgminchob", "he", "notosanshe", "notosanshebrew"), "plain"),
}

# Changes of case: all but `upper` are made in the example when it is imported. `thin` is an older
# way to say `default` in the thin font.
_CASES = ("upper", "lower", "default", "none", "title", "capitalize", "casefold", "thin", "mock")


def _one_of(names: Collection[str]) -> AfterValidator:
    def check(value: str) -> str:
        if value.lower() not in names:
            raise ValueError("it is not known")
        return value

    return AfterValidator(check)


def _colours(colour: str) -> tuple[str, str | None]:
    """Return fill and outline as `#rrggbb`; no outline when the text is black, or ValueError."""
    first, second = (colour, "") if "(" in colour else (*colour.split(",", 1), "")[:2]
    fill = _rgb(first)
    outline = _rgb(second) if second.strip() else "#000000"
    return fill, None if fill == "#000000" and not second.strip() else outline


def _rgb(name: str) -> str:
    number = re.fullmatch(r"([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})", name.strip())
    values = ImageColor.getrgb(f"#{number[0]}" if number else name.strip())[:3]
    return "#" + "".join(f"{min(255, max(0, value)):02x}" for value in values)


def _check_colours(value: str) -> str:
    _colours(value)
    return value


Line = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
Lines = Annotated[tuple[Line, ...], BeforeValidator(_distinct)]


@validated.dataclass(frozen=True, slots=True)
class Region:
    """A text region as memegen has it; the defaults are memegen's.

    Attributes:
        style: how the text's case is changed: `upper`, `lower`, `default` (a sentence), `mock`
            (alternating), `none`, or the name of any method of Python's str, such as `title`.
        color: a name or `#rgb`, `#rrggbb`, `#rrggbbaa`; perhaps a second one, of the outline,
            after a comma.
        font: id or alias of memegen's fonts.
        anchor_x, anchor_y: top left of the region, in fractions of the picture. Of a turned region
            it is the top left of the rectangle that holds it all once it is turned.
        angle: in degrees, counter-clockwise.
        scale_x, scale_y: width and height before turning, in fractions of the picture.
        align: `center`, `left`, `right`, `start` or `end`.
        start, stop: when it is shown, in fractions of the animation.
    """

    style: Annotated[str, _one_of(_CASES)] = "upper"
    color: Annotated[str, AfterValidator(_check_colours)] = "white"
    font: Annotated[str, _one_of(_FACES)] = "thick"
    anchor_x: Number = 0.0
    anchor_y: Number = 0.0
    angle: Number = 0.0
    scale_x: Annotated[Number, Field(gt=0)] = 1.0
    scale_y: Annotated[Number, Field(gt=0)] = 0.2
    align: Annotated[str, _one_of(_ALIGNS)] = "center"
    start: Number = 0.0
    stop: Number = 1.0


@validated.dataclass(frozen=True, slots=True)
class Config:
    """A config.yml: what memegen's keys of these names say; `text` and `example` line by line.

    `overlay` is where memegen lays pictures of the user, `styles` the other pictures of the
    template, as older files list them, `other` the keys that memegen's classes do not have, and
    `notes` what was odd, a sentence each.
    """

    name: Line = ""
    source: Line = ""
    keywords: Lines = ()
    aliases: Lines = ()
    text: tuple[Region, ...] = (Region(), Region(anchor_y=0.8))
    example: tuple[str, ...] = ()
    overlay: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_listed)] = ()
    styles: Lines = ()
    other: Mapping[str, Any] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


def parse_config(content: bytes, path: Path) -> Config:
    """Read a config.yml; `path` is named in the errors.

    What is wrong in a single value is noted, and memegen's default stands for it.

    Raises:
        InputError: it is no YAML, no mapping, or larger than any template needs.
    """
    table = load_yaml(content, path)
    if not isinstance(table or {}, dict):
        raise InputError("must be a mapping of keys to values, as in `name: My Meme`", file=path)
    values = {str(key): value for key, value in (table or {}).items()}
    for old, new in (("default", "example"), ("sample", "example"), ("link", "source")):  # by 2020
        if old in values:
            values.setdefault(new, values.pop(old))
    notes: list[str] = []
    values["example"] = [
        line.strip() if isinstance(line, str) else "" for line in _listed(values.get("example"))
    ]
    values["text"] = [
        _lenient(Region, region if isinstance(region, dict) else {}, f"text region {number}", notes)
        for number, region in enumerate(_listed(values.get("text")), 1)
    ]
    known = {each.name for each in fields(Config)} - {"other", "notes"}
    config = _lenient(Config, {key: values[key] for key in known & values.keys()}, "it", notes)
    other = {key: values[key] for key in values.keys() - known - {"id", "variant"}}
    return replace(config, other=other, notes=tuple(notes))


def _lenient(model: type[Model], values: dict[Any, Any], where: str, notes: list[str]) -> Model:
    """Return an object of the model; a value that it cannot have is left out, with a note."""
    names = {each.name for each in fields(model)}
    if unknown := sorted(map(str, values.keys() - names)):
        notes.append(f"{where}: memegen has no {', '.join(map(repr, unknown[:5]))}")
    kept = {key: values[key] for key in names & values.keys() if values[key] not in ("", [])}
    try:
        return model(**kept)
    except ValidationError as error:
        for name in sorted({str(problem["loc"][0]) for problem in error.errors()}):
            value = kept.pop(name)
            notes.append(f"{where}: {name!r} cannot be {value!r:.60}; memegen's default stands")
        return model(**kept)


class _Texts(yaml.BaseLoader):
    """A reader of YAML that gives texts (null as an empty one), lists and mappings alone."""

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        is_null = node.style is None and node.value in ("~", "null", "Null", "NULL")
        return "" if is_null else CONTROLS.sub("\ufffd", node.value)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):  # a few bytes of them can stand for gigabytes
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(None, None, "an alias stands for a value", mark)
        return super().compose_node(parent, index)


def load_yaml(content: bytes, path: Path) -> Any:
    """Return the one document of a YAML file as texts, lists and dicts of texts; None without one.

    Raises:
        InputError: it is no YAML, has aliases, or is larger than `MAX_BYTES`.
    """
    if len(content) > MAX_BYTES:
        raise InputError(
            f"has more than {MAX_BYTES // 1000} kB; no template needs so many", file=path
        )
    try:
        return yaml.load(content, Loader=_Texts)  # noqa: S506 - it builds nothing else
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (at line {mark.line + 1})" if mark is not None else ""
        problem = getattr(error, "problem", "") or getattr(error, "reason", "") or "not readable"
        raise InputError(f"is not YAML: {str(problem)[:120]}{where}", file=path) from None
    except RecursionError:
        raise InputError("has lists in lists too deep to be read", file=path) from None
    except (ValueError, TypeError, IndexError, OverflowError):
        raise InputError("is not YAML: an escape stands for no character", file=path) from None


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


def _place(region: Region, size: tuple[int, int]) -> PlacedRegion:
    notes: list[str] = []
    turn = _clockwise(region.angle)
    if region.start > 0 or region.stop < 1:
        notes.append(
            f"it is shown from {region.start:.0%} to {region.stop:.0%} of an animation; on a still "
            "it is always shown"
        )
    if region.style.lower() == "mock":
        notes.append("memegen writes it in alternating case; memeloc writes it as it stands")
    place = _fit(region, turn, size, notes)
    align, style = _ALIGNS[region.align.lower()], _style(region, turned=turn != 0)
    return PlacedRegion(region, TextBox("", *place, turn, align, style=style), tuple(notes))


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


def _style(region: Region, *, turned: bool) -> TextStyle:
    fill, outline = _colours(region.color)
    face = _FACES["thin" if region.style.lower() == "thin" else region.font.lower()]
    outlined: StyleName = "comic" if face == "comic" else "poster"
    return replace(
        STYLES["bubble" if outline is None else outlined],
        face=face,
        fill=fill,
        outline=outline or "#ffffff",
        outline_width=_outline_width(region.color),
        uppercase=region.style.lower() == "upper",
        max_size=round(_MAX_SIZE_TURNED if turned else _MAX_SIZE, 6),
    )


def _outline_width(colour: str) -> float:
    """Return memegen's stroke (`get_stroke`) as a share of the font size.

    It is 1 to 3 pixels, a twelfth of the size or less, around a named colour, and 1 pixel around
    black and around a colour given by its number; typical sizes are 30 to 60 pixels.
    """
    return 0.03 if colour.strip().lower() == "black" or "#" in colour else 0.06


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
