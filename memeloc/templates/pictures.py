"""Opening the pictures of others. In: a path. Out: an RGB picture, or one sentence why not.

A picture is judged by its content, not by its name, and its header is checked before a pixel is
decoded: a file of a few kilobytes can announce more pixels than the memory holds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO
from pathlib import Path

from PIL import Image, TiffImagePlugin, UnidentifiedImageError, WebPImagePlugin

from memeloc.errors import InputError

MAX_PIXELS = 50_000_000
"""Width times height that a picture may have: 50 megapixels, 150 MB once decoded."""

MAX_BYTES = 100_000_000
"""Size that a picture's file may have, in bytes."""

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif", ".bmp", ".tif", ".tiff")
"""How the name of a file ends that is taken for a picture in a folder of pictures."""

_UNREAD = {
    ".svg": "is a drawing (SVG), which has no pixels yet; make a picture of it, for example with "
    "`rsvg-convert --output {stem}.png {name}`",
    ".svgz": "is a drawing (SVG), which has no pixels yet; make a PNG of it",
    **dict.fromkeys(
        (".heic", ".heif", ".jxl", ".jp2", ".psd", ".xcf", ".ico", ".tga", ".pdf", ".eps"),
        "is of a kind that is not read; save it as PNG or JPEG",
    ),
}

# In the order in which they are tried. The last two are no plugins that Pillow loads by itself:
# importing them here keeps it from importing all its forty to find them.
_FORMATS = ("JPEG", "PNG", "GIF", "BMP", "WEBP", "TIFF")
_PLUGINS = (WebPImagePlugin, TiffImagePlugin)
_READ = "JPEG, PNG, WebP, AVIF, GIF, BMP and TIFF"

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


def picture_size(path: Path | bytes) -> tuple[int, int]:
    """Width and height in pixels as the picture is meant to be seen, from its header alone.

    Raises:
        InputError: there is no such file, it is no picture, or it is too large (`MAX_BYTES`,
            `MAX_PIXELS`).
    """
    with _opened(path) as picture:
        width, height = picture.size
        # A PNG that has no EXIF block in its header would be decoded to look for a later one.
        if (picture.format != "PNG" or "exif" in picture.info) and (
            picture.getexif().get(_ORIENTATION) in _SIDEWAYS
        ):
            width, height = height, width
        return width, height


