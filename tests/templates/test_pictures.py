"""Pictures of strangers: every kind is read as RGB, and every trap is a sentence."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageFile

from memeloc.errors import InputError
from memeloc.model import Template
from memeloc.templates import (
    load_templates,
    open_picture,
    picture_size,
)
from memeloc.templates.pictures import picture_notes
from tests.curate.drawn import png_that_claims
from tests.templates.conftest import refusal, striped


class TestOpenPicture:
    @pytest.mark.parametrize("size", [(50_000, 50_000), (10_000, 5_001), (2_000_000, 26)])
    def test_a_bomb_is_refused_before_it_is_decoded(
        self, tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ImageFile.ImageFile, "load", lambda _: pytest.fail("decoded"))
        bomb = tmp_path / "bomb.png"
        bomb.write_bytes(png_that_claims(*size))
        for read in (open_picture, picture_size):
            sentence = refusal(lambda read=read: read(bomb))
            assert sentence.startswith(str(bomb))
            assert "50 megapixels" in sentence

    @pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "avif", "gif", "bmp", "tif"])
    def test_a_truncated_file_is_refused(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"cut.{suffix}"
        noise = Image.effect_noise((200, 200), 90).convert("RGB")
        noise.save(path)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        sentence = refusal(lambda: open_picture(path))
        assert sentence.startswith(str(path))

    @pytest.mark.parametrize("content", [b"", b"only called a picture", b"GIF89a", b"\xff\xd8\xff"])
    def test_what_is_no_picture_is_refused(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "text.png"
        path.write_bytes(content)
        assert refusal(lambda: open_picture(path)).startswith(str(path))

    def test_missing_files_folders_and_pipes_are_refused(self, tmp_path: Path) -> None:
        assert "no such picture" in refusal(lambda: open_picture(tmp_path / "gone.png"))
        assert "not a file" in refusal(lambda: open_picture(tmp_path))
        os.mkfifo(tmp_path / "pipe.png")
        assert "not a file" in refusal(lambda: open_picture(tmp_path / "pipe.png"))

    def test_a_file_of_more_than_100_mb_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "huge.png"
        with path.open("wb") as file:
            file.truncate(100_000_001)  # sparse: takes no space
        assert "100 MB" in refusal(lambda: open_picture(path))

    @given(data=st.data())
    def test_a_damaged_file_gives_a_picture_or_a_sentence(
        self, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        path = tmp_path_factory.mktemp("damaged") / "x"
        kind = data.draw(st.sampled_from(["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF"]))
        striped((24, 16)).save(path, kind)
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 6))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(bytes(content))
        try:
            assert open_picture(path).mode == "RGB"
        except InputError as error:
            assert str(error).startswith(str(path))  # noqa: PT017

    @pytest.mark.parametrize(
        ("orientation", "red"),
        list(enumerate(["top", "top", "bottom", "bottom", "left", "right", "right", "left"], 1)),
    )
    @pytest.mark.parametrize("max_side", [None, 40])
    def test_exif_turns_the_picture_upright(
        self, tmp_path: Path, orientation: int, red: str, max_side: int | None
    ) -> None:
        path = tmp_path / "turned.jpg"
        exif = Image.Exif()
        exif[0x0112] = orientation
        striped((160, 80)).save(path, exif=exif, quality=95)
        picture = open_picture(path, max_side)
        upright = red in ("top", "bottom")
        expected = (160, 80) if upright else (80, 160)
        assert picture_size(path) == expected
        scale = 1 if max_side is None else 4
        width, height = picture.size
        assert picture.size == (expected[0] // scale, expected[1] // scale)
        edges = {
            "top": (width // 2, 1),
            "bottom": (width // 2, height - 2),
            "left": (1, height // 2),
            "right": (width - 2, height // 2),
        }
        for edge, place in edges.items():
            pixel = picture.getpixel(place)
            assert isinstance(pixel, tuple)
            assert (pixel[1] < 120) == (edge == red), (edge, pixel)

    def test_cmyk_becomes_rgb(self, tmp_path: Path) -> None:
        path = tmp_path / "print.jpg"
        Image.new("CMYK", (16, 16), (0, 255, 255, 0)).save(path, quality=95)
        red, green, blue = open_picture(path).getpixel((8, 8))
        assert (red > 240, green < 20, blue < 20) == (True, True, True)

    @pytest.mark.parametrize("suffix", ["jpg", "png"])
    def test_is_shrunk_to_its_longest_side_and_never_enlarged(
        self, tmp_path: Path, suffix: str
    ) -> None:
        path = tmp_path / f"big.{suffix}"
        striped((1000, 500)).save(path)
        assert open_picture(path, 256).size == (256, 128)
        assert open_picture(path, 1000).size == (1000, 500)
        assert open_picture(path, 5000).size == (1000, 500)
        assert "at least 1" in refusal(lambda: open_picture(path, 0))


def s15(value: float) -> bytes:
    """A number as profiles have it (ICC.1:2022, 4.6)."""
    return struct.pack(">i", round(value * 65536))


def xyz(*values: float) -> bytes:
    return b"XYZ " + bytes(4) + b"".join(map(s15, values))


def profile(kind: bytes, space: bytes, connection: bytes, tags: dict[bytes, bytes]) -> bytes:
    """A profile of version 2 with these tags (ICC.1:2001-04, 6)."""
    tags = {
        b"desc": b"desc" + bytes(4) + struct.pack(">I", 5) + b"made\0" + bytes(79),
        b"cprt": b"text" + bytes(4) + b"none\0\0\0\0",
        b"wtpt": xyz(0.9642, 1.0, 0.8249),
        **tags,
    }
    at = 128 + 4 + 12 * len(tags)
    table, data = struct.pack(">I", len(tags)), b""
    for name, content in tags.items():
        table += name + struct.pack(">II", at + len(data), len(content))
        data += content + bytes(-len(content) % 4)
    size = struct.pack(">I", 128 + len(table) + len(data))
    head = size + bytes(4) + struct.pack(">I", 0x02100000) + kind + space + connection
    head += bytes(12) + b"acsp"
    head = head.ljust(68, b"\0") + s15(0.9642) + s15(1.0) + s15(0.8249)
    return head.ljust(128, b"\0") + table + data


def wide_gamut() -> bytes:
    """A profile of RGB with a gamma of 1 and Rec. 2020's primaries."""
    tags = {
        b"rXYZ": xyz(0.6735, 0.2790, -0.0019),
        b"gXYZ": xyz(0.1657, 0.6753, 0.0299),
        b"bXYZ": xyz(0.1251, 0.0456, 0.7969),
        **dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), b"curv" + bytes(8)),
    }
    return profile(b"mntr", b"RGB ", b"XYZ ", tags)


