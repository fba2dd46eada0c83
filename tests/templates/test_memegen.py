"""A checkout of memegen, as git makes it, is a folder of templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.model import Template
from memeloc.templates import load_templates
from tests.templates.conftest import striped

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
