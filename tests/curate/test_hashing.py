"""Perceptual hashes, held by ImageHash's, and the search for near ones, by comparing all."""

from __future__ import annotations

import itertools
from pathlib import Path

import imagehash
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.curate.duplicates import hashing as near
from memeloc.curate.duplicates.hashing import (
    HashGroups,
    as_array,
    bits_between,
    from_hex,
    group_hashes,
    hash_grey,
    hash_picture,
    near_pairs,
    nearest,
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


Found = dict[tuple[int, int], int]


def found_pairs(values: np.ndarray, distance: int) -> Found:
    pairs: Found = {}
    for chunk in near_pairs(values, distance):
        for first, second, bits in zip(chunk.first, chunk.second, chunk.distance, strict=True):
            assert first < second
            assert (first, second) not in pairs, "a pair is given once"
            pairs[int(first), int(second)] = int(bits)
    return pairs


def compared(values: np.ndarray, distance: int) -> Found:
    numbers = [int(value) for value in values]
    return {
        (first, second): bits
        for first, second in itertools.combinations(range(len(numbers)), 2)
        if (bits := (numbers[first] ^ numbers[second]).bit_count()) <= distance
    }


def members_of(groups: HashGroups) -> list[np.ndarray]:
    return [groups.order[start:stop] for start, stop in itertools.pairwise(groups.starts)]


def flipped(values: np.ndarray, bits: int, random: np.random.Generator) -> np.ndarray:
    """The hashes with so many different bits turned over in each."""
    places = np.argsort(random.random((len(values), 64)), axis=1)[:, :bits].astype(np.uint64)
    return values ^ np.bitwise_or.reduce(np.uint64(1) << places, axis=1, initial=0)


@given(
    centres=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4),
    flips=st.lists(st.sets(st.integers(0, 63), max_size=7), max_size=60),
    distance=st.integers(0, 9),
    blocks=st.integers(0, 4),
)
def test_every_pair_is_found_once_whatever_the_blocks(
    centres: list[int], flips: list[set[int]], distance: int, blocks: int
) -> None:
    hashes = list(centres)
    for number, places in enumerate(flips):
        hashes.append(centres[number % len(centres)] ^ sum(1 << place for place in places))
    values = np.unique(np.array(hashes, dtype=np.uint64))
    cut = distance + blocks if blocks else 0
    chosen = list(near._search(values, distance, cut)) if distance else []
    pairs = [(int(a), int(b)) for some in chosen for a, b in zip(*some[:2], strict=True)]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == set(compared(values, distance))
    assert found_pairs(values, distance) == compared(values, distance)


@pytest.mark.parametrize("blocks", [6, 7, 8, 9])
def test_dense_clusters_are_found_whole(blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "_TILE", 1000)
    random = np.random.default_rng(blocks)
    centres = random.integers(0, 2**64, 6, dtype=np.uint64)
    crowd = flipped(np.repeat(centres[:2], 150), 3, random)
    values = np.unique(np.concatenate([crowd, centres, random.integers(0, 2**64, 300, np.uint64)]))
    given_ = [
        (int(a), int(b))
        for some in near._search(values, 5, blocks)
        for a, b in zip(*some[:2], strict=True)
    ]
    assert len(given_) == len(set(given_))
    assert set(given_) == set(compared(values, 5))


def test_planted_pairs_among_many_are_all_search() -> None:
    random = np.random.default_rng(7)
    values = random.integers(0, 2**64, 300_000, dtype=np.uint64)
    planted = {}
    for bits in range(1, 8):
        there = np.arange(bits * 1000, bits * 1000 + 200)
        values[there + 100_000] = flipped(values[there], bits, random)
        both = zip(values[there].tolist(), values[there + 100_000].tolist(), strict=True)
        planted.update({(min(pair), max(pair)): bits for pair in both})
    values = np.unique(values)
    found = found_pairs(values, 5).items()
    pairs = {(int(values[one]), int(values[other])): bits for (one, other), bits in found}
    expected = {pair: bits for pair, bits in planted.items() if bits <= 5}
    assert {pair: pairs[pair] for pair in expected} == expected
    # Two of 300,000 hashes by chance: 4.5e10 pairs, a chance of 4.5e-13 each.
    assert len(pairs) == len(expected)


def test_equal_hashes_are_groups_and_are_not_compared() -> None:
    random = np.random.default_rng(3)
    values = random.integers(0, 2**64, 20, dtype=np.uint64)
    hashes = values[random.integers(0, 20, 200_000)]
    groups = group_hashes(hashes)
    assert not found_pairs(groups.values, 5)
    assert groups.values.tolist() == sorted(values.tolist())
    assert sorted(groups.order.tolist()) == list(range(200_000))
    for value, members in zip(groups.values, members_of(groups), strict=True):
        assert (np.diff(members) > 0).all()
        assert (hashes[members] == value).all()


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_groups_hold_every_place_once(hashes: list[int]) -> None:
    groups = group_hashes(np.array(hashes, dtype=np.uint64))
    members = [places.tolist() for places in members_of(groups)]
    again = dict(zip(groups.values.tolist(), members, strict=True))
    expected: dict[int, list[int]] = {}
    for place, value in enumerate(hashes):
        expected.setdefault(value, []).append(place)
    assert again == expected
    assert list(again) == sorted(again)


def test_the_extremes() -> None:
    values = np.array([0, 1, 2**64 - 1], dtype=np.uint64)
    assert found_pairs(values, 0) == {}
    assert found_pairs(values, 1) == {(0, 1): 1}
    assert found_pairs(values, 64) == {(0, 1): 1, (0, 2): 64, (1, 2): 63}
    assert found_pairs(values[:1], 5) == found_pairs(values[:0], 5) == {}
    with pytest.raises(ValueError, match="0 to 64"):
        list(near_pairs(values, 65))


@given(
    st.lists(st.integers(0, 2**64 - 1), max_size=20),
    st.lists(st.integers(0, 2**64 - 1), max_size=20),
    st.integers(1, 3),
)
def test_the_nearest_known_hashes(hashes: list[int], stored: list[int], count: int) -> None:
    places, bits = nearest(
        np.array(hashes, dtype=np.uint64), np.array(stored, dtype=np.uint64), count
    )
    for row, value in enumerate(hashes):
        expected = sorted(((value ^ other).bit_count(), at) for at, other in enumerate(stored))[
            :count
        ]
        assert list(zip(bits[row].tolist(), places[row].tolist(), strict=True)) == expected
