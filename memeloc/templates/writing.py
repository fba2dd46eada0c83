"""Template folders. In: a picture's bytes and its boxes. Out: a folder that `load_template` reads.

The picture is read, checked and written anew, so nothing but its pixels gets in: no place where it
was taken, no camera, no thumbnail. A folder is there whole or not at all.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path

import tomli_w
from PIL import Image

from memeloc.errors import InputError
from memeloc.items import FoundTemplate, item_id
from memeloc.model import STYLES, Bar, TextBox, check_tag_name
from memeloc.settings import parse_toml
from memeloc.templates.definition import check_definition, check_turned_boxes
from memeloc.templates.loading import DEFINITION, TOP_BOTTOM
from memeloc.templates.pictures import open_picture

_PLACES = 6  # digits after the point: a millionth of a picture is less than a pixel of any


def write_template(
    template: FoundTemplate,
    folder: Path,
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
    folder = folder / check_tag_name(name or _name_of(template), "a template's name")
    source = template.details.get("source")
    try:
        image = open_picture(template.picture)
        file, content = encode(image, template.picture)
        head = {
            "title": plain(template.name),
            "description": plain(template.description),
            "keywords": [plain(keyword) for keyword in template.keywords],
            "image": file,
            "source": plain(source if isinstance(source, str) and source else template.origin.url),
            "licence": plain(template.origin.terms),
        }
        text = f"{tomli_w.dumps(head)}\n{boxes_toml(template.boxes or TOP_BOTTOM)}"
        definition = check_definition(parse_toml(text), folder / DEFINITION)
        check_turned_boxes(definition.boxes, image.size, folder / DEFINITION)
    except InputError as error:
        raise InputError(error.message, file=folder) from error
    files = {file: content, DEFINITION: text.encode(), **(beside or {})}
    if not _holds(folder, files):
        put_folder(folder, files)
    return folder


def _name_of(template: FoundTemplate) -> str:
    name = template.details.get("safe_name")
    if isinstance(name, str) and name:
        return name
    try:
        return check_tag_name(template.name, "a template's name")
    except InputError:
        return item_id(template.origin.source, "template", template.origin.key, template.name)


def put_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder, which then is there whole or not at all.

    It is made beside its place, under a name that begins with a dot, so that nobody loads it when
    this process dies before it is complete.

    Raises:
        InputError: there is one already; or the disk refuses.
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
    """Whether a folder holds these files and no others."""
    return (
        folder.is_dir()
        and {path.name for path in folder.iterdir()} == set(files)
        and all((folder / name).read_bytes() == content for name, content in files.items())
    )


def encode(picture: Image.Image, source: bytes) -> tuple[str, bytes]:
    """The name and the bytes of the new file of a picture that was opened from `source`."""
    with Image.open(io.BytesIO(source)) as original:
        is_jpeg = original.format == "JPEG"
    encoded = io.BytesIO()
    picture.save(encoded, "JPEG" if is_jpeg else "PNG", quality=92, optimize=True)
    return "picture.jpg" if is_jpeg else "picture.png", encoded.getvalue()


def boxes_toml(boxes: Sequence[TextBox]) -> str:
    """Boxes as a template.toml has them; of each only what differs from what is assumed anyway."""
    return tomli_w.dumps({"box": [_box_table(box) for box in boxes]})


def _box_table(box: TextBox) -> dict[str, object]:
    usual = {field.name: field.default for field in fields(box)}
    place = {
        name: _rounded(value)
        for name, value in asdict(box).items()
        if name not in ("style", "bar") and value != usual[name]
    }
    if box.bar is not None:
        assumed = Bar(box.bar.side)
        place = {key: value for key, value in place.items() if key not in _NOT_OF_BARS}
        place |= {"bar": box.bar.side} | {
            f"bar_{name}": _rounded(value)
            for name, value in asdict(box.bar).items()
            if value != getattr(assumed, name)
        }
    usual = asdict(STYLES[box.style.name])
    style = {name: value for name, value in asdict(box.style).items() if value != usual[name]}
    return {**place, "style": box.style.name, **style}


_NOT_OF_BARS = ("y", "height", "angle", "valign")


def _rounded(value: object) -> object:
    return round(value, _PLACES) if isinstance(value, float) else value


def plain(text: str) -> str:
    """A text with a space for each character that is not printable, a line feed included."""
    return "".join(char if char.isprintable() else " " for char in text)