def printer() -> bytes:
    """A profile of CMYK whose cyan is half as dark as black, and all colours are grey."""
    identity = bytes(range(256))
    lightness = [
        round(255 * max(0.0, 1 - 0.5 * cyan - black))
        for cyan in (0, 1)
        for _ in range(4)
        for black in (0, 1)
    ]
    table = b"mft1" + bytes(4) + bytes((4, 3, 2, 0))
    table += b"".join(s15(float(row == column)) for row in range(3) for column in range(3))
    table += identity * 4 + bytes(v for light in lightness for v in (light, 128, 128))
    return profile(b"prtr", b"CMYK", b"Lab ", {b"A2B0": table + identity * 3})


class TestColourProfiles:
    def test_the_inks_of_a_printer_become_srgb(self, tmp_path: Path) -> None:
        path = tmp_path / "ink.tif"
        Image.new("CMYK", (8, 8), (255, 0, 0, 0)).save(path, icc_profile=printer())
        # Lightness 50 is 119 in sRGB (CIE 15, IEC 61966-2-1).
        assert all(abs(value - 119) <= 3 for value in open_picture(path).getpixel((4, 4)))
        assert picture_notes(path) == ()

    @pytest.mark.parametrize("profile", [b"no profile", b"", wide_gamut()[:200]])
    def test_a_broken_profile_is_ignored_with_a_note(self, tmp_path: Path, profile: bytes) -> None:
        path = tmp_path / "grey.png"
        Image.new("RGB", (8, 8), (1, 128, 254)).save(path, icc_profile=profile)
        assert open_picture(path).getpixel((4, 4)) == (1, 128, 254)
        assert bool(picture_notes(path)) == bool(profile)


