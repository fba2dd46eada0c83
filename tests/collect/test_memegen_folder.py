"""memegen's template folder and its config.yml: every region, or a sentence, and nothing else."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc import resources
from memeloc.collect.sources.memegen_folder import read_folder
from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundTemplate, Refusal
from memeloc.templates import load_templates
from memeloc.templates.definition import turned_corners
from memeloc.templates.memegen import Region, load_yaml, parse_config, place
from memeloc.templates.names import safe_names
from tests.collect.memegen_samples import BAD, make_checkout

EXPECTED = Path(__file__).with_name("memegen_expected.json")


Found = tuple[dict[str, FoundTemplate], dict[str, FoundCaption], list[Refusal]]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkout(tmp_path_factory.mktemp("memegen"))


@pytest.fixture(scope="module")
def result(checkout: Path) -> Found:
    return sorted_out(checkout)


def sorted_out(path: Path, *, styles: bool = False) -> Found:
    templates: dict[str, FoundTemplate] = {}
    captions: dict[str, FoundCaption] = {}
    refusals = []
    for item in read_folder(path, styles=styles):
        if isinstance(item, FoundTemplate):
            assert item.origin.key not in templates
            templates[item.origin.key] = item
        elif isinstance(item, FoundCaption):
            captions[item.template] = item
        else:
            refusals.append(item)
    return templates, captions, refusals


def test_a_checkout_is_read_as_written_down(result: Found) -> None:
    """memegen_expected.json has what each template of the checkout becomes, and each refusal.

    MEMELOC_WRITE_EXPECTED=1 writes it anew; read the difference.
    """
    templates, captions, refusals = result
    read: dict[str, Any] = {}
    for key, template in templates.items():
        picture = Image.open(io.BytesIO(template.picture)) if template.picture else None
        caption = captions.get(key)
        read[key] = {
            "name": template.name,
            "keywords": template.keywords,
            "boxes": [asdict(box) for box in template.boxes],
            "details": template.details,
            "picture": [picture.format, *picture.size] if picture else [],
            "example": [caption.parts, caption.details] if caption else [],
        }
    read["refused"] = sorted([each.url, each.reason, each.sentence] for each in refusals)
    assert {
        url.partition("/")[0] for url, reason, _ in read["refused"] if reason == "not readable"
    } == set(BAD)
    lines = []
    for key in sorted(read):
        value = json.dumps(read[key], ensure_ascii=False, sort_keys=True, default=str)
        lines.append(f"{json.dumps(key)}: {value}")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if os.environ.get("MEMELOC_WRITE_EXPECTED"):
        EXPECTED.write_text(text, encoding="utf-8")
    assert json.loads(text) == json.loads(EXPECTED.read_text(encoding="utf-8"))
    assert "/tmp" not in text


def test_safe_names_never_collide() -> None:
    names = safe_names(["_a", "a", "A", "__a", "a-2", "-", "_", "x" * 300])
    assert len({name.casefold() for name in names.values()}) == len(names)
    assert names["a"] == "a"
    assert names["a-2"] == "a-2"


def test_a_clone_is_read_as_git_leaves_it(tmp_path: Path) -> None:
    """Line ends of Windows, a picture that Git LFS has not fetched, what a removed one left."""
    origin = tmp_path / "origin"
    for name, line_end in (("fry", "\r\n"), ("pointer", "\n")):
        folder = origin / "templates" / name
        folder.mkdir(parents=True)
        lines = f"name: {name}", "example:", "  - not sure", "  - if tea", ""
        (folder / "config.yml").write_bytes(line_end.join(lines).encode())
        Image.new("RGB", (60, 40), "teal").save(folder / "default.jpg")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
    (origin / "templates/pointer/default.jpg").write_text(pointer)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git = ["git", *who, "-c", "core.autocrlf=false"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "templates"]):
        subprocess.run([*git, *arguments], cwd=origin, check=True, capture_output=True)
    clone = tmp_path / "memegen"
    subprocess.run([*git, "clone", "-q", origin, clone], check=True, capture_output=True)
    (clone / "templates" / "removed").mkdir()
    templates, captions, refusals = sorted_out(clone)
    assert {key: template.picture is None for key, template in templates.items()} == {
        "fry": False,
        "pointer": True,
    }
    assert captions["fry"].parts == ("not sure", "if tea")
    sentences = {refusal.url: refusal.sentence for refusal in refusals}
    assert "git lfs pull" in sentences["pointer/default.jpg"]
    assert "no config.yml" in sentences["removed"]


def memegen_corners(region: Region, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Where memegen's own way of drawing puts a region: the box of its pixels."""
    ground = Image.new("L", size)
    wide, high = int(size[0] * region.scale_x), int(size[1] * region.scale_y)
    box = Image.new("LA", (wide, high), (255, 255))
    box = box.rotate(region.angle, resample=Image.Resampling.BICUBIC, expand=True)
    anchor = int(size[0] * region.anchor_x), int(size[1] * region.anchor_y)
    ground.paste(box.getchannel("L"), anchor, box.getchannel("A"))
    bounds = ground.point(lambda value: 255 if value > 127 else 0).getbbox()
    assert bounds is not None
    return bounds


@pytest.mark.parametrize("size", [(600, 600), (800, 400), (300, 700)])
@pytest.mark.parametrize("angle", [0.0, 12.5, -9.5, 44.0, 90.0, -75.0, 135.0, 180.0])
def test_turned_regions_lie_where_memegen_draws_them(angle: float, size: tuple[int, int]) -> None:
    region = Region(anchor_x=0.2, anchor_y=0.3, angle=angle, scale_x=0.3, scale_y=0.12)
    (placed,) = place([region], size)
    corners = turned_corners(placed.box, size)
    across = [x * size[0] for x, _ in corners]
    down = [y * size[1] for _, y in corners]
    left, top, right, bottom = memegen_corners(region, size)
    assert (min(across), min(down)) == pytest.approx((left, top), abs=2.5)
    assert (max(across), max(down)) == pytest.approx((right, bottom), abs=2.5)
    assert placed.notes == ()


def test_angles_turn_the_right_way() -> None:
    """memegen's positive angle is counter-clockwise: the right end of the text goes up."""
    (placed,) = place([Region(anchor_x=0.2, anchor_y=0.3, angle=20, scale_x=0.4)], (500, 500))
    top_left, top_right, *_ = turned_corners(placed.box, (500, 500))
    assert top_right[1] < top_left[1]
    box = Image.new("L", (200, 20))
    box.paste(255, (150, 0, 200, 20))  # the right end of a region
    turned = box.rotate(20, expand=True)
    bounds = turned.point(lambda value: 255 if value > 127 else 0).getbbox()
    assert bounds is not None
    assert bounds[1] < turned.height / 4


def test_the_python_of_the_guide_runs(
    checkout: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    guide = (resources.folder("guides") / "collecting.md").read_text("utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", guide, re.M | re.S)
    (tmp_path / "memegen").symlink_to(checkout)
    monkeypatch.chdir(tmp_path)
    exec(block, {"__name__": "guide"})
    assert len(load_templates([tmp_path / "my-templates"])[0]) > 25
    assert "bad-yaml" in capsys.readouterr().out


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
