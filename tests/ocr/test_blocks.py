"""Lines become parts in reading order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.locales import default
from memeloc.model import Caption
from memeloc.ocr.blocks import arrange, clean
from memeloc.ocr.protocol import Line
from memeloc.ocr.rapid import RapidReader
from tests.ocr.pictures import meme

EN, AR, ZH, TH = (default().get(tag) for tag in ("en", "ar", "zh", "th"))


def _line(text: str, left: float, top: float, width: float = 200, height: float = 30) -> Line:
    return Line(text, (left, top, left + width, top + height), 0.9)


def _texts(*lines: Line, locale: object = EN) -> list[str]:
    return [part.text for part in arrange(lines, locale)]  # type: ignore[arg-type]


def test_lines_below_one_another_are_a_part_and_a_gap_parts_them() -> None:
    lines = [
        _line("leave at five", 50, 345),
        _line("one does", 60, 10),
        _line("not simply", 50, 42),
        _line("or ever", 70, 380),
    ]
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        assert _texts(*lines) == ["one does not simply", "leave at five or ever"]


def test_pieces_of_a_line_join_in_the_direction_of_the_script() -> None:
    assert _texts(_line("two", 108, 11, 60), _line("one", 40, 10, 60)) == ["one two"]
    right_to_left = [_line("ثانية", 40, 10, 60), _line("أولى", 108, 11, 60)]
    assert _texts(*right_to_left, locale=AR) == ["أولى ثانية"]


def test_panels_side_by_side_follow_the_direction_of_the_script() -> None:
    lines = [_line("left", 10, 300), _line("right", 260, 304), _line("below", 10, 500)]
    assert _texts(*lines) == ["left", "right", "below"]
    assert _texts(*lines, locale=AR) == ["right", "left", "below"]


def test_columns_keep_their_lines_together() -> None:
    lines = [
        _line("what do you", 10, 50),
        _line("make oxygen", 400, 30),
        _line("do all day", 10, 82),
        _line("and you", 400, 62),
    ]
    assert sorted(_texts(*lines)) == ["make oxygen and you", "what do you do all day"]


def test_a_large_line_and_a_small_one_are_not_one_part() -> None:
    assert _texts(_line("TITLE", 10, 10, 300, 80), _line("small print", 10, 92, 300, 18)) == [
        "TITLE",
        "small print",
    ]


@pytest.mark.parametrize(("locale", "joined"), [(ZH, "今天不写代码"), (TH, "วันนี้ฉันเอง")])
def test_scripts_without_spaces_get_none(locale: object, joined: str) -> None:
    half = len(joined) // 2
    lines = _line(joined[:half], 10, 10), _line(joined[half:], 10, 42)
    assert _texts(*lines, locale=locale) == [joined]


def test_latin_words_keep_their_space_in_chinese() -> None:
    assert clean("用 big data 分 析", ZH) == "用big data分析"


@given(st.lists(st.text(max_size=12), max_size=6), st.sampled_from([EN, AR, ZH]))
def test_what_is_arranged_can_be_a_caption(texts: list[str], locale: object) -> None:
    lines = [_line(text, 10, 100 * number) for number, text in enumerate(texts)]
    for part in arrange(lines, locale):  # type: ignore[arg-type]
        assert part.text == part.text.strip() != ""
        assert Caption.parse(part.text).parts == (part.text,)
        assert not set("\u200e\u200f\u202a\u202b\u2066\x00") & set(part.text)


def test_a_chat_is_read_from_top_to_bottom() -> None:
    text = "Anything to tell me? // I can hear you humming. // No."
    (lines,) = RapidReader().read([meme("chat-with-fridge", text, "en")], EN)
    assert [part.text for part in arrange(lines, EN)][-3:] == text.split(" // ")
