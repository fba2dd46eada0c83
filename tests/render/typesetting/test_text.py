"""What becomes of any string before layout."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memeloc.render.typesetting.layout import MOST_CHARACTERS, clean
from tests.each import each

any_text = st.text(st.characters(exclude_categories=[]), max_size=60)


@each("mark", ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"], ids=ascii)
def test_every_mandatory_break_of_uax_14_parts_paragraphs(mark: str) -> None:
    assert clean(f"one{mark}two") == ["one", "two"]


def test_what_cannot_be_drawn_is_replaced() -> None:
    assert clean("a\tb\x00c\x7fd") == ["a b c d"]
    assert clean("a\ud800b\uffffc\ufffed") == ["a\ufffdb\ufffdc\ufffdd"]
    assert clean("\ufeffa\ufffcb") == ["ab"]


def test_half_a_megabyte_is_cut() -> None:
    assert [len(line) for line in clean("x" * 500_000)] == [MOST_CHARACTERS]


@given(any_text)
def test_any_string_becomes_lines_that_can_be_drawn(text: str) -> None:
    paragraphs = clean(text)
    for line in paragraphs:
        assert line == line.strip()
        assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in line)
    assert clean("\n".join(paragraphs)) == paragraphs
