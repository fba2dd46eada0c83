"""The letters of languages, and whether fonts draw them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.locales import coverage, default
from memeloc.locales.registry import exemplars
from tests.each import each

ROOT = Path(__file__).parents[2]
DATA = ROOT / "memeloc" / "locales" / "data"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_exemplars", ROOT / "tools/make_exemplars.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@each(
    ("tag", "some", "none"),
    [
        ("cs", "ch ů ř", "ß"),
        ("de", "ä ß", "ñ"),
        ("tr", "ı ğ", "q"),
        ("zh-Hans", "们 这", "們 這"),
        ("zh-Hant", "們 這", "们 这"),
        ("zh-TW", "們", "们"),
        ("nb", "æ ø å", "ß"),
        ("pa", "ਪ ੰ", "پ"),
        ("pa-PK", "پ", "ਪ"),
        ("sr", "ђ", "đ"),
        ("sr-Latn", "đ", "ђ"),
        ("ko", "가 힣", "あ"),
    ],
)
def test_letters_are_those_of_the_language_in_its_script(tag: str, some: str, none: str) -> None:
    assert set(some.split()) <= set(exemplars(tag))
    assert not set(none.split()) & set(exemplars(tag))


@each("tag", ["qaa", "de-Cyrl", "", "nonsense tag"])
def test_a_language_that_cldr_lacks_has_none(tag: str) -> None:
    assert exemplars(tag) == ()


@pytest.mark.parametrize("name", ["exemplars.json", "subtags.json", "languages.json"])
def test_generated_files_name_source_version_licence_and_tool(name: str) -> None:
    content = json.loads((DATA / name).read_text("utf-8"))
    assert content["source"].startswith("CLDR 48.")
    assert content["licence"] == "Unicode-3.0"
    assert (ROOT / content["made_by"]).is_file()


@each(
    ("pattern", "members"),
    [
        ("[a b c]", "a b c"),
        ("[a-d]", "a b c d"),
        ("[abc{ch}ü]", "a b c ch ü"),
        (r"[\u0061 \U00000062 \u{63}]", "a b c"),
        (r"[\- \[ \] \\ \:]", r"- [ ] \ :"),
        (r"[{a\u0301} a a]", "a\u0301 a"),
        ("[가-갃]", "가 각 갂 갃"),
        ("[]", ""),
    ],
)
def test_unicode_sets_are_expanded(tool: ModuleType, pattern: str, members: str) -> None:
    assert tool.expand(pattern) == members.split()


@each("pattern", ["abc", "[a-]", "[-a]", "[z-a]", "[{ab}-c]", "[a&b]", "[^a]", "[[a]b]", "[a{b]"])
def test_unsupported_unicode_sets_stop_the_tool(tool: ModuleType, pattern: str) -> None:
    with pytest.raises(ValueError, match=r"UnicodeSet|range"):
        tool.expand(pattern)


@given(st.lists(st.characters(exclude_categories=["Cs"]), unique=True, max_size=20))
def test_a_set_of_escapes_gives_its_characters(chars: list[str]) -> None:
    spec = importlib.util.spec_from_file_location(
        "make_exemplars", ROOT / "tools/make_exemplars.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pattern = "[" + " ".join(f"\\U{ord(char):08X}" for char in chars) + "]"
    assert module.expand(pattern) == chars


def test_coverage_leaves_out_what_has_no_look_of_its_own() -> None:
    result = coverage(
        default().get("fa"), ("\u200c", "\u200d", "\u00ad", "پ"), lambda _: None, upper=True
    )
    assert result == {"پ": None}


def test_coverage_keeps_a_letter_and_its_marks_together() -> None:
    asked: list[str] = []
    coverage(default().get("hi"), ("क्ष", "ि"), lambda c: asked.append(c) or "x", upper=False)
    assert asked == ["क्ष", "ि"]
