"""Template folders and previews. In: a picture, its boxes. Out: a folder, or boxes over a picture.

The picture is read, checked and written anew, so nothing but its pixels gets in: no place where it
was taken, no camera, no thumbnail. A folder is there whole or not at all.
"""

from __future__ import annotations

import io
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from string import Template as Text
from typing import Any, TypeVar

import tomli_w
from PIL import Image, ImageDraw, ImageFont

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.items import FoundTemplate, item_id
from memeloc.model import STYLES, Bar, Template, TextBox, TextStyle, check_tag_name
from memeloc.settings import parse_toml
from memeloc.templates.definition import check_definition, check_turned_boxes, turned_corners
from memeloc.templates.loading import DEFINITION, TOP_BOTTOM
from memeloc.templates.names import config_of, is_safe, name_from
from memeloc.templates.pictures import open_picture

_PREVIEW_BAR = 0.2  # height of a bar in a preview, as a share of the picture's
_COLOURS = ("#d7263d", "#1b6ca8", "#1e8449", "#8e44ad", "#b9770e", "#117a8b")
_PLACES = 6  # digits after the point: a millionth of a picture is less than a pixel of any

Part = TypeVar("Part", TextBox, TextStyle, Bar)
_LOW = partial(TextBox, valign="bottom")
LAYOUTS: dict[str, tuple[TextBox, ...]] = {
    "top-bottom": TOP_BOTTOM,
    "caption": (_LOW("caption", 0.03, 0.73, 0.94, 0.25),),
    "side-by-side": (_LOW("left", 0.02, 0.73, 0.46, 0.25), _LOW("right", 0.52, 0.73, 0.46, 0.25)),
    "bar": (TextBox("caption", 0.04, 0.0, 0.92, 0.5, style=STYLES["plain"], bar=Bar("top")),),
    "four": (
        _LOW("one", 0.02, 0.34, 0.46, 0.15),
        _LOW("two", 0.52, 0.34, 0.46, 0.15),
        _LOW("three", 0.02, 0.84, 0.46, 0.15),
        _LOW("four", 0.52, 0.84, 0.46, 0.15),
    ),
}
"""Boxes to begin with, as they are written into a new template.toml."""


def add_template(
    image: str | Path, to: str | Path, *, name: str | None = None, layout: str = "top-bottom"
) -> Path:
    """Make a template of a picture: the folder `to`/NAME with the picture and a template.toml.

    It is called as the picture where no name is given, and has the boxes of a key of `LAYOUTS`. The
    picture is written anew, as by `write_template`. Raise InputError if the picture cannot be read,
    the name is wrong, there is no such layout, or a template of that name is there already (it is
    never written over).
    """
    image = Path(image)
    if layout not in LAYOUTS:
        raise InputError(f"there are no boxes {layout!r}; known are {', '.join(LAYOUTS)}")
    chosen = name_from(image) if name is None else check_tag_name(name, "a template's name")
    folder = Path(to) / chosen
    file, encoded, _ = _written_anew(image)
    title = (name or image.stem).replace("-", " ").replace("_", " ").strip().capitalize()
    head = Text(Path(__file__).with_name("new_template.txt").read_text("utf-8")).substitute(
        title=tomli_w.dumps({"title": _plain(title)}), image=file
    )
    _put_folder(folder, {file: encoded, DEFINITION: (head + boxes_toml(LAYOUTS[layout])).encode()})
    return folder


def write_template(
    template: FoundTemplate,
    folder: str | Path,
    *,
    name: str | None = None,
    beside: Mapping[str, bytes] | None = None,
) -> Path:
    """Make a template's folder, `folder`/NAME, of a template that was collected with its picture.

    Its address and terms become the template's source and licence, unless its details have a
    `source`. It is called `name`; else `safe_name` of its details, else its own name where that is
    safe as a file's, else its item's id. Without boxes it gets one at the top and one at the
    bottom. A JPEG stays one (quality 92), all else becomes a PNG; of an animated picture the first
    frame is kept. A template of that name that says and shows the same is left as it is. `beside`
    are further files of the folder, by name. Raise InputError if the name is no name for a file,
    there is no picture or it cannot be read, a box reaches outside the picture, another template
    has that name, or the disk refuses.
    """
    if template.picture is None:
        raise InputError(
            f"the template {template.name[:60]!r} of {template.origin.source} came without a "
            "picture, so nothing can be written on it"
        )
    origin = template.origin
    name = (
        name
        or template.details.get("safe_name")
        or (
            template.name
            if is_safe(template.name)
            else item_id(origin.source, "template", origin.key, template.name)
        )
    )
    folder = Path(folder) / check_tag_name(name, "a template's name")
    try:
        file, encoded, size = _written_anew(template.picture)
        head = {
            "title": _plain(template.name),
            "description": _plain(template.description),
            "keywords": [_plain(keyword) for keyword in template.keywords],
            "image": file,
            "source": _plain(template.details.get("source") or origin.url),
            "licence": _plain(origin.terms),
        }
        text = f"{tomli_w.dumps(head)}\n{boxes_toml(template.boxes or TOP_BOTTOM)}"
        _, boxes = check_definition(parse_toml(text), folder / DEFINITION)
        check_turned_boxes(boxes, size, folder / DEFINITION)
    except InputError as error:
        raise InputError(error.message, file=folder) from error
    files = {file: encoded, DEFINITION: text.encode(), **(beside or {})}
    paths = list(folder.iterdir()) if folder.is_dir() else []
    if {path.name: path.is_file() and path.read_bytes() for path in paths} != files:
        _put_folder(folder, files)
    return folder


