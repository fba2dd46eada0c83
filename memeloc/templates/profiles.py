"""Colours as a picture's profile means them. In: a loaded picture. Out: it in sRGB.

What a profile says is worked out by LittleCMS, as Pillow brings it. A picture without a profile is
sRGB already, or CMYK of no known printer, which Pillow converts by its plain formula.
"""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageCms

LARGEST_PROFILE = 4 << 20
"""Bytes of a profile that is read; those of printers have some 2 MB."""

_SPACES = {"RGB": "RGB", "RGBA": "RGB", "L": "GRAY", "CMYK": "CMYK"}
"""Pillow's modes that are converted as they are, and the colour space of their profiles (as
ICC.1:2022 calls it, table 19)."""

IGNORED = "its colour profile is broken or not for its kind of pixels, and is ignored"


def to_srgb(picture: Image.Image) -> Image.Image:
    """The picture in sRGB by its profile, mode RGB or RGBA; itself where no profile applies."""
    profile = picture.info.get("icc_profile")
    if not profile or not _applies(profile, picture.mode):
        return picture
    if picture.mode not in _SPACES:
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    elif picture.mode == "RGB" and picture.has_transparency_data:
        picture = picture.convert("RGBA")
    try:
        transform = _transform(profile, picture.mode)
        return picture if transform is None else transform.apply(picture)
    except (ImageCms.PyCMSError, OSError, ValueError):
        return picture


def profile_problem(picture: Image.Image) -> str:
    """Why the profile of an opened picture is ignored, in half a sentence; or empty."""
    profile = picture.info.get("icc_profile")
    return "" if not profile or _applies(profile, picture.mode) else IGNORED


def _applies(profile: bytes, mode: str) -> bool:
    """Whether a profile can be read, and is of the colour space that the pixels are in."""
    space = _SPACES.get(mode, "RGB" if mode in ("P", "PA", "RGBX") else "")
    return bool(space) and _space(profile) == space


@lru_cache(8)
def _space(profile: bytes) -> str:
    if len(profile) > LARGEST_PROFILE:
        return ""
    try:
        opened = ImageCms.ImageCmsProfile(BytesIO(profile))
    except (ImageCms.PyCMSError, OSError, ValueError):
        return ""
    return str(opened.profile.xcolor_space).strip()


@lru_cache(8)
def _transform(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    """What converts pixels of a profile to sRGB; None where they are that already."""
    source = ImageCms.ImageCmsProfile(BytesIO(profile))
    if ImageCms.getProfileDescription(source).startswith("sRGB"):
        return None
    target = "RGBA" if mode == "RGBA" else "RGB"
    return ImageCms.buildTransform(source, ImageCms.createProfile("sRGB"), mode, target)
