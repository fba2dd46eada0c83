"""Similar texts: what the index finds is what comparing with every text finds."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from rapidfuzz import fuzz

from memeloc.translate.memory import SimilarTexts, words
from tests.each import each


def _similarity(one: str, other: str) -> float:
    counts = Counter(words(one)), Counter(words(other))
    total = counts[0].total() + counts[1].total()
    common = (counts[0] & counts[1]).total()
    return ((2 * common / total if total else 0.0) + fuzz.ratio(one, other) / 100) / 2


@each("least", [0.3, 0.5, 0.7, 0.95, 1.0])
def test_no_similar_text_is_missed(least: float) -> None:
    chance = random.Random(14)
    vocabulary = ["me", "my", "cat", "again", "猫", "的", "!!", "//", "😀", "is", "is", "code"]
    texts = [
        " ".join(chance.choices(vocabulary, k=chance.randint(1, 7))) for _ in range(300)
    ]  # fmt: skip
    index = SimilarTexts(texts)
    for text in texts[:40]:
        expected = {
            at: value
            for at, other in enumerate(texts)
            if (value := _similarity(text, other)) >= least
        }
        assert dict(index.find(text, least)) == pytest.approx(expected)


def test_case_makes_no_difference() -> None:
    assert SimilarTexts(["STRASSE der Katzen"]).find("Straße der katzen", 0.7) == [(0, 1.0)]


@each(
    ("text", "expected"),
    [
        ("it's 2 o'clock, (now)!", ["it's", "2", "o'clock", "now"]),
        ("लड़का खाता है।", ["लड़का", "खाता", "है"]),
        ("我爱猫。OK", ["我", "爱", "猫", "OK"]),
        ("แมวดี", ["แ", "ม", "ว", "ด", "ี"]),
        ("متى؟ الآن، غدا", ["متى", "الآن", "غدا"]),
        ("고양이 좋아", ["고양이", "좋아"]),
    ],
)
def test_words_stand_between_spaces_and_punctuation(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_an_empty_index_has_nothing() -> None:
    assert SimilarTexts([]).find("me", 0.7) == []
    assert SimilarTexts(["", "!"]).find("me", 0.7) == []
