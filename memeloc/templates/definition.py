"""What a template.toml says. In: the file's bytes. Out: its values, checked key by key.

Every complaint is an InputError that names the file, the box and the key, and says what is allowed.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import cast, get_args

from memeloc.errors import InputError
from memeloc.model import STYLES, Align, StyleName, TextBox, TextStyle, VAlign

MAX_TOML_BYTES = 1_000_000
"""Size that a template.toml may have, in bytes."""

SLACK = 0.001 + 1e-9
"""How far a box may reach beyond the picture, in fractions of it: a thousandth for rounding by
hand, and what the addition of two such numbers adds."""

_TEXTS = ("title", "description", "source", "licence")
_KEYS = (*_TEXTS, "keywords", "image", "box")
_PLACE = ("x", "y", "width", "height")
_BOX_KEYS = ("name", *_PLACE, "angle", "align", "valign", "style")

# Numbers that a style may be given, with the least and the largest.
_STYLE_NUMBERS = {
    "outline_width": (0.0, 0.5),
    "max_size": (0.005, 1.0),
    "line_spacing": (0.5, 4.0),
}
_STYLE_COLOURS = ("fill", "outline")
_STYLE_KEYS = ("face", *_STYLE_COLOURS, *_STYLE_NUMBERS, "uppercase")


@dataclass(frozen=True, slots=True)
class Definition:
    """A template.toml after every check that needs no look at the picture."""

    image: str
    boxes: tuple[TextBox, ...]
    title: str
    description: str
    source: str
    licence: str
    keywords: tuple[str, ...]


def read_definition(path: Path) -> Definition:
    """Read and check the template.toml at `path`.

    Raises:
        InputError: the file is missing, no TOML, or a key is unknown, missing or wrong.
    """
    return check_definition(_read_toml(path), path)


def check_definition(table: Mapping[str, object], path: Path) -> Definition:
    """Check what stands in a template.toml; `path` is named in the errors.

    Raises:
        InputError: a key is unknown, missing or wrong.
    """
    _check_keys(table, _KEYS, "", path)
    for key in ("image", "box"):
        if key not in table:
            raise InputError(f"{key!r} is missing; {_REQUIRED[key]}", file=path)
    texts = {key: _text(table.get(key, ""), key, path) for key in _TEXTS}
    keywords = table.get("keywords", [])
    if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
        raise InputError('\'keywords\' must be a list of texts, as in ["cat", "work"]', file=path)
    tables = table["box"]
    if not isinstance(tables, list) or not all(isinstance(box, dict) for box in tables):
        raise InputError("each box must be a table of its own, headed [[box]]", file=path)
    if not tables:
        raise InputError(f"there is no box; {_REQUIRED['box']}", file=path)
    boxes = tuple(_box(box, number, path) for number, box in enumerate(tables, 1))
    _check_unique((box.name for box in boxes), path)
    return Definition(
        image=_image(table["image"], path), boxes=boxes, keywords=tuple(keywords), **texts
    )


_REQUIRED = {
    "image": 'name the picture, as in image = "picture.png"',
    "box": "a template needs at least one [[box]] for text",
}


def _read_toml(path: Path) -> dict[str, object]:
    try:
        if path.stat().st_size > MAX_TOML_BYTES:
            raise InputError("is larger than 1 MB, which no template needs", file=path)
        # Editors on Windows begin the file with a byte order mark, which TOML does not know.
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text; save it as UTF-8", file=path) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not TOML: {str(error)[:200]}", file=path) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error


def _check_keys(
    table: Mapping[str, object], known: tuple[str, ...], where: str, path: Path
) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            raise InputError(f"{where}{key[:60]!r} is not known; {hint}", file=path)


def _shown(value: object) -> str:
    return repr(value)[:60]


def _text(value: object, key: str, path: Path, where: str = "") -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}{key!r} must be a text, not {_shown(value)}", file=path)
    return value


def _number(value: object, key: str, limits: tuple[float, float], path: Path, where: str) -> float:
    low, high = limits
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where}{key!r} must be a number, not {_shown(value)}", file=path)
    if not (math.isfinite(value) and low <= value <= high):
        raise InputError(
            f"{where}{key!r} must lie between {low:g} and {high:g}, not {_shown(value)}", file=path
        )
    return float(value)


def _choice(value: object, key: str, known: Iterable[str], path: Path, where: str) -> str:
    names = list(known)
    if not isinstance(value, str) or value not in names:
        near = difflib.get_close_matches(str(value), names, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"{where}{key!r} must be one of {', '.join(names)}, not {_shown(value)}{hint}",
            file=path,
        )
    return value


def _image(value: object, path: Path) -> str:
    image = _text(value, "image", path)
    posix, windows = PurePosixPath(image), PureWindowsPath(image)
    if not image.strip() or not image.isprintable():
        raise InputError("'image' must be the name of a picture", file=path)
    if posix.is_absolute() or windows.anchor or ".." in posix.parts or ".." in windows.parts:
        raise InputError(
            f"'image' must lie in the template's own folder, but is {_shown(image)}", file=path
        )
    return image


def _box(table: Mapping[str, object], number: int, path: Path) -> TextBox:
    where = f"box {number}: "
    _check_keys(table, (*_BOX_KEYS, *_STYLE_KEYS), where, path)
    for key in ("name", *_PLACE):
        if key not in table:
            raise InputError(f"{where}{key!r} is missing", file=path)
    name = _text(table["name"], "name", path, where)
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise InputError(f"{where}'name' must be 1 to 100 visible characters", file=path)
    where = f"box {name!r}: "
    x, y, width, height = (_number(table[key], key, (-1e9, 1e9), path, where) for key in _PLACE)
    for key, start, length in (("width", x, width), ("height", y, height)):
        if length <= 0:
            raise InputError(f"{where}{key!r} must be more than 0, not {length:g}", file=path)
        if start < -SLACK or start + length > 1 + SLACK:
            axis = "x" if key == "width" else "y"
            raise InputError(
                f"{where}lies outside the picture: {axis} to {axis} + {key} is {start:g} to "
                f"{start + length:g}, and must lie within 0 to 1 (fractions of the picture)",
                file=path,
            )
    angle = _number(table.get("angle", 0.0), "angle", (-180.0, 180.0), path, where)
    align = _choice(table.get("align", "center"), "align", get_args(Align), path, where)
    valign = _choice(table.get("valign", "middle"), "valign", get_args(VAlign), path, where)
    return TextBox(
        name,
        x,
        y,
        width,
        height,
        angle,
        cast(Align, align),
        cast(VAlign, valign),
        _style(table, path, where),
    )


def _style(table: Mapping[str, object], path: Path, where: str) -> TextStyle:
    name = _choice(table.get("style", "poster"), "style", STYLES, path, where)
    given: dict[str, object] = {}
    if "face" in table:
        given["face"] = _choice(table["face"], "face", ("poster", "plain"), path, where)
    for key in _STYLE_COLOURS:
        if key in table:
            colour = _text(table[key], key, path, where)
            if not re.fullmatch("#[0-9a-fA-F]{6}", colour):
                raise InputError(
                    f"{where}{key!r} must be a colour like '#ffcc00', not {_shown(colour)}",
                    file=path,
                )
            given[key] = colour.lower()
    for key, limits in _STYLE_NUMBERS.items():
        if key in table:
            given[key] = _number(table[key], key, limits, path, where)
    if "uppercase" in table:
        if not isinstance(table["uppercase"], bool):
            shown = _shown(table["uppercase"])
            raise InputError(f"{where}'uppercase' must be true or false, not {shown}", file=path)
        given["uppercase"] = table["uppercase"]
    style = STYLES[cast(StyleName, name)]
    return replace(style, **given) if given else style  # type: ignore[arg-type]


def _check_unique(names: Iterable[str], path: Path) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"two boxes are called {name!r}; give each its own name", file=path)
        seen.add(name)


def check_turned_boxes(boxes: Iterable[TextBox], size: tuple[int, int], path: Path) -> None:
    """Check that the corners of the turned boxes lie in a picture of `size` (pixels).

    Raises:
        InputError: a corner lies outside, by more than `SLACK` of the picture.
    """
    for box in boxes:
        for x, y in turned_corners(box, size):
            if not (-SLACK <= x <= 1 + SLACK and -SLACK <= y <= 1 + SLACK):
                raise InputError(
                    f"box {box.name!r}: turned by {box.angle:g} degrees it reaches outside the "
                    "picture; make it smaller or move it",
                    file=path,
                )


def turned_corners(box: TextBox, size: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """The corners of `box` after its rotation, clockwise from its top left, in fractions.

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
