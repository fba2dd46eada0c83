"""Template folders. In: a picture and its boxes. Out: a folder that `load_template` reads.

The picture is read, checked and written anew, so nothing but its pixels gets in: no place where it
was taken, no camera, no thumbnail. A folder is there whole or not at all.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from string import Template

import tomli_w
from PIL import Image

from memeloc.errors import InputError
from memeloc.items import FoundTemplate, item_id
from memeloc.model import STYLES, Bar, TextBox, check_tag_name
from memeloc.settings import parse_toml
from memeloc.templates.definition import check_definition, check_turned_boxes
from memeloc.templates.loading import DEFINITION, TOP_BOTTOM
from memeloc.templates.names import name_from
from memeloc.templates.pictures import open_picture

_PLACES = 6  # digits after the point: a millionth of a picture is less than a pixel of any


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

    It is called as the picture where no name is given, and has the boxes of a key of `LAYOUTS`.
    The picture is written anew, as by `write_template`.

    Raises:
        InputError: the picture cannot be read, the name is wrong, there is no such layout, or a
            template of that name is there already (it is never written over).
    """
    image = Path(image)
    if layout not in LAYOUTS:
        raise InputError(f"there are no boxes {layout!r}; known are {', '.join(LAYOUTS)}")
    chosen = name_from(image) if name is None else check_tag_name(name, "a template's name")
    folder = Path(to) / chosen
    if folder.exists():
        raise InputError("is there already; choose another name", file=folder)
    file, encoded, _ = _written_anew(image)
    title = (name or image.stem).replace("-", " ").replace("_", " ").strip().capitalize()
    head = Template(Path(__file__).with_name("new_template.txt").read_text("utf-8")).substitute(
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
    are further files of the folder, by name.

    Raises:
        InputError: the name is no name for a file, there is no picture or it cannot be read, a box
            reaches outside the picture, another template has that name, or the disk refuses.
    """
    if template.picture is None:
        raise InputError(
            f"the template {template.name[:60]!r} of {template.origin.source} came without a "
            "picture, so nothing can be written on it"
        )
    folder = Path(folder) / check_tag_name(name or _name_of(template), "a template's name")
    source = template.details.get("source")
    source = source if isinstance(source, str) and source else template.origin.url
    try:
        file, encoded, size = _written_anew(template.picture)
        head = {
            "title": _plain(template.name),
            "description": _plain(template.description),
            "keywords": [_plain(keyword) for keyword in template.keywords],
            "image": file,
            "source": _plain(source),
            "licence": _plain(template.origin.terms),
        }
        text = f"{tomli_w.dumps(head)}\n{boxes_toml(template.boxes or TOP_BOTTOM)}"
        _, boxes = check_definition(parse_toml(text), folder / DEFINITION)
        check_turned_boxes(boxes, size, folder / DEFINITION)
    except InputError as error:
        raise InputError(error.message, file=folder) from error
    files = {file: encoded, DEFINITION: text.encode(), **(beside or {})}
    if not _holds(folder, files):
        _put_folder(folder, files)
    return folder


def _name_of(template: FoundTemplate) -> str:
    name = template.details.get("safe_name")
    if isinstance(name, str) and name:
        return name
    try:
        return check_tag_name(template.name, "a template's name")
    except InputError:
        return item_id(template.origin.source, "template", template.origin.key, template.name)


def _put_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder, which then is there whole or not at all.

    It is made beside its place, under a name that begins with a dot, so that nobody loads it when
    this process dies before it is complete.
    """
    if folder.exists():
        raise InputError("is there already; choose another name", file=folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as partial:
            new = Path(partial) / "new"
            new.mkdir()
            for name, content in files.items():
                (new / name).write_bytes(content)
            new.rename(folder)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=folder) from error


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Return whether a folder holds these files and no others."""
    paths = list(folder.iterdir()) if folder.is_dir() else []
    return {path.name: path.is_file() and path.read_bytes() for path in paths} == files


def _written_anew(source: Path | bytes) -> tuple[str, bytes, tuple[int, int]]:
    """Return the name, the content and the size of the new file of a picture."""
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
    defaults = {field.name: field.default for field in fields(TextBox)}
    table = _changed(asdict(box), defaults | {"style": asdict(box.style), "bar": box.bar})
    if box.bar is not None:
        of_bar = _changed(asdict(box.bar), asdict(Bar(box.bar.side)))
        table = {key: value for key, value in table.items() if key not in _NOT_OF_BARS}
        table |= {"bar": box.bar.side} | {f"bar_{key}": value for key, value in of_bar.items()}
    style = _changed(asdict(box.style), asdict(STYLES[box.style.name]))
    return table | {"style": box.style.name} | style


_NOT_OF_BARS = ("y", "height", "angle", "valign", "bar")


def _changed(values: dict[str, object], defaults: Mapping[str, object]) -> dict[str, object]:
    """Return the values that are not the defaults, rounded."""
    return {
        name: round(value, _PLACES) if isinstance(value, float) else value
        for name, value in values.items()
        if value != defaults[name]
    }


def _plain(text: str) -> str:
    """Return a text with a space for each character that is not printable, as a line feed."""
    return "".join(char if char.isprintable() else " " for char in text)
