"""What makes two texts the same, held by comparing each with each."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from memeloc.curate.duplicates.texts import numbers, plain_text, similar_texts


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("When it is", "Monday"), ("WHEN IT IS MONDAY!!!",)),
        (("Straße",), ("STRASSE",)),
        (("don’t — panic",), ("Don't panic",)),
        (("ﬁne ＯＫ",), ("fine ok",)),
        (("مـــرحبا",), ("مرحبا",)),
        (("a\u200bb\u00ad c",), ("abc",)),
        (("❤️ cats",), ("❤ Cats",)),
        (("न\u200dमस्ते",), ("नमस्ते",)),
    ],
)
def test_the_same_but_for_how_it_is_written(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    assert plain_text(first) == plain_text(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("😂 lol", "😭 lol"), ("???", "!!!"), ("कि", "की"), ("C", "C++"), ("2019", "2020")],
)
def test_what_makes_a_difference(first: str, second: str) -> None:
    assert plain_text([first]) != plain_text([second])


def test_nothing_is_nothing_and_anything_can_be_compared() -> None:
    assert plain_text([]) == plain_text(["", " \n\t"]) == ""
    assert plain_text(["\ud800 x"]) == "x"
    assert plain_text(["\ud800"]) == "?"
    assert numbers(plain_text(["In 2019, 3.5 cats"])) == ("201935",)


@given(
    st.lists(st.text("abc", max_size=12), unique=True, max_size=40),
    st.sampled_from([0.3, 0.5, 0.8, 0.92, 1.0]),
    st.integers(1, 9),
)
def test_every_similar_pair_is_found_once(texts: list[str], least: float, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memeloc.curate.duplicates.texts._BLOCK", block)
        scores = {(first, second): score for first, second, score in similar_texts(texts, least)}
        assert len(scores) == len(list(similar_texts(texts, least)))
    expected = {
        (first, second): score
        for first, second in itertools.combinations(range(len(texts)), 2)
        if (score := fuzz.ratio(texts[first], texts[second]) / 100) >= least - 1e-9
    }
    assert set(scores) == set(expected)
    for pair, score in expected.items():
        assert scores[pair] == pytest.approx(score, abs=1e-5)
