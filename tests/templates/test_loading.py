"""Folders of templates and of pictures: what is found, and what else is a problem."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from memeloc.model import STYLES
from memeloc.templates import (
    load_templates,
)
from memeloc.templates.names import name_from
from tests.each import each
from tests.templates.conftest import Make

BUILT_IN = load_templates()[0]


class TestLoadTemplates:
    def test_the_user_replaces_a_built_in_template_silently(self, make: Make) -> None:
        folder = make(name="night-owl")
        result, problems = load_templates([folder.parent])
        assert problems == []
        assert result["night-owl"].image == folder / "picture.png"
        assert len(result) == len(BUILT_IN)

    def test_two_of_one_name_are_a_problem_that_names_both(self, make: Make) -> None:
        first, second = make(under="one"), make(under="two")
        result, problems = load_templates([first.parent, second.parent])
        assert result["mine"].image == first / "picture.png"
        (problem,) = problems
        assert str(first) in str(problem)
        assert str(second) in str(problem)

    def test_folders_are_texts_paths_lists_of_them_or_templates(self, make: Make) -> None:
        folder = make().parent
        result, problems = load_templates(str(folder))
        assert problems == []
        assert result == load_templates([folder])[0] == load_templates(result)[0]


class TestPlainPictures:
    def test_each_becomes_a_template_with_top_and_bottom(self, tmp_path: Path) -> None:
        for name in ("a.jpg", "b.jpeg", "c.png", "d.webp", "e.gif", "f.bmp", "g.tif", "H.TIFF"):
            Image.new("RGB", (8, 6)).save(tmp_path / name)
        (tmp_path / "notes.txt").write_text("not a picture, and not taken for one")
        (tmp_path / ".hidden.png").write_text("nor is this")
        result, problems = load_templates([tmp_path])
        assert problems == []
        assert {"a", "b", "c", "d", "e", "f", "g", "H"} <= set(result)
        top, bottom = result["a"].boxes
        assert (top.name, top.x, top.y, top.width, top.height) == ("top", 0.03, 0.02, 0.94, 0.25)
        assert (bottom.name, bottom.y, bottom.valign) == ("bottom", 0.73, "bottom")
        assert top.style == STYLES["poster"]

    def test_two_of_the_same_stem_are_a_problem_that_names_both(self, tmp_path: Path) -> None:
        for name in ("cat.jpg", "cat.png"):
            Image.new("RGB", (8, 6)).save(tmp_path / name)
        result, (problem,) = load_templates([tmp_path])
        assert "cat" in result
        assert "cat.jpg" in str(problem)
        assert "cat.png" in str(problem)

    @each(
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
