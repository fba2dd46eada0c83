"""Words whose boxes do not fit the letters, drawn as bars."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from memeloc.ocr.tesseract import Word
from memeloc.ocr.tesseract_reader import are_doubtful

BARS = ((20, 80), (95, 150), (165, 220))
"""Left and right of three words, in pixels."""


def mask(*bars: tuple[int, int]) -> Image.Image:
    drawn = Image.new("L", (260, 60), 255)
    for left, right in bars:
        ImageDraw.Draw(drawn).rectangle((left, 15, right, 45), 0)
    return drawn


def words(*bars: tuple[int, int]) -> list[Word]:
    return [Word("x", left, 15, right, 45, 0.9, ("1",)) for left, right in bars]


def test_words_that_cover_the_letters_in_order_are_not() -> None:
    assert not are_doubtful(words(*BARS), mask(*BARS), ordered=True)
    assert not are_doubtful([], None, ordered=True)


def test_a_mark_beside_a_word_is_no_lost_word() -> None:
    assert not are_doubtful(words(*BARS), mask(*BARS, (240, 250)), ordered=True)


@pytest.mark.parametrize("read", [BARS[1:], BARS[:2], (BARS[0], BARS[2])])
def test_letters_that_no_word_covers_are(read: tuple[tuple[int, int], ...]) -> None:
    assert are_doubtful(words(*read), mask(*BARS), ordered=True)


def test_a_gap_as_wide_as_a_word_is_even_without_letters() -> None:
    assert are_doubtful(words(BARS[0], BARS[2]), None, ordered=True)


def test_words_in_another_order_are_where_order_is_known() -> None:
    swapped = words(BARS[1], BARS[0], BARS[2])
    assert are_doubtful(swapped, mask(*BARS), ordered=True)
    assert not are_doubtful(swapped, mask(*BARS), ordered=False)
