"""memegen's templates. In: folders, a config.yml's bytes. Out: pictures, `Config`s, `Template`s.

The format is that of memegen's own classes (`app/models/template.py`, `text.py`, `overlay.py` at
github.com/jacebrowning/memegen): a key that is missing has their default. memegen reads YAML 1.2,
in which `no` is a word and `012` a number; here every scalar stays the text it was written as, and
is made a number only where one is due.

memegen turns a region counter-clockwise around its middle and lays the rectangle that holds it
then with its top left at the anchor (`render_image` in `app/utils/images.py`); a `TextBox` is
turned clockwise around its middle, and its x and y are those of the region before it is turned.
A box always lies in the picture: what reaches out is cut, and the note says so.

memegen draws a still on `default.*`, and only without another on `default.gif`, of which it shows
the first frame (`get_image` and `load` in its `app`). Other pictures of the folder are styles:
other backgrounds for the same text.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_args

import yaml
from PIL import Image, ImageColor, ImageStat
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic import dataclasses as validated

from memeloc.errors import InputError
from memeloc.items import CONTROLS
from memeloc.model import STYLES, Align, FaceName, StyleName, Template, TextBox
from memeloc.templates.names import check_within, checkout_entries, config_of, visible
from memeloc.templates.pictures import SUFFIXES, open_picture, picture_notes, picture_size

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


def _one_of(names: Collection[str]) -> Any:
    return Field(pattern=f"(?i-u)^({'|'.join(names)})$")  # capitals are no matter, in ASCII


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


Line = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
Lines = Annotated[tuple[Line, ...], BeforeValidator(_distinct)]


@validated.dataclass(frozen=True, slots=True)
class Region:
    """A text region as memegen has it; the defaults are memegen's.

    Attributes:
        style: how the text's case is changed: `default` makes a sentence, `mock` alternates.
        color: a name or `#rgb`, `#rrggbb`, `#rrggbbaa`; perhaps a second one, of the outline,
            after a comma.
        anchor_x, anchor_y: top left, in fractions of the picture; of a turned region that of the
            rectangle that holds it all once it is turned.
        angle: in degrees, counter-clockwise.
        scale_x, scale_y: width and height before turning, in fractions of the picture.
        start, stop: when it is shown, in fractions of the animation.
    """

    style: Annotated[str, _one_of(_CASES)] = "upper"
    color: Annotated[str, AfterValidator(lambda value: _colours(value) and value)] = "white"
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
    """A config.yml: what memegen's keys of these names say.

    `overlay` is where memegen lays pictures of the user, `styles` the template's other pictures, as
    older files list them, `other` keys that memegen's classes lack, `notes` what was odd.
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
    """Read a config.yml; raise InputError, which names `path`, where it is none.

    What is wrong in a single value is noted, and memegen's default stands for it.
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
    names = {each.name for each in fields(Config)} - {"other", "notes"}
    config = _lenient(Config, {key: values[key] for key in names & values.keys()}, "it", notes)
    other = {key: values[key] for key in values.keys() - names - {"id", "variant"}}
    return replace(config, other=other, notes=tuple(notes))


def _lenient(model: type[Model], values: dict[Any, Any], where: str, notes: list[str]) -> Model:
    """Return an object of the model; a value that it cannot have is left out, with a note."""
    names = {each.name for each in fields(model)}
    if unknown := sorted(map(str, values.keys() - names)):
        notes.append(f"{where}: memegen has no {', '.join(map(repr, unknown[:5]))}")
    valid = {key: values[key] for key in names & values.keys() if values[key] not in ("", [])}
    try:
        return model(**valid)
    except ValidationError as error:
        for name in sorted({str(problem["loc"][0]) for problem in error.errors()}):
            value = valid.pop(name)
            notes.append(f"{where}: {name!r} cannot be {value!r:.60}; memegen's default stands")
        return model(**valid)


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
    """Return a YAML file's one document as texts, lists and dicts of texts; None without one."""
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
    """Make a box of every region, for a picture of a width and height in pixels.

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
    turn = 180.0 - (180.0 + region.angle) % 360.0  # above -180 and up to 180
    turn = 0.0 if abs(turn) < _LEVEL else round(turn, 6)
    if region.start > 0 or region.stop < 1:
        notes.append(
            f"it is shown from {region.start:.0%} to {region.stop:.0%} of an animation; on a still "
            "it is always shown"
        )
    if region.style.lower() == "mock":
        notes.append("memegen writes it in alternating case; memeloc writes it as it stands")
    fill, outline = _colours(region.color)
    face = _FACES["thin" if region.style.lower() == "thin" else region.font.lower()]
    outlined: StyleName = "comic" if face == "comic" else "poster"
    # memegen's stroke (`get_stroke`) is 1 to 3 pixels, a twelfth of the font size or less, around a
    # named colour, and 1 around black and a colour given by its number; sizes are 30 to 60 pixels.
    is_thin = region.color.strip().lower() == "black" or "#" in region.color
    style = replace(
        STYLES["bubble" if outline is None else outlined],
        face=face,
        fill=fill,
        outline=outline or "#ffffff",
        outline_width=0.03 if is_thin else 0.06,
        uppercase=region.style.lower() == "upper",
        max_size=round(_MAX_SIZE_TURNED if turn else _MAX_SIZE, 6),
    )
    place = _fit(region, turn, size[0] / size[1], notes)
    box = TextBox("", *place, turn, _ALIGNS[region.align.lower()], style=style)
    return PlacedRegion(region, box, tuple(notes))


def _fit(
    region: Region, turn: float, aspect: float, notes: list[str]
) -> tuple[float, float, float, float]:
    """Return x, y, width and height before turning, in fractions, so that all is in the picture."""
    cosine, sine = (abs(f(math.radians(turn))) for f in (math.cos, math.sin))

    def held(wide: float, high: float) -> tuple[float, float]:
        """Return width and height of the rectangle that contains a turned one."""
        return wide * cosine + high * sine / aspect, wide * sine * aspect + high * cosine

    left, top, wide, high = region.anchor_x, region.anchor_y, region.scale_x, region.scale_y
    held_wide, held_high = held(wide, high)
    right, bottom = left + held_wide, top + held_high
    out = max(-left, -top, right - 1, bottom - 1)
    x, y = max(0.0, left), max(0.0, top)
    cut_wide, cut_high = min(1.0, right) - x, min(1.0, bottom) - y
    if not turn and cut_wide >= _SMALLEST and cut_high >= _SMALLEST:
        done = "cut to it"
        wide, high = cut_wide, cut_high
    else:
        wide, high = max(wide, _SMALLEST), max(high, _SMALLEST)
        shrink = min(1.0, *(1 / side for side in held(wide, high)))
        wide, high = wide * shrink, high * shrink
        held_wide, held_high = held(wide, high)
        x = min(max((left + right) / 2, held_wide / 2), 1 - held_wide / 2) - wide / 2
        y = min(max((top + bottom) / 2, held_high / 2), 1 - held_high / 2) - high / 2
        done = "moved into it" if shrink == 1.0 else f"made {shrink:.0%} as large and moved into it"
    if out > _SLACK:
        notes.append(f"it reached {out:.1%} out of the picture and was {done}")
    return round(x, 6), round(y, 6), round(wide, 6), round(high, 6)


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


_FRAMES_SEARCHED = 50  # of an animation: the first seconds, in which it shows what it is
_PIXELS_SEARCHED = 100_000_000  # of all frames looked at: some seconds' decoding
_FLAT = 2.0  # standard deviation, of 255, below which a frame shows nothing


class Pictures(NamedTuple):
    """The pictures of a template's folder.

    `stills` are candidates for the one that text is written on, best first; `animations` may be
    among them.
    """

    stills: list[Path]
    animations: list[Path]
    styles: list[Path]


class Still(NamedTuple):
    """A picture that text is written on: its file's name and the bytes of a picture's file.

    `size` is in pixels, upright; of the file's `frames`, `content` shows `frame`, from 0.
    """

    file: str
    content: bytes
    size: tuple[int, int]
    frames: int = 1
    frame: int = 0


def template_folders(path: Path) -> list[Path]:
    """Return the folders of templates of a checkout, its folder `templates`, or one template's."""
    if config_of(path) is not None:
        return [path.resolve()]
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "there is no such folder"
        raise InputError(f"{what}; give a checkout of memegen or its folder templates", file=path)
    folders = [entry for entry in checkout_entries(path) or visible(path) if entry.is_dir()]
    if not any(map(config_of, folders)):
        raise InputError("holds no template: memegen's are folders with a config.yml", file=path)
    return folders


