"""memegen's template folder comes in whole: every template, every text region, every example."""

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
from PIL import Image

from memeloc import resources
from memeloc.collect.sources.memegen_folder import read_folder
from memeloc.items import FoundCaption, FoundTemplate, Refusal
from memeloc.templates import load_templates
from memeloc.templates.definition import turned_corners
from memeloc.templates.memegen import Region, place
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
