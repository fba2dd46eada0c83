"""Opening the pictures of others. In: a path or bytes. Out: an RGB picture, or a sentence why not.

A picture is judged by its content, not by its name, and its header is checked before a pixel is
decoded: a file of a few kilobytes can announce more pixels than the memory holds. Colours are
converted by LittleCMS as a picture's profile means them; without a profile a picture is sRGB, or
CMYK of no known printer, which Pillow converts by its plain formula.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, TiffImagePlugin, UnidentifiedImageError, WebPImagePlugin

from memeloc.errors import InputError
from memeloc.files import replacing

if TYPE_CHECKING:
    from PIL import ImageCms

MAX_PIXELS = 50_000_000
"""Width times height that a picture may have: 50 megapixels, 150 MB once decoded."""

MAX_BYTES = 100_000_000
"""Size that a picture's file may have, in bytes."""

LARGEST_PROFILE = 4 << 20
"""Bytes of a colour profile that is read; those of printers have some 2 MB."""

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif", ".bmp", ".tif", ".tiff")
"""How the name of a file ends that is taken for a picture in a folder of pictures."""

_DRAWINGS = (".svg", ".svgz")
_UNREAD = (*_DRAWINGS, ".heic", ".heif", ".jxl", ".jp2", ".psd", ".xcf", ".ico", ".tga", ".pdf")
"""How the names of pictures end that are of kinds that are not read."""

# In the order in which they are tried. The last two are no plugins that Pillow loads by itself:
# importing them here keeps it from importing all its forty to find them.
_FORMATS = ("JPEG", "PNG", "GIF", "BMP", "WEBP", "TIFF")
_PLUGINS = (WebPImagePlugin, TiffImagePlugin)
_AVIF_BRANDS = (b"avif", b"avis")  # AV1 Image File Format, 5.3; ISO 14496-12, 4.3
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"  # git-lfs, docs/spec.md

_TOO_MANY_PIXELS = f"has more than {MAX_PIXELS / 1e6:.0f} megapixels; shrink it first"

_ORIENTATION = 0x0112  # the EXIF tag
_SIDEWAYS = (5, 6, 7, 8)  # its values that swap width and height
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}  # what sets each upright, as ImageOps.exif_transpose has it


def picture_size(path: str | Path | bytes) -> tuple[int, int]:
    """Return width and height in pixels as the picture is meant to be seen, from its header alone.
    Raise InputError if there is no such file, it is no picture, or it is too large (`MAX_BYTES`,
    `MAX_PIXELS`)."""
    with _opened(path) as picture:
        width, height = picture.size
        # A PNG that has no EXIF block in its header would be decoded to look for a later one.
        if (picture.format != "PNG" or "exif" in picture.info) and (
            picture.getexif().get(_ORIENTATION) in _SIDEWAYS
        ):
            width, height = height, width
        return width, height


def open_picture(path: str | Path | bytes, max_side: int | None = None) -> Image.Image:
    """Read a picture as RGB, upright, its first frame, on white where it is transparent.

    JPEG, PNG, WebP, AVIF, GIF, BMP and TIFF are read. Colours are converted to sRGB where the
    picture has a profile that can be read. Raise InputError if there is no such file, it is no
    picture, it is damaged or cut off, or it is too large (`MAX_BYTES`, `MAX_PIXELS`). The error
    names the file.

    Args:
        path: the file, or its content.
        max_side: shrink the picture, never enlarge it, so that neither side has more pixels.
    """
    if max_side is not None and max_side < 1:
        raise InputError(f"the longest side of a picture must be at least 1 pixel, not {max_side}")
    with _opened(path) as picture:
        width, height = picture.size
        scale = 1.0 if max_side is None else min(1.0, max_side / max(width, height))
        target = max(1, round(width * scale)), max(1, round(height * scale))
        if scale < 1.0 and picture.format == "JPEG":
            # The decoder shrinks by 2, 4 or 8 for nothing; twice the target leaves LANCZOS its work
            picture.draft(None, (2 * target[0], 2 * target[1]))
        orientation = picture.getexif().get(_ORIENTATION)
        picture.load()
        result = _to_rgb(_in_srgb(picture))
        if result.size != target:
            result = result.resize(target, Image.Resampling.LANCZOS, reducing_gap=3.0)
        result = _upright(result, orientation)
        result.info.clear()
        return result


