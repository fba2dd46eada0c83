"""The nouns: captions as one string and back, names, and values that cannot change."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.model import (
    SEPARATOR,
    STYLES,
    Caption,
    Template,
    TextBox,
    TextStyle,
    check_tag_name,
)
from memeloc.render.background import contrast, relative_luminance
from tests.each import each

part = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/／"), max_size=20)
parts = st.lists(part.map(lambda text: Caption.parse(text).parts[0]), min_size=1, max_size=5)


@each(
    ("written", "expected"),
    [
        ("when the build passes // at last", ("when the build passes", "at last")),
        ("one part", ("one part",)),
        ("", ("",)),
        ("// only below", ("", "only below")),
        ("only above //", ("only above", "")),
        ("a // // c", ("a", "", "c")),
        ("//", ("", "")),
        ("see https://example.org/a//b", ("see https://example.org/a//b",)),
        ("a//b // c", ("a//b", "c")),
        ("上 // 下", ("上", "下")),
        ("first\nline // second", ("first\nline", "second")),
        ("a /// b", ("a /// b",)),
        ("上 ／／ 下", ("上", "下")),
        ("a\u00a0//\u3000b\n//\nc", ("a", "b", "c")),
        ("أول \u200f// ثان \u200f//\u200f ثالث // رابع", ("أول", "ثان", "ثالث", "رابع")),
        ("C++\u200e // \u200fnow", ("C++\u200e", "\u200fnow")),
        ("\u200f // b", ("", "b")),
    ],
)
def test_a_caption_is_split_at_slashes_between_spaces(
    written: str, expected: tuple[str, ...]
) -> None:
    assert Caption.parse(written).parts == expected


@each(
    ("written", "counts", "expected"),
    [
        ("上//中//下//尾", (4,), ("上", "中", "下", "尾")),
        ("上／／中／／下／／尾", (4, 2), ("上", "中", "下", "尾")),
        ("上//下", (4, 2), ("上", "下")),
        ("a//b // c", (3,), ("a", "b", "c")),
        ("a//b // c", (2,), ("a//b", "c")),
        ("and//or //", (2,), ("and//or", "")),
        ("//TODO", (2,), ("//TODO",)),
        ("a /b/ c / / d", (2,), ("a /b/ c", "d")),
        ("a //b", (2,), ("a", "b")),
        ("a /// b", (2,), ("a", "b")),
        ("上//中//下", (2,), ("上//中//下",)),
        ("https://x.org//a", (2,), ("https://x.org//a",)),
    ],
)
def test_slashes_without_spaces_part_only_what_is_expected(
    written: str, counts: tuple[int, ...], expected: tuple[str, ...]
) -> None:
    assert Caption.parse(written, *counts).parts == expected


@given(parts.map(tuple))
def test_a_caption_written_and_read_is_the_same(texts: tuple[str, ...]) -> None:
    assert Caption.parse(str(Caption(texts))) == Caption(texts)
    assert Caption.parse(str(Caption(texts)), len(texts)) == Caption(texts)
    assert str(Caption(texts)).count(SEPARATOR) >= len(texts) - 1


@each("name", ["a", "robot-chef", "Meme_01", "v1.2", "x" * 100])
def test_a_safe_name_is_given_back(name: str) -> None:
    assert check_tag_name(name, "meme") == name


@each("name", ["", ".", "..", "-a", ".a", "a.", "a/b", "a\\b", "a b", "ä", "a\n", "x" * 101, "a:b"])
def test_a_name_that_is_not_safe_everywhere_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="meme"):
        check_tag_name(name, "meme")


def test_styles_are_what_their_names_say() -> None:
    assert all(style.name == name for name, style in STYLES.items())
    assert STYLES["poster"] == TextStyle()
    assert STYLES["poster"].outline_width > 0
    for name in ("bubble", "plain"):
        assert STYLES[name].face == "plain"
        assert STYLES[name].outline_width == 0
        assert not STYLES[name].uppercase
    for style in STYLES.values():
        ratio = contrast(relative_luminance(style.fill), relative_luminance(style.outline))
        assert ratio > 7


def test_templates_can_be_keys_and_cannot_change() -> None:
    one = Template("a", Path("a.png"), (TextBox("top", 0, 0, 1, 0.2),))
    same = Template("a", Path("a.png"), (TextBox("top", 0, 0, 1, 0.2),))
    assert {one: 1}[same] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.name = "b"  # type: ignore[misc]
