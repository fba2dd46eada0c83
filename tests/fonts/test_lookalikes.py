"""What is drawn is what was typed: no face draws a character as another one."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from memeloc.fonts import Face, FaceName, FontLibrary
from memeloc.locales import default
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.shape import ShapedText, shape
from memeloc.resources import folder
from tests.each import each

FONTS = FontLibrary()
PACKAGED = [name for name, family in FONTS.families.items() if not family.optional]
QUICK = ("anton", "noto-sans-devanagari")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/find_lookalikes.py, which is no package."""
    path = Path(__file__).parents[2] / "tools/find_lookalikes.py"
    spec = importlib.util.spec_from_file_location("find_lookalikes", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in PACKAGED],
)
def test_lookalikes_toml_is_what_the_tool_finds(tool: ModuleType, name: str) -> None:
    written = tomllib.loads((folder("fonts") / "lookalikes.toml").read_text(encoding="utf-8"))
    found = tool.find(FONTS.families[name])
    assert tomllib.loads(tool.as_toml({name: found})).get(name) == written.get(name)


def drawn(text: str, tag: str, face: FaceName) -> ShapedText:
    locale = default().get(tag)
    level, runs, missing = Itemizer(FONTS.stack(locale, face)).runs(text, locale.direction)
    assert missing == []
    return shape(text, level, runs, tag)


def face_of(char: str, tag: str, face: FaceName) -> Face:
    return drawn(char, tag, face).runs[0].face


@each("tag", ["en", "hi", "el", "ja", "ca"])
def test_no_symbol_of_plain_text_is_from_the_poster_face(tag: str) -> None:
    for char in "≠≈≤≥∞√✗✘➜☐♞★→½₵𝓗𝐛∂∑⇒①":
        assert face_of(char, tag, "plain").family != "anton", char


def test_an_emoji_drawn_as_another_is_drawn_and_said_to_be_lost() -> None:
    stack = FontLibrary(["noto-emoji"]).stack(default().get("en"), "poster")
    prince = stack.font_for("🤴")
    assert prince is not None
    assert prince.family == "noto-emoji"
    assert list(stack.lost("🤴👸")) == ["🤴"]
