"""Versions of memes beside each other: which statements have a counterpart."""

from __future__ import annotations

import pytest

from memeloc.embedding.models import create
from memeloc.errors import InputError
from memeloc.knowledge.comparing import Comparison, compare, comparison_report
from memeloc.knowledge.statements import DimensionKnowledge, MemeKnowledge, State, Statement

LETTERS = create("texts", "ngrams:3")


def meme(version: str, *texts: str, language: str = "en", state: State = "answered", id: str = "a"):
    statements = tuple(Statement(f"scene-{n}", "scene", text) for n, text in enumerate(texts, 1))
    scene = DimensionKnowledge("scene", state, statements=statements)
    return MemeKnowledge(id, "c", version, language, "m-quest", "tiny", (scene,))


GERMAN = meme("de", "A cat drinks tea.", "It rains outside.")
HINDI = meme("hi", "It is raining outside.", "A cat drinks tea.", "The chai is hot.")


@pytest.fixture(scope="module")
def result() -> Comparison:
    memes = [GERMAN, HINDI, meme("de", "Alone.", id="b"), meme("ar", "x")]
    return compare(memes, ["de", "hi"], LETTERS, threshold=0.5)


def test_a_statement_has_one_counterpart_only() -> None:
    twice = meme("hi", "A cat drinks tea.", "A cat drinks tea.")
    result = compare([GERMAN, twice], ["de", "hi"], LETTERS)
    assert sorted(pair.state for pair in result.pairs) == ["both", "first", "second"]


def test_threshold_decides_what_a_counterpart_is() -> None:
    result = compare([GERMAN, HINDI], ["de", "hi"], LETTERS, threshold=0.99)
    assert result.dimensions[0].counterparts == 1


def test_dimension_without_an_answer_is_left_out() -> None:
    result = compare([GERMAN, meme("hi", state="missing")], ["de", "hi"], LETTERS)
    assert (result.dimensions, result.pairs) == ((), ())
    assert comparison_report(result).sections[0].figures["counterparts"] == 0


@pytest.mark.parametrize(
    ("memes", "sentence"),
    [
        ([GERMAN], "Nothing was extracted of versions in hi"),
        ([GERMAN, meme("hi", "चाय", language="hi")], "--statements-language en"),
        ([GERMAN, meme("hi", "x", id="b")], "No meme has statements in en"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(memes: list[MemeKnowledge], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        compare(memes, ["de", "hi"], LETTERS)


def test_three_versions_are_compared_by_twos() -> None:
    result = compare([GERMAN, HINDI, meme("ar", "x")], ["de", "hi", "ar"], LETTERS)
    pairs = [(each.first, each.second) for each in result.dimensions]
    assert pairs == [("de", "hi"), ("de", "ar"), ("hi", "ar")]