def read_config(folder: Path) -> Config:
    path = config_of(folder) or folder / "config.yml"
    try:
        with check_within(path, folder).open("rb") as file:
            return parse_config(file.read(MAX_BYTES + 1), path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error


def load_template(folder: Path, name: str) -> Template:
    """Return a template of memegen, to be rendered on where it lies, called `name`.

    Its picture is the first of `look_through` that is there; of an animation the first frame.
    """
    config, pictures = read_config(folder), look_through(folder)
    candidates = pictures.stills or pictures.styles
    if not candidates:
        raise InputError(
            "there is no picture in this folder; memegen's is called default.jpg or the like",
            file=folder,
        )
    image = check_within(candidates[0], folder)
    return Template(
        name=name,
        image=image,
        boxes=tuple(placed.box for placed in place(config.text, picture_size(image))),
        title=config.name or folder.name,
        keywords=config.keywords,
        source=config.source,
        notes=picture_notes(image),
    )


def look_through(folder: Path) -> Pictures:
    """Sort the pictures of a template's folder."""
    pictures = [
        path
        for path in visible(folder)
        if path.is_file()
        and path.suffix.lower() in SUFFIXES
        and not path.name.startswith("_")  # memegen's own temporary files
    ]
    default = [path for path in pictures if path.stem == "default"]
    moving = [path for path in default if path.suffix.lower() == ".gif"]
    animations = moving + [path for path in pictures if path.name == "animated.gif"]
    stills = [path for path in default if path not in moving] + animations
    return Pictures(stills, animations, [path for path in pictures if path not in stills])


def read_still(path: Path, folder: Path) -> Still:
    """Read a picture of a template's folder, and of an animation the frame that suits a still.

    That is the first one, as in memegen, but for an animation that begins with a flat colour: there
    it is the first frame that shows something.
    """
    picture = open_picture(check_within(path, folder))
    content = path.read_bytes()
    frames, most = 1, 1 + _PIXELS_SEARCHED // (picture.width * picture.height)
    # The first frame is good, and a damaged later one may make a decoder raise anything at all.
    with suppress(Exception), warnings.catch_warnings(action="ignore"):
        moving = Image.open(io.BytesIO(content))
        frames = 1 if moving.format == "TIFF" else int(getattr(moving, "n_frames", 1))
        for number in range(min(frames, _FRAMES_SEARCHED, most) if frames > 1 else 0):
            moving.seek(number)
            still = moving.convert("RGB")
            if max(ImageStat.Stat(still).stddev) >= _FLAT:
                if number:
                    still.save(encoded := io.BytesIO(), "PNG", optimize=True)
                    return Still(path.name, encoded.getvalue(), picture.size, frames, number)
                break
    return Still(path.name, content, picture.size, frames)