class TestAvifAndAnimations:
    def test_a_drawing_is_named_with_what_to_do(self, tmp_path: Path) -> None:
        path = tmp_path / "cat.svg"
        path.write_text("<svg/>")
        assert "rsvg-convert --output cat.png cat.svg" in refusal(lambda: open_picture(path))


REGIONS = """\
name: {name}
source: https://example.org/{name}
keywords: [tea]
text:
  - style: default
    font: comic
    color: black
    align: left
    anchor_x: 0.05
    anchor_y: 0.05
    scale_x: 0.9
    scale_y: 0.4
  - style: upper
    anchor_y: 0.75
    scale_y: 0.2
overlay:
  - center_x: 0.5
    center_y: 0.5
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clone of memegen has beside its templates, and templates of every kind."""
    root = tmp_path_factory.mktemp("clone") / "memegen"
    for hidden in (".circleci", ".github", ".git", ".vscode"):
        (root / hidden).mkdir(parents=True)
        (root / hidden / "config.yml").write_text("version: 2.1\n")
    (root / ".git" / "config").write_text("[core]\n")
    for other in ("docs", "scripts", "app"):
        (root / other).mkdir()
    (root / "docs" / "config.yml").write_text("site_name: Memes\n")
    (root / "app" / "templates").mkdir()
    (root / "app" / "templates" / "base.html").write_text("<html></html>")
    (root / "README.md").write_text("# Memes\n")
    pictures = {
        "kettle": ["default.jpg"],
        "several": ["default.png", "maga.png", "default.gif"],
        "moving": ["default.gif"],
        "styles-only": ["night.webp"],
        "été!": ["default.avif"],
        "pictureless": [],
        "_custom": [],
        "_test": ["default.png"],
        ".hidden": ["default.png"],
    }
    for key, files in pictures.items():
        folder = root / "templates" / key
        folder.mkdir(parents=True)
        (folder / "config.yml").write_text(REGIONS.format(name=key.title()), "utf-8")
        for file in files:
            frames = [striped((240, 180), colour) for colour in ("#d02020", "#2020d0")]
            more = {"save_all": True, "append_images": frames[1:]} if "gif" in file else {}
            frames[0].save(folder / file, **more)
    (root / "templates" / "emptied").mkdir()
    (root / "templates" / "broken").mkdir()
    (root / "templates" / "broken" / "config.yml").write_text("name: [\n")
    return root


GOOD = {"kettle", "several", "moving", "styles-only", "ete"}


def own(folder: Path) -> tuple[dict[str, Template], list[str]]:
    """The templates in a folder, without the built-in ones, and what is wrong with others."""
    built_in, _ = load_templates()
    templates, problems = load_templates([folder])
    return {key: templates[key] for key in templates.keys() - built_in.keys()}, [
        str(problem) for problem in problems
    ]


@pytest.mark.parametrize("inner", ["", "templates"])
def test_a_checkout_is_a_folder_of_templates(checkout: Path, inner: str) -> None:
    templates, problems = own(checkout / inner)
    assert templates.keys() == GOOD
    assert len(problems) == 3
    for name, sentence in (
        ("broken", "is not YAML"),
        ("emptied", "there is no template.toml"),
        ("pictureless", "there is no picture in this folder"),
    ):
        assert any(name in problem and sentence in problem for problem in problems), name


def test_a_checkout_of_before_2020_is_read_too(tmp_path: Path) -> None:
    for name in ("kettle", "_copy_this"):
        folder = tmp_path / "data" / "templates" / name
        folder.mkdir(parents=True)
        (folder / "config.yml").write_text("name: Kettle\nlink: https://example.org\n")
        striped((40, 30)).save(folder / "default.jpg")
    (tmp_path / "data" / "fonts").mkdir()
    templates, problems = own(tmp_path)
    assert (list(templates), problems) == (["kettle"], [])
    assert templates["kettle"].source == "https://example.org"