def copy_template(template: Template, folder: Path) -> Path:
    """Copy a template into a folder, byte for byte: its own folder, or its plain picture. Raise
    InputError if something of its name stands there, or the disk refuses."""
    for home in template.image.parents[:3]:
        if (home / DEFINITION).is_file() or config_of(home) is not None:
            break
    else:
        place = folder / template.image.name
        with replacing(place) as temporary:
            temporary.write_bytes(template.image.read_bytes())
        return place
    paths = [path for path in sorted(home.rglob("*")) if path.is_file()]
    files = {path.relative_to(home).as_posix(): path.read_bytes() for path in paths}
    _put_folder(folder / template.name, files)
    return folder / template.name


def is_same_template(template: Template, other: Template) -> bool:
    """Return whether two templates show and say the same, wherever they stand."""
    first, second = (
        replace(each, image=Path(), pictures=(), notes=()) for each in (template, other)
    )
    tags = [tag for tag, _ in sorted(template.pictures)]
    same_tags = tags == [tag for tag, _ in sorted(other.pictures)]
    return (
        first == second
        and same_tags
        and all(
            each.read_bytes() == its.read_bytes()
            for each, its in zip(_pictures(template), _pictures(other), strict=True)
        )
    )


def _pictures(template: Template) -> list[Path]:
    return [template.image, *(path for _, path in sorted(template.pictures))]


def _put_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder, which then is there whole or not at all."""
    if folder.exists():
        raise InputError("is there already; choose another name", file=folder)
    # It is made under a name that begins with a dot: nobody loads it when this process dies before.
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as partial:
            new = Path(partial) / "new"
            new.mkdir()
            for name, content in files.items():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                (new / name).write_bytes(content)
            new.rename(folder)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=folder) from error


def _written_anew(source: Path | bytes) -> tuple[str, bytes, tuple[int, int]]:
    picture = open_picture(source)
    with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source) as original:
        is_jpeg = original.format == "JPEG"
    encoded = io.BytesIO()
    picture.save(encoded, "JPEG" if is_jpeg else "PNG", quality=92, optimize=True)
    return "picture.jpg" if is_jpeg else "picture.png", encoded.getvalue(), picture.size


def boxes_toml(boxes: Sequence[TextBox]) -> str:
    """Return boxes as a template.toml has them; of each only what differs from the defaults."""
    return "\n".join(f"[[box]]\n{tomli_w.dumps(_box_table(box))}" for box in boxes)


def _box_table(box: TextBox) -> dict[str, object]:
    # Where a box is has no default.
    unset = TextBox("", math.nan, math.nan, math.nan, math.nan, style=box.style, bar=box.bar)
    table = _changed(box, unset)
    if box.bar is not None:
        for key in ("y", "height", "angle", "valign"):
            table.pop(key, None)
        of_bar = _changed(box.bar, Bar(box.bar.side))
        table |= {"bar": box.bar.side} | {f"bar_{key}": value for key, value in of_bar.items()}
    return table | {"style": box.style.name} | _changed(box.style, STYLES[box.style.name])


def _changed(value: Part, default: Part) -> dict[str, Any]:
    """Return the fields of `value` that are not the default's, rounded."""
    defaults = asdict(default)
    return {
        name: round(each, _PLACES) if isinstance(each, float) else each
        for name, each in asdict(value).items()
        if each != defaults[name]
    }


def _plain(text: str) -> str:
    """Return a text with a space for each character that is not printable, as a line feed."""
    return "".join(char if char.isprintable() else " " for char in text)


def preview(template: Template) -> Image.Image:
    """Return the template's picture with its boxes drawn over it, each with its number and name.

    Bars stand above and below it, a fifth of its height or as high as they may be.
    """
    picture = open_picture(template.image)
    width, height = picture.size
    bars = {box.bar.side: box.bar for box in template.boxes if box.bar}
    heights = {side: round(min(_PREVIEW_BAR, bar.most) * height) for side, bar in bars.items()}
    top = heights.get("top", 0)
    whole = Image.new("RGB", (width, height + sum(heights.values())))
    for side, bar in bars.items():
        y = 0 if side == "top" else top + height
        whole.paste(bar.colour, (0, y, width, y + heights[side]))
    whole.paste(picture, (0, top))
    line, font_size = max(2, min(whole.size) // 160), max(12, min(whole.size) // 28)
    layer = Image.new("RGBA", whole.size)
    draw = ImageDraw.Draw(layer)
    for number, box in enumerate(template.boxes, 1):
        start, share = float(top), 1.0
        if box.bar:
            start = 0.0 if box.bar.side == "top" else float(top + height)
            share = heights[box.bar.side] / (box.height * height)
        corners = [
            (x * width, start + y * height * share) for x, y in turned_corners(box, picture.size)
        ]
        colour = _COLOURS[(number - 1) % len(_COLOURS)]
        draw.polygon(corners, fill=f"{colour}40", outline=colour, width=line)
        across, down = (max(0, value) + 2 * line for value in corners[0])
        draw.text(
            (min(across, width - font_size), min(down, whole.height - font_size)),
            f"{number} {box.name}",
            "#ffffff",
            font=ImageFont.load_default(font_size),
            stroke_width=line,
            stroke_fill=colour,
        )
    return Image.alpha_composite(whole.convert("RGBA"), layer).convert("RGB")


def write_preview(template: Template, path: str | Path) -> None:
    """Write `preview` as a PNG to `path`, which then is there whole or not at all."""
    path, picture = Path(path), preview(template)
    if path.is_dir():
        raise InputError("is a folder; give the name of a file", file=path)
    with replacing(path) as temporary:
        picture.save(temporary, "PNG")
