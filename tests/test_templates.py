"""Templates: what is read, what is refused and in which words, and the sixteen that come along."""

from __future__ import annotations

import math
import os
import struct
import time
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageStat

from memeloc import resources
from memeloc.errors import InputError
from memeloc.model import STYLES, Template, TextBox
from memeloc.templates import (
    LAYOUTS,
    MAX_PIXELS,
    add_template,
    find_template,
    load_template,
    load_templates,
    open_picture,
    picture_size,
    preview,
)
from memeloc.templates.definition import check_definition, turned_corners
from memeloc.templates.loading import name_from

BOX = '[[box]]\nname = "top"\nx = 0.1\ny = 0.1\nwidth = 0.8\nheight = 0.3\n'
MINIMAL = 'image = "picture.png"\n' + BOX

# Part 1 of the agreement on the built-in templates: captions are written against these names.
BOXES = {
    "black-bar-llama": ["caption"],
    "bookmark": ["column"],
    "busy-market": ["top", "bottom"],
    "cat-and-plant": ["cat", "plant"],
    "chat-with-fridge": ["you", "fridge", "you again"],
    "cloud-monday": ["top", "bottom"],
    "four-steps": ["one", "two", "three", "four"],
    "long-train": ["top", "bottom"],
    "night-owl": ["top", "bottom"],
    "protest-hamster": ["sign"],
    "robot-chef": ["top", "bottom"],
    "summit-snail": ["top", "bottom"],
    "tall-giraffe": ["top", "bottom"],
    "then-and-now": ["left", "right"],
    "tug-of-war": ["left team", "rope", "right team"],
    "zebra-crossing": ["top", "bottom"],
}

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a template's folder and return its path."""

    def make_template(
        toml: str | bytes = MINIMAL,
        name: str = "mine",
        size: tuple[int, int] = (40, 30),
        under: str = "templates",
    ) -> Path:
        folder = tmp_path / under / name
        folder.mkdir(parents=True)
        Image.new("RGB", size, "#336699").save(folder / "picture.png")
        content = toml.encode() if isinstance(toml, str) else toml
        (folder / "template.toml").write_bytes(content)
        return folder

    return make_template


def refusal(action: Callable[[], object]) -> str:
    """The sentence with which an action is refused."""
    with pytest.raises(InputError) as caught:
        action()
    return str(caught.value)


@pytest.fixture(scope="module")
def templates() -> dict[str, Template]:
    """The built-in ones."""
    found, problems = load_templates()
    assert problems == []
    return found


