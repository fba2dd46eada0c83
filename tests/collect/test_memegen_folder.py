"""memegen's template folder comes in whole: every template, every text region, every example."""

from __future__ import annotations

import io
import json
import math
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from memeloc import resources
from memeloc.collect.sources.memegen_folder import read_folder
from memeloc.items import FoundCaption, FoundTemplate, Refusal
from memeloc.model import TextBox
from memeloc.templates import load_templates
from memeloc.templates.definition import turned_corners
from memeloc.templates.memegen import Region, place
from memeloc.templates.names import safe_names
from tests.collect.memegen_samples import BAD, make_checkout

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


def test_what_is_refused_says_why(result: Found) -> None:
    _, _, refusals = result
    assert Counter(refusal.reason for refusal in refusals) == {
        "not readable": len(BAD),
        "no picture": 1,
        "not a picture": 5,
        "no config.yml": 1,
    }
    assert {
        refusal.url.partition("/")[0] for refusal in refusals if refusal.reason == "not readable"
    } == set(BAD)
    sentences = {refusal.url.partition("/")[0]: refusal.sentence for refusal in refusals}
    assert (
        "50,000 x 50,000" in sentences["huge-picture"] or "megapixels" in sentences["huge-picture"]
    )
    assert "is not a picture" in sentences["html-picture"]
    assert "leads out" in sentences["linked-picture"]
    assert "an alias stands for a value (at line 2)" in sentences["bad-bomb"]
    assert "an alias stands for a value (at line 1)" in sentences["bad-self"]
    assert all("/tmp" not in refusal.sentence for refusal in refusals)


def test_every_region_comes_in(result: Found) -> None:
    templates, _, _ = result
    counts = {key: len(template.boxes) for key, template in templates.items()}
    assert counts["labels"] == 6
    assert counts["turned"] == counts["outside"] == 5
    assert counts["odd-lines"] == 8
    assert counts["null-region"] == counts["one-mapping"] == 1
    assert counts["newer"] == counts["few-lines"] == 3
    for key in ("usual", "older", "no-text", "empty-file", "only-comment", "empty-regions"):
        assert [box.name for box in templates[key].boxes] == ["top", "bottom"]
    for template in templates.values():
        assert len(template.details["regions"]) == len(template.boxes)
        assert len({box.name for box in template.boxes}) == len(template.boxes)


def test_styles_of_text(result: Found) -> None:
    khaki, silver, grey, faint, black, two = (box.style for box in result[0]["labels"].boxes)
    assert [item.fill for item in (khaki, silver, grey, faint, black, two)] == [
        "#f0e68c",
        "#c0c0c0",
        "#bbbbbb",
        "#ffffff",
        "#000000",
        "#ffffff",
    ]
    assert [item.face for item in (khaki, silver, grey, faint, black, two)] == [
        "plain",
        "comic",
        "poster",
        "plain",
        "plain",
        "plain",
    ]
    assert not any(item.uppercase for item in (khaki, silver, grey, faint, black, two))
    assert black.outline == "#ffffff"
    assert two.outline == "#000080"
    assert [box.align for box in result[0]["labels"].boxes][-2:] == ["start", "right"]
    notes = [" ".join(item["notes"]) for item in result[0]["labels"].details["regions"]]
    assert notes == [""] * len(notes)


def test_what_has_no_equivalent_is_reported(result: Found) -> None:
    templates, _, _ = result

    def notes_of(key: str) -> str:
        details = templates[key].details
        return json.dumps([details.get("notes", []), details["regions"]])

    assert "from 61% to 75% of an animation" in notes_of("moving")
    assert "frame 2 is the still" in notes_of("moving")
    assert "alternating case" in notes_of("mocking")
    assert "out of the picture" in notes_of("turned")
    assert "out of the picture" in notes_of("outside")
    assert len(templates["moving"].details["overlays"]) == 2
    newer = notes_of("newer")
    for word in ("octarine", "wingdings", "justify", "sparkle", "weight", "'abc'", "'angle'"):
        assert word in newer
    assert templates["newer"].details["other"] == {
        "layout": "top",
        "description": {"en": "A mapping"},
    }


