"""Rules that answer questions without reading them."""

from __future__ import annotations

import pytest

from memeloc.statistics.guessing import closest, longest, overlap


def test_longest_takes_the_first_of_equal_ones() -> None:
    assert longest(["ab", "cd", "e"]) == 0


def test_closest_takes_the_first_where_nothing_is_shared() -> None:
    assert closest(["Milch", "Tee"], "Wer schläft?", "de") == 0


@pytest.mark.parametrize(
    ("option", "text", "language", "share"),
    [
        ("Der Hund", "der HUND bellt", "de", 1.0),
        ("猫が好き", "猫はどこ", "ja", 1 / 3),
        ("काली बिल्ली", "बिल्ली कहाँ है?", "hi", 0.5),
        ("!!!", "what?!", "en", 0.0),
    ],
)
def test_overlap_counts_words_of_any_script(
    option: str, text: str, language: str, share: float
) -> None:
    assert overlap(option, text, language) == pytest.approx(share)