class TestBuiltIn:
    def test_are_the_sixteen_with_their_boxes(self, templates: dict[str, Template]) -> None:
        assert {name: [box.name for box in one.boxes] for name, one in templates.items()} == BOXES

    @pytest.mark.parametrize("name", BOXES)
    def test_is_complete_and_within_its_limits(
        self, templates: dict[str, Template], name: str
    ) -> None:
        template = templates[name]
        assert template.title
        assert template.description.endswith(".")
        assert len(template.keywords) >= 3
        assert (template.source, template.licence) == ("drawn for memeloc", "CC0-1.0")
        assert template.image.stat().st_size <= 200_000
        drawing = template.image.with_name("picture.svg")
        assert drawing.stat().st_size <= 150_000
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(drawing).iter()}
        assert tags.isdisjoint({"text", "image", "script"})  # no language, all vectors

    @pytest.mark.parametrize("name", BOXES)
    def test_has_its_boxes_in_the_picture(self, templates: dict[str, Template], name: str) -> None:
        template = templates[name]
        picture = open_picture(template.image)
        assert picture.size == picture_size(template.image)
        for box in template.boxes:
            corners = turned_corners(box, picture.size)
            assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in corners), box.name
            assert box.width * picture.width >= 100
            assert box.height * picture.height >= 70

    @pytest.mark.parametrize("name", ["robot-chef", "summit-snail"])
    def test_measured_ones_are_512_square(self, templates: dict[str, Template], name: str) -> None:
        assert picture_size(templates[name].image) == (512, 512)

    @pytest.mark.parametrize(
        ("name", "shape"), [("tall-giraffe", (600, 900)), ("long-train", (1250, 500))]
    )
    def test_shapes(
        self, templates: dict[str, Template], name: str, shape: tuple[int, int]
    ) -> None:
        assert picture_size(templates[name].image) == shape

    @pytest.mark.parametrize(
        "name", ["protest-hamster", "cat-and-plant", "chat-with-fridge", "bookmark"]
    )
    def test_dark_letters_stand_on_a_light_ground(
        self, templates: dict[str, Template], name: str
    ) -> None:
        template = templates[name]
        picture = open_picture(template.image).convert("L")
        for box in template.boxes:
            width, height = picture.size
            for x, y in turned_corners(box, picture.size):
                # One pixel inwards, so that a corner on the edge is looked at from within.
                x += math.copysign(1 / width, box.x + box.width / 2 - x)
                y += math.copysign(1 / height, box.y + box.height / 2 - y)
                assert picture.getpixel((int(x * width), int(y * height))) > 170, box.name

    def test_bar_of_the_llama_is_black(self, templates: dict[str, Template]) -> None:
        template = templates["black-bar-llama"]
        picture = open_picture(template.image)
        box = template.boxes[0]
        assert (box.style.name, box.style.fill) == ("plain", "#ffffff")
        bar = picture.crop((0, 0, picture.width, int((box.y + box.height) * picture.height)))
        assert all(high <= 12 for _, high in bar.getextrema())

    def test_grounds_really_differ(self, templates: dict[str, Template]) -> None:
        def ground(name: str) -> Image.Image:
            return open_picture(templates[name].image).convert("L")

        mean = {
            name: ImageStat.Stat(ground(name)).mean[0]
            for name in ("cloud-monday", "night-owl", "robot-chef")
        }
        assert mean["cloud-monday"] > 190
        assert mean["night-owl"] < 80
        assert 90 < mean["robot-chef"] < 170

    def test_are_loaded_from_headers_alone_in_under_30_ms(self) -> None:
        load_templates()
        times = []
        for _ in range(5):
            began = time.process_time()
            load_templates()
            times.append(time.process_time() - began)
        assert min(times) < 0.030


