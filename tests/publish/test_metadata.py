"""Metadata of pictures: it goes, and not a pixel changes."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from memeloc.publish.metadata import metadata_of, without_metadata


def picture(kind: str, **options: object) -> bytes:
    """A gradient with EXIF, XMP and a comment, as far as its kind has them."""
    exif = Image.Exif()
    exif[0x010E] = "seen at my kitchen"  # ImageDescription
    exif.get_ifd(0x8825)[1] = "N"  # GPSLatitudeRef
    info = PngImagePlugin.PngInfo()
    info.add_text("Author", "A cat")
    extra = {"PNG": {"pnginfo": info}, "JPEG": {"comment": b"hello", "progressive": True}}
    stream = BytesIO()
    gradient = Image.linear_gradient("L").convert("RGB").resize((80, 60))
    gradient.save(stream, kind, exif=exif, xmp=b"<x/>", **extra.get(kind, {}), **options)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_metadata_goes_and_pixels_stay(kind: str, tmp_path: Path) -> None:
    content = picture(kind)
    file = tmp_path / "picture"
    file.write_bytes(content)
    assert metadata_of(file)
    clean = without_metadata(content)
    assert clean is not None
    file.write_bytes(clean)
    assert metadata_of(file) == ()
    assert b"kitchen" not in clean
    with Image.open(BytesIO(content)) as before, Image.open(file) as after:
        assert after.convert("RGB").tobytes() == before.convert("RGB").tobytes()


def test_colour_profiles_stay() -> None:
    clean = without_metadata(picture("JPEG", icc_profile=b"profile"))
    assert clean is not None
    with Image.open(BytesIO(clean)) as after:
        assert after.info["icc_profile"] == b"profile"


def test_what_follows_the_picture_goes() -> None:
    clean = without_metadata(picture("JPEG") + picture("JPEG"))
    assert clean == without_metadata(picture("JPEG"))


def test_a_turned_picture_is_left_alone() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    stream = BytesIO()
    Image.new("RGB", (8, 4), "red").save(stream, "JPEG", exif=exif)
    assert without_metadata(stream.getvalue()) is None


@given(st.sampled_from(["JPEG", "PNG", "WEBP"]), st.integers(0, 3000), st.binary(max_size=20))
def test_broken_pictures_crash_nothing(kind: str, place: int, rubbish: bytes) -> None:
    content = picture(kind)
    place = min(place, len(content))
    without_metadata(content[:place] + rubbish)
    without_metadata(content[:place] + rubbish + content[place + len(rubbish) :])
