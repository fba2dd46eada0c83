"""Perceptual hashes, held by ImageHash's."""

from __future__ import annotations

from pathlib import Path

import imagehash
import numpy as np
import pytest
from PIL import Image

from memeloc.curate.duplicates.hashing import (
    as_array,
    bits_between,
    from_hex,
    hash_grey,
    hash_picture,
    to_hex,
)
from memeloc.curate.pictures import map_pictures
from memeloc.errors import InputError
from tests.curate.drawn import as_jpeg, as_png, draw_picture


def oracle(picture: Image.Image) -> int:
    return from_hex(str(imagehash.phash(picture)))


@pytest.mark.parametrize("seed", range(25))
def test_a_picture_decoded_whole_has_the_hash_of_imagehash(seed: int, tmp_path: Path) -> None:
    width, height = [(500, 400), (64, 64), (31, 300), (1200, 90), (33, 33)][seed % 5]
    picture = draw_picture(seed, width, height)
    (tmp_path / "a.png").write_bytes(as_png(picture))
    assert hash_picture(tmp_path / "a.png") == oracle(picture)
    assert to_hex(hash_grey(picture.convert("L"))) == str(imagehash.phash(picture))


def test_reduced_decoding_of_a_jpeg_changes_few_bits(tmp_path: Path) -> None:
    changed = []
    for seed in range(40):
        content = as_jpeg(draw_picture(seed))
        (tmp_path / "a.jpg").write_bytes(content)
        with Image.open(tmp_path / "a.jpg") as whole:
            changed.append(bits_between(hash_picture(tmp_path / "a.jpg"), oracle(whole)))
    assert max(changed) <= 4
    assert np.mean(changed) < 1


def test_the_hash_survives_what_sites_do_to_pictures(tmp_path: Path) -> None:
    for seed in range(10):
        picture = draw_picture(seed)
        (tmp_path / "one.png").write_bytes(as_png(picture))
        first = hash_picture(tmp_path / "one.png")
        (tmp_path / "two.jpg").write_bytes(as_jpeg(picture.resize((320, 256)), quality=60))
        assert bits_between(first, hash_picture(tmp_path / "two.jpg")) <= 5
        (tmp_path / "other.png").write_bytes(as_png(draw_picture(seed + 1000)))
        assert bits_between(first, hash_picture(tmp_path / "other.png")) > 10


def test_a_picture_is_hashed_as_it_is_meant_to_be_seen(tmp_path: Path) -> None:
    picture = draw_picture(3)
    picture.save(tmp_path / "upright.png")
    upright = hash_picture(tmp_path / "upright.png")
    for orientation in range(2, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        back = {
            2: Image.Transpose.FLIP_LEFT_RIGHT,
            3: Image.Transpose.ROTATE_180,
            4: Image.Transpose.FLIP_TOP_BOTTOM,
            5: Image.Transpose.TRANSPOSE,
            6: Image.Transpose.ROTATE_90,
            7: Image.Transpose.TRANSVERSE,
            8: Image.Transpose.ROTATE_270,
        }[orientation]
        picture.transpose(back).save(tmp_path / "turned.png", exif=exif)
        assert bits_between(hash_picture(tmp_path / "turned.png"), upright) <= 2, orientation
    clear = picture.convert("RGBA")
    clear.putalpha(0)
    clear.save(tmp_path / "clear.png")
    Image.new("RGB", (50, 50), "white").save(tmp_path / "white.png")
    assert hash_picture(tmp_path / "clear.png") == hash_picture(tmp_path / "white.png")


def test_plain_and_symmetric_pictures_have_one_hash_each(tmp_path: Path) -> None:
    hashes = set()
    for grey in (1, 77, 128, 255):
        Image.new("L", (90 + grey, 60), grey).save(tmp_path / "plain.png")
        hashes.add(hash_picture(tmp_path / "plain.png"))
    assert hashes == {1 << 63}
    # Mirrored: every other column of the transform is 0, and no rounding error decides its bits.
    half = draw_picture(5).convert("L").resize((16, 32))
    whole = Image.new("L", (32, 32))
    whole.paste(half, (0, 0))
    whole.paste(half.transpose(Image.Transpose.FLIP_LEFT_RIGHT), (16, 0))
    bits = f"{hash_grey(whole):064b}"
    odd = {bits[row * 8 + column] for row in range(8) for column in range(1, 8, 2)}
    assert len(odd) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_pictures_are_hashed_or_have_a_reason(tmp_path: Path, jobs: int) -> None:
    content = as_jpeg(draw_picture(3, 90, 80))
    pictures = {f"key-{number}": tmp_path / f"{number}.jpg" for number in range(210)}
    for path in pictures.values():
        path.write_bytes(content)
    (tmp_path / "page.jpg").write_text("<html>not a picture</html>", encoding="utf-8")
    (tmp_path / "cut.jpg").write_bytes(content[:900])
    pictures |= {name: tmp_path / f"{name}.jpg" for name in ("page", "cut", "gone")}
    hashes, problems = map_pictures(hash_picture, pictures, jobs=jobs)
    assert set(hashes) | set(problems) == set(pictures)
    assert set(problems) == {"page", "cut", "gone"}
    assert all(problems.values())
    assert hashes["key-3"] == hash_picture(pictures["key-3"])
    with pytest.raises(InputError, match="not a picture"):
        hash_picture(tmp_path / "page.jpg")


def test_hashes_of_64_bits_pass_through_arrays_and_words() -> None:
    values = [0, 1, 2**63, 2**64 - 1]
    assert [from_hex(to_hex(value)) for value in values] == values
    assert as_array(values).tolist() == values