class TestLoadTemplate:
    def test_reads_everything(self, make: Make) -> None:
        folder = make(
            'title = "T"\ndescription = "D."\nkeywords = ["a", "b"]\nimage = "picture.png"\n'
            'source = "s"\nlicence = "CC0-1.0"\n[[box]]\nname = "links"\nx = 0.2\ny = 0.3\n'
            'width = 0.5\nheight = 0.25\nangle = -5\nalign = "end"\nvalign = "top"\n'
            'style = "plain"\nfill = "#ABCDEF"\noutline = "#000001"\noutline_width = 0.1\n'
            'uppercase = true\nmax_size = 0.2\nline_spacing = 1.5\nface = "poster"\n'
        )
        template = load_template(folder)
        assert (template.name, template.title, template.description) == ("mine", "T", "D.")
        assert (template.keywords, template.source) == (("a", "b"), "s")
        assert template.image == folder / "picture.png"
        (box,) = template.boxes
        assert (box.name, box.x, box.y, box.width, box.height) == ("links", 0.2, 0.3, 0.5, 0.25)
        assert (box.angle, box.align, box.valign) == (-5.0, "end", "top")
        style = box.style
        assert (style.name, style.face, style.fill) == ("plain", "poster", "#abcdef")
        assert (style.outline, style.outline_width, style.uppercase) == ("#000001", 0.1, True)
        assert (style.max_size, style.line_spacing) == (0.2, 1.5)

    def test_leaves_out_what_may_be_left_out(self, make: Make) -> None:
        template = load_template(make(name="grumpy-cat_2"))
        assert template.title == "Grumpy cat 2"
        assert template.keywords == ()
        (box,) = template.boxes
        assert (box.angle, box.align, box.valign) == (0.0, "center", "middle")
        assert box.style == STYLES["poster"]

    def test_reads_a_file_that_begins_with_a_byte_order_mark(self, make: Make) -> None:
        assert load_template(make(b"\xef\xbb\xbf" + MINIMAL.encode())).name == "mine"

    @pytest.mark.parametrize(
        ("toml", "words"),
        [
            ("tittle = 'x'\n" + MINIMAL, ["'tittle'", "did you mean 'title'?"]),
            ("license = 'x'\n" + MINIMAL, ["'license'", "did you mean 'licence'?"]),
            ("zzz = 1\n" + MINIMAL, ["'zzz'", "known are title"]),
            (MINIMAL + "colour = 'x'\n", ["box 1", "'colour'"]),
            (BOX, ["'image' is missing"]),
            ("image = 'picture.png'", ["'box' is missing"]),
            ("image = 'picture.png'\nbox = []", ["there is no box"]),
            ("image = 'picture.png'\nbox = 3", ["[[box]]"]),
            ("image = 'picture.png'\n[box]\nname = 'a'", ["[[box]]"]),
            ("title = 3\n" + MINIMAL, ["'title' must be a text, not 3"]),
            ("keywords = 'cat'\n" + MINIMAL, ["'keywords' must be a list of texts"]),
            ("keywords = [1]\n" + MINIMAL, ["'keywords' must be a list of texts"]),
            ("image = 3\n" + BOX, ["'image' must be a text"]),
            (MINIMAL.replace("x = 0.1\n", ""), ["box 1", "'x' is missing"]),
            (MINIMAL.replace('name = "top"\n', ""), ["box 1", "'name' is missing"]),
            (MINIMAL.replace("x = 0.1", "x = 'left'"), ["box 'top'", "'x' must be a number"]),
            (MINIMAL.replace("x = 0.1", "x = true"), ["'x' must be a number, not True"]),
            (MINIMAL.replace("x = 0.1", "x = nan"), ["'x'", "not nan"]),
            (MINIMAL.replace("x = 0.1", "x = inf"), ["'x'", "not inf"]),
            (MINIMAL.replace("x = 0.1", "x = 0.3"), ["box 'top'", "outside", "0.3 to 1.1"]),
            (MINIMAL.replace("y = 0.1", "y = -0.2"), ["box 'top'", "outside", "y + height"]),
            (MINIMAL.replace("width = 0.8", "width = 0"), ["'width' must be more than 0"]),
            (MINIMAL.replace("height = 0.3", "height = -1"), ["'height' must be more than 0"]),
            (MINIMAL.replace('"top"', '""'), ["box 1", "'name'"]),
            (MINIMAL.replace('"top"', '"a\\nb"'), ["box 1", "'name'"]),
            (MINIMAL + BOX, ["two boxes are called 'top'"]),
            (MINIMAL + "angle = 181", ["'angle' must lie between -180 and 180, not 181"]),
            (MINIMAL + "align = 'centre'", ["'align'", "did you mean 'center'?"]),
            (MINIMAL + "valign = 'low'", ["'valign' must be one of top, middle, bottom"]),
            (MINIMAL + "style = 'postr'", ["'style'", "did you mean 'poster'?"]),
            (MINIMAL + "style = ['plain']", ["'style' must be one of"]),
            (MINIMAL + "face = 'serif'", ["'face' must be one of poster, plain"]),
            (MINIMAL + "fill = 'red'", ["'fill'", "'#ffcc00'", "'red'"]),
            (MINIMAL + "outline = '#fff'", ["'outline'"]),
            (MINIMAL + "fill = 0", ["'fill' must be a text"]),
            (MINIMAL + "max_size = 2", ["'max_size' must lie between 0.005 and 1, not 2"]),
            (MINIMAL + "uppercase = 1", ["'uppercase' must be true or false, not 1"]),
            ("image = \n" + BOX, ["is not TOML", "line 1"]),
            ("x = " + "9" * 5000, ["is not TOML"]),
            ("x = " + "[" * 100_000, ["is not TOML"]),
            (b"title = '\xff'", ["is not UTF-8"]),
            ("#" * 1_100_000, ["larger than 1 MB"]),
        ],
    )
    def test_says_in_which_file_and_key_the_mistake_is(
        self, make: Make, toml: str | bytes, words: list[str]
    ) -> None:
        folder = make(toml)
        sentence = refusal(lambda: load_template(folder))
        assert sentence.startswith(str(folder / "template.toml"))
        assert all(word in sentence for word in words), sentence
        assert len(sentence) < 600

    def test_allows_a_thousandth_of_rounding(self, make: Make) -> None:
        exact = MINIMAL.replace("x = 0.1", "x = -0.001").replace("width = 0.8", "width = 1.002")
        assert load_template(make(exact)).boxes[0].width == 1.002

    def test_a_turned_box_must_lie_in_the_picture_with_all_corners(self, make: Make) -> None:
        flat = MINIMAL.replace("y = 0.1", "y = 0.0")
        assert load_template(make(flat, name="flat"))
        sentence = refusal(lambda: load_template(make(flat + "angle = 10", name="turned")))
        assert "box 'top'" in sentence
        assert "10 degrees" in sentence

    @pytest.mark.parametrize(
        "image",
        [
            "../other.png",
            "/etc/passwd",
            "a/../../b.png",
            "C:\\\\x.png",
            "..\\\\x.png",
            "",
            "a\\u0000",
        ],
    )
    def test_a_picture_outside_the_folder_is_refused_by_its_name(
        self, make: Make, image: str
    ) -> None:
        folder = make(f'image = "{image}"\n{BOX}')
        assert "'image'" in refusal(lambda: load_template(folder))

    def test_a_link_out_of_the_folder_is_refused(self, make: Make, tmp_path: Path) -> None:
        outside = tmp_path / "secret.png"
        Image.new("RGB", (9, 9)).save(outside)
        folder = make('image = "link.png"\n' + BOX)
        (folder / "link.png").symlink_to(outside)
        assert "leads out of" in refusal(lambda: load_template(folder))

    def test_a_link_to_a_whole_template_is_fine(self, make: Make, tmp_path: Path) -> None:
        link = tmp_path / "linked"
        link.symlink_to(make(), target_is_directory=True)
        assert load_template(link).name == "linked"

    def test_a_missing_picture_is_named(self, make: Make) -> None:
        sentence = refusal(lambda: load_template(make('image = "gone.png"\n' + BOX)))
        assert "'gone.png'" in sentence

    def test_a_folder_name_that_is_no_identifier_is_refused(self, make: Make) -> None:
        folder = make(name="schöne Katze")
        sentence = refusal(lambda: load_template(folder))
        assert str(folder) in sentence
        assert "letters, digits" in sentence

    @given(
        x=st.floats(-0.2, 1.2), y=st.floats(-0.2, 1.2), w=st.floats(-0.2, 1.4), h=st.floats(0, 1.4)
    )
    def test_a_box_is_taken_exactly_when_it_lies_in_the_picture(
        self, x: float, y: float, w: float, h: float
    ) -> None:
        table = {
            "image": "picture.png",
            "box": [{"name": "a", "x": x, "y": y, "width": w, "height": h}],
        }
        slack = 0.001 + 1e-9
        inside = w > 0 and h > 0 and x >= -slack and y >= -slack
        inside = inside and x + w <= 1 + slack and y + h <= 1 + slack
        try:
            (box,) = check_definition(table, Path("template.toml")).boxes
        except InputError:
            assert not inside
        else:
            assert inside
            assert (box.x, box.y, box.width, box.height) == (x, y, w, h)

    @given(
        st.dictionaries(
            st.sampled_from(["image", "box", "title", "keywords", "fill", "zz"]),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(
                        st.sampled_from(["name", "x", "y", "width", "height", "angle", "style"]),
                        inner,
                    )
                ),
                max_leaves=12,
            ),
        )
    )
    def test_nonsense_is_refused_and_never_crashes(self, table: dict[str, object]) -> None:
        try:
            definition = check_definition(table, Path("template.toml"))
        except InputError as error:
            assert str(error).startswith("template.toml: ")  # noqa: PT017
        else:
            assert definition.boxes

    @given(
        angle=st.floats(-180, 180),
        size=st.tuples(st.integers(1, 3000), st.integers(1, 3000)),
    )
    def test_turning_keeps_middle_and_lengths(self, angle: float, size: tuple[int, int]) -> None:
        box = TextBox("a", 0.25, 0.25, 0.5, 0.25, angle=angle)
        corners = [(x * size[0], y * size[1]) for x, y in turned_corners(box, size)]
        middle = [sum(axis) / 4 for axis in zip(*corners, strict=True)]
        assert middle == pytest.approx([0.5 * size[0], 0.375 * size[1]], abs=1e-3)
        assert math.dist(corners[0], corners[1]) == pytest.approx(0.5 * size[0], abs=1e-3)
        assert math.dist(corners[1], corners[2]) == pytest.approx(0.25 * size[1], abs=1e-3)