def open_grey(path: str | Path, least_side: int) -> Image.Image:
    """Read a picture in grey (mode L), upright, as `open_picture` does, for what needs few pixels.

    A JPEG is decoded at the smallest size at which both sides still have `least_side` pixels, down
    to an eighth, and its colours not at all: several times as fast. Other files keep their size.
    """
    with _opened(path) as picture:
        picture.draft("L", (least_side, least_side))
        orientation = picture.getexif().get(_ORIENTATION)
        picture.load()
        plain = picture.mode in ("L", "RGB") and not picture.has_transparency_data
        return _upright((picture if plain else _to_rgb(picture)).convert("L"), orientation)


def picture_notes(*paths: Path) -> tuple[str, ...]:
    """Return what of pictures is not used, each with the file's name, from their headers alone."""
    notes = []
    for path in paths:
        with _opened(path) as picture:
            if picture.format != "TIFF" and getattr(picture, "is_animated", False):
                notes.append(f"{path.name}: it is animated, and its first frame is taken")
            profile = picture.info.get("icc_profile")
            if profile and not _to_srgb(profile, _profiled_mode(picture))[0]:
                what = "is broken or not for its kind of pixels, and is ignored"
                notes.append(f"{path.name}: its colour profile {what}")
    return tuple(notes)


def unread_kind(path: Path) -> str:
    """Return why a picture by its name is of a kind that is not read, and what to do; or nothing.

    >>> unread_kind(Path("portrait.heic"))
    'is of a kind that is not read; save it as PNG or JPEG'
    """
    if path.suffix.lower() not in _UNREAD:
        return ""
    if path.suffix.lower() not in _DRAWINGS:
        return "is of a kind that is not read; save it as PNG or JPEG"
    return (
        "is a drawing (SVG), which has no pixels yet; make a picture of it, for example with "
        f"`rsvg-convert --output {path.stem}.png {path.name}`"
    )


@contextmanager
def _opened(source: str | Path | bytes) -> Iterator[Image.Image]:
    """Open a picture with only its header read; raise every failure as an InputError."""
    path = None if isinstance(source, bytes) else Path(source)
    head = b""
    try:
        if path and not path.is_file():  # a pipe would wait for ever
            problem = "is not a file; give a picture"
            raise InputError(
                problem if path.exists() else "there is no such picture; check the path"
            )
        with BytesIO(source) if isinstance(source, bytes) else Path(source).open("rb") as stream:
            size = stream.seek(0, SEEK_END)
            if size == 0:
                raise InputError("is an empty file; give a picture")
            if size > MAX_BYTES:
                largest = f"a picture may have {MAX_BYTES / 1e6:.0f} MB at most"
                raise InputError(f"is {size / 1e6:.0f} MB; {largest}")
            stream.seek(0)
            head = stream.read(64)
            formats: tuple[str, ...] = _FORMATS
            if head[4:8] == b"ftyp" and (head[8:12] in _AVIF_BRANDS or b"avif" in head[16:]):
                formats = ("AVIF",)
                # It registers itself; only here, for it takes longer than all others together.
                import_module("PIL.AvifImagePlugin")
            # Damaged metadata is no matter, and the number of pixels is checked below.
            with (
                warnings.catch_warnings(action="ignore"),
                Image.open(stream, "r", formats) as opened,
            ):
                width, height = opened.size
                if not 1 <= width * height <= MAX_PIXELS:
                    raise InputError(f"is {width:,} x {height:,} pixels; it {_TOO_MANY_PIXELS}")
                yield opened
    except InputError as error:
        raise InputError(error.message, file=path) from None
    except UnidentifiedImageError:
        why = "is not a picture; JPEG, PNG, WebP, AVIF, GIF, BMP and TIFF can be read"
        if head.startswith(_LFS_POINTER):
            why = "is a pointer of Git LFS and not the picture; `git lfs pull` fetches it"
        raise InputError((path and unread_kind(path)) or why, file=path) from None
    except Image.DecompressionBombError:
        raise InputError(_TOO_MANY_PIXELS, file=path) from None
    except Exception as error:  # a damaged file may make a decoder raise anything at all
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:120]
        raise InputError(
            f"cannot be read as a picture ({reason}); it may be damaged or cut off", file=path
        ) from error


