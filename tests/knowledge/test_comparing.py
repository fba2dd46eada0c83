"""Versions of memes beside each other: which statements have a counterpart."""

from __future__ import annotations

import pytest

from memeloc.embedding.models import create
from memeloc.errors import InputError
from memeloc.knowledge.graph_store import compare
from memeloc.knowledge.statements import DimensionKnowledge, MemeKnowledge, State, Statement
from memeloc.reports.figures import wide

LETTERS = create("texts", "ngrams:3")
STATEMENTS = "comparison-statements"


def meme(version: str, *texts: str, language: str = "en", state: State = "answered", id: str = "a"):
    statements = tuple(Statement(f"scene-{n}", "scene", text) for n, text in enumerate(texts, 1))
    scene = DimensionKnowledge("scene", state, statements=statements)
    return MemeKnowledge(id, "c", version, language, "m-quest", "tiny", (scene,))


GERMAN = meme("de", "A cat drinks tea.", "It rains outside.")
HINDI = meme("hi", "It is raining outside.", "A cat drinks tea.", "The chai is hot.")


def similarities(*memes: MemeKnowledge, threshold: float = 0.6) -> list[tuple[str, bool]]:
    """Statements of two versions, and whether they have a counterpart."""
    frame = wide(compare(memes, ["de", "hi"], LETTERS, threshold=threshold).figures, STATEMENTS)
    texts = frame["item"].str.partition(" | ")[2]
    return sorted(zip(texts, frame["similarity"].notna(), strict=True))


def test_a_statement_has_one_counterpart_only() -> None:
    twice = meme("hi", "A cat drinks tea.", "A cat drinks tea.")
    assert similarities(GERMAN, twice) == [
        ("de: A cat drinks tea. | hi: A cat drinks tea.", True),
        ("de: It rains outside.", False),
        ("hi: A cat drinks tea.", False),
    ]


@pytest.mark.parametrize(("threshold", "counterparts"), [(0.5, 2), (0.99, 1)])
def test_threshold_decides_what_a_counterpart_is(threshold: float, counterparts: int) -> None:
    assert sum(both for _, both in similarities(GERMAN, HINDI, threshold=threshold)) == counterparts


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