class TestLoadTemplates:
    def test_a_wrong_template_is_a_problem_and_the_rest_goes_on(self, make: Make) -> None:
        make(name="good")
        make("tittle = 1\n" + MINIMAL, name="wrong")
        broken = make(name="broken")
        (broken / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
        empty = make(name="empty")
        (empty / "template.toml").unlink()
        found, problems = load_templates([broken.parent])
        assert "good" in found
        assert {"wrong", "broken", "empty"}.isdisjoint(found)
        sentences = sorted(str(problem) for problem in problems)
        assert len(sentences) == 3
        assert "broken/picture.png" in sentences[0]
        assert "there is no template.toml" in sentences[1]
        assert "'tittle'" in sentences[2]

    def test_a_folder_may_itself_be_a_template(self, make: Make) -> None:
        found, problems = load_templates([make(name="single")])
        assert problems == []
        assert "single" in found

    def test_the_user_replaces_a_built_in_template_silently(self, make: Make) -> None:
        folder = make(name="night-owl")
        found, problems = load_templates([folder.parent])
        assert problems == []
        assert found["night-owl"].image == folder / "picture.png"
        assert len(found) == len(BOXES)

    def test_two_of_one_name_are_a_problem_that_names_both(self, make: Make) -> None:
        first, second = make(under="one"), make(under="two")
        found, problems = load_templates([first.parent, second.parent])
        assert found["mine"].image == first / "picture.png"
        (problem,) = problems
        assert str(first) in str(problem)
        assert str(second) in str(problem)

    def test_names_that_differ_only_in_case_are_the_same(self, make: Make) -> None:
        one, two = make(name="Mine", under="one"), make(name="mine", under="two")
        found, (problem,) = load_templates([one.parent, two.parent])
        assert "Mine" in found
        assert "mine" not in found
        assert str(one) in str(problem)
        assert str(two) in str(problem)

    def test_one_folder_given_twice_counts_once(self, make: Make) -> None:
        folder = make().parent
        _, problems = load_templates([folder, folder / ".." / folder.name])
        assert problems == []

    @pytest.mark.parametrize("what", ["missing", "file"])
    def test_what_is_no_folder_is_a_problem(self, tmp_path: Path, what: str) -> None:
        path = tmp_path / "x"
        if what == "file":
            path.write_text("x")
        found, (problem,) = load_templates([path])
        assert len(found) == len(BOXES)
        assert str(path) in str(problem)

    def test_names_come_in_order(self, make: Make) -> None:
        found, _ = load_templates([make(name="a-first").parent])
        assert list(found) == sorted(found)
        assert all(template.name == name for name, template in found.items())


class TestPlainPictures:
    def test_each_becomes_a_template_with_top_and_bottom(self, tmp_path: Path) -> None:
        for name in ("a.jpg", "b.jpeg", "c.png", "d.webp", "e.gif", "f.bmp", "g.tif", "H.TIFF"):
            Image.new("RGB", (8, 6)).save(tmp_path / name)
        (tmp_path / "notes.txt").write_text("not a picture, and not taken for one")
        (tmp_path / ".hidden.png").write_text("nor is this")
        found, problems = load_templates([tmp_path])
        assert problems == []
        assert {"a", "b", "c", "d", "e", "f", "g", "H"} <= set(found)
        top, bottom = found["a"].boxes
        assert (top.name, top.x, top.y, top.width, top.height) == ("top", 0.03, 0.02, 0.94, 0.25)
        assert (bottom.name, bottom.y, bottom.valign) == ("bottom", 0.73, "bottom")
        assert top.style == STYLES["poster"]

    def test_content_counts_not_the_suffix(self, tmp_path: Path) -> None:
        Image.new("RGB", (8, 6)).save(tmp_path / "real.jpg", "PNG")
        (tmp_path / "text.png").write_text("only called a picture")
        found, (problem,) = load_templates([tmp_path])
        assert "real" in found
        assert "text.png" in str(problem)
        assert "is not a picture" in str(problem)

    def test_two_of_the_same_stem_are_a_problem_that_names_both(self, tmp_path: Path) -> None:
        for name in ("cat.jpg", "cat.png"):
            Image.new("RGB", (8, 6)).save(tmp_path / name)
        found, (problem,) = load_templates([tmp_path])
        assert "cat" in found
        assert "cat.jpg" in str(problem)
        assert "cat.png" in str(problem)

    @pytest.mark.parametrize(
        ("file", "name"),
        [
            ("Café am See (2).jpeg", "Cafe-am-See-2"),
            ("a.b.png", "a.b"),
            ("-x-.png", "x"),
            ("ＩＭＧ＿１.png", "IMG_1"),
            ("x" * 200 + ".png", "x" * 100),
        ],
    )
    def test_names_are_made_safe(self, file: str, name: str) -> None:
        assert name_from(Path(file)) == name

    def test_a_name_without_latin_letters_or_digits_is_a_problem(self, tmp_path: Path) -> None:
        Image.new("RGB", (8, 6)).save(tmp_path / "猫.png")
        _, (problem,) = load_templates([tmp_path])
        assert "猫.png" in str(problem)
        assert "rename" in str(problem)

    @given(st.text(min_size=1, max_size=150))
    def test_any_name_is_made_safe_or_refused(self, stem: str) -> None:
        try:
            name = name_from(Path(stem.replace("/", "x").replace("\0", "x") + ".png"))
        except InputError:
            return
        assert name_from(Path(name + ".png")) == name


def png_that_claims(path: Path, width: int, height: int) -> Path:
    """A PNG of a few bytes whose header announces any size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body)
    return path


def striped(size: tuple[int, int], colour: str = "#d02020") -> Image.Image:
    """White with a coloured band at the top."""
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).rectangle((0, 0, size[0], size[1] // 4), fill=colour)
    return picture


class TestOpenPicture:
    @pytest.mark.parametrize("size", [(50_000, 50_000), (10_000, 5_001), (2_000_000, 26)])
    def test_a_bomb_is_refused_before_it_is_decoded(
        self, tmp_path: Path, size: tuple[int, int]
    ) -> None:
        bomb = png_that_claims(tmp_path / "bomb.png", *size)
        began = time.process_time()
        for read in (open_picture, picture_size):
            sentence = refusal(lambda read=read: read(bomb))
            assert sentence.startswith(str(bomb))
            assert "50 megapixels" in sentence
        assert time.process_time() - began < 0.5

    def test_the_largest_allowed_size_passes_the_header(self, tmp_path: Path) -> None:
        path = png_that_claims(tmp_path / "large.png", 10_000, MAX_PIXELS // 10_000)
        assert picture_size(path) == (10_000, 5_000)

    @pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "gif", "bmp", "tif"])
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

    def test_other_formats_of_pillow_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "x.png"
        Image.new("RGB", (9, 9)).save(path, "PPM")
        assert "JPEG, PNG, WebP, GIF, BMP and TIFF" in refusal(lambda: open_picture(path))

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

    @pytest.mark.parametrize(("value", "grey"), [(0, 0), (32896, 128), (65535, 255)])
    @pytest.mark.parametrize("suffix", ["png", "tif"])
    def test_16_bits_become_8_and_are_not_clipped(
        self, tmp_path: Path, value: int, grey: int, suffix: str
    ) -> None:
        path = tmp_path / f"deep.{suffix}"
        Image.new("I;16", (4, 4), value).save(path)
        assert open_picture(path).getpixel((1, 1)) == (grey, grey, grey)

    def test_floating_point_is_taken_from_0_to_1(self, tmp_path: Path) -> None:
        path = tmp_path / "float.tif"
        Image.new("F", (4, 4), 0.5).save(path)
        assert open_picture(path).getpixel((1, 1))[0] in (127, 128)

    def test_palette_with_transparency_stands_on_white(self, tmp_path: Path) -> None:
        path = tmp_path / "palette.png"
        picture = Image.new("P", (4, 4), 0)
        picture.putpalette([200, 0, 0, 0, 0, 200])
        picture.putpixel((1, 1), 1)
        picture.save(path, transparency=0)
        result = open_picture(path)
        assert result.getpixel((0, 0)) == (255, 255, 255)
        assert result.getpixel((1, 1)) == (0, 0, 200)

    @pytest.mark.parametrize("suffix", ["png", "webp"])
    def test_half_transparency_is_mixed_with_white(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"veil.{suffix}"
        Image.new("RGBA", (4, 4), (0, 0, 0, 128)).save(path, lossless=True)
        assert open_picture(path).getpixel((2, 2)) == (127, 127, 127)

    def test_only_the_first_frame_counts(self, tmp_path: Path) -> None:
        path = tmp_path / "moving.gif"
        first, second = Image.new("RGB", (9, 9), "#ff0000"), Image.new("RGB", (9, 9), "#0000ff")
        first.save(path, save_all=True, append_images=[second])
        assert open_picture(path).getpixel((4, 4)) == (255, 0, 0)

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

    def test_shrinking_keeps_thin_lines_as_grey(self, tmp_path: Path) -> None:
        path = tmp_path / "lines.png"
        lines = Image.new("RGB", (400, 400), "white")
        for x in range(0, 400, 2):
            ImageDraw.Draw(lines).line((x, 0, x, 400), fill="black")
        lines.save(path)
        low, high = open_picture(path, 50).crop((5, 5, 45, 45)).convert("L").getextrema()
        assert 110 < low <= high < 145  # nearest neighbour would give all black or all white

    def test_a_very_narrow_picture_keeps_a_pixel(self, tmp_path: Path) -> None:
        path = tmp_path / "thin.png"
        Image.new("RGB", (2000, 1)).save(path)
        assert open_picture(path, 100).size == (100, 1)


class TestFind:
    def test_names_near_ones(self) -> None:
        found, _ = load_templates()
        assert find_template(found, "night-owl").name == "night-owl"
        assert "did you mean night-owl" in refusal(lambda: find_template(found, "nigth-owl"))
        assert "templates list" in refusal(lambda: find_template(found, "qqqqq"))


class TestAdd:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_makes_a_template_that_loads(self, tmp_path: Path, layout: str) -> None:
        striped((80, 60)).save(tmp_path / "My picture.png")
        folder = add_template(tmp_path / "My picture.png", tmp_path / "to", layout=layout)
        template = load_template(folder)
        assert (template.name, template.title) == ("My-picture", "My picture")
        assert open_picture(template.image).getpixel((40, 2)) == (208, 32, 32)
        assert sorted(path.name for path in folder.parent.iterdir()) == ["My-picture"]

    def test_keeps_nothing_but_the_pixels(self, tmp_path: Path) -> None:
        exif = Image.Exif()
        exif[0x010F] = "a camera maker"
        exif[0x0112] = 6
        path = tmp_path / "photo.jpg"
        striped((80, 60)).save(path, exif=exif, comment=b"a remark")
        folder = add_template(path, tmp_path / "to")
        content = (folder / "picture.jpg").read_bytes()
        assert b"camera" not in content
        assert b"remark" not in content
        with Image.open(folder / "picture.jpg") as picture:
            assert picture.size == (60, 80)
            assert not picture.getexif()

    def test_never_writes_over_anything(self, tmp_path: Path) -> None:
        path = tmp_path / "x.png"
        striped((80, 60)).save(path)
        folder = add_template(path, tmp_path / "to")
        (folder / "template.toml").write_text("mine")
        assert str(folder) in refusal(lambda: add_template(path, tmp_path / "to"))
        assert (folder / "template.toml").read_text() == "mine"

    def test_refuses_wrong_names_layouts_and_pictures(self, tmp_path: Path) -> None:
        path = tmp_path / "x.png"
        striped((80, 60)).save(path)
        to = tmp_path / "to"
        assert "'../x'" in refusal(lambda: add_template(path, to, name="../x"))
        assert "known are" in refusal(lambda: add_template(path, to, layout="zz"))
        path.write_text("text")
        assert "not a picture" in refusal(lambda: add_template(path, to))
        assert not to.exists()

    @given(title=st.text(max_size=40))
    def test_any_file_name_gives_a_toml_that_reads(
        self, title: str, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        root = tmp_path_factory.mktemp("add")
        safe = title.encode("utf-8", "ignore").decode().replace("/", "").replace("\0", "")[:40]
        path = root / f"{safe}z.png"
        Image.new("RGB", (4, 4)).save(path)
        assert load_template(add_template(path, root / "to")).image.exists()


def test_preview_draws_each_box_where_it_is(make: Make) -> None:
    folder = make(
        'image = "picture.png"\n' + BOX + BOX.replace("top", "low").replace("y = 0.1", "y = 0.6"),
        size=(400, 300),
    )
    template = load_template(folder)
    before, after = open_picture(template.image), preview(template)
    assert after.size == before.size
    changed = [after.getpixel((200, y)) != before.getpixel((200, y)) for y in (15, 75, 150, 225)]
    assert changed == [False, True, False, True]


def test_templates_of_the_package_stand_where_resources_says() -> None:
    found, _ = load_templates()
    root = resources.folder("templates")
    assert all(template.image.is_relative_to(root) for template in found.values())
