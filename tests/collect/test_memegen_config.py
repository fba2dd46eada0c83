"""A config.yml, whatever stands in it, gives regions or a sentence, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.templates.definition import turned_corners
from memeloc.templates.memegen import Region, load_yaml, parse_config, place

PATH = Path("x/config.yml")

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.dates()
)
trees = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(st.text(max_size=8), inner, max_size=5),
    ),
    max_leaves=15,
)
region_keys = st.sampled_from([*Region.__dataclass_fields__, "more"])
numbers = st.one_of(st.floats(-3, 3), st.floats(), st.integers(-1000, 1000), scalars)
regions = st.dictionaries(region_keys, numbers | trees, max_size=8)
configs = st.fixed_dictionaries(
    {},
    optional={
        "name": trees,
        "source": trees,
        "keywords": trees,
        "aliases": trees,
        "text": st.one_of(st.lists(st.one_of(regions, trees), max_size=6), trees),
        "example": trees,
        "sample": trees,
        "overlay": trees,
        "styles": trees,
        "more": trees,
    },
)


def boxes_fit(content: bytes, size: tuple[int, int]) -> None:
    """What is read has a box in the picture for every region, and details that can be stored."""
    config = parse_config(content, PATH)
    placed = place(config.text, size)
    assert len(placed) == len(config.text) >= 1
    assert len({region.box.name for region in placed}) == len(placed)
    for region in placed:
        assert region.box.width > 0
        assert region.box.height > 0
        assert -180 < region.box.angle <= 180
        for x, y in turned_corners(region.box, size):
            assert -1e-3 <= x <= 1 + 1e-3
            assert -1e-3 <= y <= 1 + 1e-3
    text = json.dumps([config.other, config.overlay, config.notes, config.example, config.name])
    text.encode()
    json.dumps([config.name, config.example], ensure_ascii=False).encode()


def refusal_of(content: bytes, size: tuple[int, int]) -> InputError | None:
    """The error with which a file is refused; None for one whose boxes fit."""
    try:
        boxes_fit(content, size)
    except InputError as error:
        return error
    return None


@given(configs, st.tuples(st.integers(1, 3000), st.integers(1, 3000)))
def test_any_yaml_gives_regions_or_a_sentence(table: dict[str, Any], size: tuple[int, int]) -> None:
    error = refusal_of(yaml.safe_dump(table, allow_unicode=True, encoding="utf-8"), size)
    assert error is None or error.file == str(PATH)


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda t: t.encode())))
def test_any_bytes_give_regions_or_a_sentence(content: bytes) -> None:
    error = refusal_of(content, (600, 400))
    assert error is None or error.message


@given(st.lists(st.sampled_from(
    ["name: ", "text:\n", "  - ", "- ", "&a ", "*a", "*b", "<<: ", "[", "]", "{", "}", ", ", "\n",
     "? ", ": ", "!!binary ", "!x ", "|\n", ">", "'", '"', "\\x", "\t", "  ", "#", "%YAML 1.1\n",
     "---\n", "...\n", "0.5", ".inf", "anchor_x: ", "angle: ", "color: ", "é", "\u2028"]
), max_size=40))  # fmt: skip
def test_pieces_of_yaml_in_any_order(pieces: list[str]) -> None:
    error = refusal_of("".join(pieces).encode(), (600, 400))
    assert error is None or error.message


finite = st.floats(-2, 3)


@given(
    st.builds(
        Region,
        anchor_x=finite,
        anchor_y=finite,
        angle=st.floats(-720, 720),
        scale_x=st.floats(1e-3, 3),
        scale_y=st.floats(1e-3, 3),
    ),
    st.tuples(st.integers(1, 3000), st.integers(1, 3000)),
)
def test_every_region_has_its_box_in_the_picture(region: Region, size: tuple[int, int]) -> None:
    (placed,) = place([region], size)
    for x, y in turned_corners(placed.box, size):
        assert -1e-3 <= x <= 1 + 1e-3
        assert -1e-3 <= y <= 1 + 1e-3
    within = (
        region.anchor_x >= 0
        and region.anchor_y >= 0
        and region.scale_x > 0.02
        and region.scale_y > 0.02
        and region.anchor_x + region.scale_x <= 1
        and region.anchor_y + region.scale_y <= 1
    )
    if within and placed.box.angle == 0 and abs(region.angle) < 0.1:
        assert placed.notes == ()
        assert placed.box.x == pytest.approx(region.anchor_x, abs=1e-5)
        assert placed.box.width == pytest.approx(region.scale_x, abs=1e-5)


def test_tags_build_nothing() -> None:
    content = b"name: !!python/object/apply:os.system ['echo harm']\n"
    assert load_yaml(content, PATH) == {"name": ["echo harm"]}
    config = parse_config(content, PATH)
    assert config.name == ""
    assert config.notes == ("it: 'name' cannot be ['echo harm']; memegen's default stands",)
    assert config.text == (Region(), Region(anchor_y=0.8))


def test_scalars_stay_as_they_are_written() -> None:
    table = load_yaml(b"a: no\nb: 012\nc: 1e3\nd: '~'\ne: ~\nf: null\ng: ''\nh: 12:30\n", PATH)
    expected = {"a": "no", "b": "012", "c": "1e3", "d": "~", "e": "", "f": "", "g": ""}
    assert table == expected | {"h": "12:30"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding: str) -> None:
    assert parse_config("name: Zoë\n".encode(encoding), PATH).name == "Zoë"


def test_keys_of_before_2020_are_read() -> None:
    config = parse_config(b"name: A\ndefault: [one, two]\nlink: https://example.org", Path("a.yml"))
    assert (config.example, config.source) == (("one", "two"), "https://example.org")
    assert config.other == {}