def open_picture(path: Path | bytes, max_side: int | None = None) -> Image.Image:
    """Read a picture as RGB, upright, its first frame, on white where it is transparent.

    JPEG, PNG, WebP, AVIF, GIF, BMP and TIFF are read. Colours are converted to sRGB where the
    picture has a profile that can be read.

    Args:
        path: the file, or its content.
        max_side: shrink the picture, never enlarge it, so that neither side has more pixels.

    Raises:
        InputError: there is no such file, it is no picture, it is damaged or cut off, or it is
            too large (`MAX_BYTES`, `MAX_PIXELS`). The error names the file.
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
        if result.size != target and scale < 1.0:
            result = result.resize(target, Image.Resampling.LANCZOS, reducing_gap=3.0)
        result = _upright(result, orientation)
        result.info.clear()
        return result


def open_grey(path: Path, least_side: int) -> Image.Image:
    """Read a picture in grey (mode L), upright, as `open_picture` does, for what needs few pixels.

    A JPEG is decoded at the smallest size at which both sides still have `least_side` pixels, down
    to an eighth, and its colours not at all: several times as fast. Other files keep their size.

    Raises:
        InputError: as `open_picture`.
    """
    with _opened(path) as picture:
        picture.draft("L", (least_side, least_side))
        orientation = picture.getexif().get(_ORIENTATION)
        picture.load()
        plain = picture.mode in ("L", "RGB") and not picture.has_transparency_data
        grey = (picture if plain else _to_rgb(picture)).convert("L")
    return _upright(grey, orientation)


_POINTER = b"version https://git-lfs.github.com/spec/"
"""What a pointer of Git LFS begins with (git-lfs, docs/spec.md)."""
_AVIF_BRANDS = (b"avif", b"avis")


@contextmanager
def _opened(source: Path | bytes) -> Iterator[Image.Image]:
    """The picture with only its header read, and every failure as an InputError."""
    path = source if isinstance(source, Path) else None
    try:
        size = len(source) if isinstance(source, bytes) else source.stat().st_size
        if path is not None and not path.is_file():
            raise InputError("is not a file; give a picture", file=path)
        if size == 0:
            raise InputError("is an empty file; give a picture", file=path)
        if size > MAX_BYTES:
            raise InputError(
                f"is {size / 1e6:.0f} MB; a picture may have {MAX_BYTES / 1e6:.0f} MB at most",
                file=path,
            )
        with warnings.catch_warnings():
            # Damaged metadata is no matter, and the number of pixels is checked below.
            warnings.simplefilter("ignore")
            stream = BytesIO(source) if isinstance(source, bytes) else source
            formats = ("AVIF",) if _is_avif(source) else _FORMATS
            with Image.open(stream, formats=formats) as picture:
                width, height = picture.size
                if not 1 <= width * height <= MAX_PIXELS:
                    raise InputError(
                        f"is {width:,} x {height:,} pixels; a picture may have 1 to "
                        f"{MAX_PIXELS / 1e6:.0f} megapixels, so shrink it first",
                        file=path,
                    )
                yield picture
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError("there is no such picture; check the path", file=path) from None
    except UnidentifiedImageError:
        raise InputError(_why_unidentified(source), file=path) from None
    except Image.DecompressionBombError:
        raise InputError(
            f"has more than {MAX_PIXELS / 1e6:.0f} megapixels; shrink it first", file=path
        ) from None
    except Exception as error:  # a damaged file may make a decoder raise anything at all
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:120]
        raise InputError(
            f"cannot be read as a picture ({reason}); it may be damaged or cut off", file=path
        ) from error


def _begin(source: Path | bytes) -> bytes:
    """The first bytes of a file, enough to tell what it is."""
    if isinstance(source, bytes):
        return source[:64]
    with source.open("rb") as stream:
        return stream.read(64)


def _is_avif(source: Path | bytes) -> bool:
    """Whether it is an AVIF by its brands (AV1 Image File Format, 5.3; ISO 14496-12, 4.3).

    Pillow's plugin is imported only then: it takes longer than all the others together.
    """
    begin = _begin(source)
    if begin[4:8] != b"ftyp" or not (begin[8:12] in _AVIF_BRANDS or b"avif" in begin[16:]):
        return False
    import_module("PIL.AvifImagePlugin")  # it registers itself
    return True


def _why_unidentified(source: Path | bytes) -> str:
    begin = _begin(source)
    if begin.startswith(_POINTER):
        return "is a pointer of Git LFS and not the picture; `git lfs pull` fetches it"
    if begin[8:12] in _AVIF_BRANDS:
        return (
            "is an AVIF, which the installed Pillow cannot read; `pip install --upgrade pillow` "
            "brings one that can"
        )
    if isinstance(source, Path) and (why := unread_kind(source)):
        return why
    return f"is not a picture; {_READ} can be read"


def unread_kind(path: Path) -> str:
    """Why a picture by its name is of a kind that is not read, and what to do; or empty.

    >>> unread_kind(Path("portrait.heic"))
    'is of a kind that is not read; save it as PNG or JPEG'
    """
    return _UNREAD.get(path.suffix.lower(), "").format(stem=path.stem, name=path.name)


def picture_notes(path: Path) -> tuple[str, ...]:
    """What of a picture is not used, half a sentence each, from its header alone.

    Raises:
        InputError: as `picture_size`.
    """
    notes = []
    with _opened(path) as picture:
        if picture.format != "TIFF" and getattr(picture, "is_animated", False):
            notes.append("it is animated, and its first frame is taken")
        if picture.info.get("icc_profile"):
            from memeloc.templates.profiles import profile_problem

            notes += filter(None, [profile_problem(picture)])
    return tuple(notes)


def _in_srgb(picture: Image.Image) -> Image.Image:
    if not picture.info.get("icc_profile"):
        return picture
    from memeloc.templates.profiles import to_srgb

    return to_srgb(picture)


def _upright(picture: Image.Image, orientation: object) -> Image.Image:
    turn = _TURNS.get(orientation) if isinstance(orientation, int) else None
    return picture if turn is None else picture.transpose(turn)


def _to_rgb(picture: Image.Image) -> Image.Image:
    """The loaded picture in RGB: deep greys scaled to 8 bits, transparency laid on white."""
    if picture.mode == "RGB" and not picture.has_transparency_data:
        try:
            return Image.fromarrow(picture, "RGB", picture.size)  # the same memory
        except ValueError:  # a large picture, which Pillow keeps in several pieces
            return picture.copy()
    if picture.mode in ("F", "I") or picture.mode.startswith("I;16"):
        return _to_grey(picture).convert("RGB")
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        background = Image.new("RGB", layer.size, "white")
        background.paste(layer, mask=layer.getchannel("A"))
        return background
    return picture.convert("RGB")


def _to_grey(picture: Image.Image) -> Image.Image:
    """Grey of 16 or 32 bits, or floating point, in 8 bits.

    Pillow would clip all above 255. White is 65,535 in 16 bits, and 1 in floating point; what
    goes beyond these, or below 0, is stretched between the least and the largest value.
    """
    low, high = (float(value) for value in picture.getextrema())  # type: ignore[arg-type]
    white = 1.0 if picture.mode == "F" else 65535.0
    start, end = (low, high) if low < 0 or high > white else (0.0, white)
    scale = 255.0 / ((end - start) or 1.0)
    deep = picture.convert("F")
    return deep.point(lambda value: value * scale - start * scale).convert("L")
