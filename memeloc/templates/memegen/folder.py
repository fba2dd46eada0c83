"""A checkout of memegen. In: its folder. Out: its templates' folders, pictures, and `Template`s.

memegen's templates are `templates/<id>/`, in checkouts of before 2020 `data/templates/<id>/`, with
a config.yml and a picture. memegen draws a still on `default.*`, and only without another on
`default.gif`, of which it shows the first frame (`get_image` and `load` in its `app`). Other
pictures of the folder are styles: other backgrounds for the same text.
"""

from __future__ import annotations

import io
import warnings
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageStat

from memeloc.errors import InputError
from memeloc.model import Template
from memeloc.templates.memegen import checkout_entries, config_of
from memeloc.templates.memegen.config import MAX_BYTES, Config, parse_config, place
from memeloc.templates.names import check_within, visible
from memeloc.templates.pictures import SUFFIXES, open_picture, picture_notes, picture_size

_FRAMES_SEARCHED = 50
_PIXELS_SEARCHED = 100_000_000  # of all frames looked at: some seconds' decoding
_FLAT = 2.0  # standard deviation, of 255, below which a frame shows nothing


class Pictures(NamedTuple):
    """The pictures of a template's folder.

    `stills` are the candidates for the one that text is written on, best first; `animations` the
    moving ones of the same template, which may also be among the stills.
    """

    stills: list[Path]
    animations: list[Path]
    styles: list[Path]


class Still(NamedTuple):
    """A picture that text is written on: its file's name and the bytes of a picture's file.

    `size` is width and height in pixels, upright; `frames` how many the file has, and `frame` which
    of them `content` shows, from 0.
    """

    file: str
    content: bytes
    size: tuple[int, int]
    frames: int = 1
    frame: int = 0


def template_folders(path: Path) -> list[Path]:
    """Return the folders of templates of a checkout, its folder `templates`, or one template's.

    Raises:
        InputError: there is no such folder, or no template in it.
    """
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
    """Read the config.yml of a template's folder.

    Raises:
        InputError: there is none, it leads out of the folder, or it is not readable.
    """
    path = config_of(folder)
    if path is None:
        raise InputError("there is no config.yml in this folder, so it was left out", file=folder)
    try:
        with check_within(path, folder).open("rb") as file:
            return parse_config(file.read(MAX_BYTES + 1), path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error


def load_template(folder: Path, name: str) -> Template:
    """Return a template of memegen, to be rendered on where it lies, called `name`.

    Its picture is the first of `look_through` that is there; of an animation the first frame.

    Raises:
        InputError: config.yml or picture are missing or wrong.
    """
    config = read_config(folder)
    pictures = look_through(folder)
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
        notes=tuple(f"{image.name}: {note}" for note in picture_notes(image)),
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

    Raises:
        InputError: it is no picture, damaged, too large, or a link that leads out of the folder.
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
