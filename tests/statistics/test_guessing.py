"""Rules that answer questions without reading them."""

from __future__ import annotations

import pytest

from memeloc.statistics.significance import overlap, right_by_rules
from tests.each import each


def test_of_equal_options_any_is_taken() -> None:
    by_rule = right_by_rules(["ab", "cd", "e"], 1, "en", "What?", "nothing of that")
    assert by_rule["longest option"] == 0.5
    assert by_rule["most words of the caption"] == pytest.approx(1 / 3)


def test_rule_without_its_text_is_left_out() -> None:
    assert list(right_by_rules(["Milch", "Tee"], 0, "de")) == ["chance", "longest option"]


@each(
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