def _upright(picture: Image.Image, orientation: object) -> Image.Image:
    turn = _TURNS.get(orientation) if isinstance(orientation, int) else None
    return picture if turn is None else picture.transpose(turn)


def _to_rgb(picture: Image.Image) -> Image.Image:
    """Return the loaded picture in RGB: deep greys in 8 bits, transparency laid on white."""
    if picture.mode == "RGB" and not picture.has_transparency_data:
        try:
            return Image.fromarrow(picture, "RGB", picture.size)  # the same memory
        except ValueError:  # a large picture, which Pillow keeps in several pieces
            return picture.copy()
    if picture.mode in ("F", "I") or picture.mode.startswith("I;16"):
        # Pillow would clip all above 255. White is 65,535 in 16 bits, and 1 in floating point; what
        # goes beyond these, or below 0, is stretched between the least and the largest value.
        low, high = (float(value) for value in picture.getextrema())  # type: ignore[arg-type]
        white = 1.0 if picture.mode == "F" else 65535.0
        start, end = (low, high) if low < 0 or high > white else (0.0, white)
        scale = 255.0 / ((end - start) or 1.0)
        deep = picture.convert("F").point(lambda value: value * scale - start * scale)
        return deep.convert("L").convert("RGB")
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        background = Image.new("RGB", layer.size, "white")
        background.paste(layer, mask=layer.getchannel("A"))
        return background
    return picture.convert("RGB")


def _in_srgb(picture: Image.Image) -> Image.Image:
    """Return the loaded picture in sRGB by its profile; itself where no profile applies."""
    profile, mode = picture.info.get("icc_profile"), _profiled_mode(picture)
    transform = _to_srgb(profile, mode)[1] if profile else None
    with suppress(OSError, ValueError):
        if transform:
            return transform.apply(picture if picture.mode == mode else picture.convert(mode))
    return picture


def _profiled_mode(picture: Image.Image) -> str:
    """Return the mode in which a profile is applied; nothing for pixels that have none here."""
    if picture.mode in ("RGB", "P", "PA", "RGBX"):
        return "RGBA" if picture.has_transparency_data else "RGB"
    return picture.mode if picture.mode in ("RGBA", "L", "CMYK") else ""


@lru_cache(8)
def _to_srgb(profile: bytes, mode: str) -> tuple[bool, ImageCms.ImageCmsTransform | None]:
    """Return whether a profile is for such pixels, and what converts them, unless they are sRGB."""
    from PIL import ImageCms  # only here: few pictures have a profile

    if not mode or len(profile) > LARGEST_PROFILE:
        return False, None
    target = "RGBA" if mode == "RGBA" else "RGB"
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        transform = ImageCms.buildTransform(source, ImageCms.createProfile("sRGB"), mode, target)
        is_srgb = ImageCms.getProfileDescription(source).startswith("sRGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return False, None
    return True, None if is_srgb else transform


PICTURE_SIDE = 320
"""Longer side of the pictures on a sheet, in pixels."""
_QUALITY = 80  # of small JPEGs on sheets: nobody looks at them closely


def small_picture(root: Path, picture: Path | None, side: int = PICTURE_SIDE) -> Path | None:
    """Return a picture as a sheet shows it, its longer side at most `side` pixels; None when there
    is no picture, or it cannot be opened. `root` as of `kept_picture`."""
    if picture is None:
        return None
    try:
        shows = f"{picture.stem}|{side}|small"
        return kept_picture(root, shows, lambda: open_picture(picture), side)
    except InputError:
        return None


def kept_picture(
    root: Path, shows: str, draw: Callable[[], Image.Image], side: int = PICTURE_SIDE
) -> Path:
    """Return the file of a small picture in images/ of a workspace's folder, under a hash of what
    it shows; it is drawn where it is not there yet."""
    name = hashlib.sha256(shows.encode()).hexdigest()[:32]
    path = root / "images" / name[:2] / f"{name}.jpg"
    if not path.is_file():
        small = draw().convert("RGB")
        small.thumbnail((side, side), Image.Resampling.LANCZOS)
        with replacing(path) as temporary:
            small.save(temporary, "JPEG", quality=_QUALITY, dpi=(96, 96))
    return path