def test_a_thousandth_beyond_the_picture_is_no_matter(result: Found) -> None:
    folded = result[0]["folded"]
    assert folded.details["source"].endswith("/its/own/")
    assert "out of" not in json.dumps(folded.details["regions"])
    assert folded.boxes[0].x + folded.boxes[0].width == pytest.approx(1.0)


def test_names(result: Found) -> None:
    templates, _, _ = result
    names = {key: template.details["safe_name"] for key, template in templates.items()}
    assert names["_test"] == "test-2"
    assert names["test"] == "test"
    assert names["_error"] == "error"
    assert names["_custom"] == "custom"
    assert names["Zoë's cat"] == "Zoe-s-cat"
    assert names["猫"] == "template-2"
    assert names["CON."] == "template"  # CON is a device on Windows
    assert len({name.casefold() for name in names.values()}) == len(names)
    assert templates["_error"].details["aliases"] == ["_error"]
    assert templates["newer"].details["aliases"] == ["newest", "latest"]
    assert templates["empty-file"].name == "empty-file"
    assert templates["yaml-features"].name == "A Folded Name"
    assert templates["labels"].name == "Labels / On Things"
    assert templates["labels"].keywords == ("object-labelling", "IQ: high")
    assert templates["usual"].keywords == ()


def test_safe_names_never_collide() -> None:
    names = safe_names(["_a", "a", "A", "__a", "a-2", "-", "_", "x" * 300])
    assert len({name.casefold() for name in names.values()}) == len(names)
    assert names["a"] == "a"
    assert names["a-2"] == "a-2"


def test_examples(result: Found) -> None:
    _, captions, _ = result
    assert captions["usual"].parts == ("the train is on time", "nobody told the passengers")
    assert captions["older"].parts == ("NOT SURE IF EARLY", "OR STILL AWAKE")
    assert captions["labels"].parts == (
        "you hear a sound downstairs",
        "it is just the cat",
        "you do not have a cat",
        "the cat disagrees",
        "ThE cat",
        "a cat is here",
    )
    assert captions["mocking"].parts == ("I said do not repeat this", "i SaId Do NoT rEpEaT tHiS")
    assert captions["mocking"].details["as_written"][0] == "i said do not repeat this"
    assert captions["odd-lines"].parts == (
        "no",
        "1.10",
        "2020-01-01",
        "Me: can we stop?",
        "",
        "two\nlines",
        ":wave: مرحبا",
        "1_000",
    )
    assert captions["odd-lines"].details["lines_without_a_region"] == ["a ninth line"]
    assert captions["few-lines"].parts == ("one", "", "")
    assert captions["one-mapping"].parts == ("Just one line",)
    assert captions["_test"].details["placeholder"]
    assert "no-example" not in captions
    assert "empty-file" not in captions


def test_pictures(result: Found) -> None:
    templates, _, _ = result

    def picture(key: str) -> Image.Image:
        content = templates[key].picture
        assert content is not None
        return Image.open(io.BytesIO(content))

    # Two equal frames at the beginning are one in the file.
    assert templates["moving"].details["animated"] == {
        "file": "default.gif",
        "frames": 5,
        "frame": 1,
    }
    assert picture("moving").format == "PNG"
    assert picture("moving").getpixel((200, 150)) != (0, 0, 0)
    assert picture("moving-and-still").format == "PNG"
    assert templates["moving-and-still"].details["animated"]["file"] == "default.gif"
    assert picture("old-animation").format == "GIF"
    assert picture("webp").format == "WEBP"
    assert templates["webp"].details["animated"]["frames"] == 4
    assert templates["styled"].details["styles"] == ["bark", "wide"]
    assert templates["second-picture"].details["picture"] == "default.png"


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


def inside(box: TextBox, size: tuple[int, int]) -> bool:
    return all(
        -1e-3 <= x <= 1 + 1e-3 and -1e-3 <= y <= 1 + 1e-3 for x, y in turned_corners(box, size)
    )


def test_boxes_lie_in_the_picture(result: Found) -> None:
    for item in result[0].values():
        size = (600, 600)
        if item.picture is not None:
            with Image.open(io.BytesIO(item.picture)) as picture:
                size = picture.size
                if picture.getexif().get(0x0112) == 6:
                    size = size[1], size[0]
        for box in item.boxes:
            assert inside(box, size), (item.name, box)
            assert box.width > 0
            assert box.height > 0
            assert math.isfinite(box.angle)


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
