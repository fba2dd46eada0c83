"""Which picture of a memegen template stands for it. In: its folder. Out: bytes, size, frames.

memegen draws a still on `default.*`, and only without another on `default.gif`, of which it shows
the first frame (`get_image` and `load` in its `app`). Other pictures of the folder are styles:
other backgrounds for the same text.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from PIL import Image, ImageSequence, ImageStat

from memeloc.errors import InputError
from memeloc.templates.pictures import SUFFIXES, open_picture

_FRAMES_SEARCHED = 50
_PIXELS_SEARCHED = 100_000_000  # of all frames looked at: some seconds' decoding
_FLAT = 2.0  # standard deviation, of 255, below which a frame shows nothing


@dataclass(frozen=True, slots=True)
class Still:
    """The picture that text is written on.

    Attributes:
        file: its name in the folder.
        content: the bytes of a picture's file, whose first frame is meant.
        size: width and height in pixels, as it is meant to be seen.
        frames: how many the file has.
        frame: which of them `content` shows, from 0.
    """

    file: str
    content: bytes = field(repr=False)
    size: tuple[int, int]
    frames: int
    frame: int


@dataclass(frozen=True, slots=True)
class Pictures:
    """The pictures of a template's folder: candidates for its own, best first; moving ones of the
    same template; and the styles.
    """

    stills: list[Path]
    animations: list[Path]
    styles: list[Path]


def look_through(folder: Path) -> Pictures:
    """Sort the files of a template's folder."""
    # `_` and `.` begin the names of memegen's own temporary files.
    pictures = [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and path.suffix.lower() in SUFFIXES and path.name[0] not in "._"
    ]
    default = [path for path in pictures if path.stem == "default"]
    moving = [path for path in default if path.suffix.lower() == ".gif"]
    animations = moving + [path for path in pictures if path.name == "animated.gif"]
    stills = [path for path in default if path not in moving] + animations
    return Pictures(stills, animations, [path for path in pictures if path not in stills])


def read_still(path: Path, folder: Path) -> Still:
    """Read a picture, and of an animation the frame that suits a still.

    That is the first one, as in memegen, but for an animation that begins with a flat colour: there
    it is the first frame that shows something.

    Args:
        folder: where it must lie: a link that leads out of it is refused.

    Raises:
        InputError: it is no picture, damaged, too large, or lies elsewhere.
    """
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError("leads out of the template's own folder", file=path)
    picture = open_picture(path)
    content = path.read_bytes()
    frames, frame = 1, 0
    most = min(_FRAMES_SEARCHED, 1 + _PIXELS_SEARCHED // (picture.width * picture.height))
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(content)) as moving:
            frames = int(getattr(moving, "n_frames", 1))
            if frames > 1 and moving.format != "TIFF" and _is_flat(picture):
                for number, image in enumerate(islice(ImageSequence.Iterator(moving), most)):
                    still = image.convert("RGB")
                    if not _is_flat(still):
                        encoded = io.BytesIO()
                        still.save(encoded, "PNG", optimize=True)
                        frame, content = number, encoded.getvalue()
                        break
    except Exception:  # the first frame is good, and a damaged later one may raise anything at all
        frame = 0
    return Still(path.name, content, picture.size, frames, frame)


def _is_flat(picture: Image.Image) -> bool:
    return max(ImageStat.Stat(picture).stddev) < _FLAT
